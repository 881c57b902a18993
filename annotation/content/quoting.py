"""Words of a text that a comment is about, found again when the text has changed. Text in, offsets out."""

import re
from dataclasses import dataclass

MOST_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted words, and where the text has them now in UTF-16 units, as browsers count; `start` is None if it
    no longer has them."""

    words: str
    start: int | None

    @property
    def has_changed(self) -> bool:
        return self.start is None


def quote_in(text: str, words: str, near: int) -> Quote:
    """The quoted words as they stand in the text now."""
    at = find_quote(text, words, near)
    return Quote(words, None if at is None else len(text[:at].encode("utf-16-le", "surrogatepass")) // 2)


def as_in_text(text: str, words: str, near: int) -> tuple[str, int] | None:
    """The words as the text has them and where they begin, whatever blanks and line ends were sent between them; None
    if it does not have them."""
    if (at := find_quote(text, words, near)) is not None:
        return words, at
    loose = re.compile(r"\s+".join(map(re.escape, words.split()))) if words.split() else None
    found = list(loose.finditer(text)) if loose else []
    best = min(found, key=lambda match: abs(match.start() - near), default=None)
    return (best[0], best.start()) if best else None


def find_quote(text: str, words: str, near: int = 0) -> int | None:
    """Where these words begin in the text, in characters: of several such spots the one nearest to `near`; None if
    there is none."""
    if not words:
        return None
    if text.startswith(words, near):
        return near
    before = text.rfind(words, 0, near + len(words))
    behind = text.find(words, near)
    found = [at for at in (before, behind) if at >= 0]
    return min(found, key=lambda at: abs(at - near), default=None)
