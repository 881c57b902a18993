"""What waits for a person in this app, in a few words for the first page."""

from annotation.models import Role, User
from annotation.overview import plural
from annotation.places import Place, register

from .adjudication import waiting_for
from .models import Round, RoundState, Settlement
from .rounds import hidden_from
from .turns import left_for


def judge_now(user: User) -> str:
    """Of one's own alone: how many there are in all would tell how far the others are."""
    return f"{plural(left_for(user), 'response')} left for you"


def settle_now(user: User) -> str:
    return f"{plural(waiting_for(user).count(), 'disagreement')} waiting"


def rounds_now(user: User) -> str:
    return plural(Round.objects.exclude(state=RoundState.CLOSED).count(), "round") + " open"


def settled_now(user: User) -> str:
    settled = Settlement.objects.all()
    if hidden := list(hidden_from(user)):
        settled = settled.exclude(response__items__round__in=hidden)
    return plural(settled.count(), "final verdict")


def register_places() -> None:
    register(
        Place(
            "Judge",
            "judge",
            (Role.REVIEWER,),
            "Say of each response whether it is correct, partially correct or incorrect.",
            judge_now,
            order=60,
        ),
        Place(
            "Settle",
            "settle",
            (Role.ADJUDICATOR,),
            "Decide where two people judged differently.",
            settle_now,
            order=61,
        ),
        Place(
            "Rounds",
            "rounds",
            (Role.ADMIN,),
            "Have responses judged twice: choose them and the reviewers, see how far it is.",
            rounds_now,
            order=62,
        ),
        Place(
            "Reports",
            "reports",
            (Role.ADMIN,),
            "The paper's tables, agreement and costs, each number with the responses behind it.",
            settled_now,
            order=63,
        ),
    )
