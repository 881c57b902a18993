"""Reads a file of records, one after another: a JSON list, checked as JSON before anybody looks at what it says.

Only one record at a time is turned into Python values, so that a large file costs little more than its text.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO

from django.conf import settings

from ..errors import Refusal

_BLANKS = re.compile(r"[ \t\n\r]*")


def broken(what: str) -> Refusal:
    return Refusal(f"The file was refused as a whole, and nothing was written. {what}", status=400)


def read_text(stream: BinaryIO) -> str:
    """The text of a file in UTF-8, with or without a byte order mark.

    Raises Refusal for a file of more than `settings.IMPORT_MAX_BYTES`, of which no more than that is read.
    """
    data = stream.read(settings.IMPORT_MAX_BYTES + 1)
    if len(data) > settings.IMPORT_MAX_BYTES:
        raise Refusal(
            f"The file has more than {settings.IMPORT_MAX_BYTES / 1_000_000:,.0f} MB, the most that is read. Nothing "
            "was written. Split it, or raise IMPORT_MAX_BYTES.",
            status=413,
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise broken(f"It is not text in UTF-8: byte {error.start + 1:,} fits no character.") from error


def read_records(text: str) -> Iterator[Any]:
    """The members of the JSON list that `text` is, in order. Raises Refusal, naming the record that is broken.

    What JSON does not allow is refused although Python would read it (NaN, numbers beyond any double), and so is a
    key that stands twice in one object, of which one value would be lost.
    """
    at = _skip_blanks(text, 0)
    if at == len(text):
        raise broken("It is empty.")
    if text[at] != "[":
        _next_value(text, at, "The file")
        raise broken("It must be a list of records, that is, begin with “[”.")
    number = 0
    at = _skip_blanks(text, at + 1)
    while text[at : at + 1] != "]" or number:
        number += 1
        value, at = _next_value(text, at, f"Record {number}")
        yield value
        at = _skip_blanks(text, at)
        if text[at : at + 1] == "]":
            break
        if text[at : at + 1] != ",":
            missing = f"after record {number} a comma or the end of the list is missing"
            raise broken(f"It is not JSON: {missing}{_place(text, at)}.")
        at = _skip_blanks(text, at + 1)
    at = _skip_blanks(text, at + 1)
    if at != len(text):
        raise broken(f"It is not JSON: something follows the end of the list{_place(text, at)}.")


def read_value(text: str) -> Any:
    """The one JSON value that `text` is, read as strictly. Raises Refusal."""
    at = _skip_blanks(text, 0)
    if at == len(text):
        raise broken("It is empty.")
    value, at = _next_value(text, at, "The file")
    at = _skip_blanks(text, at)
    if at != len(text):
        raise broken(f"It is not JSON: something follows its end{_place(text, at)}.")
    return value


def _skip_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _place(text: str, at: int) -> str:
    return f" (line {text.count(chr(10), 0, at) + 1:,}, column {at - text.rfind(chr(10), 0, at):,})"


def _next_value(text: str, at: int, what: str) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise broken(f"{what} is not JSON: {error.msg}{_place(text, error.pos)}.") from error
    except RecursionError:
        raise broken(f"{what} is nested too deep to be read.") from None
    except ValueError as error:
        raise broken(f"{what} cannot be read: {error}.") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice[:80]!a} stands twice in one object")
    return values


def _whole_number(written: str) -> int:
    if len(written) > 1_000:
        raise ValueError("a number has more than 1,000 digits")
    return int(written)


def _number(written: str) -> float:
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {written[:30]} is too large")
    return value


def _not_json(written: str) -> Any:
    raise ValueError(f"{written} is not a number in JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole_number, parse_float=_number, parse_constant=_not_json
)
