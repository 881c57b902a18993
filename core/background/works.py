"""The life of a background work, one function for each change of state: asked for, claimed, ended, cancelled."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone, translation

from ..files.provenance import name_of
from ..files.uploads import discard_upload, kept_upload
from ..languages import say, translated
from ..languages.texts import ENGLISH
from ..models import BackgroundWork, CoreAction, Event, User, WorkState
from ..refusals import Refusal
from .registry import Kind

# The worker renews its lease every few seconds; after this long without a sign it is dead.
LEASE = timedelta(seconds=60)
# If workers died this often at one work, they would die there for ever.
MOST_TRIES = 3
ENDED_AS = {
    WorkState.DONE: CoreAction.DONE,
    WorkState.REFUSED: CoreAction.REFUSED,
    WorkState.FAILED: CoreAction.FAILED,
}


def ask_for(
    kind: Kind,
    *,
    given: Mapping[str, Sequence[str]],
    files: Mapping[str, UploadedFile],
    check_only: bool,
    user: User,
    about: Mapping[str, str],
) -> BackgroundWork:
    """Keep a valid form and its files for a worker; the caller wakes one once this is committed. If this person has
    asked for the same and it has not ended, return that.
    """
    asked = {"what": kind.code, "about": dict(about), "given": dict(given), "check_only": check_only}
    fingerprint = fingerprint_of(asked, files)
    same = BackgroundWork.objects.filter(asked_by=user, fingerprint=fingerprint, state__in=WorkState.open())
    if found := same.first():
        return found
    try:
        with ExitStack() as kept, transaction.atomic():
            paths = {
                field: {"name": name_of(file), "path": str(kept.enter_context(kept_upload(file)))}
                for field, file in files.items()
            }
            work = BackgroundWork.objects.create(**asked, files=paths, fingerprint=fingerprint, asked_by=user)
            Event.record(CoreAction.REQUESTED, work, actor=user, after={"state": work.state})
            return work
    except IntegrityError:  # the same form arrived twice at the same time
        return same.get()


def fingerprint_of(asked: Mapping[str, Any], files: Mapping[str, UploadedFile]) -> str:
    """SHA-256 of what is asked for, the files' content included. The files are at their beginning afterwards."""
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode())
    for field, file in sorted(files.items()):
        digest.update(f"\0{field}\0{name_of(file)}\0{file.size}\0".encode())
        file.seek(0)
        for chunk in file.chunks():
            digest.update(chunk)
        file.seek(0)
    return digest.hexdigest()


def works_to_take_up() -> QuerySet[BackgroundWork]:
    """Works that wait for a worker, and before them one whose worker has been silent for the length of a lease."""
    lapsed = Q(state=WorkState.RUNNING, lease_expires_at__lte=timezone.now())
    return BackgroundWork.objects.filter(Q(state=WorkState.WAITING) | lapsed).order_by("state", "pk")


def claim_next() -> BackgroundWork | None:
    """Claim the next work for the caller; None if nothing waits, or another worker is at one."""
    if BackgroundWork.objects.filter(state=WorkState.RUNNING, lease_expires_at__gt=timezone.now()).exists():
        return None
    for work in works_to_take_up():
        if work.tries >= MOST_TRIES:
            message = (
                f"The worker stopped {MOST_TRIES} times while it did this, so it was not tried again. What it had "
                "begun is not visible, or complete up to its last step."
            )
            end_work(work, WorkState.FAILED, problem=message)
            continue
        return claim(work)
    return None


def claim(work: BackgroundWork) -> BackgroundWork | None:
    """Claim this work; None if another worker was faster, or is at another one."""
    now = timezone.now()
    free = works_to_take_up().order_by().filter(pk=work.pk, tries=work.tries)
    try:
        with transaction.atomic():
            claimed = free.update(
                state=WorkState.RUNNING,
                started_at=Coalesce("started_at", now),
                lease_expires_at=now + LEASE,
                tries=F("tries") + 1,
                step="",
                done=0,
                of=None,
            )
    except IntegrityError:  # only one runs at a time
        return None
    return BackgroundWork.objects.select_related("asked_by").get(pk=work.pk) if claimed else None


def held(work: BackgroundWork) -> QuerySet[BackgroundWork]:
    """The row of a work, as long as the worker that claimed it has it."""
    return BackgroundWork.objects.filter(pk=work.pk, state=WorkState.RUNNING, tries=work.tries)


def put_back(work: BackgroundWork) -> None:
    """Have a running work wait again, as if this worker had not tried it."""
    held(work).update(state=WorkState.WAITING, lease_expires_at=None, tries=F("tries") - 1)


@transaction.atomic
def end_work(work: BackgroundWork, state: WorkState, *, lines: Sequence[str] = (), problem: str = "") -> bool:
    """End a running work; returns whether its worker still had it."""
    ended = held(work).update(
        state=state,
        finished_at=timezone.now(),
        lease_expires_at=None,
        lines=list(lines),
        problem=problem,
        shown=_shown_to(work.asked_by, lines, problem),
    )
    if ended:
        # The reason may name texts of the file, which do not belong in the log.
        Event.record(ENDED_AS[state], work, before={"state": "running"}, after={"state": state})
        discard_files(work)
    return bool(ended)


@transaction.atomic
def cancel_work(*, work: BackgroundWork, by: User) -> None:
    """Stop it: its worker leaves it at the next sign of life. Raises Refusal if it has ended."""
    before = work.state
    open_row = BackgroundWork.objects.filter(pk=work.pk, state__in=WorkState.open())
    if not open_row.update(state=WorkState.CANCELLED, finished_at=timezone.now(), lease_expires_at=None):
        raise Refusal(say("This has already ended. Its result is below."))
    Event.record(CoreAction.CANCELLED, work, actor=by, before={"state": before}, after={"state": "cancelled"})
    discard_files(work)


def discard_files(work: BackgroundWork) -> None:
    """Remove the files once this is committed. A worker that still reads one keeps it open."""
    for file in work.files.values():
        transaction.on_commit(partial(discard_upload, file["path"]))


def _shown_to(person: User, lines: Sequence[str], problem: str) -> dict[str, object]:
    """Lines and problem in the person's language; {} if that is English."""
    if (person.language or ENGLISH) == ENGLISH:
        return {}
    with translation.override(person.language):
        return {"lines": [translated(each) for each in lines], "problem": translated(problem)}
