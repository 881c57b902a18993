"""The page Now: people at work, queues, lapsed leases, workers and their last signs; apps add sections of their own.

It reveals nothing that other pages hide from the admin who looks: people are counted from the activity log that this
admin may read, which has no judgment in it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from ..health.signs import SILENT_AFTER, last_sign, recent_signs
from ..languages import in_words_of, say
from ..models import Event, SignKind, User
from .figures import LAPSED, QUEUE_AGE, QUEUE_LENGTH, Figure, figures

LATELY = timedelta(minutes=15)
# The newest entries of the log that are looked at: more in a quarter of an hour come from imports.
MOST_EVENTS = 1_000
PARTS = {
    SignKind.WORKER: say("Worker"),
    SignKind.CLOCK: say("Clock"),
    SignKind.WORK: say("A message of the clock that reached a worker"),
    SignKind.BACKUP: say("Backup"),
    SignKind.SUMS: say("Check of the kept sums"),
}
SHOULD_BE_RECENT = {SignKind.WORKER, SignKind.CLOCK, SignKind.WORK}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the work, and the number of people at it."""

    label: str
    people: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue: its waiting rows (None if they are not counted), and the seconds for which the oldest has been due."""

    label: str
    waiting: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the site and its last sign of life; None if it has never given one."""

    label: str
    at: datetime | None
    is_silent: bool


CountPeople = Callable[[User, datetime], Iterable[Step]]
Sections = Callable[[User], dict[str, object]]

_steps: list[CountPeople] = []
_sections: list[tuple[str, Sections]] = []


def register_steps(count: CountPeople) -> None:
    """Count people at work for this page; `count` gets the admin who looks and the current time."""
    _steps.append(count)


def register_section(template: str, context: Sections) -> None:
    """Add a section to the page, from this template with this context for the admin who looks."""
    _sections.append((template, context))


def now_for(admin: User) -> dict[str, object]:
    """The context of the page."""
    now = timezone.now()
    found = figures()
    workers = recent_signs(SignKind.WORKER)
    return {
        "at": now,
        "steps": [step for count in _steps for step in count(admin, now)],
        "busy": people_in_log(admin, now),
        "queues": queues_of(found),
        "lapsed": [(named(each, "of"), int(each.value)) for each in found if each.name == LAPSED[0]],
        "parts": [part_of(kind, now) for kind in PARTS],
        "workers": [(sign.name, sign.facts.get("active"), sign.at) for sign in workers],
        "failed": next((int(each.value) for each in found if each.name == "workbench_failed_sources"), 0),
        "sections": [(template, context(admin)) for template, context in _sections],
    }


def people_in_log(admin: User, now: datetime) -> int:
    """The number of people with an entry in the activity log of the last minutes, among those this admin may read."""
    newest = Event.objects.open_log(admin).order_by("-pk").values_list("actor", "at")[:MOST_EVENTS]
    return len({actor for actor, at in newest if actor is not None and at > now - LATELY})


def queues_of(found: list[Figure]) -> list[Queue]:
    lengths = {each.labels["queue"]: int(each.value) for each in found if each.name == QUEUE_LENGTH[0]}
    return [
        Queue(named(each, "queue"), lengths.get(each.labels["queue"]), each.value)
        for each in found
        if each.name == QUEUE_AGE[0]
    ]


def named(figure: Figure, label: str) -> str:
    """The words of a figure, in the language of the page: figures themselves are English."""
    return in_words_of(figure.labels[label].capitalize())


def part_of(kind: SignKind, now: datetime) -> Part:
    sign = last_sign(kind)
    is_silent = kind in SHOULD_BE_RECENT and (sign is None or now - sign.at > SILENT_AFTER)
    return Part(PARTS[kind], sign.at if sign else None, is_silent)
