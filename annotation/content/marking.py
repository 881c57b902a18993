"""Finds words in passages and tags in paragraphs, regardless of blanks, quotes and dashes. No rows here."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from .word_changes import ADDED, REMOVED, Change

# One spelling for what differs only by keyboard or typesetting.
_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text, and whether it is the marked one; `passage` is the number of the span's passage, if known."""

    text: str
    marked: bool = False
    passage: int = 0


def unify(text: str) -> str:
    """`text` with one form for quotes and dashes, and without invisible characters."""
    return text.translate(_SAME)


def _fold(text: str) -> tuple[str, list[int]]:
    """`text` with one form for similar characters, and the original offset of each folded character."""
    folded: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        for part in unify(unicodedata.normalize("NFKD", unify(character))).casefold():
            if part.isspace():
                if not folded or folded[-1] == " ":
                    continue
                part = " "
            folded.append(part)
            origin.append(index)
    while folded and folded[-1] == " ":
        folded.pop()
        origin.pop()
    return "".join(folded), origin


def normalised(text: str) -> str:
    """`text` for comparison: Unicode compatibility forms, blanks, quotes, dashes and case made alike."""
    if text.isascii():  # same result, many times faster
        return " ".join(unify(text).lower().split())
    return _fold(text)[0]


def find_span(span: str, passage: str) -> list[tuple[int, int]]:
    """The offsets (start, end) of `span` in `passage`, in characters; empty if it is not there.

    A span of several lines may also name one piece of the passage per line; then all of them must be there.
    """
    whole = _find_one(span, passage)
    if whole:
        return [whole]
    pieces = [line for line in span.splitlines() if line.strip()]
    if len(pieces) < 2:
        return []
    found = [_find_one(piece, passage) for piece in pieces]
    return sorted({offsets for offsets in found if offsets}) if all(found) else []


def _find_one(span: str, passage: str) -> tuple[int, int] | None:
    wanted = normalised(span)
    folded, origin = _fold(passage)
    at = folded.find(wanted) if wanted else -1
    if at < 0:
        return None
    end = origin[at + len(wanted) - 1] + 1
    # An accent written as a separate character belongs to the letter before it.
    while end < len(passage) and unicodedata.combining(passage[end]):
        end += 1
    return origin[at], end


def mark_span(span: str, passage: str) -> list[Piece]:
    """`passage` in pieces, the span's marked."""
    return mark_spans(passage, {0: span})


def mark_spans(text: str, spans: Mapping[int, str]) -> list[Piece]:
    """`text` in pieces, the spans of passages 1 and 2 marked. If two overlap, only the first is marked."""
    pieces: list[Piece] = []
    at = 0
    for start, end, number in _spans_in(text, spans):
        pieces += [Piece(text[at:start]), Piece(text[start:end], marked=True, passage=number)]
        at = end
    pieces.append(Piece(text[at:]))
    return [piece for piece in pieces if piece.text]


def _spans_in(text: str, spans: Mapping[int, str]) -> Iterator[tuple[int, int, int]]:
    at = 0
    found = [(start, end, number) for number, span in spans.items() for start, end in find_span(span, text)]
    for start, end, number in sorted(found):
        if start >= at:
            yield start, end, number
            at = end


@dataclass(frozen=True, slots=True)
class MarkedChange:
    """A piece of a changed text: kept, added or removed, with the span marked in it."""

    kind: str
    pieces: list[Piece]


def mark_changes(changes: Iterable[Change], span: str) -> list[MarkedChange]:
    """The changes, with `span` marked where it occurs in the new text, otherwise where it occurred in the old one."""
    changes = list(changes)
    not_in_it = REMOVED
    stretches = find_span(span, "".join(change.text for change in changes if change.kind != REMOVED))
    if not stretches:
        not_in_it = ADDED
        stretches = find_span(span, "".join(change.text for change in changes if change.kind != ADDED))
    marked, at = [], 0
    for change in changes:
        if change.kind == not_in_it:
            marked.append(MarkedChange(change.kind, [Piece(change.text)]))
            continue
        marked.append(MarkedChange(change.kind, _cut(change.text, at, stretches)))
        at += len(change.text)
    return marked


def _cut(text: str, at: int, stretches: list[tuple[int, int]]) -> list[Piece]:
    """`text`, which begins at offset `at` of a longer text, cut where any of that text's `stretches` begins or
    ends.
    """
    edges = {min(max(edge - at, 0), len(text)) for stretch in stretches for edge in stretch} | {0, len(text)}
    cuts = sorted(edges)
    return [
        Piece(text[start:end], marked=any(first <= at + start < last for first, last in stretches))
        for start, end in pairwise(cuts)
    ]


def mark_tag(raw: str, paragraph: str) -> list[Piece]:
    """`paragraph` in pieces, the tag `{{raw}}` marked wherever it occurs."""
    whole = "{{" + raw + "}}"
    parts = re.split("(" + re.escape(whole) + ")", paragraph)
    return [Piece(part, marked=part == whole) for part in parts if part]
