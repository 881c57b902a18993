"""Decides whether tags of two revisions are the same tag: by family and surrounding words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..wikitext import languages
from ..wikitext.families import normalise_name

_TEMPLATE = re.compile(r"\{\{([^{}|\[\]]{1,120})(?=\||\}\})")
_DATE_ARGUMENT = re.compile(rf"\|\s*(?:{'|'.join(languages.DATE)})\s*=[^|{{}}]*", re.IGNORECASE)
# References and templates look alike all over an article, and so do short words: they do not tell paragraphs apart.
_APPARATUS = re.compile(r"<ref\b[^<>]*/>|<ref\b[^<>]*>.*?(?:</ref>|\Z)|\A[^<>]*</ref>|\{\{[^{}]*\}\}", re.DOTALL)
_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|\d+|[^\W\d]{4,}")
_BEFORE, _BEHIND = (1_200, 50), (500, 20)  # characters read, and words used of them
_ALIKE = 0.4


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A tag in wikitext: its offset, its parameters except the date, and the words around it."""

    start: int
    end: int
    argument: str
    date: str
    around: frozenset[str]


def occurrences(wikitext: str, names: Iterable[str]) -> list[Occurrence]:
    """All tags whose template has one of these (normalised) names."""
    wanted = set(names)
    found = []
    for match in _TEMPLATE.finditer(wikitext):
        if normalise_name(match[1]) not in wanted:
            continue
        end = _end_of(wikitext, match.start())
        date = _DATE_ARGUMENT.search(wikitext, match.end(), end)
        argument = _DATE_ARGUMENT.sub("", wikitext[match.end() : max(end - 2, match.end())])
        found.append(
            Occurrence(
                start=match.start(),
                end=end,
                argument=" ".join(argument.replace("|", " ").split()),
                date=date[0].partition("=")[2].strip() if date else "",
                around=_around(wikitext, match.start(), end),
            )
        )
    return found


def _around(wikitext: str, start: int, end: int) -> frozenset[str]:
    before = _WORD.findall(_APPARATUS.sub(" ", wikitext[max(0, start - _BEFORE[0]) : start]))[-_BEFORE[1] :]
    behind = _WORD.findall(_APPARATUS.sub(" ", wikitext[end : end + _BEHIND[0]]))[: _BEHIND[1]]
    return frozenset(word.lower() for word in (*before, *behind))


def _end_of(wikitext: str, start: int) -> int:
    depth, position = 0, start
    limit = min(len(wikitext), start + 3_000)
    while position < limit:
        pair = wikitext[position : position + 2]
        if pair in ("{{", "}}"):
            depth += 1 if pair == "{{" else -1
            position += 2
            if depth == 0:
                return position
        else:
            position += 1
    return min(len(wikitext), start + 100)


def same_tag(one: Occurrence, other: Occurrence) -> float:
    """The certainty that two tags in different revisions are the same, from 0 to about 1.5."""
    shorter = min(len(one.around), len(other.around))
    alike = len(one.around & other.around) / shorter if shorter else 0.5
    return alike + (0.5 if one.argument and one.argument == other.argument else 0.0)


def counterpart(tag: Occurrence, among: Sequence[Occurrence], there: Sequence[Occurrence]) -> Occurrence | None:
    """The tag of another revision (`there`) that matches `tag`, one of `among`; each has at most one counterpart."""
    pairs = sorted(
        ((same_tag(one, other), -abs(i - j), i, j) for i, one in enumerate(among) for j, other in enumerate(there)),
        reverse=True,
    )
    taken: set[int] = set()
    matched: dict[int, int] = {}
    for likeness, _, i, j in pairs:
        if likeness < _ALIKE:
            break
        if i not in matched and j not in taken:
            matched[i] = j
            taken.add(j)
    at = matched.get(among.index(tag))
    return there[at] if at is not None else None
