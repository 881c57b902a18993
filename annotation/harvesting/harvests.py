"""The life of a harvest, one function for each change of state: requested, claimed, ended, cancelled, resumed."""

import os
import secrets
import socket
import time
from collections import deque
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from core.files.uploads import discard_upload
from core.health.signs import other_machines
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from core.writing.leases import Hold, LeaseLost
from core.writing.locking import lock

from ..mediawiki import refuse_unasked
from ..models import AnnotationAction, DumpRange, Family, Harvest, HarvestSource, HarvestState, Wiki
from ..wikitext.families import normalise_name
from .dumps.dump import DumpError, read_dump
from .task_records import read_task_records

# A worker holds a harvest through a lease that it renews with each step; if it dies, the lease lapses and the next
# worker continues. Longer than a single question to a wiki usually takes.
LEASE = timedelta(seconds=90)
LONGEST_SLEEP = 10.0  # seconds
# If workers died this often at one step, they would die there for ever.
MOST_TRIES = 5
# A file may be on one machine only, such as an upload. The others leave its harvest alone for so long.
FILE_PATIENCE = timedelta(minutes=10)
ASKS_THE_WIKI = [HarvestSource.TEMPLATE, HarvestSource.CATEGORY, HarvestSource.TITLES]
# Levels of sub-categories: further down, Wikipedia's categories lead to nearly everything.
DEEPEST = 5
READS_A_FILE = [HarvestSource.DUMP, HarvestSource.TASKS]
NEEDS_A_COPY = say("Harvest an intact copy of the file: that adds what is missing.")
IS_DAMAGED = say("Its file is damaged: a resumed harvest would stop there again. {then}", then=NEEDS_A_COPY)
ENDED_AS = {HarvestState.DONE: AnnotationAction.DONE, HarvestState.FAILED: AnnotationAction.FAILED}


@transaction.atomic
def start_harvest(
    *,
    source: str,
    wiki: Wiki | None = None,
    parameters: dict[str, Any],
    requested_by: User | None = None,
    contact: str = "",
) -> Harvest:
    """Request a harvest, which then waits for a worker; the caller wakes one once this is committed.

    `parameters` by source: template `names` (name to family) and `families`, both may be absent; category `category`
    and perhaps `depth`; titles `titles`; dump and tasks `path` and, for the page, `file_name`. With `most` it ends
    after that many articles. `contact` is sent to the wiki instead of the setting WIKI_CONTACT. Raises `Refusal` if
    the harvest cannot work.
    """
    if source in ASKS_THE_WIKI and (wiki is None or not wiki.is_allowed):
        raise Refusal(say("Choose a wiki that is allowed. An admin can allow wikis on the Wikis page."), status=400)
    if source in ASKS_THE_WIKI and wiki is not None:
        refuse_unasked(wiki.api_url, contact=contact or settings.WIKI_CONTACT)
    if source == HarvestSource.DUMP and wiki is None:
        raise Refusal(say("Say which wiki the dump comes from, so that its articles are recognised."), status=400)
    checked = _checked(source, parameters) | _checked_most(parameters)
    harvest = Harvest.objects.create(
        source=source,
        wiki=None if source == HarvestSource.TASKS else wiki,
        parameters=checked,
        requested_by=requested_by,
        articles_total=len(checked["titles"]) if "titles" in checked else None,
    )
    Event.record(
        AnnotationAction.REQUESTED, harvest, actor=requested_by, after={"state": harvest.state, "source": source}
    )
    return harvest


@transaction.atomic
def claim_harvest(harvest_id: int) -> Harvest | None:
    """Claim the harvest for the caller; None if it is over, held by another worker, must wait, or is left to another
    machine.

    Only one harvest at a time asks a wiki: https://www.mediawiki.org/wiki/API:Etiquette asks for requests in series.
    """
    now = timezone.now()
    harvest = Harvest.objects.filter(pk=harvest_id).first()
    if harvest is None:
        return None
    if harvest.source in ASKS_THE_WIKI and harvest.wiki_id is not None:
        lock(Wiki.objects.filter(pk=harvest.wiki_id))
        running = Harvest.objects.filter(wiki=harvest.wiki_id, source__in=ASKS_THE_WIKI, state=HarvestState.RUNNING)
        if running.filter(lease_expires_at__gt=now).exclude(pk=harvest_id).exists():
            return None
    if _may_be_read_elsewhere(harvest, now):
        return None
    claimed = harvests_to_take_up(at=now).filter(pk=harvest_id)
    if not claimed.update(
        state=HarvestState.RUNNING, lease_expires_at=now + LEASE, started_at=Coalesce("started_at", now)
    ):
        return None
    harvest = Harvest.objects.select_related("wiki").get(pk=harvest_id)
    cursor = harvest.cursor or {}
    # For the pages per minute: since when this worker has been counting, and from which number on.
    cursor |= {"since": now.isoformat(), "since_page": harvest.articles_seen, "tries": cursor.get("tries", 0) + 1}
    harvest.cursor = cursor
    harvest.save(update_fields=["cursor"])
    if cursor["tries"] > MOST_TRIES:
        message = f"The worker stopped {MOST_TRIES} times at the same step, so it was not tried again."
        end_harvest(harvest, HarvestState.FAILED, error=message)
        return None
    return harvest


def _may_be_read_elsewhere(harvest: Harvest, now: datetime) -> bool:
    """Return whether the harvest's file is missing here, and another machine may still have it."""
    if harvest.source not in READS_A_FILE or os.path.isfile(harvest.parameters["path"]):
        return False
    since = harvest.lease_expires_at or harvest.requested_at
    return now < since + FILE_PATIENCE and (harvest.state == HarvestState.RUNNING or bool(other_machines()))


def harvests_to_take_up(*, at=None) -> QuerySet[Harvest]:
    """Harvests waiting for a worker, or whose worker has been silent for the length of a lease."""
    lapsed = Q(state=HarvestState.RUNNING, lease_expires_at__lte=at or timezone.now())
    return Harvest.objects.filter(Q(state=HarvestState.WAITING) | lapsed)


def being_harvested(harvest: Harvest) -> QuerySet[Harvest]:
    """The harvest's row, while it is running."""
    return Harvest.objects.filter(pk=harvest.pk, state=HarvestState.RUNNING)


class HarvestHold(Hold):
    """A worker's hold on a harvest that it has claimed, or on ranges of its dump beside other workers."""

    def __init__(self, harvest: Harvest):
        super().__init__(harvest, being_harvested(harvest), lease=LEASE)
        self.harvest = harvest
        self.holder = f"{socket.gethostname()} {secrets.token_hex(8)}"
        self.ranges: list[DumpRange] = []  # in their order

    def pause(self, seconds: float) -> None:
        """Sleep for `seconds`, as a wiki asked us to, without losing the hold; ends early if the harvest is
        cancelled."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, LONGEST_SLEEP))
            self.renew()

    def renew(self) -> None:
        super().renew()
        if self._claimed().update(lease_expires_at=self.leases[-1]) < len(self.ranges):
            raise LeaseLost

    def hand_back(self) -> None:
        """Let other workers have the ranges at once."""
        self._claimed().update(lease_expires_at=timezone.now())

    def _mine(self) -> QuerySet[Model]:
        # Every worker with ranges renews the harvest's lease.
        return self._held.filter(Exists(self._claimed())) if self.ranges else super()._mine()

    def _claimed(self) -> QuerySet[DumpRange]:
        return DumpRange.objects.filter(harvest=self.harvest, holder=self.holder)


def join_harvest(harvest_id: int) -> Harvest | None:
    """The harvest, if the caller can read ranges of its dump: from an equal file on a machine without any range."""
    harvest = harvests_to_join().filter(pk=harvest_id).select_related("wiki").first()
    if harvest is None or harvest.ranges.filter(holder__startswith=f"{socket.gethostname()} ").exists():
        return None
    try:
        is_equal = Path(harvest.parameters["path"]).stat().st_size == (harvest.cursor or {}).get("size")
    except OSError:
        return None
    return harvest if is_equal else None


def harvests_to_join() -> QuerySet[Harvest]:
    """Harvests with ranges of a dump to claim. The maximum number of articles is counted by one worker."""
    ranges = DumpRange.objects.filter(harvest=OuterRef("pk"))
    running = Harvest.objects.filter(Exists(ranges), state=HarvestState.RUNNING, parameters__most__isnull=True)
    return running.exclude(Exists(ranges.filter(end=None)))


@transaction.atomic
def end_harvest(
    harvest: Harvest, state: HarvestState, *, hold: Hold | None = None, error: str = "", can_resume: bool = True
) -> bool:
    """End a running harvest as done or failed; returns whether it was still running. `hold` is the caller's, if it
    still has one."""
    hold = hold or HarvestHold(harvest)
    if not hold.let_go(state=state, finished_at=timezone.now(), error=error, can_resume=can_resume):
        return False
    harvest.ranges.all().delete()
    Event.record(ENDED_AS[state], harvest, before={"state": "running"}, after={"state": state}, message=error)
    if state == HarvestState.DONE or not can_resume:
        _discard_file(harvest)
    return True


@transaction.atomic
def cancel_harvest(*, harvest: Harvest, by: User) -> None:
    """Stop it for good. Its stored results are kept. Raises `Refusal` if it is over already."""
    before = harvest.state
    if not Harvest.objects.filter(pk=harvest.pk, state__in=HarvestState.open()).update(
        state=HarvestState.CANCELLED, finished_at=timezone.now(), lease_expires_at=None
    ):
        raise Refusal(say("This harvest has already ended. What it stored is kept."))
    harvest.ranges.all().delete()
    Event.record(
        AnnotationAction.CANCELLED, harvest, actor=by, before={"state": before}, after={"state": "cancelled"}
    )
    _discard_file(harvest)


@transaction.atomic
def resume_harvest(*, harvest: Harvest, by: User | None) -> None:
    """Let a failed harvest continue from where it stopped; the caller wakes a worker once this is committed.

    Raises `Refusal` if it did not fail, or if its file is damaged.
    """
    failed = Harvest.objects.filter(pk=harvest.pk, state=HarvestState.FAILED, can_resume=True)
    cursor = (harvest.cursor or {}) | {"tries": 0}
    # The time says from when on it has been waiting.
    if not failed.update(
        state=HarvestState.WAITING, finished_at=None, error="", cursor=cursor, lease_expires_at=timezone.now()
    ):
        if Harvest.objects.filter(pk=harvest.pk, can_resume=False).exists():
            raise Refusal(IS_DAMAGED)
        raise Refusal(say("Only a harvest stopped by an error can be resumed. Start a new one: it adds what is new."))
    Event.record(AnnotationAction.RESUMED, harvest, actor=by, before={"state": "failed"}, after={"state": "waiting"})


def _discard_file(harvest: Harvest) -> None:
    path = harvest.parameters.get("path", "")
    transaction.on_commit(lambda: discard_upload(path))


# --- What a harvest can be asked for ----------------------------------------------------------------------------


def _checked(source: str, parameters: dict[str, Any]) -> dict[str, Any]:
    if source == HarvestSource.TEMPLATE:
        return _checked_names(parameters)
    if source == HarvestSource.CATEGORY:
        category = str(parameters.get("category", "")).replace("_", " ").strip()
        if not category:
            raise Refusal(say("Name the category, for example “All self-contradictory articles”."), status=400)
        depth = int(parameters.get("depth") or 0)
        if not 0 <= depth <= DEEPEST:
            raise Refusal(say("A depth is a number from 0 to {most}.", most=DEEPEST), status=400)
        return {"category": category, "depth": depth}
    if source == HarvestSource.TITLES:
        titles = list(dict.fromkeys(title.strip() for title in parameters.get("titles", []) if title.strip()))
        if not titles:
            raise Refusal(say("Give at least one title."), status=400)
        return {"titles": titles}
    if source in READS_A_FILE:
        return _checked_file(source, parameters)
    raise Refusal(say("“{source}” is not a source that can be harvested.", source=source), status=400)


def _checked_most(parameters: dict[str, Any]) -> dict[str, Any]:
    most = parameters.get("most")
    if most is None:
        return {}
    if int(most) < 1:
        raise Refusal(say("The limit on articles must be 1 or more."), status=400)
    return {"most": int(most)}


def _checked_names(parameters: dict[str, Any]) -> dict[str, Any]:
    names = {normalise_name(name): family for name, family in parameters.get("names", {}).items()}
    families = list(parameters.get("families", []))
    for family in [*names.values(), *families]:
        if family not in Family.values:
            raise Refusal(
                say(
                    "“{family}” is not a tag type. The types are: {types}.",
                    family=family,
                    types=", ".join(Family.values),
                ),
                status=400,
            )
    if "" in names:
        raise Refusal(say("The name of a template is empty."), status=400)
    return {"names": names, "families": families}


def _checked_file(source: str, parameters: dict[str, object]) -> dict[str, object]:
    path = Path(str(parameters.get("path", ""))).absolute()
    name = parameters.get("file_name") or path.name
    if not path.is_file() or not os.access(path, os.R_OK):
        raise Refusal(say("There is no readable file {name}.", name=name), status=400)
    if source == HarvestSource.TASKS:
        deque(read_task_records(path), maxlen=0)
    else:
        try:
            next(read_dump(path), None)
        except DumpError as error:
            raise Refusal(say("{error} Nothing was stored.", error=str(error)), status=400) from error
    return {"path": str(path), "file_name": name}
