"""An annotation for reading: by a reviewer, and by its writer once it is submitted."""

from dataclasses import dataclass
from typing import Any

from core.languages import joined, say

from .. import taxonomy
from ..content.choices import in_words, names_of
from ..content.fields import Content, questions_of
from ..content.marking import MarkedChange, Piece, find_span, mark_changes, mark_span
from ..content.rows import PASSAGE_COLUMNS, content_of, passages_of
from ..content.word_changes import Change, replacements, word_changes
from ..desk.drafts.sources import changes_by_hand, sources_of
from ..guideline.versions import beside_annotation
from ..models import Annotation, Passage
from .edits import edits_of

STEPS = frozenset(range(1, 7))
VALIDITY = {"Valid": say("Valid"), "Invalid": say("Invalid")}


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage ready for reading: the contradicted span marked, and the changes in its stand-alone version."""

    passage: Passage
    text: list[Piece]
    # The span if it is neither in the passage nor in its stand-alone version, as in some imported records.
    lost_span: str
    changes: list[MarkedChange]
    replaced: list[tuple[str, str]]
    by_hand: list[Change]
    # Where it was selected: the index into the page's list of sources, and the source.
    sources: list[tuple[int, dict[str, Any]]]

    @property
    def names(self) -> dict[str, str]:
        """The name of the form field for each column."""
        return {column: name.format("AB"[self.passage.position - 1]) for name, column in PASSAGE_COLUMNS.items()}


@dataclass(frozen=True, slots=True)
class ShownDimension:
    name: str
    # The chosen options in words, each with its definition.
    options: list[tuple[str, str]]


def show_annotation(annotation: Annotation) -> dict[str, Any]:
    """The context of the templates of the six steps, without anything editable."""
    content, sources = content_of(annotation), sources_of(annotation)
    return {
        "content": content,
        "passages": [show_passage(passage, sources) for passage in passages_of(annotation)],
        "dimensions": [
            ShownDimension(dimension.name, [_shown(dimension.option(code)) for code in content[dimension.key]])
            for dimension in taxonomy.DIMENSIONS
        ],
        "questions": [(number, row) for number, row in enumerate(questions_of(content), start=1) if any(row)],
        "sources": sources,
        "steps_said": said(content),
        "open_steps": STEPS,
        "edits": edits_of(annotation),
        "may_suggest": False,
        "guideline": beside_annotation(annotation.guideline_id),
    }


def show_passage(passage: Passage, sources: list[dict[str, Any]]) -> ShownPassage:
    text = mark_span(passage.span, passage.text)
    found = any(piece.marked for piece in text) or bool(find_span(passage.span, passage.standalone_text))
    changes = word_changes(passage.text, passage.standalone_text) if passage.standalone_text else []
    own = [(at, source) for at, source in enumerate(sources) if source["position"] == passage.position]
    return ShownPassage(
        passage=passage,
        text=text,
        lost_span="" if found else passage.span,
        changes=mark_changes(changes, passage.span),
        replaced=replacements(changes),
        by_hand=changes_by_hand(passage) if own else [],
        sources=own,
    )


def _shown(option: taxonomy.Option) -> tuple[str, str]:
    return in_words(option), option.definition


def said(content: Content) -> dict[int, str]:
    """The decisions of each step, in a few words, shown when the step is collapsed."""
    words = [len(content[f"paragraph{letter}_information"].split()) for letter in "AB"]
    questions = [row[0] for row in questions_of(content) if row[0].strip()]
    types = [name for dimension in taxonomy.DIMENSIONS for name in names_of(dimension, content[dimension.key])]
    return {
        1: joined(filter(None, [VALIDITY.get(content["wikitag_label_valid"], ""), content["valid_comment"]]), ", "),
        2: say("{one} + {two} words", one=words[0], two=words[1]) if any(words) else "",
        3: " · ".join(filter(None, [content["relevantInfo_comment_A"], content["relevantInfo_comment_B"]])),
        4: " · ".join(types),
        5: f"{len(questions)}: {questions[0]}" if questions else "",
        6: say("{confidence} of 5", confidence=content["confidence"]) if content["confidence"] else "",
    }
