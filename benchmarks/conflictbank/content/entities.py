"""Reads entities of Wikidata, in both ages of their JSON, and orders the objects of a fact.

The format: https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html. Values written before 2017 have only
a `numeric-id`; empty maps are written as lists.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.files.problems import ShapeError
from core.languages import say

from .names import one_line

INSTANCE_OF, DATE_OF_DEATH, HUMAN = "P31", "P570", "Q5"
START_TIME, END_TIME = "P580", "P582"
PREFERRED, NORMAL, DEPRECATED = "preferred", "normal", "deprecated"
RANKS = (PREFERRED, NORMAL, DEPRECATED)
# Wikidata allows 250 characters.
LONGEST_NAME, LONGEST_DESCRIPTION, MOST_ALIASES = 250, 1_000, 100
ITEM = re.compile(r"Q[1-9][0-9]{0,11}")
PROPERTY = re.compile(r"P[1-9][0-9]{0,9}")


@dataclass(frozen=True, slots=True)
class Entity:
    """A subject or an object, as a file describes it; `name` is empty if the file only has its id.

    `is_living`: a person without a date of death; None if the file does not say.
    """

    key: str
    name: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    is_living: bool | None = None


@dataclass(frozen=True, slots=True)
class Object:
    """A true object of a subject and a relation. `started` is a time as Wikidata writes it, or empty."""

    entity: Entity
    rank: str = NORMAL
    is_current: bool = True
    started: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """All statements of one record about one relation of a subject."""

    subject: Entity
    relation: str
    objects: tuple[Object, ...] = field(default=())


def preference(key: str, rank: str, is_current: bool, started: str) -> tuple[Any, ...]:
    """The position of a true object among those of its fact; the lowest counts, if it is current.

    Preferred rank before normal; then the latest start; then the lowest id, so that the order of a file has no
    effect.
    """
    number = int(key[1:]) if ITEM.fullmatch(key) else 0
    return (not is_current, rank != PREFERRED, *_latest_first(started), number, key)


def _latest_first(started: str) -> tuple[int, ...]:
    """Numbers that sort later times first, and times that are missing last."""
    numbers = [int(number) for number in re.findall(r"\d+", started[:40])[:3]]
    year, month, day = (*numbers, 0, 0, 0)[:3]
    return (not numbers, year if started.startswith("-") else -year, -month, -day)


def read_entity(record: Any, *, relations: Collection[str], language: str) -> Iterator[Told]:
    """The facts of an entity with these relations; none for a property or a missing entity. Raises ShapeError."""
    if not isinstance(record, Mapping):
        raise ShapeError("", say("is not an object"))
    if "missing" in record or record.get("type", "item") != "item":
        return
    claims = _map(record, "claims")
    subject = described(record, language=language)
    for relation in sorted(relations):
        statements = claims.get(relation)
        if statements is None:
            continue
        if not isinstance(statements, list):
            raise ShapeError(f"claims.{relation}", say("must be a list of statements"))
        objects = tuple(each for each in map(_object, statements) if each)
        if objects:
            yield Told(subject, relation, objects)


def described(record: Mapping[str, Any], *, language: str) -> Entity:
    """The entity itself: its name, description and aliases in this language, its types, and whether it is living."""
    key = record.get("id")
    if not isinstance(key, str) or not ITEM.fullmatch(key):
        raise ShapeError("id", say("must be the id of an item, such as Q42"))
    claims = _map(record, "claims")
    types = tuple(sorted({each for each in map(_value, _statements(claims, INSTANCE_OF)) if each}))
    living = not _statements(claims, DATE_OF_DEATH) if HUMAN in types else None if not types else False
    return Entity(
        key,
        checked_name(_text(record, "labels", language), "labels"),
        checked_text(_text(record, "descriptions", language), "descriptions"),
        tuple(_aliases(record, language)),
        types,
        living,
    )


def _map(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    if value is None or value == []:
        return {}
    if not isinstance(value, Mapping):
        raise ShapeError(name, say("must be an object"))
    return value


def _text(record: Mapping[str, Any], name: str, language: str) -> str:
    found = _map(record, name).get(language)
    value = found.get("value") if isinstance(found, Mapping) else found
    return value if isinstance(value, str) else ""


def _aliases(record: Mapping[str, Any], language: str) -> Iterator[str]:
    found = _map(record, "aliases").get(language)
    for each in found[:MOST_ALIASES] if isinstance(found, list) else ():
        value = each.get("value") if isinstance(each, Mapping) else each
        if isinstance(value, str) and 0 < len(value.strip()) <= LONGEST_NAME:
            yield one_line(value)


def checked_name(name: str, where: str) -> str:
    name = one_line(name)
    if len(name) > LONGEST_NAME:
        raise ShapeError(where, say("has a name with more than {longest_name} characters", longest_name=LONGEST_NAME))
    return name


def checked_text(text: str, where: str) -> str:
    text = one_line(text)
    if len(text) > LONGEST_DESCRIPTION:
        raise ShapeError(
            where, say("has more than {longest_description:,} characters", longest_description=LONGEST_DESCRIPTION)
        )
    return text


def _statements(claims: Mapping[str, Any], relation: str) -> list[Any]:
    found = claims.get(relation)
    return [each for each in found if _rank(each) != DEPRECATED] if isinstance(found, list) else []


def _rank(statement: Any) -> str:
    rank = statement.get("rank", NORMAL) if isinstance(statement, Mapping) else NORMAL
    return rank if rank in RANKS else NORMAL


def _object(statement: Any) -> Object | None:
    """The object of a statement; None if it is deprecated, or its value is unknown or no item."""
    key, rank = _value(statement), _rank(statement)
    if not key or rank == DEPRECATED:
        return None
    qualifiers = statement.get("qualifiers")
    qualifiers = qualifiers if isinstance(qualifiers, Mapping) else {}
    # An end that is unknown ("somevalue") is an end, too; "novalue" says that there is none.
    ends = [each for each in _snaks(qualifiers, END_TIME) if each.get("snaktype") != "novalue"]
    return Object(Entity(key), rank, not ends, max(_times(qualifiers, START_TIME), default=""))


def _snaks(qualifiers: Mapping[str, Any], relation: str) -> list[Mapping[str, Any]]:
    found = qualifiers.get(relation)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _times(qualifiers: Mapping[str, Any], relation: str) -> Iterable[str]:
    for snak in _snaks(qualifiers, relation):
        value = snak.get("datavalue", {}).get("value") if isinstance(snak.get("datavalue"), Mapping) else None
        time = value.get("time") if isinstance(value, Mapping) else None
        if isinstance(time, str):
            yield time[:40]


def _value(statement: Any) -> str:
    """The id of the item that a statement has as its value; "" without one."""
    try:
        value = statement["mainsnak"]["datavalue"]["value"]
        key, number = value.get("id"), value.get("numeric-id")
        kind = value.get("entity-type", "item")
    except (KeyError, TypeError, AttributeError):
        return ""
    if kind != "item":
        return ""
    if not isinstance(key, str) and isinstance(number, int) and not isinstance(number, bool):
        key = f"Q{number}"
    return key if isinstance(key, str) and ITEM.fullmatch(key) else ""
