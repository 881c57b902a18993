"""A document of ContraDoc for its page: its text in pieces, with the evidence and the ref sentences marked. Contents
in, pieces out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from annotation.content.marking import Piece
from annotation.reading.sentences import Span
from core.languages import say

from .. import items as item
from ..items import EVIDENCE, PLUG, TEXT, Content
from .matching import where

# The colour in which a page marks what a document says first, and what was put in against it.
OF_REFS, OF_EVIDENCE = 1, 2
PLUGGED = {"Insert": say("inserted"), "Replace": say("in place of another sentence")}


@dataclass(frozen=True, slots=True)
class Marked:
    """A piece of a text and the colour of its mark."""

    span: Span
    colour: int


def pieces(text: str, marks: Iterable[Marked]) -> list[Piece]:
    """The pieces that join to the text; where marks overlap, the first one wins."""
    return [piece for piece in _pieces(text, list(marks)) if piece.text]


def _pieces(text: str, marks: list[Marked]) -> Iterator[Piece]:
    edges = sorted({0, len(text), *(edge for mark in marks for edge in (mark.span.start, mark.span.end))})
    for start, end in pairwise(edges):
        holding = [mark.colour for mark in marks if mark.span.start <= start and end <= mark.span.end]
        yield Piece(text[start:end], bool(holding), holding[0] if holding else 0)


def marked(content: Content) -> list[Piece]:
    """The text of a document, with its evidence and its ref sentences marked where they occur in it."""
    text = content[TEXT]
    quotes = [(content[EVIDENCE], OF_EVIDENCE)] if EVIDENCE in content else []
    quotes += [(ref, OF_REFS) for ref in item.refs_of(content)]
    found = ((where(quote, text), colour) for quote, colour in quotes)
    return pieces(text, [Marked(span, colour) for span, colour in found if span])


def about(content: Content) -> Mapping[str, Any]:
    """The properties of a document for its page."""
    facts = [
        (say("Id"), content[item.ID]),
        (say("Source"), item.group_of(content[item.ID])),
        (say("Side"), item.SIDES[content[item.LABEL]]),
        (say("Kind of document"), content[item.KIND]),
        (say("Words"), f"{item.words_in(content[TEXT]):,}"),
    ]
    if item.is_positive(content):
        facts += [
            (say("Evidence"), PLUGGED[content[PLUG]]),
            (say("Scope"), item.scope_words(content)),
            (say("Types"), ", ".join(item.types_of(content))),
        ]
    missing = item.not_in_text(content)
    return {
        "pieces": marked(content),
        "facts": facts,
        "evidence": content.get(EVIDENCE, ""),
        "refs": item.refs_of(content),
        "evidence_is_missing": EVIDENCE in missing,
        "refs_are_missing": item.REFS in missing,
        "is_positive": item.is_positive(content),
    }
