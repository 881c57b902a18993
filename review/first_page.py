"""The stages of the first page where people judge and adjudicate, as far as the reader may know of them."""

from datetime import datetime

from core.engine.queries.counts import Counted, Less, sum_of
from core.languages import say
from core.models import Role, User
from core.navigation import Need, Stage, Stop, Tour, register_stages, register_tours

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
    register_stages(
        Stage(say("Judged"), "rounds", 60, _judged, say("judgments"), say("to give")),
        Stage(
            say("Adjudicated"),
            "rounds",
            70,
            _adjudicated,
            say("disagreements"),
            say("to decide"),
            (Need("waiting", say("disagreement"), say("disagreements"), "rounds"),),
        ),
    )
