"""The stage of the first page where models answer."""

from datetime import datetime

from core.engine.queries.counts import Counted, sum_of
from core.languages import say
from core.models import User
from core.navigation import Need, Stage, register_stages

from .models import Call, CallState, OutputSums, Run, RunKind
from .runs.visibility import hidden_calls


def _answered(user: User, now: datetime) -> dict[str, Counted]:
    # By run: that is how the index has them.
    known = Call.objects.filter(run__in=Run.objects.all()).exclude(pk__in=hidden_calls(user)).order_by()
    return {
        "done": sum_of(OutputSums.objects.visible().exclude(run__kind=RunKind.JUDGE), "count"),
        "waiting": known.filter(state__in=CallState.open()),
        "in_doubt": known.filter(state=CallState.IN_DOUBT),
        "failed": known.filter(state=CallState.FAILED),
    }


def register() -> None:
    register_stages(
        Stage(
            say("Answered"),
            "runs",
            50,
            _answered,
            say("responses"),
            say("calls to make"),
            (
                Need("in_doubt", say("call in doubt"), say("calls in doubt"), "runs"),
                Need("failed", say("failed call"), say("failed calls"), "runs"),
            ),
        )
    )
