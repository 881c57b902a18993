"""True objects of a fact's subject and relation, and conflicts that they invalidate."""

from collections.abc import Collection, Iterable
from typing import cast

from django.db import transaction
from django.db.models import Q

from core.languages import say
from core.models import User
from core.refusals import Refusal
from core.writing.changes import change_values

from ..content.names import alike_names
from ..content.pools import Candidate, Truth
from ..models import Conflict, ConflictbankAction, Entity, Fact, TrueObject
from .aside import set_items_aside

NOW_TRUE = say("The replacement is true, by a fact or a name that came later.")


def truths_of(facts: Iterable[Fact]) -> dict[int, Truth]:
    """The true objects of each of these facts (with their subjects), by their numbers; in one query."""
    objects: dict[int, list[Entity]] = {fact.pk: [fact.subject] for fact in facts}
    for each in TrueObject.objects.filter(fact__in=list(objects)).select_related("entity"):
        objects[each.fact_id].append(each.entity)
    return {number: truth(entities) for number, entities in objects.items()}


def truth(entities: Collection[Entity]) -> Truth:
    names = alike_names(name for each in entities for name in each.names)
    return Truth(frozenset(each.key for each in entities), names)


def candidate(entity: Entity, weight: int = 1) -> Candidate:
    return Candidate(entity.pk, entity.key, entity.name, alike_names(entity.names), frozenset(entity.types), weight)


@transaction.atomic
def take_down(*, conflict: Conflict, reason: str, admin: User) -> None:
    """Set a conflict aside with a reason, and its released items with it, so that no report and no new release has
    it; an empty reason takes that back. Releases that hold it stay as they are.

    Raises Refusal if it is to come back although its replacement is true.
    """
    row = Conflict.objects.select_for_update().get(pk=conflict.pk)
    if row.set_aside == NOW_TRUE and reason.strip() != NOW_TRUE:
        raise Refusal(say("{NOW_TRUE} So it stays set aside. Nothing was changed.", NOW_TRUE=NOW_TRUE))
    before = row.set_aside
    change_values(row, ConflictbankAction.TOOK_DOWN, actor=admin, values={"set_aside": reason.strip()})
    set_items_aside(row, reason=reason.strip(), before=before, admin=admin)


def set_aside_true(facts: Collection[int], entities: Collection[int] = ()) -> int:
    """Set aside the conflicts of these facts, or about these entities, whose replacement is true by now; returns
    their number. Releases that hold them stay as they are. Call it in a transaction.
    """
    about = Q(fact__in=facts) | Q(replacement__in=entities) | Q(fact__true_objects__entity__in=entities)
    numbers = Conflict.objects.filter(about, set_aside="").values("pk")
    conflicts = list(Conflict.objects.filter(pk__in=numbers).select_related("fact__subject", "replacement"))
    truths = truths_of([each.fact for each in conflicts])
    wrong = [each.pk for each in conflicts if truths[cast(int, each.fact_id)].has(candidate(each.replacement))]
    return Conflict.objects.filter(pk__in=wrong).update(set_aside=NOW_TRUE)
