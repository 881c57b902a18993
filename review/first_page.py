"""This app's part of the first page: a reviewer's rounds, an adjudicator's disagreements, and for admins the stages
where people judge and adjudicate, as far as the reader may know of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from django.db import DatabaseError
from django.db.models import Case, Count, F, OuterRef, Q, Subquery, When
from django.utils import timezone

from core.engine.queries.counts import Counted, Less, sum_of
from core.languages import say
from core.lists.pages import NEAR_A_CHIP
from core.models import Role, User
from core.navigation import (
    Section,
    Stage,
    Stop,
    Tour,
    counted,
    register_sections,
    register_stages,
    register_tours,
)
from core.web.outages import outage_of

from .models import Adjudication, Judgment, RoundReviewer, RoundState
from .models.people import JUDGE
from .rounds.adjudication import LEASE, adjudications_for, listed_adjudications, waiting_for
from .rounds.final_verdicts.pairing import complete_pairs
from .rounds.questionnaires import Questionnaire, questionnaire_of
from .rounds.rounds import hidden_from, unfinished_rounds
from .rounds.turns.turns import Progress, progress, rounds_of

# Rounds and own judgments or decisions in a list.
MOST_SHOWN = 5
# Of fewer judgments no agreement is shown: a share of three says nothing, and of one it would be that verdict.
FEWEST_COMPARED = 5


# --- A reviewer's own rounds ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnRound:
    """A person's part in a round. `agreed` of `compared` of their verdicts are the final ones; 0 of 0 while that may
    not be shown.
    """

    part: RoundReviewer
    questionnaire: Questionnaire
    progress: Progress
    agreed: int = 0
    compared: int = 0
    last_at: datetime | None = None


def own_rounds(user: User) -> dict[str, object]:
    """The round to continue with, the others, and the last judgments: all from this person's own work alone."""
    parts = rounds_of(user)
    working = [each for each in parts if each.round.is_open]
    at_hand = next((each for each in working if not each.paused_at and progress(each).left), None)
    last_at = _last_at(parts)
    last_in = max((each for each in parts if each.pk in last_at), key=lambda each: last_at[each.pk], default=None)
    return {
        "at_hand": _own(at_hand, last_at.get(at_hand.pk)) if at_hand else None,
        "rounds": _shown(parts, user),
        "more": max(0, len(parts) - MOST_SHOWN),
        "last_in": last_in.round if last_in else None,
        "questionnaire": questionnaire_of(last_in.round.questionnaire) if last_in else None,
        "last": _last_given(last_in) if last_in else [],
    }


def _own(part: RoundReviewer, last_at: datetime | None = None) -> OwnRound:
    return OwnRound(part, questionnaire_of(part.round.questionnaire), progress(part), last_at=last_at)


def _last_at(parts: Sequence[RoundReviewer]) -> dict[int, datetime]:
    """The time of the person's last judgment in each of these parts that has one."""
    given = Judgment.objects.given().filter(round=OuterRef("round"), reviewer=OuterRef("person"))
    latest = Subquery(given.order_by("-judged_at").values("judged_at")[:1])
    begun = [each.pk for each in parts if each.judged]
    if not begun:
        return {}
    rows = RoundReviewer.objects.filter(pk__in=begun).order_by().annotate(latest=latest)
    return {pk: at for pk, at in rows.values_list("pk", "latest") if at}


def _shown(parts: Sequence[RoundReviewer], user: User) -> list[OwnRound]:
    shown = parts[:MOST_SHOWN]
    closed = [each.round_id for each in shown if each.round.state == RoundState.CLOSED]
    unfinished = unfinished_rounds().filter(pk__in=closed).order_by().values_list("pk", flat=True)
    finished = set(closed) - set(unfinished) if closed else set()
    return [_with_agreement(each, user, finished) for each in shown]


def _with_agreement(part: RoundReviewer, user: User, finished: set[int]) -> OwnRound:
    own = _own(part)
    if part.round_id not in finished or part.judged < FEWEST_COMPARED:
        return own
    found = counted(("own agreement", user.pk, part.round_id), lambda: _agreement(part))
    if found["compared"] < FEWEST_COMPARED:
        return own
    return replace(own, agreed=found["agreed"], compared=found["compared"])


def _agreement(part: RoundReviewer) -> dict[str, int]:
    own = Judgment.objects.given().ordinary().filter(round=part.round_id, reviewer=part.person_id)
    decided = own.filter(item__final_verdict__isnull=False).exclude(verdict="").order_by()
    same = Count("pk", filter=Q(verdict=F("item__final_verdict__verdict")))
    return decided.aggregate(compared=Count("pk"), agreed=same)


def _last_given(part: RoundReviewer) -> list[Judgment]:
    own = Judgment.objects.given().filter(round=part.round_id, reviewer=part.person_id)
    related = questionnaire_of(part.round.questionnaire).read_in_lists
    return list(own.select_related(*related).order_by("-judged_at", "-pk")[:MOST_SHOWN])


# --- An adjudicator's disagreements ---------------------------------------------------------------------------------


def disagreements(user: User) -> dict[str, object]:
    """The number waiting, the one at hand, and this person's last decisions."""
    _complete_pairs(user)
    now = timezone.now()
    shown = ("pk", "opened_at", "held_by", "round__deadline")
    waiting = list(waiting_for(user, at=now).values(*shown)[: NEAR_A_CHIP + 1])
    # Nobody else's are among them: whoever holds one of these is this person, or has held it too long.
    held = [each["pk"] for each in waiting if each["held_by"] == user.pk][:1]
    decided = adjudications_for(user).adjudicated().filter(adjudicator=user)
    last = list(decided.order_by("-adjudicated_at", "-pk").values_list("pk", flat=True)[:MOST_SHOWN])
    listed = {each.pk: each for each in listed_adjudications([*held, *last])} if held or last else {}
    return {
        "waiting": min(len(waiting), NEAR_A_CHIP),
        "is_more": len(waiting) > NEAR_A_CHIP,
        "first": waiting[0] if waiting else None,
        **_next_deadline([each["round__deadline"] for each in waiting]),
        "held": listed.get(held[0]) if held else None,
        "last": [listed[pk] for pk in last if pk in listed],
        # Others have them open, and they come back if they are left so.
        "elsewhere": not waiting and waiting_for(user, at=now + LEASE).exists(),
    }


def _complete_pairs(reader: User) -> None:
    """Count what can no longer be taken back, as the page Adjudicate does, so that both say the same before the clock
    comes. Not in rounds in which the reader judges: a slower page would reveal that judgments came in.
    """
    try:
        complete_pairs(without=hidden_from(reader))
    except DatabaseError as error:
        # The first page opens, too, while nothing can be written. It then shows what has been counted.
        if not outage_of(error):
            raise


def _next_deadline(deadlines: Sequence[date | None]) -> dict[str, object]:
    """The first of these days, and the number of disagreements that are due on it; without a number where there are
    more than these.
    """
    first = min((day for day in deadlines if day), default=None)
    is_all = len(deadlines) <= NEAR_A_CHIP
    return {"deadline": first, "due": deadlines.count(first) if first and is_all else 0}


def disagreements_by_round(user: User) -> dict[str, object] | None:
    """The disagreements that this person may see in each round: waiting and decided."""
    rounds = counted(("own disagreements", user.pk), lambda: _by_round(user))
    return {"rounds": rounds} if rounds else None


def _by_round(user: User) -> list[dict[str, object]]:
    """Rounds in which some wait for a deadline come first, then the newest."""
    own = adjudications_for(user).order_by().values("round", "round__name", "round__deadline")
    waiting = Count("pk", filter=Q(adjudicated_at=None))
    rounds = own.annotate(total=Count("pk"), waiting=waiting)
    urgent = Case(When(waiting__gt=0, then=F("round__deadline")))
    found = rounds.order_by(urgent.asc(nulls_last=True), "-round")[:MOST_SHOWN]
    return [{**each, "decided": each["total"] - each["waiting"]} for each in found]


# --- The stages -----------------------------------------------------------------------------------------------------


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


OF_REVIEWERS = Tour(
    Role.REVIEWER,
    say(
        "A reviewer accepts or returns annotations, and judges responses of models without "
        "knowing the models or what others said."
    ),
    "judge",
    "judge",
    (
        Stop(
            "main table",
            say("Your rounds"),
            say("A round deals responses to people. Open one: its next response is there."),
        ),
        Stop(
            "main table tbody",
            say("Three keys"),
            say("1, 2 and 3 give a verdict, u takes it back, and ? shows all keys."),
        ),
        Stop(
            "header nav",
            say("Review annotations"),
            say("The other half of your work is here: annotations to review."),
        ),
        Stop(".find", say("Find"), say("Ctrl K finds a page, an article or a tag by its name.")),
    ),
    query="&all=1",
)
OF_ADJUDICATORS = Tour(
    Role.ADJUDICATOR,
    say("An adjudicator decides where the people who judged a response differ. They stay unnamed."),
    "adjudicate",
    "adjudicate",
    (
        Stop(
            "main .chips", say("Waiting and decided"), say("Disagreements wait here; your decisions can be reopened.")
        ),
        Stop(
            "main table", say("A disagreement"), say("Open one: both judgments with their comments, in random order.")
        ),
        Stop(
            ".page-head .actions",
            say("One after another"),
            say("The key n opens the next one. Each decision has a reason."),
        ),
    ),
)


def register() -> None:
    register_tours(OF_REVIEWERS, OF_ADJUDICATORS)
    register_sections(
        Section("review/_first_rounds.html", (JUDGE,), 12, own_rounds, covers=("judge",)),
        Section("review/_first_disagreements.html", (Role.ADJUDICATOR,), 14, disagreements, covers=("adjudicate",)),
        Section("review/_first_by_round.html", (Role.ADJUDICATOR,), 14, disagreements_by_round, later=True),
    )
    register_stages(
        Stage(say("Judged"), "rounds", 60, _judged, say("judgments"), say("to give")),
        Stage(
            say("Adjudicated"),
            "rounds",
            70,
            _adjudicated,
            say("disagreements"),
            say("to decide"),
        ),
    )
