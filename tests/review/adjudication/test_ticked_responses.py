"""Ticked responses: exported, judged by models, dealt to people; by page and by program, all of them or none."""

import json
import re
from uuid import uuid4

import pytest

from core.models import Role
from judging.catalogue.language_models import judges
from judging.models import LanguageModel, Response, Run, RunKind
from review.models import Item, Round
from review.rounds.dealing.dealing import deal_round
from review.rounds.rounds import close_round
from tests.conftest import make_person
from tests.factories.review import make_imported_run, make_round

LIST = "/judging/responses/"
JUDGE = "/judging/runs/new/judge/"
ROUND = "/review/rounds/new/"
EXPORT = f"{LIST}export/jsonl/"


@pytest.fixture
def amir(admin, sign_in):
    return sign_in(admin)


@pytest.fixture
def ticked(db) -> list[Response]:
    """Two responses of six."""
    make_imported_run(3)
    return list(Response.objects.order_by("pk"))[1:3]


@pytest.fixture
def judge(db) -> LanguageModel:
    return judges()[0]


def query(responses, **more) -> str:
    # As the list's form sends it, with an empty one first.
    names = ["ticked=", *(f"ticked={each.key}" for each in responses), *(f"{k}={v}" for k, v in more.items())]
    return "?" + "&".join(names)


def keys(responses) -> list[str]:
    return [str(each.key) for each in responses]


def test_the_list_offers_what_can_be_done_with_the_ticked(amir, ticked):
    page = amir.get(LIST).content.decode()
    assert len(re.findall(r'<input[^>]*name="ticked"[^>]*value="[0-9a-f-]{36}"', page)) == 6
    assert [address in page for address in (JUDGE, ROUND, EXPORT)] == [True] * 3
    shown = amir.get(LIST + query(ticked)).content.decode()
    assert "2 selected" in shown
    assert shown.count("<tr data-row") == 2


def test_the_ticked_are_exported(amir, ticked):
    lines = b"".join(amir.get(EXPORT + query(ticked))).decode().splitlines()
    assert [json.loads(line)["response"] for line in lines] == keys(ticked)
    by_program = amir.get("/api/v1/responses/" + query(ticked)).json()
    assert {each["key"] for each in by_program["results"]} == set(keys(ticked))


def test_judge_models_judge_the_ticked(amir, ticked, judge):
    address = JUDGE + query(ticked, selection="yes")
    assert "<strong>2 responses</strong>" in amir.get(address).content.decode()
    assert amir.post(address, {"language_models": [judge.pk]}).status_code == 302
    sent = {"responses": keys(ticked), "language_models": [judge.pk]}
    assert amir.post("/api/v1/judge-runs/", sent, content_type="application/json").status_code == 201
    for run in Run.objects.filter(kind=RunKind.JUDGE):
        assert set(run.selected_responses.all()) == set(ticked)
    assert Run.objects.filter(kind=RunKind.JUDGE).count() == 2


def round_of(responses, people, **more) -> dict:
    return {"name": "Chosen", "responses": keys(responses), "reviewers": [each.pk for each in people], "seed": 5} | {
        "judgments_each": 2,
        "consensus": "all",
        "undo_minutes": 15,
        "lease_minutes": 30,
        **more,
    }


def test_a_round_is_begun_over_the_ticked(amir, ticked, reviewer, other_reviewer):
    page = amir.get(ROUND + query(ticked)).content.decode()
    assert "<strong>2 responses</strong>" in page
    assert all(f'name="responses" value="{key}"' in page for key in keys(ticked))
    sent = round_of(ticked, [reviewer, other_reviewer])
    assert "<strong>2</strong> responses" in amir.get("/review/rounds/preview/", sent).content.decode()
    assert amir.post(ROUND, sent).status_code == 302
    round = Round.objects.get()
    deal_round(round.pk)
    assert {item.response for item in Item.objects.filter(round=round)} == set(ticked)
    assert [*round.runs.all()] == [ticked[0].run]
    assert "2 responses of it, chosen one by one" in amir.get(f"/review/rounds/{round.pk}/").content.decode()


def test_a_program_begins_a_round_over_some_responses(amir, ticked, reviewer, other_reviewer):
    sent = round_of(ticked, [reviewer, other_reviewer])
    assert amir.post("/api/v1/rounds/", sent, content_type="application/json").status_code == 201
    deal_round(Round.objects.get().pk)
    assert {item.response for item in Item.objects.all()} == set(ticked)
    with_runs = sent | {"name": "Both", "runs": [ticked[0].run_id]}
    assert amir.post("/api/v1/rounds/", with_runs, content_type="application/json").status_code == 400
    # They are judged there: nothing of them waits.
    again = amir.post("/api/v1/rounds/", sent | {"name": "Again"}, content_type="application/json")
    assert again.status_code == 409
    assert Round.objects.count() == 1


@pytest.mark.parametrize("address", [LIST, EXPORT, JUDGE, "/api/v1/responses/"])
def test_one_that_is_not_there_or_none_at_all_stops_everything(address, amir, ticked):
    selection = {} if address.startswith("/api/") else {"selection": "yes"}  # the API refuses what it does not know
    assert amir.get(address + query(ticked, **selection) + f"&ticked={uuid4()}").status_code == 404
    assert amir.get(address + query([], selection="yes")).status_code == 400
    assert amir.get(address + "?ticked=5&selection=yes").status_code == 400


def test_a_round_over_one_that_is_not_there_is_refused(amir, ticked, reviewer, other_reviewer):
    sent = round_of(ticked, [reviewer, other_reviewer])
    sent["responses"].append(str(uuid4()))
    assert amir.post(ROUND, sent).status_code == 400
    assert amir.post("/api/v1/rounds/", sent, content_type="application/json").status_code == 400
    assert amir.get(ROUND + query([])).status_code == 400
    assert not Round.objects.exists()


def test_an_admin_who_judges_does_nothing_with_single_responses(admin, ticked, judge, sign_in, other_reviewer):
    """Over one response, the plan of a run or the runs of a round would tell its model."""
    both = make_person("both", Role.ADMIN, Role.REVIEWER)
    round = make_round(admin, [both, other_reviewer], make_imported_run(2, name="judged"))
    client = sign_in(both)
    sent = round_of(ticked, [both, other_reviewer])
    judged = {"responses": keys(ticked), "language_models": [judge.pk]}

    def answers() -> list[int]:
        return [
            *(client.get(each + query(ticked)).status_code for each in (LIST, EXPORT, ROUND, "/api/v1/responses/")),
            client.get(JUDGE + query(ticked, selection="yes")).status_code,
            client.post(JUDGE, judged).status_code,
            client.post("/api/v1/judge-runs/", judged, content_type="application/json").status_code,
            client.get("/review/rounds/preview/", sent).status_code,
            client.post(ROUND, sent).status_code,
            client.post("/api/v1/rounds/", sent, content_type="application/json").status_code,
        ]

    assert set(answers()) == {403}
    close_round(round=round, admin=admin)
    assert set(answers()[:5]) == {200}


@pytest.mark.parametrize("address", [LIST, EXPORT, JUDGE, ROUND])
def test_only_admins_do_anything_with_them(address, ticked, reviewer, adjudicator, annotator, sign_in):
    for person in (reviewer, adjudicator, annotator):
        assert sign_in(person).get(address + query(ticked, selection="yes")).status_code == 403
