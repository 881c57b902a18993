"""The values in which two passages contradict each other: another date, number or name for the same. Text in, offsets
out; nothing where it is unsure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..reading.sentences import sentences
from .counterparts.words import words_of
from .values import DATE, NAME, NUMBER, Value, values_in

# In words: longer passages hold too many values for a rule to tell which of them clash.
_LONGEST = 250
# How alike the surroundings of two values must be, and how much more than those of the next best pair.
_ALIKE, _AHEAD = 0.3, 0.05
_WINDOW = 40
_LEAD, _SAME_UNIT, _FOR_NAMES, _ALONE = 0.1, 0.2, 0.4, 0.2


@dataclass(frozen=True, slots=True)
class Clash:
    """Two values that exclude each other: `kind` as in `values`, their offsets in either text, and the words."""

    kind: str
    start_1: int
    end_1: int
    start_2: int
    end_2: int
    words_1: str
    words_2: str


@dataclass(frozen=True, slots=True)
class _Pair:
    likeness: float
    one: Value
    two: Value


def clash_between(text_1: str, text_2: str) -> Clash | None:
    """The pair of values in which two texts clash; None if there is none, or several that are as likely."""
    if not text_1.strip() or not text_2.strip() or text_1 == text_2:
        return None
    if max(len(text_1.split()), len(text_2.split())) > _LONGEST:
        return None
    pairs = sorted(_pairs(text_1, text_2), key=lambda pair: -pair.likeness)
    if not pairs or pairs[0].likeness < _ALIKE:
        return None
    best = pairs[0]
    if any(_is_rival(best, pair) for pair in pairs[1:]):
        return None
    return Clash(
        best.one.kind,
        best.one.start,
        best.one.end,
        best.two.start,
        best.two.end,
        text_1[best.one.start : best.one.end],
        text_2[best.two.start : best.two.end],
    )


def _is_rival(best: _Pair, other: _Pair) -> bool:
    return best.likeness - other.likeness < _AHEAD


def _pairs(text_1: str, text_2: str) -> Iterator[_Pair]:
    values_1, values_2 = values_in(text_1), values_in(text_2)
    only_1 = [one for one in values_1 if not _is_among(one, values_2, text_2)]
    only_2 = [two for two in values_2 if not _is_among(two, values_1, text_1)]
    for one in only_1:
        for two in only_2:
            if one.kind == two.kind and _differ(one, two) and not _agree_elsewhere(one, two, values_1, values_2):
                alone = _ALONE if _is_only(one, only_1) and _is_only(two, only_2) else 0.0
                yield _Pair(_likeness(text_1, one, text_2, two) + alone, one, two)


def _is_only(value: Value, values: Sequence[Value]) -> bool:
    """Return whether it is the only one of its kind: dates and numbers, which passages that contradict give."""
    return value.kind != NAME and [one.kind for one in values].count(value.kind) == 1


def _agree_elsewhere(one: Value, two: Value, values_1: Sequence[Value], values_2: Sequence[Value]) -> bool:
    """Return whether the texts give the same number of the same unit elsewhere: then these may count other things."""
    if one.kind != NUMBER or not one.unit:
        return False
    keys = [
        {each.key for each in values if each.kind == NUMBER and each.unit[:4] == one.unit[:4]}
        for values in (values_1, values_2)
    ]
    return one.unit[:4] == two.unit[:4] and bool(keys[0] & keys[1])


def _is_among(value: Value, others: Sequence[Value], text: str) -> bool:
    """Return whether the other text says the same, or something that includes it."""
    if value.kind == NAME:
        words = words_of(value.key[0]).beginnings
        names = [words_of(one.key[0]).beginnings for one in others if one.kind == NAME]
        return value.key[0] in text.lower() or any(
            words == name or (len(words & name) > 1 and (words <= name or name <= words)) for name in names
        )
    return any(one.kind == value.kind and not _differ(value, one) for one in others)


def _differ(one: Value, two: Value) -> bool:
    """Return whether the values exclude each other: for dates, in a part that both have; for numbers, in one unit."""
    if one.kind == DATE:
        parts = [(a, b) for a, b in zip(one.key, two.key, strict=True) if a and b]
        return any(a != b for a, b in parts)
    if one.kind == NUMBER and one.key[0].endswith("th") != two.key[0].endswith("th"):
        return False  # eleven of them, and the eleventh
    return one.key != two.key


def _likeness(text_1: str, one: Value, text_2: str, two: Value) -> float:
    """The likeness of the surroundings of two values, about 0 to 1: of their sentences, the words next to them, their
    units, and for years how close they are, since people err by little.
    """
    whole = _shared(_around(text_1, one, None), _around(text_2, two, None))
    close = _shared(_around(text_1, one, _WINDOW), _around(text_2, two, _WINDOW))
    likeness = 0.5 * whole + 0.5 * close + _LEAD * (_before(text_1, one) == _before(text_2, two) != "")
    if one.kind == NUMBER:
        return likeness + _SAME_UNIT if one.unit and one.unit[:4] == two.unit[:4] else 0.0
    if one.kind == NAME:
        return likeness - _LEAD if whole >= _FOR_NAMES else 0.0
    return likeness + _LEAD + _closeness(one, two)


def _closeness(one: Value, two: Value) -> float:
    years = [value.key[0] for value in (one, two)]
    if not all(year.isdigit() for year in years):
        return 0.0
    away = abs(int(years[0]) - int(years[1]))
    return 0.15 if away <= 3 else 0.1 if away <= 10 else 0.0


def _before(text: str, value: Value) -> str:
    words = text[max(value.start - 20, 0) : value.start].lower().split()
    return words[-1] if words else ""


def _around(text: str, value: Value, window: int | None) -> str:
    if window is None:
        start, end = next(
            ((s.start, s.end) for s in sentences(text) if s.start <= value.start < s.end), (0, len(text))
        )
    else:
        start, end = max(value.start - window, 0), value.end + window
    return f"{text[start : value.start]} {text[value.end : end]}"


def _shared(one: str, two: str) -> float:
    a, b = words_of(one).beginnings, words_of(two).beginnings
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
