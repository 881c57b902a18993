"""Facts and conflicts from which the options of items are drawn, read one relation at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from django.db.models import QuerySet

from ..choosing import FOUR_OBJECTS, WITH_UNCERTAIN, Fact, Named, Objects, as_published, more_options, right_options
from ..facts.aside import conflicts_in_use
from ..models import Conflict, Entity, TrueObject
from ..models import Fact as FactRow

PIECE = 500


def named(entity: Entity) -> Named:
    return Named(entity.name, tuple(entity.aliases), frozenset(entity.types))


def objects_of(relation: str) -> Objects:
    """The objects of all facts of a relation, including dropped ones."""
    numbers = FactRow.objects.filter(relation=relation, object__isnull=False).order_by().values("object")
    entities = Entity.objects.filter(pk__in=numbers).exclude(name="")
    return Objects(named(entity) for entity in entities.iterator(chunk_size=2_000))


@dataclass(frozen=True, slots=True)
class Drawable:
    """A conflict with its fact, from which options are drawn."""

    conflict: Conflict
    fact: Fact
    replaced: Named

    @property
    def seed(self) -> int:
        return self.conflict.claim_set.seed


def drawables(conflicts: QuerySet[Conflict]) -> Iterator[tuple[Objects, list[Drawable]]]:
    """The conflicts in use, some of one relation at a time, with the objects of the relation."""
    found = conflicts.filter(pk__in=conflicts_in_use().values("pk")).select_related(
        "claim_set", "template", "fact__subject", "object", "replacement"
    )
    for relation in found.order_by("template__relation").values_list("template__relation", flat=True).distinct():
        objects, numbers = objects_of(relation), found.filter(template__relation=relation).order_by("pk")
        keys = list(numbers.values_list("pk", flat=True))
        for start in range(0, len(keys), PIECE):
            yield objects, list(_drawables(list(found.filter(pk__in=keys[start : start + PIECE]).order_by("pk"))))


def _drawables(conflicts: list[Conflict]) -> Iterator[Drawable]:
    true: dict[int, list[Named]] = {conflict.fact_id: [] for conflict in conflicts}
    for each in TrueObject.objects.filter(fact__in=list(true)).select_related("entity").order_by("pk"):
        true[each.fact_id].append(named(each.entity))
    for conflict in conflicts:
        subject, its_object = named(conflict.fact.subject), named(conflict.object)
        fact = Fact(conflict.template.relation, subject, its_object, tuple(true[conflict.fact_id]))
        yield Drawable(conflict, fact, named(conflict.replacement))


@dataclass
class Ambiguity:
    """The items drawn from conflicts, and how many have two right answers: by us, and by the published drawing."""

    version: int
    items: int = 0
    # Conflicts without enough other objects.
    too_few: int = 0
    ours: int = 0
    published: int = 0


def ambiguities(conflicts: QuerySet[Conflict], *, most: int) -> list[Ambiguity]:
    """Draw the options of this number of items, in both versions of an item, both ways: of the first conflicts, or of
    all of them with as many further seeds as it takes.
    """
    found = [Ambiguity(WITH_UNCERTAIN), Ambiguity(FOUR_OBJECTS)]
    there = conflicts.filter(pk__in=conflicts_in_use().values("pk"))
    seeds = ceil(most / max(1, min(there.count(), most)))
    for objects, some in drawables(there.filter(pk__in=there.order_by("pk").values("pk")[:most])):
        for each in some:
            for counted in found:
                for further in range(seeds):
                    if counted.items < most:
                        _count(counted, objects, each, each.seed + further)
    return found


def _count(counted: Ambiguity, objects: Objects, each: Drawable, seed: int) -> None:
    how = {"version": counted.version, "seed": seed}
    others = more_options(each.fact, each.replaced, objects, **how)
    if others is None:
        counted.too_few += 1
        return
    counted.items += 1
    counted.ours += _is_ambiguous(each, others)
    counted.published += _is_ambiguous(each, as_published(each.fact, each.replaced, objects, **how))


def _is_ambiguous(each: Drawable, others: list[Named]) -> bool:
    return len(right_options(each.fact, [each.fact.object, each.replaced, *others])) != 1
