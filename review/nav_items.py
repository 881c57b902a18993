"""Work waiting for a person in this app, in a few words for the first page."""

from datetime import datetime
from typing import Any

from annotation.nav_items import near_in_words
from core.engine.queries.counts import Counted, Single
from core.languages import Text, say, say_count
from core.lists.pages import NEAR_A_CHIP
from core.models import Role, User
from core.navigation import Command, Group, NavItem, Now, Numbers, register, register_commands

from .models.people import JUDGE
from .rounds.adjudication import waiting_for
from .rounds.turns.turns import slots_left

# Larger numbers are shown as "more than" this.
MOST_COUNTED = 500


def _judge(user: User, now: datetime) -> dict[str, Counted]:
    """Count only the person's own: a total would reveal the others' progress."""
    return {"left": slots_left(user)[: MOST_COUNTED + 1]}


def _judge_in_words(counts: Numbers) -> str:
    return (
        say_count(counts["left"], "{count:,} response", "{count:,} responses", most=MOST_COUNTED)
        if counts["left"]
        else ""
    )


def _adjudicate(user: User, now: datetime) -> dict[str, Counted]:
    waiting = waiting_for(user, at=now)
    return {"waiting": waiting[: NEAR_A_CHIP + 1], "since": Single(waiting.values("opened_at")[:1])}


def _disagreements(count: int, /, **values: Any) -> Text:
    return say_count(count, "{count:,} disagreement", "{count:,} disagreements", **values)


def _adjudicate_in_words(counts: Numbers) -> str:
    return near_in_words(counts["waiting"], counts["waiting"], _disagreements)


def register_nav_items() -> None:
    register_commands(
        Command(say("Adjudicate the next one"), "adjudicate", "?next"),
        Command(say("Begin a round"), "round_new"),
        Command(say("Compute a sample size"), "round_planner"),
        Command(say("Download or import judgments"), "judgment_files"),
        Command(say("Compare annotations of two people"), "annotator_disagreements"),
    )
    register(
        NavItem(
            say("Judge responses"),
            "judge",
            Group.WORK,
            (JUDGE,),
            say("Judge each response as correct, partially correct or incorrect."),
            Now(_judge, _judge_in_words),
            order=30,
        ),
        NavItem(
            say("Adjudicate"),
            "adjudicate",
            Group.WORK,
            (Role.ADJUDICATOR,),
            say("Decide on responses that people judged differently."),
            Now(_adjudicate, _adjudicate_in_words),
            order=40,
            covers=("set_aside",),
        ),
        NavItem(
            say("Rounds"),
            "rounds",
            Group.RESULTS,
            (Role.ADMIN,),
            say("Have responses judged: choose responses and reviewers, follow the progress."),
            order=10,
            covers=("judgment_files", "known"),
        ),
        NavItem(
            say("Reports"),
            "reports",
            Group.RESULTS,
            (Role.ADMIN,),
            say("The paper's tables, agreement and costs, each number with the responses behind it."),
            order=20,
        ),
    )
