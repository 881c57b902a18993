"""Text from outside: numbers, times and JSON in addresses, forms, headers, bodies and files.

It is read here and nowhere else, so that one function refuses what no database or library can hold: a row number
beyond 64 bits, a number with thousands of digits, a time beyond the calendar, JSON nested too deeply.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from .languages import say
from .refusals import Refusal

MOST_ROW = 2**63 - 1
MOST_NUMBER = 2**31 - 1
MOST_DIGITS = 1_000
# No database stores a NUL or half of a surrogate pair.
NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
_DIGITS = re.compile(r"[0-9]{1,19}")


class Unreadable(ValueError):
    """Raised for text that is not of the expected kind; the message says why, in words for people."""


def is_storable(text: str) -> bool:
    """Return whether every database can store this text unchanged."""
    try:
        text.encode()  # many times faster than checking each character
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def storable(text: str) -> str:
    """The text, with U+FFFD in place of each character that no database can store."""
    return NOT_STORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def required_text(text: str, message: str) -> str:
    """The text that a person entered, stripped.

    Raises Refusal with `message` if the text is blank, and Refusal if no database can store it.
    """
    text = text.strip()
    if not text:
        raise Refusal(message, status=400)
    refuse_unstorable(text)
    return text


def refuse_unstorable(text: str) -> None:
    """Raises Refusal if no database can store this text."""
    if not is_storable(text):
        raise Refusal(say("The text holds a character that cannot be stored. Nothing was changed."), status=400)


# --- Numbers --------------------------------------------------------------------------------------------------------


def whole_number(written: object, *, most: int = MOST_ROW) -> int | None:
    """The number from 0 to `most` that is written in ASCII digits; None for anything else."""
    if not isinstance(written, str) or not _DIGITS.fullmatch(written):
        return None
    number = int(written)
    return number if number <= most else None


def signed_number(written: str, *, most: int) -> int | None:
    """The number from -`most` to `most` that is written; None for anything else."""
    number = whole_number(written.removeprefix("-"), most=most)
    return -number if number is not None and written.startswith("-") else number


def version_number(written: object) -> int:
    """The version of an annotation that a page says it shows; -1, which matches no version, if it says none."""
    number = whole_number(written, most=MOST_NUMBER)
    return -1 if number is None else number


def row_numbers(written: Iterable[str]) -> list[int]:
    """The row numbers among the texts; the other texts are left out."""
    return [number for number in map(whole_number, written) if number is not None]


class RowConverter:
    """`<row:pk>` in an address: the number of a row. An impossible number gives a 404."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = whole_number(value)
        if number is None:
            raise ValueError(value)
        return number

    def to_url(self, value: int | str) -> str:
        return str(value)


# --- Addresses ------------------------------------------------------------------------------------------------------


def web_address(url: object) -> str:
    """The address if it is safe to link to, else "". Wikis and files can contain anything, scripts included."""
    try:
        return url if isinstance(url, str) and urlsplit(url).scheme in ("http", "https") else ""
    except ValueError:
        return ""


# --- Times ----------------------------------------------------------------------------------------------------------


def moment(written: str) -> datetime:
    """The time in an ISO 8601 text, in UTC. Text without an offset is taken to be in the project's time zone.

    Raises Unreadable if the text is not a time, or the time is out of the calendar's range in UTC.
    """
    try:
        found = parse_datetime(written)
        if found is None:
            raise ValueError
        aware = timezone.make_aware(found) if timezone.is_naive(found) else found
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Unreadable(f"“{written[:40]}” is not a time such as 2026-05-31T12:00:00Z") from None


# --- JSON -----------------------------------------------------------------------------------------------------------


def json_object(body: bytes) -> dict[str, object]:
    """The JSON object in a request's body. Raises Unreadable for any other body."""
    try:
        sent = STRICT_JSON.decode(body.decode("utf-8"))
    except RecursionError:
        raise Unreadable("It is nested too deep.") from None
    except ValueError as error:
        raise Unreadable(f"It cannot be read: {error}.") from None
    if not isinstance(sent, dict):
        raise Unreadable("It is not one JSON object.")
    return sent


def text_in(sent: dict[str, object], name: str) -> str:
    """The text under this name, made storable; "" if there is none. Raises Refusal if the value is not text."""
    value = sent.get(name, "")
    if not isinstance(value, str):
        raise Refusal(
            say("Not saved: the page sent no text as “{name}”. Nothing was changed.", name=name), status=400
        )
    return storable(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice[:80]!a} appears twice in one object")
    return values


def _whole_number(written: str) -> int:
    if len(written) > MOST_DIGITS:
        raise ValueError(f"a number has more than {MOST_DIGITS:,} digits")
    return int(written)


def _number(written: str) -> float:
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {written[:30]} is too large")
    return value


def _not_json(written: str) -> Any:
    raise ValueError(f"{written} is not a number in JSON")


def strict_json(object_of: Callable[[list[tuple[str, Any]]], Any] = _object) -> json.JSONDecoder:
    """A decoder that refuses what JSON does not allow even if Python would read it (NaN, numbers beyond any double).

    `object_of` makes an object of its pairs.
    """
    return json.JSONDecoder(
        object_pairs_hook=object_of, parse_int=_whole_number, parse_float=_number, parse_constant=_not_json
    )


# A key that appears twice in one object is refused, too, as one of the values would be lost.
STRICT_JSON = strict_json()
