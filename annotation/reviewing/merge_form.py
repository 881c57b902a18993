"""The form in which a reviewer merges annotations: the parts shown, and the choices sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from core.outside import whole_number

from ..content.choices import as_text
from ..content.fields import FIELDS
from ..content.parts import Choice, Part
from ..content.rows import content_of
from ..content.word_changes import ADDED, REMOVED, word_changes
from ..models import Annotation
from .merging import Comparison

OWN = "own"
Piece = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Control:
    """A control for one of a part's values written by the reviewer; `choices` are codes and words."""

    name: str
    label: str
    value: Any
    choices: list[tuple[str, str]]
    is_multiple: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """One annotation's value of a part, in pieces: text, and whether the others differ there."""

    annotation: int
    key: int
    who: str
    texts: list[tuple[str, list[Piece]]]
    is_chosen: bool
    is_invalid: bool

    @property
    def lacks_question(self) -> bool:
        """Return whether the others ask a question that this annotation does not."""
        return len(self.texts) > 1 and not any(text for _, pieces in self.texts for text, _ in pieces)


@dataclass(frozen=True, slots=True)
class ShownPart:
    number: int
    part: Part
    offers: list[Offer]
    controls: list[Control]
    is_own: bool
    problems: list[str]

    @property
    def passage(self) -> str:
        """The passage whose colour it has: 1, 2 or none."""
        name = self.part.name
        return "" if self.part.is_question else "1" if "A" in _letter(name) else "2" if "B" in _letter(name) else ""


def _letter(name: str) -> str:
    if name.startswith("paragraph"):
        return name.removeprefix("paragraph")[:1]
    return name.removeprefix("relevantInfo_comment_")[:1] if name.startswith("relevantInfo") else ""


def shown_parts(
    compared: Comparison, choices: Mapping[str, Choice], problems: Mapping[str, Sequence[str]]
) -> list[ShownPart]:
    """Every part with each annotation's value, and with the choices so far."""
    return [
        ShownPart(
            number,
            part,
            _offers(part, compared, choices.get(part.name)),
            _controls(part, choices.get(part.name)),
            bool(part.name in choices and choices[part.name].taken is None),
            list(problems.get(part.name, ())),
        )
        for number, part in enumerate(compared.parts, start=1)
    ]


def _offers(part: Part, compared: Comparison, choice: Choice | None) -> list[Offer]:
    if part.agree:
        texts = [(label, [(as_text(part.name, value), False)]) for label, value in _said(part, 0)]
        is_chosen = choice is None or choice.taken is not None
        return [Offer(compared.originals[0].pk, 0, "All alike", texts, is_chosen, _is_invalid(part, 0))]
    return [
        Offer(
            each.pk,
            index + 1,
            each.writer,
            [(label, _pieces(part, index, at)) for at, (label, _) in enumerate(_said(part, index))],
            choice is not None and choice.taken == index,
            _is_invalid(part, index),
        )
        for index, each in enumerate(compared.originals)
    ]


def _said(part: Part, index: int) -> list[tuple[str, Any]]:
    return list(zip(part.labels, part.values[index], strict=True))


def _is_invalid(part: Part, index: int) -> bool:
    return part.values[index] == ("Invalid",)


def _pieces(part: Part, index: int, at: int) -> list[Piece]:
    """The text with the words marked that differ in the first annotation, or for the first one in the second."""
    own = as_text(part.name, part.values[index][at])
    other = as_text(part.name, part.values[0 if index else 1][at])
    if not own or not other:
        return [(own, False)]
    kind = ADDED if index else REMOVED
    changes = word_changes(other, own) if index else word_changes(own, other)
    return [(change.text, change.kind == kind) for change in changes if change.kind not in {ADDED, REMOVED} - {kind}]


def _controls(part: Part, choice: Choice | None) -> list[Control]:
    field = FIELDS.get(part.name)
    multiple = bool(field and field.multiple)
    written = choice.written if choice and choice.taken is None else part.values[0]
    options: list[tuple[str, str]] = []
    if field and field.choices:
        options = [(code, as_text(part.name, [code]) if multiple else code) for code in field.choices]
    return [
        Control(f"{OWN}:{at}:{part.name}", label, value, options, multiple)
        for at, (label, value) in enumerate(zip(part.labels, written, strict=True))
    ]


# --- What was sent ------------------------------------------------------------------------------------------------


def choices_of(sent: QueryDict, compared: Comparison) -> dict[str, Choice]:
    """The choices in a posted form. Raises Refusal if a choice is from an annotation that is not one of these."""
    found = {}
    for part in compared.parts:
        taken = sent.get(f"take:{part.name}", "")
        if taken == OWN:
            found[part.name] = Choice(written=tuple(_written(sent, each) for each in _controls(part, None)))
        elif taken:
            found[part.name] = Choice(taken=compared.index_of(whole_number(taken) or 0))
    return found


def _written(sent: QueryDict, control: Control) -> Any:
    return sent.getlist(control.name) if control.is_multiple else sent.get(control.name, "")


def choices_before(compared: Comparison, merge: Annotation | None) -> dict[str, Choice]:
    """The choices of an earlier merge of these, as far as they can be inferred: a value equal to one of the originals
    is taken from there, another text of a single field was written.
    """
    if merge is None:
        return {}
    content = content_of(merge)
    asked = {(q.text, q.answer_1, q.answer_2) for q in merge.questions.all()}
    found = {}
    for part in compared.parts:
        values: list[Any] = [each in asked for each in part.values] if part.is_question else part.values
        wanted = True if part.is_question else (content[part.name],)
        if wanted in values:
            found[part.name] = Choice(taken=values.index(wanted))
        elif not part.is_question:
            found[part.name] = Choice(written=(content[part.name],))
    return found
