"""What is waiting for a person in this app, in a few words for the first page."""

from annotation.nav_items import chip_in_words, plural
from core.lists.pages import ChipCounts, count_up_to
from core.models import Role, User
from core.navigation import NavItem, register

from .models import FinalVerdict, Round, RoundState
from .rounds.adjudication import waiting_for, waiting_window
from .rounds.rounds import hidden_from
from .rounds.turns import left_for

# Beyond this many, "more than" is all that is said.
MOST_COUNTED = 500


def judge_now(user: User) -> str:
    """Counts only the person's own: a total would reveal the others' progress."""
    return f"{plural(left_for(user, most=MOST_COUNTED), 'response', most=MOST_COUNTED)} left for you"


def adjudicate_now(user: User) -> str:
    waiting = ChipCounts({"": (waiting_window(user), waiting_for(user))}).now()[""]
    return f"{chip_in_words(waiting, 'disagreement')} waiting"


def rounds_now(user: User) -> str:
    return plural(Round.objects.exclude(state=RoundState.CLOSED).count(), "round") + " open"


def final_verdicts_now(user: User) -> str:
    final = FinalVerdict.objects.all()
    if hidden := list(hidden_from(user)):
        final = final.exclude(response__items__round__in=hidden)
    return plural(count_up_to(MOST_COUNTED, final.order_by()), "final verdict", most=MOST_COUNTED)


def register_nav_items() -> None:
    register(
        NavItem(
            "Judge responses",
            "judge",
            (Role.REVIEWER,),
            "Say of each response whether it is correct, partially correct or incorrect.",
            judge_now,
            order=60,
        ),
        NavItem(
            "Adjudicate",
            "adjudicate",
            (Role.ADJUDICATOR,),
            "Decide where two people judged differently.",
            adjudicate_now,
            order=61,
        ),
        NavItem(
            "Rounds",
            "rounds",
            (Role.ADMIN,),
            "Have responses judged twice: choose them and the reviewers, see how far it is.",
            rounds_now,
            order=62,
        ),
        NavItem(
            "Reports",
            "reports",
            (Role.ADMIN,),
            "The paper's tables, agreement and costs, each number with the responses behind it.",
            final_verdicts_now,
            order=63,
        ),
    )
