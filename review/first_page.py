"""The stages of the first page where people judge and adjudicate, as far as the reader may know of them."""

from datetime import datetime

from core.engine.queries.counts import Counted, Less, sum_of
from core.models import User
from core.navigation import Need, Stage, register_stages

from .models import Adjudication, RoundReviewer, RoundState
from .rounds.rounds import hidden_from


def _judged(user: User, now: datetime) -> dict[str, Counted]:
    reviewers = RoundReviewer.objects.exclude(round__in=hidden_from(user).order_by().values("pk")).order_by()
    is_open = reviewers.filter(round__state=RoundState.OPEN)
    return {"done": sum_of(reviewers, "judged"), "waiting": sum_of(is_open, "slots_open")}


def _adjudicated(user: User, now: datetime) -> dict[str, Counted]:
    all_of_them = Adjudication.objects.order_by()
    hidden = all_of_them.filter(round__in=hidden_from(user).order_by().values("pk"))
    return {
        "done": Less(all_of_them.adjudicated(), [hidden.adjudicated()]),
        "waiting": Less(all_of_them.open(), [hidden.open()]),
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
