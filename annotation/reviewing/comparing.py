"""Several annotations of one tag side by side, field by field."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..content.choices import as_text
from ..content.fields import FIELDS, Content
from ..content.marking import Piece, mark_spans, normalised
from ..content.rows import content_of
from ..models import Annotation


@dataclass(frozen=True, slots=True)
class ComparedField:
    """One field of several annotations of a tag."""

    label: str
    values: list[str]
    agree: bool
    # Each value in pieces, with the contradicted span marked if it is a passage.
    marked: list[list[Piece]]


def compare(annotations: list[Annotation]) -> list[ComparedField]:
    """The fields that at least one of the annotations has filled in, and whether they all agree."""
    return list(_compared(annotations))


def _compared(annotations: list[Annotation]) -> Iterator[ComparedField]:
    contents = [content_of(annotation) for annotation in annotations]
    for name, field in FIELDS.items():
        if name == "origin_confirmed":
            continue
        values = [as_text(name, content[name]) for content in contents]
        if any(values):
            agree = len({normalised(value) for value in values}) == 1
            spans = [_span_of(name, content) for content in contents]
            marked = [mark_spans(value, span) for value, span in zip(values, spans, strict=True)]
            yield ComparedField(field.label, values, agree, marked)


def _span_of(name: str, content: Content) -> dict[int, str]:
    """The contradicted span of the passage that this field holds, if it holds one."""
    letter = name.removeprefix("paragraph")[:1]
    if not name.startswith(f"paragraph{letter}_information") or letter not in ("A", "B"):
        return {}
    return {"AB".index(letter) + 1: content[f"relevantInfo_comment_{letter}_Span"]}
