"""Draws the future time of a temporal claim, by the distribution of the released program.

Two thirds of the times are intervals, unless the relation is about a point in time. Years lie in a range of 22; half
of the times are years only, the others have months, and half of those days. The end month of an interval is always
later in the year than its start month.
"""

from random import Random

from .names import MONTHS

# An interval starts within the first number of years, and everything ends within the second.
LAST_START, LAST = 11, 21
LATEST_START_MONTH = 10
LAST_DAY = 28


def draw_span(draw: Random, *, first_year: int, is_point: bool) -> list[str]:
    """A point in time, or a start and an end."""
    if is_point or draw.random() >= 2 / 3:
        return [point(draw, first_year)]
    return interval(draw, first_year)


def point(draw: Random, first_year: int) -> str:
    year = between(draw, first_year, first_year + LAST)
    if draw.random() < 0.5:
        return f"{year}"
    month = between(draw, 1, 12)
    return written(year, month, between(draw, 1, LAST_DAY) if draw.random() < 0.5 else 0)


def interval(draw: Random, first_year: int) -> list[str]:
    start = between(draw, first_year, first_year + LAST_START)
    end = between(draw, start + 1, first_year + LAST)
    if draw.random() < 0.5:
        return [f"{start}", f"{end}"]
    month = between(draw, 1, LATEST_START_MONTH)
    end_month = between(draw, month + 1, 12)
    has_days = draw.random() < 0.5
    days = [between(draw, 1, LAST_DAY) if has_days else 0 for _ in range(2)]
    return [written(start, month, days[0]), written(end, end_month, days[1])]


def between(draw: Random, first: int, last: int) -> int:
    return first + int(draw.random() * (last - first + 1))


def written(year: int, month: int, day: int = 0) -> str:
    """A time in the form of the released claims: "April, 2033" or "20 April, 2033"."""
    return f"{f'{day} ' if day else ''}{MONTHS[month - 1]}, {year}"
