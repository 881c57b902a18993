"""The number of resolved passages still to be written, in words for the first page."""

from datetime import datetime
from typing import Any

from django.db.models import Subquery

from annotation.models import Release
from annotation.nav_items import near_in_words
from core.engine.queries.conditions import is_found
from core.engine.queries.counts import Counted, Single
from core.languages import Text, say, say_count
from core.lists.pages import NEAR_A_CHIP
from core.models import Role, User
from core.navigation import Group, NavItem, Now, Numbers

from .items import CODE
from .resolved_passages import ResolvingState, instances_at, instances_near


def _resolved_passages(user: User, now: datetime) -> dict[str, Counted]:
    latest = Release.objects.filter(benchmark=CODE).order_by("-number").values("pk")[:1]
    window = instances_near(Subquery(latest), ResolvingState.TO_DO)
    near = window.rows.order_by(*window.order).values(window.key)
    to_do = instances_at(Subquery(latest), ResolvingState.TO_DO).order_by().filter(is_found("pk", near[:NEAR_A_CHIP]))
    return {"release": Single(latest), "near": near[: NEAR_A_CHIP + 1], "to_do": to_do}


def _instances(count: int, /, **values: Any) -> Text:
    return say_count(count, "{count:,} instance", "{count:,} instances", **values)


def _resolved_passages_in_words(counts: Numbers) -> str:
    return "" if counts["release"] is None else near_in_words(counts["to_do"], counts["near"], _instances)


NAV_ITEMS = (
    NavItem(
        say("Resolved passages"),
        "resolved_passages",
        Group.DATA,
        (Role.ANNOTATOR, Role.ADMIN),
        say("Change the two passages of an instance so that both give one answer."),
        Now(_resolved_passages, _resolved_passages_in_words),
        order=40,
    ),
)
