"""The stages of the first page at which people judge and adjudicate, as far as the reader may know of them."""

from datetime import datetime

from django.db.models import F, Func, QuerySet

from core.models import User
from core.navigation import Need, Stage, register_stages
from core.queries.counts import Counted, Single

from .models import Adjudication, RoundReviewer, RoundState
from .rounds.rounds import hidden_from


def _judged(user: User, now: datetime) -> dict[str, Counted]:
    reviewers = RoundReviewer.objects.exclude(round__in=hidden_from(user).order_by().values("pk")).order_by()
    is_open = reviewers.filter(round__state=RoundState.OPEN)
    return {"done": Single(_sum(reviewers, "judged")), "waiting": Single(_sum(is_open, "slots_open"))}


def _sum(reviewers: QuerySet[RoundReviewer], column: str) -> QuerySet:
    """One row, as a query of its own: `aggregate` would ask at once."""
    return reviewers.annotate(sum=Func(F(column), function="SUM")).values("sum")


def _adjudicated(user: User, now: datetime) -> dict[str, Counted]:
    known = Adjudication.objects.exclude(round__in=hidden_from(user).order_by().values("pk")).order_by()
    return {"done": known.adjudicated(), "waiting": known.open(), "open": known.open()}


def register() -> None:
    register_stages(
        Stage("Judged", "rounds", 60, _judged, "judgments", "to give"),
        Stage(
            "Adjudicated",
            "rounds",
            70,
            _adjudicated,
            "disagreements",
            "to decide",
            (Need("open", "disagreement", "disagreements", "rounds"),),
        ),
    )
