"""Decides whether a text gives an answer: plain rules for English, without a model.

Texts become lists of tokens without the usual differences of spelling: case, accents, quotation marks, "1,000" and
"one thousand", "1st", units, the order of day and month. An answer is given if its tokens occur together, if a date
in the text agrees with it, or, for an answer that is a sentence, if its numbers and most of its significant words
occur.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

MAX_CHARACTERS = 20_000


def words(text: str) -> list[str]:
    return text.split()


MONTHS = words("january february march april may june july august september october november december")
MONTH_NUMBER = {name[:3]: number for number, name in enumerate(MONTHS, start=1)}
MONTH = "|".join([*MONTHS, *(rf"{start}\.?" for start in MONTH_NUMBER), r"sept\.?"])
TEENS = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
SMALL = {word: number for number, word in enumerate(TEENS)}
TENS = {
    word: number
    for number, word in enumerate(words("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
SPELLINGS = {
    "ft": "foot feet",
    "inch": "inches",
    "m": "metre metres meter meters",
    "cm": "centimetre centimetres centimeter centimeters",
    "mm": "millimetre millimetres millimeter millimeters",
    "km": "kilometre kilometres kilometer kilometers",
    "kg": "kilogram kilograms kilogramme kilogrammes",
    "mi": "mile miles",
    "percent": "% pct",
    "bc": "bce",
    "ad": "ce",
    "year": "years yr yrs",
    "acre": "acres",
}
UNITS = {spelling: unit for unit, spellings in SPELLINGS.items() for spelling in words(spellings)}
# Words without weight of their own, and words that only soften a number.
STOP_WORDS = set(
    words(
        "a an the of in on at by to for with from as and or is are was were be been being it its he she they his her"
        " their this that these those there which who did do does had has have no not only also than then into during"
    )
)
HEDGES = set(words("about around approximately approx circa c ca roughly nearly almost"))
# "Two conflicting dates" counts accounts; it does not answer "how many".
COUNTED_ACCOUNTS = re.compile(
    r"\b(?:one|two|three|another)(?= (?:\w+ )?(?:different|conflicting|contradict\w*|distinct|possible|sources?|"
    r"accounts?|statements?|passages?|answers?|versions?|dates?|claims?|sentences?|contexts?|pieces?|instances?)\b)"
)
TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|%")
NUMBER = re.compile(r"\d+(?:\.\d+)?\Z")
# The share of the significant words of a sentence answer that must occur.
SHARE_OF_WORDS = 0.6


@dataclass(frozen=True)
class Date:
    """A date, as exact as in the text; the year is always known."""

    year: str
    month: int | None = None
    day: int | None = None

    def agrees(self, other: "Date") -> bool:
        """Return whether the two dates agree in every part that both have."""
        return self.year == other.year and all(
            mine is None or theirs is None or mine == theirs
            for mine, theirs in ((self.month, other.month), (self.day, other.day))
        )

    def is_as_exact_as(self, other: "Date") -> bool:
        return (self.month is not None or other.month is None) and (self.day is not None or other.day is None)


def fold(text: str) -> str:
    """The text in lower case without accents, with plain quotation marks, hyphens and spaces."""
    text = unicodedata.normalize("NFKD", text[:MAX_CHARACTERS])
    text = "".join(character for character in text if not unicodedata.combining(character)).casefold()
    text = text.translate(str.maketrans("‘’“”–—−‐‑′″", "''\"\"-----'\""))
    return re.sub(r"\s+", " ", re.sub(r"\b(c|ca|approx)\.", r"\1", text))


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, in one spelling."""
    text = COUNTED_ACCOUNTS.sub("", fold(text))
    text = re.sub(r"\bnon[- ](?=[a-z])", "non", text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(
        r"\b(\d+) ?(?:'|ft\b|foot\b|feet\b) ?(\d+) ?(?:\"|''|in\b\.?|inch(?:es)?\b)?", r"\1 ft \2 inch ", text
    )
    text = re.sub(r"(\d) ?in\b(?=\.|,|;|\)|$)", r"\1 inch ", text)
    text = re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"\1", text)
    text = re.sub(r"'s\b|s'(?= )", " ", text)
    found = [UNITS.get(token, token) for token in TOKEN.findall(text)]
    return [token for token in number_words(found) if token not in HEDGES]


def number_words(spoken: list[str]) -> list[str]:
    """The same words with numbers in digits: "forty two" is 42, "1.2 million" 1200000."""
    result: list[str] = []
    position = 0
    while position < len(spoken):
        word = spoken[position]
        position += 1
        following = spoken[position] if position < len(spoken) else ""
        if word in TENS:
            value = Decimal(10 * TENS[word])
            if 0 < SMALL.get(following, 0) < 10:
                value += SMALL[following]
                position += 1
        elif word in SMALL:
            value = Decimal(SMALL[word])
        elif NUMBER.match(word):
            value = Decimal(word)
        else:
            result.append(word)
            continue
        while position < len(spoken) and spoken[position] in SCALES:
            value *= SCALES[spoken[position]]
            position += 1
        result.append(f"{value.normalize():f}")
    return result


def dates(text: str) -> list[Date]:
    """The dates of a text: 8 January 1747, January 8th, 1747, January 1747, 1747-01-08, and bare years."""
    text = re.sub(r"\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1", fold(text))
    found = []
    patterns = (
        rf"\b(?P<day>\d{{1,2}}) (?:of )?(?P<month>{MONTH}),? (?:of )?(?P<year>\d{{4}})\b",
        rf"\b(?P<month>{MONTH}) (?:the )?(?P<day>\d{{1,2}}),? (?P<year>\d{{4}})\b",
        rf"\b(?P<month>{MONTH}),? (?:of )?(?P<year>\d{{4}})\b",
        r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b",
        r"(?<![\d.,])(?P<year>1\d{3}|20\d{2})(?![\d%]|[.,]\d|s\b)",
    )
    for pattern in patterns:
        for match in re.finditer(pattern, text):
            parts = match.groupdict()
            month, day = parts.get("month"), parts.get("day")
            number = (int(month) if month.isdigit() else MONTH_NUMBER[month[:3]]) if month else None
            found.append(Date(parts["year"], number, int(day) if day else None))
        text = re.sub(pattern, " ; ", text)
    return found


# --- Is the answer given? ------------------------------------------------------------------------------------------

# A negated statement is not an answer; an unclear one may be.
NEGATED = re.compile(
    r"(?:\b(?:not|never|rather than|instead of|as opposed to)|n't)\b"
    r"(?! (?:only|just|clear|certain|known|sure|necessarily|possible|be|say|tell|determin|specif|definit|explicit))"
    r"(?:[^,.;:()]|\.(?=\d)){0,80}"
)


def gives(text: str, answer: str, *, question: str = "", others: Sequence[str] = ()) -> bool:
    """Return whether `text` gives `answer` to `question`. `others` are the answers that it must be distinguished
    from.
    """
    asserted = NEGATED.sub(" ", fold(text))
    return any(gives_form(asserted, form, question, others) for form in forms(answer))


def forms(answer: str) -> list[str]:
    """The alternatives that an answer lists ("1969 or before 1969", "grey / gray"), without text in brackets."""
    bare = re.sub(r"\([^()]*\)", " ", answer)
    parts = [part for part in re.split(r"\s+or\s+|\s/\s|;", bare) if part.strip()]
    return parts or [answer]


def gives_form(text: str, answer: str, question: str, others: Sequence[str]) -> bool:
    said, wanted = tokens(text), tokens(answer)
    if not wanted:
        return False
    if stands_in(trimmed(wanted), said):
        return True
    asked = tokens(question)
    key = [word for word in wanted if word not in STOP_WORDS and not any(alike(word, other) for other in asked)]
    if own := dates(answer):
        rest = [word for word in key if not NUMBER.match(word) and word[:3] not in MONTH_NUMBER]
        return not rest and gives_date(text, own[0], [date for other in others for date in dates(other)])
    numbers = [word for word in key if NUMBER.match(word)]
    # Numbers with nothing but units must occur together, which they do not.
    spoken = [word for word in wanted if word not in STOP_WORDS and word not in SPELLINGS and not NUMBER.match(word)]
    if not set(numbers) <= set(said) or not spoken:
        return False
    # Words that the other answers share distinguish nothing.
    telling = [word for word in key if word not in numbers and not any(word in tokens(other) for other in others)]
    if not telling:
        return bool(numbers) and any(alike(word, other) for word in spoken for other in asked)
    given = [word for word in telling if any(alike(word, other) for other in said)]
    return len(given) >= SHARE_OF_WORDS * len(telling) and (len(telling) > 1 or bool(numbers) or len(wanted) > 2)


def gives_date(text: str, wanted: Date, others: list[Date]) -> bool:
    """Return whether a date in the text agrees; one less exact than the answer must still distinguish it from the
    other answers.
    """
    return any(
        date.agrees(wanted) and (date.is_as_exact_as(wanted) or not any(date.agrees(other) for other in others))
        for date in dates(text)
    )


def trimmed(words: list[str]) -> list[str]:
    """The words without minor ones at both ends: "in the early 1970s" is "early 1970s"."""
    start, end = 0, len(words)
    while start < end and words[start] in STOP_WORDS:
        start += 1
    while end > start and words[end - 1] in STOP_WORDS:
        end -= 1
    return words[start:end] or words


def stands_in(wanted: list[str], said: list[str]) -> bool:
    length = len(wanted)
    return any(said[start : start + length] == wanted for start in range(len(said) - length + 1))


def alike(one: str, other: str) -> bool:
    """Return whether it is the same word, apart from its ending."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 3 or not long.isalpha():
        return False
    return (long.startswith(short) and len(long) - len(short) <= 3) or (len(short) >= 6 and long[:6] == short[:6])
