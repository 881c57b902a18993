"""Compares two records of one row, in a few bytes for each."""

import json
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from core.files.problems import ShapeError
from core.languages import say


def said_of(values: Mapping[str, object], names: Sequence[str]) -> bytes:
    """A digest of the values under these names."""
    return array("q", [hash(_hashable(values[name])) for name in names]).tobytes()


def _hashable(value: object) -> Any:
    return json.dumps(value, sort_keys=True) if isinstance(value, list | dict) else value


def check_same(known: bytes, said: bytes, names: Sequence[str], what: str) -> None:
    """Raises ShapeError if two records of one row differ; the message calls the first one `what`."""
    for at, name in enumerate(names):
        if known[8 * at : 8 * at + 8] != said[8 * at : 8 * at + 8]:
            raise ShapeError(name, say("is not what {what} says", what=what))
