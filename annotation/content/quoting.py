"""Finds the quoted words of a comment again when the text has changed. Text in, offsets out."""

import re
from dataclasses import dataclass

MOST_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted words, and their current offset in the text in UTF-16 units, as browsers count; `start` is None if the
    text no longer has them.
    """

    words: str
    start: int | None

    @property
    def has_changed(self) -> bool:
        return self.start is None


def quote_in(text: str, words: str, near: int) -> Quote:
    """The quoted words as they are in the text now."""
    at = find_quote(text, words, near)
    return Quote(words, None if at is None else len(text[:at].encode("utf-16-le", "surrogatepass")) // 2)


def as_in_text(text: str, words: str, near: int) -> tuple[str, int] | None:
    """The words as in the text, and their offset, regardless of the blanks and line ends between them; None if the
    text does not have them.
    """
    if (at := find_quote(text, words, near)) is not None:
        return words, at
    loose = re.compile(r"\s+".join(map(re.escape, words.split()))) if words.split() else None
    found = list(loose.finditer(text)) if loose else []
    best = min(found, key=lambda match: abs(match.start() - near), default=None)
    return (best[0], best.start()) if best else None


def find_quote(text: str, words: str, near: int = 0) -> int | None:
    """The offset of these words in the text, in characters: the occurrence nearest to `near`; None without any."""
    if not words:
        return None
    if text.startswith(words, near):
        return near
    before = text.rfind(words, 0, near + len(words))
    behind = text.find(words, near)
    found = [at for at in (before, behind) if at >= 0]
    return min(found, key=lambda at: abs(at - near), default=None)
