"""The time span of a temporal claim, as written: "2033", "April, 2033" or "20 April, 2033". Text in, dates out."""

import re
from calendar import month_name, monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

MONTHS = {name.casefold(): number for number, name in enumerate(month_name) if name}
_WRITTEN = re.compile(r"(?:(?:([0-9]{1,2}) )?([A-Za-z]+), )?([0-9]{4})")


@dataclass(frozen=True, slots=True)
class Days:
    """The first and the last day that a written date can mean."""

    first: date
    last: date


def days_of(written: str) -> Days | None:
    """The days of a written date; None if it is none."""
    match = _WRITTEN.fullmatch(written.strip())
    if match is None or not int(match[3]):
        return None
    day, month, year = match[1], match[2], int(match[3])
    if month is None:
        return Days(date(year, 1, 1), date(year, 12, 31))
    number = MONTHS.get(month.casefold())
    if number is None:
        return None
    length = monthrange(year, number)[1]
    if day is None:
        return Days(date(year, number, 1), date(year, number, length))
    if not 1 <= int(day) <= length:
        return None
    return Days(date(year, number, int(day)), date(year, number, int(day)))


def span_problem(span: object) -> str:
    """The problem of a span, in words that continue “the field”; "" if it is a point or an interval in time."""
    if not isinstance(span, list) or not 1 <= len(span) <= 2:
        return "is not a list of one or two dates"
    found = [days_of(each) if isinstance(each, str) else None for each in span]
    wrong = next((each for each, days in zip(span, found, strict=True) if days is None), None)
    if wrong is not None:
        return f"holds {ascii(wrong)[:40]}, which is not a date such as 2033, April, 2033 or 20 April, 2033"
    first, last = found[0], found[-1]
    if first is None or last is None:
        return "is not a list of one or two dates"
    return "ends before it begins" if last.last < first.first else ""


def in_words(span: Sequence[str]) -> str:
    """The words for a span in a question: " in 2033", or " from 2033 to 2040"."""
    return f" in {span[0]}" if len(span) == 1 else f" from {span[0]} to {span[1]}"
