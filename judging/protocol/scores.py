"""Scores of readings: each task declares its own shape, a frozen dataclass of plain fields, stored as JSON."""

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

PLAIN = (str, int, float, bool)


@dataclass(frozen=True, slots=True)
class Chip:
    """A part of a score on a page: words, perhaps a value in bold, and a tone of the design, such as good or warn."""

    words: str
    value: str = ""
    tone: str = ""


_schemas: dict[type, Mapping[str, tuple[type, ...]]] = {}


def schema_of(shape: type) -> Mapping[str, tuple[type, ...]]:
    """The types of each field of a shape. Raises TypeError if it is no dataclass of texts, numbers and truth values
    with defaults.
    """
    if shape in _schemas:
        return _schemas[shape]
    hints = get_type_hints(shape)
    found: dict[str, tuple[type, ...]] = {}
    for each in fields(shape):
        hint = hints[each.name]
        types = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        if each.default is MISSING or not set(types) <= {*PLAIN, NoneType}:
            raise TypeError(f"{shape.__name__}.{each.name} must be a text, a number or a truth value with a default")
        found[each.name] = types
    _schemas[shape] = found
    return found


def stored_score(score: Any, shape: type | None) -> dict[str, Any] | None:
    """A score as it is stored: the fields that differ from their defaults. None without a score. Raises TypeError if
    it is not of this shape, or ValueError if a number is not finite.
    """
    if score is None:
        return None
    if shape is None or type(score) is not shape:
        raise TypeError(f"a score must be a {shape and shape.__name__}, not a {type(score).__name__}")
    types, found = schema_of(shape), dict[str, Any]()
    for each in fields(shape):
        value = getattr(score, each.name)
        if type(value) not in types[each.name]:
            raise TypeError(f"{shape.__name__}.{each.name} cannot be {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{shape.__name__}.{each.name} must be finite")
        if value != each.default:
            found[each.name] = value
    return found


def score_from(stored: Mapping[str, object] | None, shape: type | None) -> Any:
    """The score in its stored form; None without one. Fields that the shape no longer has are left out."""
    if stored is None or shape is None:
        return None
    return shape(**{name: value for name, value in stored.items() if name in schema_of(shape)})


def chips_of(score: object) -> list[Chip]:
    """Each field of a score that differs from its default, in words."""
    stored = stored_score(score, type(score)) or {}
    return [Chip(f"{name.replace('_', ' ').capitalize()}:", _in_words(value)) for name, value in stored.items()]


def _in_words(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
