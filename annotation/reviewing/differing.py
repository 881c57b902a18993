"""Compares two annotations of one tag field by field. Values in, values out: no rows here."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from core.languages import say

from .. import taxonomy
from ..content.choices import as_text
from ..content.fields import Content, questions_of
from ..content.marking import Piece, normalised
from ..content.parts import VALIDITY, Part, parts_of
from ..content.word_changes import ADDED, KEPT, REMOVED, word_changes

VALID = "Valid"


@dataclass(frozen=True, slots=True)
class Compared:
    """A field in which annotators can disagree. Empty values are not compared and, but for the validity, neither are
    the values of annotations that call the tag invalid. `parts` are those of the form that hold it.
    """

    code: str
    label: str
    value: Callable[[Content], Hashable]
    parts: tuple[str, ...]


def _chosen(dimension: taxonomy.Dimension) -> Compared:
    def value(content: Content) -> Hashable:
        codes = content[dimension.key]
        return frozenset(codes) if dimension.multiple or len(codes) == 1 else None

    return Compared(dimension.code, dimension.name, value, (dimension.key,))


def _passages(content: Content) -> Hashable:
    return tuple(sorted(normalised(content[f"paragraph{letter}_information"]) for letter in "AB"))


def _questions(content: Content) -> Hashable:
    return frozenset(tuple(map(normalised, row)) for row in questions_of(content))


COMPARED = {
    each.code: each
    for each in (
        Compared("validity", say("Validity"), lambda content: content[VALIDITY], (VALIDITY, "valid_comment")),
        *map(_chosen, taxonomy.DIMENSIONS),
        Compared("passages", say("Passages"), _passages, ("paragraphA_information", "paragraphB_information")),
        Compared("questions", say("Questions"), _questions, ("question",)),
        Compared("confidence", say("Confidence"), lambda content: content["confidence"], ("confidence",)),
    )
}
# Annotations that call a tag invalid have these as well.
OF_ALL = ("validity", "confidence")


def compare_two(one: Content, other: Content) -> dict[str, bool]:
    """For each field that both have, by its code, whether the two differ in it."""
    both_valid = one[VALIDITY] == other[VALIDITY] == VALID
    found = {}
    for code, field in COMPARED.items():
        values = field.value(one), field.value(other)
        if all(values) and (both_valid or code in OF_ALL):
            found[code] = values[0] != values[1]
    return found


@dataclass(frozen=True, slots=True)
class Side:
    """A value of one of two annotations, in pieces; what the other one lacks is marked."""

    pieces: list[Piece]


@dataclass(frozen=True, slots=True)
class Row:
    """A part of the form in two annotations; `passage` is the number of the passage that it holds, or 0."""

    label: str
    passage: int
    one: Side
    other: Side


def rows_of(codes: list[str], one: Content, other: Content) -> list[Row]:
    """The parts in which the two differ, of the fields with these codes, in the order of the form."""
    names = tuple(name for code in codes for name in COMPARED[code].parts)
    return [row for part in parts_of([one, other]) if _belongs(part, names) for row in _rows(part) if _differs(row)]


def _belongs(part: Part, names: tuple[str, ...]) -> bool:
    return part.name in names or (part.is_question and "question" in names)


def _rows(part: Part) -> Iterator[Row]:
    for at, label in enumerate(part.labels):
        name = f"{part.label}: {label.lower()}" if at else part.label
        one, other = (as_text(part.name, values[at]) for values in part.values)
        passage = {"paragraphA_information": 1, "paragraphB_information": 2}.get(part.name, 0)
        yield Row(name, passage, *_marked(one, other, in_lines=not isinstance(part.values[0][at], str)))


def _differs(row: Row) -> bool:
    return any(piece.marked for side in (row.one, row.other) for piece in side.pieces)


def _marked(one: str, other: str, *, in_lines: bool) -> tuple[Side, Side]:
    if normalised(one) == normalised(other):
        return _plain(one), _plain(other)
    if in_lines:
        return _marked_lines(one, other), _marked_lines(other, one)
    changes = word_changes(one, other)
    sides = [[each for each in changes if each.kind in (KEPT, kind)] for kind in (REMOVED, ADDED)]
    one_side, other_side = (Side([Piece(each.text, marked=each.kind != KEPT) for each in side]) for side in sides)
    return one_side, other_side


def _plain(text: str) -> Side:
    return Side([Piece(text)] if text else [])


def _marked_lines(text: str, beside: str) -> Side:
    """The choices, one on each line."""
    lines, others = text.splitlines(), beside.splitlines()
    return Side([Piece(line + "\n" * (line != lines[-1]), marked=line not in others) for line in lines])
