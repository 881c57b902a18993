"""Whoever judges in an unfinished round cannot learn which model wrote what, whatever other roles they hold: every
address and every file that they bring, in worlds that differ only in which model and run the same texts belong to.

Compared byte for byte, as in `test_blindness_roles.py`.
"""

import json
from collections.abc import Iterator
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.models import Instance
from core.models import Role, User
from judging.models import Response, Run
from review.reports.registry import all_reports
from tests.conftest import make_person
from tests.core.addresses import LISTED, PATTERNS
from tests.core.asking import address, post
from tests.core.world import NAMES
from tests.doors.walking import Door, told_by
from tests.factories.judging import make_instance
from tests.factories.review import make_response, make_round
from tests.review.blindness.test_blindness_roles import NOT_WALKED, OTHER_ROLES, opens

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

MODELS = ("Mist", "Llam")
ADMIN = [(Role.REVIEWER, Role.ADMIN), (Role.REVIEWER, *OTHER_ROLES)]


def make_run_of(model: str, name: str, instances: list[Instance]) -> Run:
    run = Run.objects.create(name=name, kind="import", state="finished", started_at=timezone.now())
    for number, instance in enumerate(instances):
        make_response(run, instance, model=model, text=f"{model} about {number}.")
    return run


@pytest.fixture
def stage(world, rows):
    """Two runs of one model each; Rita judges one response of either. The others are not judged."""
    cast = {role: User.objects.get(username=name) for role, name in NAMES.items()}
    instances = [make_instance(number) for number in (71, 72, 73)]
    runs = [make_run_of(model, f"walked {model}", instances) for model in MODELS]
    chosen = [runs[0].responses.order_by("pk")[0], runs[1].responses.order_by("pk")[1]]
    rita, ralph = cast[Role.REVIEWER], User.objects.get(username="ralph")
    round = make_round(cast[Role.ADMIN], [rita, ralph], runs=[], responses=chosen, training_required=False)
    return rita, round, runs


def swap(one: Response, other: Response) -> None:
    """Let each have been written by the model, and in the run, of the other."""
    of_one, of_other = ({"run": each.run_id, "model": each.model_id} for each in (one, other))
    Response.objects.filter(pk=one.pk).update(repetition=9)
    Response.objects.filter(pk=other.pk).update(**of_one)
    Response.objects.filter(pk=one.pk).update(**of_other, repetition=1)


def swapped(round, *numbers: int) -> None:
    for number in numbers:
        swap(
            *Response.objects.filter(run__name__startswith="walked", text__endswith=f"about {number}.").order_by("pk")
        )
    round.runs.set(Run.objects.filter(responses__items__round=round).distinct())


# The doors
def doors(round, runs, rows, roles) -> Iterator[tuple[str, Door]]:
    response = round.items.first().response
    for name in LISTED:
        if name in NOT_WALKED or not opens(name, roles):
            continue
        more = {"round": round.pk, "round_key": round.key, "response": response.key, "instance": response.instance_id}
        for where in sorted({address(name, rows | more | {"run": run.pk}) for run in runs}):
            yield f"GET {where}", lambda client, where=where: client.get(where)
            if PATTERNS[name].callback.__module__.startswith("review."):
                yield f"POST {where}", lambda client, where=where: post(client, where)
    for run in runs:
        yield from narrowed(run, round)
        yield from brought(run)


def narrowed(run: Run, round) -> Iterator[tuple[str, Door]]:
    asked = [f"{reverse('report', args=[name])}?run={run.pk}" for name in all_reports()]
    asked += [f"{reverse('report_download', args=[name, 'json'])}?run={run.pk}" for name in all_reports()]
    asked += [f"/api/v1/reports/{name}/?run={run.pk}" for name in all_reports()]
    asked += [f"{reverse(name)}?run={run.pk}" for name in ("report_responses", "human_evaluation_download")]
    asked += [f"/api/v1/{what}/?run={run.pk}" for what in ("rounds", "judgments", "final-verdicts", "responses")]
    asked += [f"/api/v1/runs/?round={round.pk}", f"/api/v1/rounds/?model={run.responses.first().model_id}"]
    asked += [f"{reverse('round_preview')}?runs={run.pk}", f"{reverse('judge_run_new')}?run={run.pk}"]
    for where in asked:
        yield f"GET {where}", lambda client, where=where: client.get(where)
    begun = {"name": "second", "runs": [run.pk], "reviewers": [each.pk for each in User.objects.all()[:9]]}
    yield f"a second round over run {run.pk}", lambda client: client.post(reverse("round_new"), begun)


def brought(run: Run) -> Iterator[tuple[str, Door]]:
    """Files with a guess at who wrote which text, and at what is known or judged."""
    for response in run.responses.order_by("pk"):
        judgments = [{"judge": "Judge", "verdict": "correct", "reader": "imported", "text": "Correct."}]
        for more in ({}, {"judgments": judgments}):
            record = {
                "run": str(run.key),
                "model": response.model.name,
                "template": "4",
                "instance": response.instance.key,
                "text": response.text,
                **more,
            }
            guess = f"{response.text} {'with a judgment ' if more else ''}in {run}"
            for action in ("check", "import"):
                yield f"{action} {guess}", bring("responses_import", json.dumps(record), action)
            yield f"API check {guess}", bring_to_api("imports/responses/", json.dumps(record))
        line = f"response,use,verdict,explanation\n{response.key},check,correct,\n"
        yield f"known {response.key}", bring("known", line, "check")
        line = f"response,reviewer,verdict\n{response.key},ralph,correct\n"
        yield f"judgment {response.key}", bring("judgment_files", line, "check")


def bring(name: str, content: str, action: str) -> Door:
    def door(client):
        file = SimpleUploadedFile("file.jsonl", content.encode())
        return client.post(reverse(name), {"file": file, "action": action, "name": "x"})

    return door


def bring_to_api(path: str, content: str) -> Door:
    def door(client):
        file = SimpleUploadedFile("file.jsonl", content.encode())
        return client.post(f"/api/v1/{path}", {"file": file, "check_only": "true", "name": "x"})

    return door


@pytest.mark.parametrize("roles", ADMIN, ids="+".join)
def test_nothing_tells_which_model_wrote_what(roles, stage, rows, sign_in):
    rita, round, runs = stage
    for role in roles:
        rita.groups.add(Group.objects.get_or_create(name=role)[0])
    client = sign_in(rita)
    client.get("/account/")  # makes the session's own rows
    listed = dict(doors(round, runs, rows, roles))
    acts = {
        "each wrote the other's text": partial(swapped, round, 0, 1),
        "one run has both judged responses": partial(swapped, round, 0),
        "a text that is not judged is the other's": partial(swapped, round, 2),
    }
    assert told_by(listed, acts, client.cookies) == {}


def test_other_admins_are_told(stage, rows, sign_in):
    """The worlds do differ: an admin who does not judge sees it."""
    _, round, runs = stage
    ada = make_person("ada2", Role.ADMIN)
    client = sign_in(ada)
    client.get("/account/")
    listed = {"GET /account/": lambda client: client.get("/account/")} | dict(narrowed(runs[0], round))
    assert told_by(listed, {"swapped": partial(swapped, round, 0, 1)}, client.cookies)
