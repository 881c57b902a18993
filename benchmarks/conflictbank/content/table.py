"""Reads one row of a table of facts: of a CSV file, or an object of JSON Lines."""

import hashlib
from collections.abc import Mapping
from typing import Any

from core.files.problems import ShapeError
from core.languages import say

from .entities import (
    DEPRECATED,
    ITEM,
    LONGEST_NAME,
    MOST_ALIASES,
    NORMAL,
    PROPERTY,
    RANKS,
    Entity,
    Object,
    Told,
    checked_name,
    checked_text,
)
from .names import one_line

NEEDED = ("relation", "subject", "subject_description", "object", "object_description")
MORE = (
    "subject_id",
    "object_id",
    "subject_aliases",
    "object_aliases",
    "subject_types",
    "object_types",
    "subject_is_living",
    "object_is_living",
    "rank",
    "started",
    "ended",
)
COLUMNS = {*NEEDED, *MORE}
BETWEEN = "|"
YES_NO: dict[str, bool | None] = {"": None, "yes": True, "no": False, "true": True, "false": False}


def read_row(row: object) -> Told | None:
    """The fact in a row; None if it is deprecated. Raises ShapeError."""
    if not isinstance(row, Mapping):
        raise ShapeError("", say("is not an object"))
    if unknown := {str(name) for name in row} - COLUMNS:
        raise ShapeError(ascii(min(unknown)), say("is none of {options}", options=", ".join(sorted(COLUMNS))))
    relation = text_of(row, "relation")
    if not PROPERTY.fullmatch(relation):
        raise ShapeError("relation", say("must be the id of a property, such as P19"))
    rank = text_of(row, "rank") or NORMAL
    if rank not in RANKS:
        raise ShapeError("rank", say("must be one of {options}", options=", ".join(RANKS)))
    subject, object = entity_of(row, "subject"), entity_of(row, "object")
    if rank == DEPRECATED:
        return None
    started, ended = text_of(row, "started")[:40], text_of(row, "ended")
    return Told(subject, relation, (Object(object, rank, not ended, started),))


def entity_of(row: Mapping[str, object], which: str) -> Entity:
    name = checked_name(text_of(row, which), which)
    description = checked_text(text_of(row, f"{which}_description"), f"{which}_description")
    key = text_of(row, f"{which}_id")
    if key and not ITEM.fullmatch(key):
        raise ShapeError(f"{which}_id", say("must be the id of an item, such as Q42"))
    if not name and not key:
        raise ShapeError(which, say("must be a name, or have an id"))
    living = text_of(row, f"{which}_is_living").lower()
    if living not in YES_NO:
        raise ShapeError(f"{which}_is_living", say("must be yes, no or empty"))
    return Entity(
        key or key_without_id(name, description),
        name,
        description,
        tuple(sorted(set(texts_of(row, f"{which}_aliases")) - {name})),
        tuple(sorted(set(texts_of(row, f"{which}_types")))),
        YES_NO[living],
    )


def key_without_id(name: str, description: str) -> str:
    """A key for an entity without an id, computed from its name and description."""
    digest = hashlib.sha256("\n".join([name, description]).encode())
    return f"name:{digest.hexdigest()[:40]}"


def text_of(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is not None and not isinstance(value, str):
        raise ShapeError(name, say("must be a text"))
    return one_line(value or "")


def texts_of(row: Mapping[str, object], name: str) -> list[str]:
    """The texts of a list, or of a text in which they stand between bars."""
    value = row.get(name)
    if value is None:
        return []
    found = value.split(BETWEEN) if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ShapeError(
            name, say("must be a list of texts, or texts with “{between}” between them", between=BETWEEN)
        )
    texts = [one_line(each) for each in found]
    if len(texts) > MOST_ALIASES or any(len(each) > LONGEST_NAME for each in texts):
        raise ShapeError(
            name,
            say(
                "has more than {most_aliases} texts, or one with more than {longest_name} characters",
                most_aliases=MOST_ALIASES,
                longest_name=LONGEST_NAME,
            ),
        )
    return [each for each in texts if each]
