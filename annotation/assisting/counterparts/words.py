"""The words of a text as they are compared: content words by their beginnings and stems, numbers, negations. Text in,
sets out, in any language.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

# Scripts written without blanks are compared by pairs of letters.
_RUN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"[{_RUN}]+|[^\W_{_RUN}]+")
_IS_RUN = re.compile(f"[{_RUN}]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|rarely|hardly|seldom)\b|n ?['’]t\b",
    re.IGNORECASE,
)
BEGINNING = 4
_OFTEN = """a an the of to in on at by for with from as and or but nor so if than then that this these those it its he
she they them his him her their we us our you your i me my is are was were be been being am has have had do does did
will would can could may might shall should not no never also who whom whose which what when where why how there here
into onto over under about after before between during through up down out off again more most some any each all both
other such only own same too very s t d ll ve re m said says say one"""
_ENDINGS = """ational ization fulness ousness iveness ations ation ingly ments ment ness ings ing edly ies ied ers er
ors or ions ion ed es ly s e y"""
# Without "one", which mostly counts nothing: one of them, no one.
_COUNTED = """zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_ORDERED = "- first second third fourth fifth sixth seventh eighth ninth tenth"
STOP = frozenset(_OFTEN.split())
ENDINGS = tuple(_ENDINGS.split())
_SPOKEN = {word: str(number) for number, word in enumerate(_COUNTED.split())} | {
    word: f"{number}." for number, word in enumerate(_ORDERED.split())
}


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """A text's words as sets: the `beginnings` of its content words, and its `numbers` as written (spoken ones in
    figures, ordinals with a point).
    """

    beginnings: frozenset[str]
    numbers: frozenset[str]


def words_of(text: str) -> Words:
    """The words of a text."""
    found = _WORD.findall(text.lower())
    numbers = {_SPOKEN[word] for word in found if word in _SPOKEN}
    numbers.update(_NUMBER.findall(text))
    return Words(frozenset(stem[:BEGINNING] for stem in _stems(found)), frozenset(numbers))


def stems_of(text: str) -> frozenset[str]:
    """The content words of a text without their endings."""
    return frozenset(_stems(_WORD.findall(text.lower())))


def denies(text: str) -> bool:
    """Return whether a text has a word like "not" or "never"."""
    return _NEGATION.search(text) is not None


def _stems(words: list[str]) -> Iterator[str]:
    for word in words:
        if not word.isascii() and _IS_RUN.match(word):
            yield from (word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        elif word not in STOP and len(word) > 1 and not word.isdigit():
            yield stem(word)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A lower-case word without its ending, if at least four letters are left."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= BEGINNING:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=1)
def opposites() -> dict[str, frozenset[str]]:
    """Stem to the stems of words that exclude it, both ways."""
    found: dict[str, set[str]] = {}
    for line in (Path(__file__).parent / "opposites.txt").read_text().splitlines():
        first, *others = map(stem, line.split())
        for other in () if line.startswith("#") else others:
            found.setdefault(first, set()).add(other)
            found.setdefault(other, set()).add(first)
    return {word: frozenset(others) for word, others in found.items()}
