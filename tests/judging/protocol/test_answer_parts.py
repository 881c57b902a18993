"""An answer may take several calls: each is planned, paid and kept as one, and all of them have one reading."""

from decimal import Decimal
from io import BytesIO

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.models import Release
from core.refusals import Refusal
from judging.files.exports import RESPONSE_FORMATS
from judging.files.imports import import_responses
from judging.models import Call, LanguageModel, PromptTemplate, Reading, Response, Run, RunState
from judging.responses.rereading import read_responses
from judging.runs.plan import plan_run
from judging.runs.repeating import retry_failed
from judging.runs.runs import create_run, resume_run, set_budget, start_run
from tests.factories.judging import committed_by_attempts, make_model, work
from tests.judging.call_batches.batches import turn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def template(options):
    return PromptTemplate.objects.get(code="each-option")


@pytest.fixture
def model(server):
    def yes(request):
        prompt = request.get("prompt") or request["messages"][-1]["content"]
        probability = -0.1 if prompt.endswith("Is it A?") else -1.0
        return {"yes": probability}

    server.answer, server.probabilities = (lambda request: "yes"), yes
    prices = {"price_in": Decimal(0), "price_out": Decimal(1_000_000)}
    return make_model(server.base_url, token_probabilities="chat", offers_batches=True, concurrent_calls=1, **prices)


def planned(template, *models, **values):
    return create_run(release=Release.objects.get(), language_models=models, templates=[template], **values)


def finished(template, *models, **values):
    run = start_run(run=planned(template, *models, **values))
    work(run)
    return run


def answers(run):
    readings = Reading.objects.current().filter(response__run=run)
    return list(readings.order_by("response").values_list("response__answer_part", "scores__answer", "problem"))


def test_each_part_is_a_call_and_all_have_one_reading(template, model, server):
    run = planned(template, model, repetitions=2)
    plan = plan_run(run)
    assert (plan.calls, plan.most_money) == (24, 24)
    start_run(run=run)
    work(run)
    assert len(server.calls) == run.responses.count() == 24
    assert set(server.paid.values()) == {1}
    assert answers(run) == [(1, "right", "")] * 6
    assert Reading.objects.first().value["logprobs"] == [-0.1, -1.0, -1.0, -1.0]
    asked = [request["json"]["messages"][-1]["content"] for request in server.requests]
    assert len(set(asked)) == 12
    assert plan_run(run).already_there == 24


def test_a_baseline_answers_each_part(template):
    run = finished(template, LanguageModel.objects.get(endpoint_name="always B"))
    assert answers(run) == [(1, "wrong", "")] * 3


def test_an_answer_is_read_once_its_last_part_is_there(template, model, server):
    run = start_run(run=planned(template, model, budget=Decimal(10)))
    work(run)
    assert run.state == RunState.STOPPED
    assert run.responses.count() == 10
    assert len(answers(run)) == 2
    set_budget(run=run, budget=Decimal(12))
    resume_run(run=run)
    work(run)
    assert answers(run) == [(1, "right", "")] * 3
    assert run.committed == committed_by_attempts(run) == 12
    assert set(server.paid.values()) == {1}


def test_a_failed_part_is_asked_again_by_itself(template, model, server):
    server.levers.faults = ["400/5"]
    run = finished(template, model)
    assert run.responses.count() == 10
    server.levers.faults = []
    retry_failed(run=run)
    work(run)
    assert answers(run) == [(1, "right", "")] * 3
    assert set(server.paid.values()) == {1}


def test_a_part_that_is_no_reply_leaves_the_answer_unread(template, model, server):
    server.levers.faults = ["refusal/4"]
    run = finished(template, model)
    assert {problem for _, _, problem in answers(run)} == {"the model refused to answer"}


def test_they_go_in_batches(template, model, settings):
    settings.CALL_BACKOFF_SECONDS, settings.BATCH_POLL_SECONDS, settings.BATCH_GRACE_SECONDS = 1000.0, 0.0, 60.0
    run = turn(start_run(run=planned(template, model, in_batches=True)), 4)
    assert answers(run) == [(1, "right", "")] * 3


def test_only_missing_leaves_out_whole_answers_alone(template, model, server):
    first = finished(template, model)
    Reading.objects.filter(response__run=first).delete()
    Response.objects.filter(run=first, answer_part=3)[0].delete()
    plan = plan_run(planned(template, model, only_missing=True))
    assert (plan.calls, sum(each.answered_before for each in plan.models)) == (4, 8)


def test_replies_are_reused_part_by_part(template, model, server):
    finished(template, model)
    run = finished(template, model, reuses_replies=True)
    assert len(server.calls) == 12
    assert run.responses.filter(reused=True).count() == 12
    assert answers(run) == [(1, "right", "")] * 3


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_exported_they_come_in_again_and_are_read(template, model, form):
    run = finished(template, model)
    exported = "".join(RESPONSE_FORMATS[form](run.responses.all()))
    Response.objects.all().delete()
    Run.objects.filter(pk=run.pk).update(key="00000000-0000-4000-8000-000000000000")
    import_responses(BytesIO(exported.encode()), name="Again")
    assert sorted(Response.objects.values_list("answer_part", flat=True)) == sorted([1, 2, 3, 4] * 3)
    assert answers(Response.objects.first().run) == [(1, "right", "")] * 3
    assert import_responses(BytesIO(exported.encode()), name="Again").there == 12


def test_a_part_that_an_answer_does_not_have_is_refused(template):
    record = (
        b'{"model": "M", "template": "each-option", "release": 1, "question_ID": 1, "text": "A", "answer_part": 5}'
    )
    with pytest.raises(Refusal, match="answer_part"):
        import_responses(BytesIO(record))
    assert import_responses(BytesIO(record.replace(b"5}", b"4}"))).new == 1
    assert not Reading.objects.exists()


def test_they_are_read_again_together(template, model):
    run = finished(template, model)
    Reading.objects.all().delete()
    assert read_responses().read == 3
    assert answers(run) == [(1, "right", "")] * 3
    call_command("read_responses", "--again")
    assert Reading.objects.count() == 3


def test_the_page_of_each_part_shows_the_reading_and_the_others(template, model, admin_client):
    run = finished(template, model)
    parts = list(Response.objects.filter(run=run).order_by("pk")[:4])
    for part in parts:
        page = admin_client.get(reverse("response", args=[part.key])).text
        assert f"{part.answer_part} of 4" in page
        assert "right" in page
        others = [other for other in parts if other != part]
        assert all(reverse("response", args=[other.key]) in page for other in others)
    assert "part 4" in admin_client.get(reverse("responses")).text


def test_the_database_has_each_part_once(template, model):
    run = finished(template, model)
    call, response = run.calls.first(), run.responses.first()
    for row in (call, response):
        row.pk, row.key, row._state.adding = None, "00000000-0000-4000-8000-000000000001", True
        if row is response:
            row.attempt, row.imported = None, {}
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save()
    with pytest.raises(IntegrityError), transaction.atomic():
        Call.objects.filter(run=run).update(answer_part=0)
    with pytest.raises(IntegrityError), transaction.atomic():
        Response.objects.filter(run=run).update(answer_part=0)
