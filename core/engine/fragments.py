"""Caches the HTML of parts of pages for all requests with the same values.

The key is not written by hand: a fragment is rendered with the values that it names and with nothing else, and is
kept under these values and the language of the page. One that reads anything else raises `NotGiven`. With the setting
`PREPARED` off, fragments are rendered in the same way for each request, and nothing is kept.
"""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from types import NoneType
from typing import Any, NamedTuple

from django.conf import settings
from django.template import Context
from django.template.base import FilterExpression, Node, NodeList
from django.utils.functional import Promise
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from .parts import Parts, name_of

INDENTATION = re.compile(r"\n\s+")
MOST_KEPT = 1_000
CSRF = "csrf_token"


class NotGiven(Exception):
    """Raised when a fragment reads a value that it does not name."""


@dataclass(frozen=True)
class Named:
    """The rows that a fragment names.

    Args:
        values: each is part of the key.
        optional: names among these that a page need not have; they are None there.
        spread: a mapping whose entries are values, too.
        own: values that differ from page to page and are put into the finished text.
        condition: where it is false, the part is rendered as if it were no fragment.
    """

    values: dict[str, FilterExpression] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    spread: FilterExpression | None = None
    own: dict[str, FilterExpression] = field(default_factory=dict)
    condition: FilterExpression | None = None

    def given(self, context: Context) -> dict[str, object]:
        values = {
            name: None if name in self.optional and name not in context else value.resolve(context, True)
            for name, value in self.values.items()
        }
        return values | self.spread.resolve(context) if self.spread else values


class Kept(NamedTuple):
    """A fragment's text in pieces. Every second one names a value that differs by page."""

    name: str
    pieces: list[str]


class Fragment(Node):
    def __init__(self, parts: NodeList, named: Named):
        self.nodelist, self.named = parts, named
        self.kept: dict[tuple, Kept] = {}

    def render(self, context: Context) -> SafeString:
        named = self.named
        if named.condition and not named.condition.resolve(context, True):
            with context.push(**dict.fromkeys(name for name in named.optional if name not in context)):
                return self.nodelist.render(context)
        given = named.given(context)
        key = (get_language(), *((name, as_key(value)) for name, value in given.items()))
        kept = (settings.PREPARED and self.kept.get(key)) or self._keep(key, given, context)
        parts: Parts | None = context.get("parts") if "parts" in context else None
        if parts and kept.name in parts.held:
            return mark_safe(parts.mark(kept.name))  # noqa: S308 - a hash
        text = "".join(self._own(piece, context) if at % 2 else piece for at, piece in enumerate(kept.pieces))
        # Rendered by these templates, and what is put in is escaped.
        return mark_safe(parts.brought(kept.name, text) if parts and kept.name else text)  # noqa: S308

    def _own(self, name: str, context: Context) -> str:
        return escape(context.get(CSRF) if name == CSRF else self.named.own[name].resolve(context))

    def _keep(self, key: tuple, given: dict[str, object], context: Context) -> Kept:
        stand_ins = {
            name: placeholder(name, isinstance(value.resolve(context), int)) for name, value in self.named.own.items()
        }
        stand_ins[CSRF] = placeholder(CSRF)
        only = Only({**given, **_nested(stand_ins)}, context)
        text = INDENTATION.sub("\n", self.nodelist.render(only))
        # Asked again here, as a condition of several terms takes any error for "no".
        if only.lacking:
            raise NotGiven(f"the fragment in {self.origin} reads {', '.join(only.lacking)} without naming it")
        if len(self.kept) >= MOST_KEPT:
            self.kept.clear()
        self.kept[key] = Kept(name_of(text), _pieces(text, stand_ins))
        return self.kept[key]


class Only(Context):
    """Named values; reading any other raises an error."""

    def __init__(self, values: dict[str, object], page: Context):
        self.lacking: list[str] = []
        super().__init__(values, autoescape=page.autoescape, use_l10n=page.use_l10n, use_tz=page.use_tz)
        self.render_context, self.template = page.render_context, page.template

    def __getitem__(self, name: Any) -> Any:
        if name not in self:
            self.lacking.append(str(name))
            raise NotGiven(f"a fragment reads {name} without naming it")
        return super().__getitem__(name)

    def get(self, name: Any, otherwise: Any = None) -> Any:
        return self[name]

    def new(self, values: dict[str, object] | None = None) -> Context:  # type: ignore[override]
        """For a tag's own template, which reads the values that the tag gives it."""
        made = Context(values, autoescape=self.autoescape, use_l10n=self.use_l10n, use_tz=self.use_tz)
        made.render_context, made.template = copy(self.render_context), self.template
        return made


class _Own:
    """A stand-in for an object of which a fragment reads only some attributes."""

    def __init__(self, values: dict[str, object]):
        self.__dict__.update(values)

    def __getitem__(self, name: str) -> Any:
        if name not in self.__dict__:
            raise NotGiven(f"a fragment reads {name} of an object without naming it")
        return self.__dict__[name]


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Objects that have these values under their dotted names."""
    nested: dict[str, Any] = {}
    for name, value in values.items():
        first, _, rest = name.partition(".")
        if rest:
            nested.setdefault(first, {})[rest] = value
        else:
            nested[first] = value
    return {name: _Own(_nested(value)) if isinstance(value, dict) else value for name, value in nested.items()}


def placeholder(name: str, is_number: bool = False) -> Any:
    """A stand-in for a page's own value of this name while a fragment is rendered."""
    number = 7 * 10**18 + int.from_bytes(sha256(name.encode()).digest()[:7])
    return number if is_number else f"own-{number}"


def _pieces(text: str, stand_ins: Mapping[str, object]) -> list[str]:
    names = {str(value): name for name, value in stand_ins.items()}
    # The longest first: a text's placeholder may end with a number's.
    any_of_them = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return [
        names.get(piece, piece) if at % 2 else piece for at, piece in enumerate(re.split(f"({any_of_them})", text))
    ]


def as_key(value: Any) -> Any:
    """A value as part of a key: equal only to values that look the same on a page. Raises TypeError for mutable
    objects such as rows of a table.
    """
    if isinstance(value, Promise):
        value = str(value)
    if isinstance(value, str | int | float | NoneType):
        # Text that is marked as safe is equal to the same text that is not; 1 is equal to True.
        return type(value), value
    if isinstance(value, Mapping):
        return tuple((name, as_key(each)) for name, each in value.items())
    if isinstance(value, Sequence):
        return tuple(map(as_key, value))
    if isinstance(value, set | frozenset):
        return frozenset(map(as_key, value))
    if (made := getattr(value, "__dataclass_params__", None)) and made.frozen:
        return type(value), *(as_key(getattr(value, name)) for name in value.__dataclass_fields__)
    raise TypeError(f"a fragment cannot be kept under a {type(value).__name__}")
