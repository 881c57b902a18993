"""Applies one action to many rows of a list."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from django.db import transaction
from django.db.models import Model, QuerySet

from ..languages import say
from ..outside import row_numbers
from ..refusals import Refusal

T = TypeVar("T")
M = TypeVar("M", bound=Model)


def ticked_numbers(written: Iterable[str]) -> list[int]:
    """The numbers of the selected rows, from an address. Raises Refusal if nothing is selected, or if one of them is
    not a number.
    """
    given = [each for each in written if each]
    numbers = row_numbers(given)
    if not numbers or len(numbers) < len(given):
        raise Refusal(say("Nothing was selected, or the selection cannot be read. Nothing was changed."), status=400)
    return numbers


def all_of(rows: QuerySet[M], numbers: Collection[int]) -> list[M]:
    """The rows with these primary keys, in their order. Raises Refusal (404) if one of them has no row."""
    found = rows.in_bulk(list(numbers))
    missing = [str(number) for number in numbers if number not in found]
    if missing:
        raise Refusal(
            say(
                "There is no {verbose_name} {missing}. Nothing was changed.",
                verbose_name=rows.model._meta.verbose_name,
                missing=missing[0],
            ),
            status=404,
        )
    return list(found.values())


@transaction.atomic
def do_to_all(rows: Iterable[T], do: Callable[[T], object], *, name: Callable[[T], str] = str) -> int:
    """Apply the action to each of the rows; returns the number of rows.

    If it fails for one of them, it is undone for all: raises its Refusal with the `name` of the row. Raises Refusal
    if there are no rows.
    """
    count = 0
    for row in rows:
        try:
            do(row)
        except Refusal as refusal:
            message = f"{name(row)}: {refusal.message} None of the selected ones was changed."
            raise Refusal(message, status=refusal.status) from refusal
        count += 1
    if not count:
        raise Refusal(say("Nothing was selected, so nothing was changed."), status=400)
    return count
