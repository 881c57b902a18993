"""Reads lists of texts as models write them: JSON, Python, typographic quotation marks, objects with a list,
truncated lists. Text in, texts out.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

DEEPEST = 50
QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "“", "‘": "’", "’": "’", "«": "»", "`": "`"}
MARKS = "".join(QUOTES)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
# Where a list of texts begins: a bracket before a quotation mark, another bracket, or an end.
OPENING = re.compile(rf"[\[{{](?=\s*(?:\\?[{MARKS}]|[\[\]{{}}]|(?:none|null|n/?a)\s*\]))", re.IGNORECASE)
NOTHING = re.compile(r"\[\s*(?:none|null|n/?a)\s*\]", re.IGNORECASE)
# Names of quotes in an object. Others, such as an explanation, are not read beside them.
OF_QUOTES = re.compile(
    r"(?:evidences?|(?:contradictory[ _])?sentences?|quotes?|quotations?|statements?|texts?|excerpts?)?[ _#-]*\d*",
    re.IGNORECASE,
)


class Listed(NamedTuple):
    """The texts of a list in their order, whether the list is complete, and the offset after it."""

    texts: list[str]
    is_whole: bool
    end: int


def read_list(text: str) -> list[str] | None:
    """Return the texts of the list that the text begins with, nested or not; for a truncated list, the complete ones.
    None if it is not a list of texts.
    """
    found = listed(text)
    return found.texts if found else None


def read_lists(text: str) -> Listed | None:
    """Return the texts of the first list (or object) in a text and of those directly after it, as one per line."""
    opening = OPENING.search(text)
    first = listed(text[opening.start() :]) if opening else None
    if not opening or first is None or not first.is_whole:
        return first
    texts, at, is_whole = list(first.texts), opening.start() + first.end, True
    following = _NEXT_OBJECT if text[opening.start()] == "{" else _NEXT
    while is_whole and (behind := following.match(text, at)) and (found := listed(text[behind.end() :])):
        texts += found.texts
        at, is_whole = behind.end() + found.end, found.is_whole
    return Listed(texts, is_whole, at)


_NEXT, _NEXT_OBJECT = (
    re.compile(rf"\s*,?\s*(?:[-*•]\s*|\(?\d{{1,3}}[.):]\s*)?(?={re.escape(begun)})") for begun in "[{"
)


def listed(text: str) -> Listed | None:
    if nothing := NOTHING.match(text):
        return Listed([], True, nothing.end())
    found = _json_list(text) or _written_list(text)
    if found is None and '\\"' in text:
        # Escaped as a whole, as a list is in a JSON string.
        return _written_list(text.replace('\\"', '"'))
    return found


def texts_of(value: object) -> list[str] | None:
    """Return the texts of a value from JSON; None if it holds anything else."""
    try:
        return list(_texts(value, 0))
    except ValueError:
        return None


def _json_list(text: str) -> Listed | None:
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
        return Listed(list(_texts(value, 0)), True, end)
    except (ValueError, RecursionError):
        return None


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and depth < DEEPEST:
        for member in _members(value) if isinstance(value, dict) else value:
            yield from _texts(member, depth + 1)
    elif value is not None:
        raise ValueError("not a list of texts")


def _members(value: dict[str, Any]) -> list[Any]:
    """Return the members of an object that hold its quotes: those with a name for it, otherwise its only list. Raises
    ValueError without any.
    """
    named = [member for name, member in value.items() if OF_QUOTES.fullmatch(name)]
    if named or not value:
        return named
    lists = [member for member in value.values() if isinstance(member, list)]
    if len(lists) == 1:
        return lists
    raise ValueError("nothing says which of its members are quotes")


def _written_list(text: str) -> Listed | None:
    """Return the list as a person would read it: a quotation mark ends its text only if the next text or a bracket
    follows, so that marks inside a quote do no harm. Anything but a text ends the list, as a missing bracket does.
    """
    found: list[tuple[str, str]] = []
    opened: list[str] = []
    # The name that texts have in their object, and whether its value comes next.
    name, is_named, at = "", False, 0
    while at < len(text):
        character = text[at]
        if character in "[{":
            opened.append(character)
            is_named = False
        elif character in "]}":
            if not opened or opened.pop() != _OPENED_BY[character]:
                return None
            if not opened:
                return _of_quotes(found, is_whole=True, end=at + 1)
        elif character in QUOTES and opened:
            may_name = opened[-1] == "{" and not is_named
            quote, at = quoted(text, at, may_name=may_name)
            if quote is None:
                break
            is_named = may_name and bool(_COLON.match(text, at))
            if is_named:
                name = quote
            else:
                found.append((name, quote))
            continue
        elif is_named and (literal := _LITERAL.match(text, at)):
            at, is_named = literal.end(), False
            continue
        elif comment := _BESIDE.match(text, at):
            at = comment.end()
            continue
        elif not character.isspace() and character not in (":" if is_named else ",;.…"):
            break
        if len(opened) > DEEPEST:
            return None
        at += 1
    return _of_quotes(found, is_whole=False, end=at) if found else None


_OPENED_BY = {"]": "[", "}": "{"}
_BESIDE = re.compile(r"\([^()\n]{1,80}\)")
_LITERAL = re.compile(r"(?:true|false|none|null|-?\d+(?:\.\d+)?)(?=\s*[,;}])", re.IGNORECASE)


def _of_quotes(found: list[tuple[str, str]], *, is_whole: bool, end: int) -> Listed:
    """The texts under a name for quotes, if there is any such name; otherwise all."""
    named = [text for name, text in found if OF_QUOTES.fullmatch(name)]
    return Listed(named or [text for _, text in found], is_whole, end)


# A comment in brackets may stand behind a quote.
_COMMENT = r"(?:\([^()\n]{1,80}\)\s*)?"
_ENDS = re.compile(rf"\s*{_COMMENT}(?:[,;]\s*(?:[{MARKS}\[\]{{}}…]|\.\.\.|\Z)|[\]}}]|\Z)|[^\S\n]*\n")
_COLON = re.compile(r"\s*:")


def quoted(text: str, start: int, *, may_name: bool = False) -> tuple[str | None, int]:
    """Return the text in quotation marks that begins at `start`, and the offset after it; None if it never ends."""
    closing, parts, at = QUOTES[text[start]], [], start + 1
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text):
            escape = _ESCAPE.match(text, at)
            parts.append(_unescaped(escape[0]) if escape else ESCAPES.get(text[at + 1], text[at + 1]))
            at = escape.end() if escape else at + 2
            continue
        if character == closing and (_ENDS.match(text, at + 1) or (may_name and _COLON.match(text, at + 1))):
            return "".join(parts), at + 1
        parts.append(character)
        at += 1
    return None, at


# Several in a row, as a character beyond the first 65,536 takes two.
_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|(?:\\x[0-9a-fA-F]{2})+")


def _unescaped(escapes: str) -> str:
    return str(json.loads(f'"{escapes.replace("x", "u00")}"'))
