"""The activity log in words for people."""

from collections.abc import Iterable

from django import template

from ..models import Event, User
from ..outside import is_row_number, row_numbers

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
        if name not in PEOPLE or not is_row_number(value):
            return value
        return str(people.get(int(value), f"person {value}"))

    return [
        (event, [(name, named(name, before), named(name, after)) for name, before, after in changes])
        for event, changes in rows
    ]
