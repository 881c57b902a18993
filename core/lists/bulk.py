"""The same done to many rows of a list."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db import transaction

from ..refusals import Refusal

T = TypeVar("T")


@transaction.atomic
def do_to_all(rows: Iterable[T], do: Callable[[T], object], *, name: Callable[[T], str] = str) -> int:
    """Do the same to each of the rows; returns how many there were.

    If one of them cannot be done, none is: raises its Refusal with the `name` of the row. Raises Refusal if there is
    no row at all.
    """
    count = 0
    for row in rows:
        try:
            do(row)
        except Refusal as refusal:
            message = f"{name(row)}: {refusal.message} None of those ticked was changed."
            raise Refusal(message, status=refusal.status) from refusal
        count += 1
    if not count:
        raise Refusal("Nothing was ticked, so nothing was changed.", status=400)
    return count
