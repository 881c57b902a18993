"""Texts that are stored with their message and values, so that each reader sees them in their own language.

Stored alone, the English text of "The article no longer has passage 2 as found." could not be translated: no catalog
has it with its number.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.utils import translation

from .texts import Text, figure, joined, say, say_count, say_in

_MAKERS: dict[str, Callable[..., Text]] = {
    maker.__name__: maker for maker in (say, say_in, say_count, joined, figure)
}
# Under this key JSON has the maker of a text, its arguments and its values.
_MADE = "made"
_BEGINNING = f'{{"{_MADE}": '


class _NotPlain(Exception):
    """Raised for a value that JSON cannot hold."""


def kept(text: str) -> Any:
    """The text as JSON keeps it: its message and its values. Only its English text if it has none of them, or a value
    that JSON cannot hold, such as a date.
    """
    try:
        made = _kept(text)
    except _NotPlain:
        made = None
    has_values = isinstance(made, dict) and (len(made[_MADE][1]) > 1 or made[_MADE][2])
    return made if has_values else "".join((text,))


def said(stored: Any) -> Text:
    """The text of which `kept` made this. A text that was stored alone is translated if the catalog has it."""
    if isinstance(stored, str):
        return stored if isinstance(stored, Text) else Text(stored, lambda: stored and translation.gettext(stored))
    text: Text = _said(stored)
    return text


def as_column(text: str, *, most: int | None = None) -> str:
    """The text as a column keeps it; only its English text if it would have more than `most` characters."""
    made = kept(text)
    written = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
    return written if most is None or len(written) <= most else "".join((text,))


def from_column(stored: str) -> Text:
    """The text of which `as_column` made this."""
    if stored.startswith(_BEGINNING):
        with suppress(ValueError, TypeError, LookupError):  # a text of another program that begins in the same way
            return said(json.loads(stored))
    return said(stored)


def _kept(value: Any) -> Any:
    if isinstance(value, Text):
        if value.made_by is None:
            return "".join((value,))
        maker, arguments, values = value.made_by
        return {_MADE: [maker, _kept(arguments), {name: _kept(each) for name, each in values.items()}]}
    if isinstance(value, list | tuple):
        return [_kept(each) for each in value]
    if isinstance(value, Exception):
        return _kept(str(value))
    if value is None or isinstance(value, str | int | float):
        return value
    raise _NotPlain


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        maker, arguments, values = value[_MADE]
        return _MAKERS[maker](*_said(arguments), **{name: _said(each) for name, each in values.items()})
    return [_said(each) for each in value] if isinstance(value, list) else value
