"""The stages of the first page where people judge and adjudicate, as far as the reader may know of them."""

from datetime import datetime

from core.engine.queries.counts import Counted, Less, sum_of
from core.models import User
from core.navigation import Need, Stage, register_stages

from .models import AdjudicationSums, RoundReviewer, RoundState
from .rounds.rounds import hidden_from


def _judged(user: User, now: datetime) -> dict[str, Counted]:
    reviewers = RoundReviewer.objects.exclude(round__in=hidden_from(user).order_by().values("pk")).order_by()
    is_open = reviewers.filter(round__state=RoundState.OPEN)
    return {"done": sum_of(reviewers, "judged"), "waiting": sum_of(is_open, "slots_open")}


def _adjudicated(user: User, now: datetime) -> dict[str, Counted]:
    known = AdjudicationSums.objects.exclude(round__in=hidden_from(user).order_by().values("pk"))
    return {
        "done": sum_of(known, "adjudicated"),
        "waiting": Less(sum_of(known, "opened"), [sum_of(known, "adjudicated")]),
    }


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
            (Need("waiting", "disagreement", "disagreements", "rounds"),),
        ),
    )
