"""Decides whether anything may go out now: calls to models, requests to wikis, mail and webhooks."""

import logging
import time

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from ..models import CoreAction, DataFolder, Event, Project, User
from ..project import lock_project
from .folders import known_folder, recover

log = logging.getLogger(__name__)

# Seconds for which an answer is used again: the calls of a run ask a hundred times a second.
ANSWER_FOR = 0.5


class Answer:
    """The last answer in this process, and the time (monotonic) until which it holds."""

    until = 0.0
    may_send = may_call = False


def may_send() -> bool:
    """Return whether anything may go out from this process. It may not while its machine's folder of data is held.
    Call it outside transactions.
    """
    return _answer().may_send


def may_call() -> bool:
    """Return whether new calls to models may go out: not while an admin has stopped them either. Call it outside
    transactions.
    """
    return _answer().may_call


def _answer() -> type[Answer]:
    if time.monotonic() >= Answer.until or not settings.FOLDER_IS_CHECKED:
        Answer.may_send = _may_send() if settings.FOLDER_IS_CHECKED else True
        Answer.may_call = Answer.may_send and Project.get().calls_stopped_at is None
        Answer.until = time.monotonic() + ANSWER_FOR
    return Answer


def _may_send() -> bool:
    try:
        folder = known_folder()
        if folder.recovered_at is None:
            recover(folder)
    except OSError as error:
        log.error("Nothing is sent, as this machine's folder of data cannot be written to: %s", error)
        return False
    return folder.held_at is None


def held_folders() -> list[DataFolder]:
    """The folders of data from whose machines nothing is sent."""
    return list(DataFolder.objects.filter(held_at__isnull=False))


@transaction.atomic
def allow_sending(*, admin: User | None) -> int:
    """Let everything go out again, from all machines; returns the number of those that were held. `admin` is None
    for a command.
    """
    held = list(DataFolder.objects.select_for_update().filter(held_at__isnull=False).order_by("pk"))
    for row in held:
        because, row.held_at, row.held_because = row.held_because, None, ""
        row.save(update_fields=["held_at", "held_because"])
        Event.record(CoreAction.ALLOWED_SENDING, row, actor=admin, before={"held_because": because})
    Answer.until = 0.0
    return len(held)


@transaction.atomic
def stop_calls(*, admin: User | None) -> bool:
    """Have all workers take no new calls; returns whether that is new."""
    project = lock_project()
    if project.calls_stopped_at is not None:
        return False
    project.calls_stopped_at = timezone.now()
    project.save(update_fields=["calls_stopped_at"])
    Event.record(CoreAction.STOPPED_CALLS, project, actor=admin)
    return True


@transaction.atomic
def resume_calls(*, admin: User | None) -> bool:
    """Have workers take calls again; returns whether that is new."""
    project = lock_project()
    if project.calls_stopped_at is None:
        return False
    project.calls_stopped_at = None
    project.save(update_fields=["calls_stopped_at"])
    Event.record(CoreAction.RESUMED_CALLS, project, actor=admin)
    return True
