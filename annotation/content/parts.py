"""Merges several contents of the form into one, part by part: lists the parts, and applies the choices. Values in,
values out: no rows here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from core.languages import say
from core.refusals import Refusal

from .checks import finished, is_empty
from .fields import FIELDS, MAX_QUESTIONS, Content, clean_content, differing_fields, questions_of
from .marking import normalised

VALIDITY, SAME_PASSAGE = "wikitag_label_valid", "wikitag_label_samepassage"
QUESTION_FIELDS = {
    "": say("Question"),
    "_answer1": say("Answer by passage 1"),
    "_answer2": say("Answer by passage 2"),
}
# Questions at least so alike are shown side by side as one question, asked by several people.
ALIKE = 0.6
COMPARED = 300  # characters of each
Row = tuple[str, str, str]
NO_QUESTION: Row = ("", "", "")


@dataclass(frozen=True, slots=True)
class Part:
    """A part decided as a whole: a field, or a question with its answers. `values` has, for each of the contents, one
    value for each of the `labels`.
    """

    name: str
    step: int
    label: str
    labels: tuple[str, ...]
    values: list[tuple[Any, ...]]

    @property
    def agree(self) -> bool:
        """Return whether all values agree, regardless of blanks, quotes, dashes and case."""
        return len({tuple(map(_comparable, each)) for each in self.values}) == 1

    @property
    def is_question(self) -> bool:
        return len(self.labels) > 1


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision on one part: taken from the content with this index, or newly written, with a value for each
    label."""

    taken: int | None = None
    written: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of the choices: the content, ready to be submitted; for each field the indexes of the contents with
    the same value, none if it was newly written; the part of each field, by name; and the undecided parts.
    """

    content: Content
    origins: dict[str, list[int]]
    parts: dict[str, str] = field(default_factory=dict)
    undecided: list[Part] = field(default_factory=list)


def _comparable(value: Any) -> Any:
    return tuple(sorted(value)) if isinstance(value, list) else normalised(value)


def parts_of(contents: Sequence[Content]) -> list[Part]:
    """The parts filled in by at least one of the contents, in the order of the form."""
    found = []
    for name, known in FIELDS.items():
        if name == "question1":
            found += _question_parts(contents)
        if name == "origin_confirmed" or (known.step == 5 and name != "question_comment"):
            continue
        values = [(content[name],) for content in contents]
        if any(value for (value,) in values):
            found.append(Part(name, known.step, known.label, (known.label,), values))
    return found


def _question_parts(contents: Sequence[Content]) -> list[Part]:
    labels = tuple(QUESTION_FIELDS.values())
    return [
        Part(f"question{number}", 5, say("Question {number}", number=number), labels, list(rows))
        for number, rows in enumerate(_aligned([questions_of(each) for each in contents]), start=1)
    ]


def _aligned(asked: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """The questions of all contents aligned: each beside the most similar questions of the others."""
    found: list[list[Row]] = []
    for at, rows in enumerate(asked):
        free = [each for each in found if each[at] == NO_QUESTION]
        for row in (each for each in rows if not all(map(is_empty, each))):
            beside = max(free, key=lambda each: _likeness(row, each), default=None)
            if beside is None or _likeness(row, beside) < ALIKE:
                found.append(beside := [NO_QUESTION] * len(asked))
            else:
                free = [each for each in free if each is not beside]
            beside[at] = row
    return found


def _likeness(row: Row, others: Sequence[Row]) -> float:
    """The similarity of the question to the most similar of the others, from 0 to 1. Only the beginning of a long
    text counts: comparing takes time proportional to the product of both lengths.
    """
    question = normalised(row[0])[:COMPARED]
    beside = [normalised(each[0])[:COMPARED] for each in others if each != NO_QUESTION]
    return max(SequenceMatcher(None, question, each, autojunk=False).ratio() for each in beside)


def merge_parts(contents: Sequence[Content], parts: Sequence[Part], choices: Mapping[str, Choice]) -> Merged:
    """The content made by these choices. A part without a choice is taken where all agree, and undecided where they
    do not, unless the choices leave nothing to decide: an invalid tag needs step 1 only, and a contradiction within
    one passage has no other passage 2.

    Raises Refusal if a choice names no part, or has a value that the form does not offer.
    """
    unknown = [name for name in choices if name not in {part.name for part in parts}]
    if unknown:
        raise Refusal(
            say("There is no part {name} to decide on. Nothing was changed.", name=ascii(unknown[0])[:80]),
            status=400,
        )
    decided = {part.name: _value(part, choices.get(part.name)) for part in parts}
    needed = _needed(decided)
    merged = _Merging(contents)
    for part in parts:
        value = decided[part.name]
        if value is None and not needed(part):
            continue
        if value is None:
            merged.undecided.append(part)
        else:
            merged.add(part, value)
    return merged.result()


def _value(part: Part, choice: Choice | None) -> tuple[Any, ...] | None:
    if choice is None:
        return part.values[0] if part.agree else None
    if choice.taken is not None:
        return part.values[choice.taken]
    if len(choice.written) != len(part.labels):
        raise Refusal(say("“{label}” was not written in full. Nothing was changed.", label=part.label), status=400)
    return choice.written


def _needed(decided: Mapping[str, tuple[Any, ...] | None]) -> Callable[[Part], bool]:
    """Return whether a part has to be decided."""
    is_invalid = decided.get(VALIDITY) == ("Invalid",)
    is_same = decided.get(SAME_PASSAGE) == ("Same",)
    return lambda part: not (is_invalid and part.step > 1) and not (is_same and part.name.startswith("paragraphB_"))


class _Merging:
    def __init__(self, contents: Sequence[Content]):
        self.contents = contents
        self.content: dict[str, object] = {}
        self.origins: dict[str, list[int]] = {}
        self.parts: dict[str, str] = {}
        self.undecided: list[Part] = []
        self.questions = 0

    def add(self, part: Part, value: tuple[Any, ...]) -> None:
        names = self._names(part, value)
        for at, name in enumerate(names):
            self.content[name], self.parts[name] = value[at], part.name
            self.origins[name] = [n for n, each in enumerate(part.values) if _same(each[at], value[at])]

    def _names(self, part: Part, value: tuple[Any, ...]) -> list[str]:
        """The fields of the form that hold the part; none for a question that is left out."""
        if not part.is_question:
            return [part.name]
        if all(isinstance(text, str) and is_empty(text) for text in value):
            return []
        self.questions += 1
        if self.questions > MAX_QUESTIONS:
            raise Refusal(
                say(
                    "An annotation has at most {most} questions. Leave some out; nothing was changed.",
                    most=MAX_QUESTIONS,
                )
            )
        return [f"question{self.questions}{ending}" for ending in QUESTION_FIELDS]

    def result(self) -> Merged:
        # Confirming the origin confirmed these titles; it is dropped where nothing needs it.
        confirmed = any(each["origin_confirmed"] for each in self.contents)
        content = finished(clean_content(self.content | {"origin_confirmed": "1" if confirmed else ""}))
        if content[SAME_PASSAGE] == "Same":  # passage 2 is a copy of passage 1
            self.origins |= {
                name.replace("paragraphA", "paragraphB"): origins
                for name, origins in self.origins.items()
                if name.startswith("paragraphA")
            }
        return Merged(content, self.origins, self.parts, self.undecided)


def _same(one: object, other: object) -> bool:
    return sorted(one) == sorted(other) if isinstance(one, list) and isinstance(other, list) else bool(one == other)


def equal_to(merged: Merged, contents: Sequence[Content]) -> int | None:
    """The index of the content that equals the merge; None if the merge is new."""
    finished_ones = [finished(each) for each in contents]
    return next((n for n, each in enumerate(finished_ones) if _says_the_same(each, merged.content)), None)


def _says_the_same(one: Content, other: Content) -> bool:
    return not [name for name in differing_fields(one, other) if name != "origin_confirmed"]
