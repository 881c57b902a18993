"""Dates, numbers and names in a text, with their offsets and in a form that can be compared. Text in, values out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

DATE, NUMBER, NAME = "date", "number", "name"

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name[:3]: at for at, name in enumerate(_MONTH_NAMES.split(), start=1)}
_MONTH = (
    "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "may" else "may" for name in _MONTH_NAMES.split()) + ")"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d|20)\d\d"
_DATES = re.compile(
    rf"\b(?P<day>{_DAY})(?: of)? (?P<month>{_MONTH})\b\.?(?:,? (?P<year>\d{{3,4}})\b)?"
    rf"|\b(?P<month2>{_MONTH})\.? (?P<day2>{_DAY})\b(?:,? (?P<year2>\d{{3,4}})\b)?"
    rf"|\b(?P<month3>{_MONTH})\.?,? (?P<year3>\d{{4}})\b"
    rf"|\b(?P<decade>{_YEAR[:-2]}0s)\b"
    rf"|(?<![\d.,$£€])(?P<year4>{_YEAR})(?![\d%]|,\d|\.\d)"
    r"(?! (?:people|men|km|m|kg|ft|feet|miles|metres|meters|copies|votes)\b)",
    re.IGNORECASE,
)
_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_AMOUNTS = {word: str(at) for at, word in enumerate(_WORDS.split())}
_AMOUNTS |= {word: str(at) for word, at in zip(_TENS.split(), range(30, 100, 10), strict=True)}
_ORDINALS = {word: f"{at}th" for at, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
_NUMBERS = re.compile(
    rf"[$£€]?(?<![\w.,])\d+(?:,\d{{3}})*(?:\.\d+)?(?:st|nd|rd|th)?(?:[-–]\d+(?:\.\d+)?)?%?(?![\w])"
    rf"|\b(?:{'|'.join([*_AMOUNTS, *_ORDINALS])})\b",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\s+(?:hundred|thousand|million|billion|dozen)\b", re.IGNORECASE)
_UNIT = re.compile(r"[\s-]+(?:of |the )?(?P<unit>[^\W\d_]+)")
_PART = r"[^\W\d_a-zß-ÿ][\w'’.&-]*[\w]|[A-Z]\.?"
_NAMES = re.compile(rf"(?:{_PART})(?:[ –-](?:(?:of|de|von|van|du|la|al|the|and|&) )?(?:{_PART}))*")
_PEOPLES = re.compile(r"\w+(?:ish|ian|ese|ean|ench|erman|merican)")
_NO_NAMES = {
    *_MONTH_NAMES.split(),
    "the",
    "it",
    "he",
    "she",
    "they",
    "in",
    "on",
    "at",
    "a",
    "an",
    "this",
    "his",
    "her",
}


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text.

    Attributes:
        kind: `DATE`, `NUMBER` or `NAME`.
        start, end: its offsets, in characters.
        key: what is compared: (year, month, day) as text, an amount, a name in lower case.
        unit: the word after a number, else "".
    """

    kind: str
    start: int
    end: int
    key: tuple[str, ...]
    unit: str = ""


def values_in(text: str) -> list[Value]:
    """The values in a text, in its order: no letter belongs to two of them."""
    found: list[Value] = []
    for finder in (_dates, _numbers, _names):
        taken = [(one.start, one.end) for one in found]
        found += [one for one in finder(text) if not any(one.start < end and start < one.end for start, end in taken)]
    return sorted(found, key=lambda one: one.start)


def _dates(text: str) -> Iterator[Value]:
    for match in _DATES.finditer(text):
        parts = {re.sub(r"\d$", "", name): value for name, value in match.groupdict().items() if value}
        day = re.match(r"\d*", parts.get("day", ""))
        month = _MONTHS.get(parts.get("month", "")[:3].lower())
        key = (parts.get("decade") or parts.get("year", ""), str(month or ""), day[0] if day else "")
        yield Value(DATE, match.start(), match.end(), key)


def _numbers(text: str) -> Iterator[Value]:
    for match in _NUMBERS.finditer(text):
        word = match[0].lower()
        amount = (
            _AMOUNTS.get(word) or _ORDINALS.get(word) or re.sub(r"(?<=\d)(?:st|nd|rd)$", "th", word).replace(",", "")
        )
        scale = _SCALE.match(text, match.end())
        end = scale.end() if scale else match.end()
        unit = _UNIT.match(text, end)
        key = (amount + (scale[0].strip().lower() if scale else ""),)
        yield Value(NUMBER, match.start(), end, key, unit["unit"].lower() if unit else "")


def _names(text: str) -> Iterator[Value]:
    for match in _NAMES.finditer(text):
        start, words = match.start(), match[0]
        first = words.split()[0]
        if first.lower() in _NO_NAMES:
            start += len(first) + 1
            words = words[len(first) + 1 :]
        if len(words) > 2 and words.lower() not in _NO_NAMES and not _PEOPLES.fullmatch(words):
            yield Value(NAME, start, match.end(), (words.lower().rstrip("."),))
