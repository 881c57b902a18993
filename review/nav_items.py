"""What is waiting for a person in this app, in a few words for the first page."""

from datetime import datetime

from django.db.models import Exists, OuterRef

from annotation.nav_items import chip_in_words
from core.lists.pages import NEAR_A_CHIP, on_a_chip, plural
from core.models import Role, User
from core.navigation import Group, NavItem, Now, Numbers, register
from core.queries.counts import Counted

from .models import FinalVerdict, Item, Round, RoundState
from .rounds.adjudication import waiting_for
from .rounds.rounds import hidden_from
from .rounds.turns import slots_left

# Beyond this many, "more than" is all that is said.
MOST_COUNTED = 500


def _judge(user: User, now: datetime) -> dict[str, Counted]:
    """Counts only the person's own: a total would reveal the others' progress."""
    return {"left": slots_left(user)[: MOST_COUNTED + 1]}


def _judge_in_words(counts: Numbers) -> str:
    return f"{plural(counts['left'], 'response', most=MOST_COUNTED)} left for you"


def _adjudicate(user: User, now: datetime) -> dict[str, Counted]:
    return {"waiting": waiting_for(user, at=now)[: NEAR_A_CHIP + 1]}


def _adjudicate_in_words(counts: Numbers) -> str:
    return f"{chip_in_words(on_a_chip(counts['waiting'], counts['waiting']), 'disagreement')} waiting"


def _rounds(user: User, now: datetime) -> dict[str, Counted]:
    return {"open": Round.objects.exclude(state=RoundState.CLOSED).order_by()}


def _rounds_in_words(counts: Numbers) -> str:
    return plural(counts["open"], "round") + " open"


def _reports(user: User, now: datetime) -> dict[str, Counted]:
    hidden = hidden_from(user).order_by()
    of_hidden = Item.objects.filter(response=OuterRef("response"), round__in=hidden.values("pk"))
    final = FinalVerdict.objects.filter(~Exists(hidden) | ~Exists(of_hidden)).order_by()
    return {"final": final[: MOST_COUNTED + 1]}


def _reports_in_words(counts: Numbers) -> str:
    return plural(counts["final"], "final verdict", most=MOST_COUNTED)


def register_nav_items() -> None:
    register(
        NavItem(
            "Judge responses",
            "judge",
            Group.WORK,
            (Role.REVIEWER,),
            "Say of each response whether it is correct, partially correct or incorrect.",
            Now(_judge, _judge_in_words),
            order=30,
        ),
        NavItem(
            "Adjudicate",
            "adjudicate",
            Group.WORK,
            (Role.ADJUDICATOR,),
            "Decide where people judged differently.",
            Now(_adjudicate, _adjudicate_in_words),
            order=40,
            covers=("set_aside",),
        ),
        NavItem(
            "Rounds",
            "rounds",
            Group.RESULTS,
            (Role.ADMIN,),
            "Have responses judged: choose them and the reviewers, see how far it is.",
            Now(_rounds, _rounds_in_words),
            order=10,
            covers=("judgment_files", "known"),
        ),
        NavItem(
            "Reports",
            "reports",
            Group.RESULTS,
            (Role.ADMIN,),
            "The paper's tables, agreement and costs, each number with the responses behind it.",
            Now(_reports, _reports_in_words),
            order=20,
        ),
    )
