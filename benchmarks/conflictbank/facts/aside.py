"""Conflicts and items that count nowhere: an admin takes down a conflict, or adjudicators set aside the item made of
it. Either way both are left out: the conflict of the making's numbers, people's included, and of new releases, the
item of the reports on answers.
"""

from collections.abc import Iterator

from django.db.models import Q, QuerySet

from annotation.models import Instance
from core.models import User
from review.models import SetAside
from review.rounds.setting_aside import set_aside, take_back_in

from ..items import CODE, IDENTITY, LONGEST_GROUP, OBJECT, RELATION, REPLACED, SUBJECT
from ..models import Claim, Conflict, Evidence

# How a conflict names what identifies its item.
COLUMNS = {
    RELATION: "fact__relation",
    SUBJECT: "fact__subject__name",
    OBJECT: "object__name",
    REPLACED: "replacement__name",
}
AT_A_TIME = 50


def conflicts_in_use() -> QuerySet[Conflict]:
    """The conflicts that are not set aside, and neither are their items."""
    return Conflict.objects.filter(set_aside="").exclude(pk__in=with_item_set_aside())


def claims_in_use() -> QuerySet[Claim]:
    return Claim.objects.filter(conflict__set_aside="").exclude(conflict__in=with_item_set_aside())


def evidence_in_use() -> QuerySet[Evidence]:
    return Evidence.objects.filter(claim__conflict__set_aside="").exclude(claim__conflict__in=with_item_set_aside())


def with_item_set_aside() -> list[int]:
    """The numbers of the conflicts whose items are set aside. They are few, and read before counting starts."""
    rows = SetAside.objects.active().filter(instance__benchmark=CODE).values_list("instance__content", flat=True)
    names = sorted({tuple(str(content[name]) for name in IDENTITY) for content in rows})
    found: set[int] = set()
    for start in range(0, len(names), AT_A_TIME):
        any_of = Q()
        for each in names[start : start + AT_A_TIME]:
            any_of |= Q(**{COLUMNS[name]: value for name, value in zip(IDENTITY, each, strict=True)})
        found.update(Conflict.objects.filter(any_of).order_by().values_list("pk", flat=True))
    return sorted(found)


def items_of(conflict: Conflict) -> Iterator[Instance]:
    """The released items made of a conflict, or of another one with the same names."""
    names = dict(zip(IDENTITY, Conflict.objects.values_list(*COLUMNS.values()).get(pk=conflict.pk), strict=True))
    alike = Instance.objects.filter(
        benchmark=CODE, group=names[SUBJECT][:LONGEST_GROUP], category=names[RELATION][:LONGEST_GROUP]
    )
    return (each for each in alike.order_by("pk") if all(each.content[name] == names[name] for name in IDENTITY))


def set_items_aside(conflict: Conflict, *, reason: str, before: str, admin: User) -> None:
    """Set the released items of a conflict aside with this reason; without one, take those back that were set aside
    for the reason before. Releases stay as they are. Call it in a transaction.
    """
    for instance in items_of(conflict):
        row = SetAside.objects.active().filter(instance=instance).first()
        if reason and row is None:
            set_aside(instance=instance, person=admin, reason=reason)
        elif not reason and row is not None and row.reason == before:
            take_back_in(row=row, person=admin)
