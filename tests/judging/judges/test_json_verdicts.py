"""A judge run may ask for the verdict in the form of a JSON schema; the prompt stays as it is."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from benchmarks.wikicontradict.protocol.judge import verdict_schema
from benchmarks.wikicontradict.protocol.verdict_readers import Reader, read_verdict
from core.refusals import Refusal
from judging.models import ModelJudgment, Run
from judging.protocol.verdicts import Verdict
from judging.runs.runs import create_judge_run, start_run
from tests.factories.judging import make_model, make_run, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]

AS_JSON = {"reader": Reader.SEVERAL_FORMS, "as_json_schema": True}


@pytest.fixture
def answered(server) -> Run:
    run = make_run(make_model(server.base_url, name="Answers"), instances=2)
    work(run)
    return run


@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_reply_in_the_schema_is_read_with_its_comment(verdict, indent):
    reply = json.dumps({"comment": "It says “evaluation: incorrect” itself.", "evaluation": verdict.label.lower()})
    parsed = read_verdict(json.dumps(json.loads(reply), indent=indent), reader=Reader.SEVERAL_FORMS)
    assert parsed.verdict == verdict
    assert parsed.comment == "It says “evaluation: incorrect” itself."


def test_the_schema_offers_the_verdicts_of_the_template():
    schema = verdict_schema([Verdict.CORRECT, Verdict.INCORRECT])["json_schema"]["schema"]
    assert schema["properties"]["evaluation"]["enum"] == ["correct", "incorrect"]
    assert list(schema["properties"]) == schema["required"] == ["comment", "evaluation"]


def test_a_judge_is_asked_for_the_schema_with_the_same_prompt(server, answered):
    server.levers.verdict = '{"comment": "It names both.", "evaluation": "partially correct"}'
    judge = make_model(server.base_url, name="Judge", takes_json_schema=True)
    for values in ({}, AS_JSON):
        run = create_judge_run(language_models=[judge], source_runs=[answered], **values)
        start_run(run=run)
        work(run)
    asked = [request["json"] for request in server.requests[2:]]
    formats = [request.pop("response_format", None) for request in asked]
    assert [bool(each) for each in formats] == [False, False, True, True]
    assert formats[2]["json_schema"]["strict"] is True
    assert sorted(map(str, asked[:2])) == sorted(map(str, asked[2:]))
    judgments = list(ModelJudgment.objects.filter(run=run))
    assert {each.verdict for each in judgments} == {Verdict.PARTIALLY_CORRECT}
    assert {each.comment for each in judgments} == {"It names both."}
    assert all("JSON schema" in each.assembly for each in judgments)


def test_the_schema_needs_its_reader_and_models_that_take_it(server, answered):
    judge = make_model(server.base_url, name="Judge", takes_json_schema=True)
    other = make_model(server.base_url, name="Other")
    with pytest.raises(Refusal, match="Choose it"):
        create_judge_run(language_models=[judge], source_runs=[answered], as_json_schema=True)
    with pytest.raises(Refusal, match="Other is not marked"):
        create_judge_run(language_models=[judge, other], source_runs=[answered], **AS_JSON)
    arguments = ["--judge-runs", str(answered.pk), "--models", "Other", "--reader", "several_forms", "--json-schema"]
    with pytest.raises(CommandError, match="Other is not marked"):
        call_command("start_run", *arguments, "--plan")
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=answered.pk).update(as_json_schema=True)


def test_the_page_plans_and_tells_it(server, answered, sign_in, admin):
    judge = make_model(server.base_url, name="Judge", takes_json_schema=True)
    client = sign_in(admin)
    values = {"source_runs": answered.pk, "language_models": judge.pk, "as_json_schema": "on"}
    assert client.post(reverse("judge_run_new"), values).status_code == 400
    response = client.post(reverse("judge_run_new"), values | {"reader": "several_forms"}, follow=True)
    assert "requested by a JSON schema" in response.content.decode()
