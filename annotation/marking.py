"""Finding words in passages and tags in paragraphs, however blanks, quotes and dashes are written. No rows here."""

import re
import unicodedata
from dataclasses import dataclass

# One spelling for what differs by keyboard and typesetting only.
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
    """A stretch of text, and whether it is the marked one."""

    text: str
    marked: bool = False


def unify(text: str) -> str:
    """`text` with one spelling for quotes and dashes, and without invisible characters."""
    return text.translate(_SAME)


def _fold(text: str) -> tuple[str, list[int]]:
    """`text` with one spelling for alike characters, and for each folded character where it came from."""
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
    return _fold(text)[0]


def find_span(span: str, passage: str) -> list[tuple[int, int]]:
    """Where `span` stands in `passage`, as start and end in characters; empty where it does not.

    A span of several lines may also name one piece of the passage a line; then all of them must be there.
    """
    whole = _find_one(span, passage)
    if whole:
        return [whole]
    pieces = [line for line in span.splitlines() if line.strip()]
    if len(pieces) < 2:
        return []
    found = [_find_one(piece, passage) for piece in pieces]
    return sorted({place for place in found if place}) if all(found) else []


def _find_one(span: str, passage: str) -> tuple[int, int] | None:
    wanted = normalised(span)
    folded, origin = _fold(passage)
    at = folded.find(wanted) if wanted else -1
    if at < 0:
        return None
    end = origin[at + len(wanted) - 1] + 1
    # An accent written as a character of its own belongs to the letter before it.
    while end < len(passage) and unicodedata.combining(passage[end]):
        end += 1
    return origin[at], end


def mark_span(span: str, passage: str) -> list[Piece]:
    """`passage` in pieces, the span's marked."""
    pieces: list[Piece] = []
    at = 0
    for start, end in find_span(span, passage):
        if start < at:
            continue
        pieces += [Piece(passage[at:start]), Piece(passage[start:end], marked=True)]
        at = end
    pieces.append(Piece(passage[at:]))
    return [piece for piece in pieces if piece.text]


def mark_tag(raw: str, paragraph: str) -> list[Piece]:
    """`paragraph` in pieces, the tag `{{raw}}` marked wherever it stands."""
    whole = "{{" + raw + "}}"
    parts = re.split("(" + re.escape(whole) + ")", paragraph)
    return [Piece(part, marked=part == whole) for part in parts if part]
