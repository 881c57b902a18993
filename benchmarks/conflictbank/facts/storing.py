"""Stores entities, facts, and all of their true objects from files. Storing the same again changes
nothing, and the order of records has no effect.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Q

from ..content.entities import PREFERRED, Told
from ..content.entities import Entity as ToldEntity
from ..models import Entity, Fact, FactFile, TrueObject
from .fitness import assess_facts
from .truth import set_aside_true

ENTITY_COLUMNS = ("name", "description", "aliases", "types", "is_living", "is_missing")


@transaction.atomic
def store_facts(told: Sequence[Told], *, file: FactFile) -> int:
    """Store these records; returns the number of new facts."""
    entities = store_entities(entities_in(told))
    facts, new = stored_facts(told, entities, file)
    store_objects(told, entities, facts)
    numbers = [fact.pk for fact in facts.values()]
    assess_facts(numbers)
    set_aside_true(numbers)
    return new


def entities_in(told: Iterable[Told]) -> Iterable[ToldEntity]:
    for each in told:
        yield each.subject
        yield from (one.entity for one in each.objects)


def store_entities(told: Iterable[ToldEntity]) -> dict[str, Entity]:
    """The stored entities by their keys, updated from these records. Facts of changed entities are assessed again.
    Call it in a transaction.
    """
    by_key: dict[str, ToldEntity] = {}
    for each in told:
        by_key[each.key] = merged(by_key[each.key], each) if each.key in by_key else each
    keys = sorted(by_key)
    there = set(Entity.objects.filter(key__in=keys).values_list("key", flat=True))
    new = [Entity(key=key) for key in keys if key not in there]
    for unsaved in new:
        is_changed(unsaved, by_key[unsaved.key])
    Entity.objects.bulk_create(new, ignore_conflicts=True)
    stored = {each.key: each for each in Entity.objects.select_for_update().filter(key__in=keys).order_by("pk")}
    changed = [stored[key] for key in keys if is_changed(stored[key], by_key[key])]
    Entity.objects.bulk_update(changed, ENTITY_COLUMNS)
    renamed = [each for each in changed if each.key in there]
    if renamed:
        assess_facts(facts_with(renamed))
        set_aside_true([], [each.pk for each in renamed])
    return stored


def facts_with(entities: Collection[Entity]) -> list[int]:
    numbers = [each.pk for each in entities]
    found = Fact.objects.filter(Q(subject__in=numbers) | Q(true_objects__entity__in=numbers))
    return sorted(set(found.values_list("pk", flat=True)))


def merged(one: ToldEntity, other: ToldEntity) -> ToldEntity:
    """Two records of one entity as one. The alphabetically first of two names counts, and the other becomes an alias,
    so that the order of records has no effect.
    """
    names = sorted({one.name, other.name} - {""})
    aliases = {*one.aliases, *other.aliases, *names[1:]} - set(names[:1])
    living = [each.is_living for each in (one, other) if each.is_living is not None]
    return replace(
        one,
        name=names[0] if names else "",
        description=min({one.description, other.description} - {""}, default=""),
        aliases=tuple(sorted(aliases)),
        types=tuple(sorted({*one.types, *other.types})),
        # A record that calls a person dead knows the date of death.
        is_living=all(living) if living else None,
    )


def is_changed(stored: Entity, told: ToldEntity) -> bool:
    """Add a record's values to an entity; returns whether anything is new."""
    before = told_of(stored)
    after = merged(before, told)
    for name in ("name", "description", "is_living"):
        setattr(stored, name, getattr(after, name))
    stored.aliases, stored.types = list(after.aliases), list(after.types)
    stored.is_missing = stored.is_missing and not stored.name
    return before != after


def told_of(stored: Entity) -> ToldEntity:
    return ToldEntity(
        stored.key, stored.name, stored.description, tuple(stored.aliases), tuple(stored.types), stored.is_living
    )


def stored_facts(
    told: Sequence[Told], entities: Mapping[str, Entity], file: FactFile
) -> tuple[dict[tuple[int, str], Fact], int]:
    """The facts that these records are about, by subject and relation, and the number of new ones."""
    wanted = sorted({(entities[each.subject.key].pk, each.relation) for each in told})
    there = facts_of(wanted)
    new = [Fact(subject_id=subject, relation=relation, file=file) for subject, relation in wanted]
    missing = [each for each in new if (each.subject_id, each.relation) not in there]
    Fact.objects.bulk_create(missing, ignore_conflicts=True)
    return facts_of(wanted), len(missing)


def facts_of(wanted: Collection[tuple[int, str]]) -> dict[tuple[int, str], Fact]:
    found = Fact.objects.filter(subject__in={subject for subject, _ in wanted})
    return {(each.subject_id, each.relation): each for each in found if (each.subject_id, each.relation) in wanted}


def store_objects(
    told: Sequence[Told], entities: Mapping[str, Entity], facts: Mapping[tuple[int, str], Fact]
) -> None:
    """Store the true objects. Of two statements with the same object, it counts as current if one of them is, as
    preferred if one of them is, and since the later start.
    """
    values: dict[tuple[int, int], dict[str, Any]] = {}
    for each in TrueObject.objects.filter(fact__in=[fact.pk for fact in facts.values()]):
        values[each.fact_id, each.entity_id] = values_of(each.rank, each.is_current, each.started)
    before = dict(values)
    for one in told:
        fact = facts[entities[one.subject.key].pk, one.relation].pk
        for object in one.objects:
            position = fact, entities[object.entity.key].pk
            now = values_of(object.rank, object.is_current, object.started)
            values[position] = both(values[position], now) if position in values else now
    TrueObject.objects.bulk_create(
        [
            TrueObject(fact_id=fact, entity_id=entity, **each)
            for (fact, entity), each in values.items()
            if before.get((fact, entity)) != each
        ],
        update_conflicts=True,
        unique_fields=["fact", "entity"],
        update_fields=["rank", "is_current", "started"],
    )


def values_of(rank: str, is_current: bool, started: str) -> dict[str, Any]:
    return {"rank": rank, "is_current": is_current, "started": started}


def both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return values_of(
        PREFERRED if PREFERRED in (one["rank"], other["rank"]) else one["rank"],
        one["is_current"] or other["is_current"],
        max(one["started"], other["started"]),
    )
