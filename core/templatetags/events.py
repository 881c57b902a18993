"""The activity log in words for people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from django import template
from django.apps import apps
from django.urls import reverse

from ..models import CoreAction, Event, User
from ..models.events import log_kind
from ..navigation.downloads import downloaded_from
from ..outside import row_numbers, whole_number

register = template.Library()
# An event refers to people by number: names may change, the log may not.
PEOPLE = ("annotator", "flagged by")
PERSON, PROJECT = "user", "project"
# The pages of rows, by their kind in the log: names of addresses that take the row's number.
PAGES = {PERSON: "person", "harvest": "harvest", "tag": "tag", "webhook": "webhook"}

Change = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Subject:
    """The row of an entry: its words, its page, and whether the verb has no other object."""

    words: str
    address: str
    is_object: bool


@register.filter
def with_changes(events: Iterable[Event]) -> list[tuple[Event, list[Change]]]:
    """Each event with its changes, with names in place of the numbers of people."""
    rows = [(event, event.changes) for event in events]
    people = _people(_of_changes(rows))
    return [(event, _named(changes, people)) for event, changes in rows]


@register.filter
def as_sentences(events: Iterable[Event]) -> list[tuple[Event, Subject | None, list[Change]]]:
    """Each event with its subject, if a sentence needs one, and its changes."""
    rows = [(event, event.changes) for event in events]
    subjects = {str(event.subject_id) for event, _ in rows if event.subject_kind == PERSON}
    people = _people(_of_changes(rows) | subjects)
    return [
        (event, _subject(event, people), [] if _is_download(event) else _named(changes, people))
        for event, changes in rows
    ]


def _is_download(event: Event) -> bool:
    return event.action == CoreAction.EXPORTED and "address" in event.after


def _of_changes(rows: Iterable[tuple[Event, list[Change]]]) -> set[str]:
    return {value for _, changes in rows for name, *values in changes if name in PEOPLE for value in values}


def _people(numbers: set[str]) -> Mapping[int, User]:
    return User.objects.in_bulk(row_numbers(numbers)) if numbers else {}


def _named(changes: Iterable[Change], people: Mapping[int, User]) -> list[Change]:
    def named(name: str, value: str) -> str:
        number = whole_number(value) if name in PEOPLE else None
        return value if number is None else str(people.get(number, f"person {value}"))

    return [(name, named(name, before), named(name, after)) for name, before, after in changes]


def _subject(event: Event, people: Mapping[int, User]) -> Subject | None:
    """None where the verb says it all: of the settings, and of what people do with their own account."""
    kind, number = event.subject_kind, event.subject_id
    if _is_download(event):
        return Subject(downloaded_from(event.after["address"]), "", is_object=True)
    if kind == PROJECT or (kind == PERSON and number == event.actor_id):
        return None
    words = str(people.get(number, f"person {number}")) if kind == PERSON else f"{_nouns().get(kind, kind)} {number}"
    address = reverse(PAGES[kind], args=[number]) if kind in PAGES else ""
    return Subject(words, address, is_object=" " not in event.label or event.label.endswith(" of"))


@cache
def _nouns() -> dict[str, str]:
    """The nouns of the kinds in the log: "practice attempt" for "practiceattempt"."""
    return {log_kind(model): str(model._meta.verbose_name) for model in apps.get_models()}
