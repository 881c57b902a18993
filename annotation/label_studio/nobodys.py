"""Marks in a task's data which works had no address in the file, and recognises them when they are imported again.

Label Studio gives an annotation without an address to the person who imports the file. Without the marks it would be
imported again as that person's work, beside the existing one. A work that was changed there has no mark, and is that
person's.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from core.files.problems import ShapeError
from core.languages import say

from ..content.paper_record import content_of_result
from .results import said

NOBODY = ""

# By `key_of` a work, the addresses of those who wrote this, each as often as they did. NOBODY is among them.
Marks = dict[str, list[str]]


def key_of(kind: str, result: Mapping[str, object]) -> str:
    """A key that is equal for works of one kind with the same content; `result` is as read from Label Studio's list
    of results.
    """
    return f"{kind} {said(content_of_result(result)).hex()}"


class Marking:
    """Collects the works of a task that is being exported."""

    def __init__(self) -> None:
        self.addresses: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, key: str, address: str) -> None:
        self.addresses[key].append(address)

    def marks(self) -> Marks:
        return {key: addresses for key, addresses in self.addresses.items() if NOBODY in addresses}


def checked_marks(value: Any) -> Marks:
    """The marks in a task's data. Raises ShapeError if they are something else."""
    if not all(isinstance(each, list) and all(isinstance(text, str) for text in each) for each in value.values()):
        raise ShapeError("nobodys", say("must be an object with lists of texts"))
    return {key: list(addresses) for key, addresses in value.items()}


def take_nobodys(marks: Marks, key: str, address: object) -> bool:
    """Return whether this work is marked as nobody's. Removes the mark, so that another one with the same content is
    its writer's. A person's own work with the same content comes first.
    """
    left = marks.get(key, [])
    whose = address if isinstance(address, str) and address in left else NOBODY
    if whose not in left:
        return False
    left.remove(whose)
    return whose == NOBODY
