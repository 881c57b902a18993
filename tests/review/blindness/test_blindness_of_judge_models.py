"""Whoever judges in an unfinished round learns nothing of what a judge model says of the same responses, whatever
other roles they hold: every address, in worlds that differ only in the judge model's verdicts."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from core.models import Role
from judging.models import Response, Run, RunKind
from tests.conftest import make_person
from tests.core.addresses import LISTED
from tests.core.asking import address
from tests.doors.walking import FRAME, Door, told_by
from tests.factories.judge_models import make_judge_run, say
from tests.review.blindness.test_blindness_roles import (
    NOT_WALKED,
    Stage,
    asked_otherwise,
    made,  # noqa: F401
    opens,
    stage,  # noqa: F401
    variants,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
ROLES = (Role.REVIEWER, Role.ADMIN)
VERDICTS = ("correct", "incorrect", "")


def doors(stage: Stage, rows: dict, judges: Run) -> dict[str, Door]:  # noqa: F811
    rows = rows | {"judge_run": judges.pk}
    names = [name for name in LISTED if name not in NOT_WALKED and opens(name, ROLES)]
    found = {address(name, rows | each) for name in names for each in variants(stage)}
    found |= {reverse(name, args=[judges.pk]) for name in ("run", "run_calls", "api:run")}
    gets = {f"GET {where}": lambda client, where=where: client.get(where) for where in sorted(found)}
    return gets | dict(asked_otherwise(stage, ROLES))


def acts(stage: Stage, judges: Run) -> dict:  # noqa: F811
    said = {f"it says {verdict or 'nothing that can be read'}": verdict for verdict in VERDICTS}
    judged = stage.waiting.response
    return {name: lambda verdict=verdict: say(judged, verdict, run=judges) for name, verdict in said.items()}


@pytest.fixture
def judges(world, db) -> Run:
    run = Run.objects.filter(kind=RunKind.JUDGE).first() or make_judge_run()
    # The judge model is known in each of the worlds.
    say(Response.objects.order_by("pk")[0], "correct", run=run)
    return run


def test_nothing_tells_what_a_judge_model_says(stage, judges, rows, sign_in):  # noqa: F811
    stage.rita.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
    client = sign_in(stage.rita)
    client.get("/account/")  # makes the session's own rows
    assert told_by(doors(stage, rows, judges), acts(stage, judges), client.cookies) == {}


def test_an_admin_who_judges_nothing_is_told(stage, judges, rows, sign_in):  # noqa: F811
    """The worlds do differ."""
    client = sign_in(make_person("olga", Role.ADMIN))
    client.get("/account/")
    where = reverse("run_judgments", args=[judges.pk])
    listed = {FRAME: lambda client: client.get("/account/"), where: lambda client: client.get(where)}
    assert set(told_by(listed, acts(stage, judges), client.cookies)) == set(acts(stage, judges))
