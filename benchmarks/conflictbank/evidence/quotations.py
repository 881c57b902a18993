"""Finds the quotations in a text: straight, English, German, French and other marks, also nested. Text in, text out.

A mark that is never closed begins no quotation, and none reaches over the end of a paragraph.
"""

import re

# The mark that closes a quotation, by the mark that opens it. ” and » open as well in some languages.
CLOSED_BY = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“”",
    "‟": "”",
    "”": "”",
    "«": "»",
    "»": "«»",
    "‹": "›",
    "›": "‹›",
    "‘": "’",
    "‚": "‘’",
    "‛": "’",
    "’": "’",
    "「": "」",
    "『": "』",
}
MARKS = re.compile(rf"\n\s*\n|[{re.escape(''.join({*CLOSED_BY, *''.join(CLOSED_BY.values())}))}]")
# These open or close whatever is beside them; others, such as apostrophes, only at the edge of a word.
OPENS_ANYWHERE, CLOSES_ANYWHERE = "“„‟«‹‘‚‛「『", "”»›」』"
# A whole text in marks is what its writer says, and quotes nobody.
NOTHING = re.compile(r"[\W_]*")


def without_quotations(text: str) -> str:
    """The text with a blank in place of each quotation; the whole text if it is nothing but one."""
    found, at = "", 0
    for start, end in quotations(text):
        if end > at:
            found, at = f"{found}{text[at : max(at, start)]} ", end
    found += text[at:]
    return text if NOTHING.fullmatch(found) else found


def quotations(text: str) -> list[tuple[int, int]]:
    """The offsets of the quotations with their marks, by where they begin; the inner ones of nested ones as well."""
    found: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    for match in MARKS.finditer(text):
        mark, start, end = match[0], match.start(), match.end()
        if len(mark) > 1:
            opened.clear()
            continue
        before, after = text[start - 1 : start], text[end : end + 1]
        level = _closes(mark, opened, before, after)
        if level is not None:
            found.append((opened[level][1], end))
            del opened[level:]
        elif mark in OPENS_ANYWHERE or (mark in CLOSED_BY and not _is_word(before) and after.strip()):
            opened.append((mark, start))
    return sorted(found)


def _closes(mark: str, opened: list[tuple[str, int]], before: str, after: str) -> int | None:
    """The level of the open quotation that a mark between these characters closes; None if it closes none."""
    if mark not in CLOSES_ANYWHERE and (_is_word(after) or not before.strip()):
        return None
    levels = (level for level in reversed(range(len(opened))) if mark in CLOSED_BY[opened[level][0]])
    return next(levels, None)


def _is_word(character: str) -> bool:
    return character.isalnum()
