"""The activity log in words for people."""

from collections.abc import Iterable

from django import template

from ..models import Event, User
from ..outside import row_numbers, whole_number

register = template.Library()
# An event refers to people by number: names may change, the log may not.
PEOPLE = ("annotator", "flagged by")


@register.filter
def with_changes(events: Iterable[Event]) -> list[tuple[Event, list[tuple[str, str, str]]]]:
    """Each event with its changes, with names in place of the numbers of people."""
    rows = [(event, event.changes) for event in events]
    numbers = {value for _, changes in rows for name, *values in changes if name in PEOPLE for value in values}
    people = User.objects.in_bulk(row_numbers(numbers)) if numbers else {}

    def named(name: str, value: str) -> str:
        number = whole_number(value) if name in PEOPLE else None
        return value if number is None else str(people.get(number, f"person {value}"))

    return [
        (event, [(name, named(name, before), named(name, after)) for name, before, after in changes])
        for event, changes in rows
    ]
