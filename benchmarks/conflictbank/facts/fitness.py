"""Decides which facts are suitable for claims: the others are dropped, each with its reason."""

from collections.abc import Collection, Iterable

from django.db.models import Count, Q, QuerySet

from core.engine.writing.pieces import in_pieces

from ..content.entities import preference
from ..content.names import contain_each_other, has_month
from ..models import DropReason, Entity, Fact, FactState, TrueObject
from .templates import active_templates

# A relation needs this many different objects: the true one, the replacement, and a third for the options.
FEWEST_OBJECTS = 3
PIECE = 500


def reason_to_drop(subject: Entity, object: Entity | None) -> DropReason | None:
    """The reason why no claim can be made of these two in any relation; None if one can, or if a name is still
    missing."""
    if object is None:
        return DropReason.NO_OBJECT
    if any(not each.name and each.is_missing for each in (subject, object)):
        return DropReason.NO_NAME
    if not subject.name or not object.name:
        return None
    if not subject.description or not object.description:
        return DropReason.NO_DESCRIPTION
    if contain_each_other(subject.name, object.name):
        return DropReason.CONTAINED
    if has_month(subject.name) or has_month(object.name):
        return DropReason.MONTH
    return None


def assess_facts(numbers: Collection[int]) -> None:
    """Choose the object of each of these facts without claims, and decide whether it is ready, waits for
    names, or is dropped. `assess_relations` decides the rest.
    """
    facts = Fact.objects.filter(pk__in=numbers, conflicts=None).select_related("subject").order_by("pk")
    objects: dict[int, list[TrueObject]] = {}
    for each in TrueObject.objects.filter(fact__in=numbers).select_related("entity"):
        objects.setdefault(each.fact_id, []).append(each)
    changed = []
    for fact in facts.select_for_update(of=("self",)):
        before = fact.object_id, fact.state, fact.reason
        assess(fact, objects.get(fact.pk, []))
        if before != (fact.object_id, fact.state, fact.reason):
            changed.append(fact)
    Fact.objects.bulk_update(changed, ["object", "state", "reason"], batch_size=PIECE)


def assess(fact: Fact, objects: Iterable[TrueObject]) -> None:
    """Set the fact's object, state and reason. It also waits for the names of its other true objects, because no
    object of such a name may replace its own.
    """
    objects = list(objects)
    current = [each for each in objects if each.is_current]
    chosen = min(current, key=order_of, default=None)
    fact.object = chosen.entity if chosen else None
    reason = reason_to_drop(fact.subject, fact.object)
    kept = fact.reason in DropReason.by_relation()
    if reason:
        fact.state, fact.reason = FactState.DROPPED, reason
    elif any(not each.name and not each.is_missing for each in (fact.subject, *(one.entity for one in objects))):
        fact.state, fact.reason = FactState.WAITING, ""
    elif not kept:
        fact.state, fact.reason = FactState.READY, ""


def order_of(each: TrueObject) -> tuple:
    return preference(each.entity.key, each.rank, each.is_current, each.started)


def assess_relations() -> None:
    """Drop the facts of relations without a template or with too few objects, and restore those of relations that now
    have enough.
    """
    by_relation = DropReason.by_relation()
    fit = Fact.objects.filter(Q(state=FactState.READY) | Q(reason__in=by_relation))
    numbers = fit.order_by().values_list("relation").annotate(n=Count("object", distinct=True))
    with_template = set(active_templates())
    for relation, objects in sorted(numbers):
        reason = ""
        if relation not in with_template:
            reason = DropReason.NO_TEMPLATE.value
        elif objects < FEWEST_OBJECTS:
            reason = DropReason.FEW_OBJECTS.value
        state = FactState.DROPPED if reason else FactState.READY
        wrong = fit.filter(relation=relation, conflicts=None).exclude(state=state, reason=reason)
        write_together(wrong, state=state, reason=reason)


def write_together(facts: QuerySet[Fact], **values: str) -> None:
    numbers = list(facts.order_by("pk").values_list("pk", flat=True))
    in_pieces(numbers, lambda piece: Fact.objects.filter(pk__in=piece).update(**values))
