"""An admin who judges in a round sees nothing of it in reports until it is finished, whatever the others say."""

import re

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from benchmarks.wikicontradict.items import CODE
from core.models import Role
from review.reports.formats import FORMATS
from review.reports.registry import all_reports
from review.rounds.rounds import close_round
from tests.conftest import make_person
from tests.doors.walking import told_by
from tests.factories.judging import make_model, make_release, templates
from tests.factories.review import give_all, make_imported_run, make_known, make_round

REPORTS = {name: each for name, each in all_reports().items() if each.benchmark == CODE}

pytestmark = pytest.mark.django_db

C, IC = "correct", "incorrect"
OF_VERDICTS = [name for name in REPORTS if name not in ("table1", "cost", "annotators", "help")]


def page(client, name: str, **query) -> str:
    response = client.get(reverse("report", args=[name]), query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def judging_admin(admin, reviewer):
    reviewer.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
    return reviewer


def addresses() -> list[str]:
    formats = [reverse("report_download", args=[name, kind]) for name in OF_VERDICTS for kind in FORMATS]
    pages = [reverse("report", args=[name]) for name in OF_VERDICTS]
    drawn = [reverse("report_picture", args=[name, 1, "svg"]) for name in ("table2", "agreement", "weeks")]
    others = [reverse(name) for name in ("report_responses", "human_evaluation_download", "round_planner")]
    return [*pages, *formats, *drawn, *others]


def test_an_admin_who_judges_in_an_open_round_sees_nothing_of_it(admin, judging_admin, other_reviewer, sign_in):
    """Whatever the others say, every reply is the same to the byte; another admin does see a difference."""
    third = make_person("third", Role.REVIEWER)
    round = make_round(admin, [judging_admin, other_reviewer, third], training_required=False)

    def judge():
        for item in round.items.all():
            if not item.judgments.filter(reviewer=judging_admin).exists():
                give_all(item, C, IC)

    def told(client, *asked: str) -> dict[str, list[str]]:
        client.get("/account/")  # makes the session's own rows
        doors = {f"GET {where}": lambda client, where=where: client.get(where) for where in ("/account/", *asked)}
        return told_by(doors, {"judges": judge}, client.cookies)

    assert told(sign_in(judging_admin), *addresses()) == {}
    agreement = reverse("report", args=["agreement"])
    assert told(sign_in(admin), agreement) == {"judges": [f"GET {agreement}"]}
    assert sign_in(judging_admin).get(reverse("report", args=["table2"])).status_code == 403


def test_once_the_round_is_finished_it_is_in_the_reports(admin, judging_admin, other_reviewer, sign_in):
    round = make_round(admin, [judging_admin, other_reviewer], training_required=False)
    for item in round.items.all():
        give_all(item, C, C)
    client = sign_in(judging_admin)
    assert client.get(reverse("report", args=["table2"])).status_code == 403
    close_round(round=round, admin=admin)
    assert re.search(r"is correct in (\d) of \1 response", page(client, "table2"))


def test_pages_that_name_models_are_closed_to_an_admin_who_judges(admin, judging_admin, other_reviewer, sign_in):
    """Refused before anything is looked up, so also where the row is not there."""
    round = make_round(admin, [judging_admin, other_reviewer], training_required=False)
    response = round.items.first().response
    doors = {
        "responses": [],
        "response": [response.key],
        "responses_export": ["csv"],
        "call": [response.key],
        "run_judgments": [response.run_id],
        "run_judgments_export": [response.run_id, "csv"],
    }
    answers = {name: sign_in(judging_admin).get(reverse(name, args=args)) for name, args in doors.items()}
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(doors, 403)
    assert all("which model wrote what" in answer.text for answer in answers.values())
    assert 403 not in [sign_in(admin).get(reverse(name, args=args)).status_code for name, args in doors.items()]


def test_the_check_items_of_a_round_are_not_shown_to_an_admin_who_judges_there(
    admin, judging_admin, other_reviewer, sign_in
):
    """Nothing tells them apart on the judging page, and their verdicts are what reviewers are measured by."""
    run = make_imported_run(2)
    known = make_known(run, use="check")
    round = make_round(admin, [judging_admin, other_reviewer], run, check_items=1)
    question = known.response.instance.question
    assert question not in sign_in(judging_admin).get(reverse("known")).text
    assert question in sign_in(admin).get(reverse("known")).text
    close_round(round=round, admin=admin)
    assert question in sign_in(judging_admin).get(reverse("known")).text


@pytest.mark.parametrize("name", ["responses_import", "judgment_files", "known", "human_evaluation_import"])
def test_a_form_that_could_only_be_refused_is_not_offered(name, admin, judging_admin, other_reviewer, sign_in):
    make_round(admin, [judging_admin, other_reviewer], training_required=False)
    page = sign_in(judging_admin).get(reverse(name)).text
    assert "which model wrote what" in page
    assert 'type="file"' not in page
    assert 'type="file"' in sign_in(admin).get(reverse(name)).text


def test_a_new_run_whose_plan_is_hidden_leads_back_to_the_list(admin, judging_admin, other_reviewer, sign_in):
    make_round(admin, [judging_admin, other_reviewer], training_required=False)
    model, prompt = make_model(), templates("4")[0]
    sent = {"release": make_release().pk, "language_models": [model.pk], "templates": [prompt.pk], "repetitions": 1}
    answer = sign_in(judging_admin).post(reverse("run_new"), sent | {"only_missing": "on"}, follow=True)
    assert answer.redirect_chain == [(reverse("runs"), 302)]
    assert "Another admin reads its plan and starts it" in answer.text
