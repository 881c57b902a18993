"""Runs whose calls are sent in batches: from plan to responses, and their outcomes when something breaks."""

import io
import json
import uuid
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from core.refusals import Refusal
from judging.call_batches.advancing import advance_batches
from judging.catalogue.standard import answerer_baselines
from judging.models import BatchState, CallState, LanguageModel, Run, RunState
from judging.runs.repeating import repeat_in_doubt, retry_failed
from judging.runs.runs import cancel_run, create_judge_run, create_run, pause_run, plan_unsaved, resume_run, start_run
from tests.factories.judging import (
    committed_by_attempts,
    make_model,
    make_release,
    make_run,
    spent,
    states,
    templates,
    work,
)
from tests.judging.call_batches.batches import batch_run, books_are_in_order, the_batch, turn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine", "no_waiting")]


# --- All is well --------------------------------------------------------------------------------------------------


def test_a_run_in_one_batch_stores_every_response_at_half_the_price(server, model, engine):
    run = turn(batch_run(model))
    assert (run.state, run.responses.count()) == (RunState.FINISHED, 4)
    assert server.batches.asked == ["upload", "create", "look", "content"]
    assert set(server.paid) == {str(call.key) for call in run.calls.all()}
    response = run.responses.first()
    assert response
    assert response.text == "The answer."
    assert response.seconds is None
    full = response.model.cost(response.prompt_tokens or 0, response.completion_tokens or 0)
    assert response.cost == full / 2 > 0
    assert spent(run) == run.committed
    batch = the_batch(run)
    assert (batch.state, batch.calls, batch.provider_status) == (BatchState.ENDED, 4, "completed")
    assert batch.bytes == len(server.batches.files["file-1"])
    assert list((engine / "spool" / "batches").iterdir()) == []


def test_what_goes_out_is_what_would_go_out_by_itself(server, model):
    release = make_release(2)
    work(make_run(model, release=release))
    by_itself = sorted((request["json"] for request in server.requests), key=str)
    turn(batch_run(model, release=release))
    lines = [json.loads(line) for line in server.batches.files["file-1"].splitlines()]
    assert sorted((line["body"] for line in lines), key=str) == by_itself
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}


def test_calls_are_spread_over_batches_within_the_providers_limits(server, model):
    LanguageModel.objects.filter(pk=model.pk).update(batch_calls=3)
    run = turn(batch_run(model, instances=7), 3)
    assert [batch.calls for batch in run.call_batches.order_by("pk")] == [3, 3, 1]
    assert run.state == RunState.FINISHED
    assert run.responses.count() == len(server.calls) == 7


def test_a_batch_has_no_more_bytes_than_the_provider_takes(server, model, monkeypatch):
    monkeypatch.setattr("judging.call_batches.gathering.MEGABYTE", 1_600)
    LanguageModel.objects.filter(pk=model.pk).update(batch_megabytes=1)
    run = turn(batch_run(model, instances=5), 4)
    assert run.state == RunState.FINISHED
    assert all(batch.bytes <= 1_600 for batch in run.call_batches.all())
    assert run.call_batches.count() > 1


def test_a_batch_that_takes_its_time_is_asked_for_until_it_is_there(server, model):
    server.levers.batch_seconds = 3600.0
    run = turn(batch_run(model), 3)
    assert states(run) == {CallState.SENT: 4}
    assert server.batches.asked.count("create") == 1
    assert (run.state, the_batch(run).state) == (RunState.RUNNING, BatchState.UNDER_WAY)
    work(run)  # the pump leaves them alone, and no lease lapses
    assert states(run) == {CallState.SENT: 4}
    server.levers.batch_seconds = 0.0
    assert turn(run).state == RunState.FINISHED


def test_judge_models_are_asked_in_batches_too(server, model):
    first = make_run(model, instances=2)
    work(first)
    run = start_run(run=create_judge_run(language_models=[model], source_runs=[first], in_batches=True))
    turn(run)
    assert set(run.judgments.values_list("verdict", flat=True)) == {"correct"}
    assert run.state == RunState.FINISHED


def test_baselines_answer_beside_the_batches(server, model):
    models = [model, answerer_baselines()[0]]
    run = create_run(release=make_release(2), language_models=models, templates=templates("5"), in_batches=True)
    start_run(run=run)
    work(run)
    assert run.responses.count() == 2
    assert turn(run).state == RunState.FINISHED
    assert run.responses.count() == 4


def test_a_provider_without_batches_is_refused_in_the_plan(model):
    wanted = {
        "release": make_release(1),
        "language_models": [model, make_model(name="No batches")],
        "templates": templates("5"),
        "in_batches": True,
    }
    for plan in (plan_unsaved, create_run):
        with pytest.raises(Refusal, match="The provider of No batches offers no batches"):
            plan(**wanted)
    run = create_run(**wanted | {"language_models": [model]})
    LanguageModel.objects.filter(pk=model.pk).update(offers_batches=False)
    with pytest.raises(Refusal, match="offers no batches"):
        start_run(run=run)


def test_the_plan_reckons_with_the_price_in_a_batch(model):
    wanted = {"release": make_release(3), "language_models": [model], "templates": templates("1", "5")}
    by_itself, batched = plan_unsaved(**wanted), plan_unsaved(**wanted, in_batches=True)
    assert by_itself.most_money
    assert batched.most_money == by_itself.most_money / 2
    assert batched.models[0].batches == 1


def test_a_budget_holds_back_what_it_does_not_cover(server, model):
    LanguageModel.objects.filter(pk=model.pk).update(price_in=1000, price_out=1000)
    run = turn(batch_run(model, instances=6, budget=Decimal("0.25")), 6)
    assert run.state == RunState.STOPPED
    assert 0 < run.responses.count() < 6
    assert run.committed == committed_by_attempts(run) <= Decimal("0.25")
    turn(resume_run(run=run, budget=Decimal(100)), 2)
    assert (run.state, run.responses.count()) == (RunState.FINISHED, 6)
    assert set(server.paid.values()) == {1}


# --- Calls that fail ----------------------------------------------------------------------------------------------


def test_lines_of_the_error_file_end_like_calls_that_fail_by_themselves(server, model):
    server.levers.faults = ["400/2", "500/3"]
    run = turn(batch_run(model, instances=5))
    assert states(run) == {CallState.DONE: 2, CallState.FAILED: 2, CallState.IN_DOUBT: 1}
    assert {call.reason for call in run.calls.exclude(reason="")} == {"request", "500"}
    assert books_are_in_order(run)
    server.levers.faults = []
    retry_failed(run=run)
    repeat_in_doubt(run=run, actor=None)
    assert turn(run).state == RunState.FINISHED
    assert states(run) == {CallState.DONE: 5}
    assert [batch.calls for batch in run.call_batches.order_by("pk")] == [5, 3]


def test_calls_that_the_provider_limits_go_out_again_together(server, model):
    server.levers.faults = ["429/2"]
    run = turn(batch_run(model, instances=4))
    assert states(run) == {CallState.DONE: 2, CallState.PENDING: 2}
    one, other = run.calls.filter(state=CallState.PENDING)
    run.calls.filter(pk=one.pk).update(not_before=timezone.now())
    run.calls.filter(pk=other.pk).update(not_before=timezone.now() + timedelta(seconds=100))
    advance_batches()
    assert run.call_batches.count() == 1, "the other one may go out soon, and is waited for"
    server.levers.faults = []
    assert turn(run).state == RunState.FINISHED
    assert books_are_in_order(run)


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_a_batch_that_ends_early_keeps_what_it_has(server, model, end):
    server.levers.batch_end, server.levers.batch_made = end, 2
    run = turn(batch_run(model))
    again = {"expired": CallState.PENDING, "cancelled": CallState.FAILED}[end]
    assert states(run) == {CallState.DONE: 2, again: 2}
    assert books_are_in_order(run)
    assert "2 of its calls were not made, and cost nothing" in the_batch(run).message
    server.levers.batch_end, server.levers.batch_made = "completed", 9
    retry_failed(run=run)
    assert turn(run).state == RunState.FINISHED
    assert set(server.paid.values()) == {1}


def test_a_batch_that_is_not_accepted_fails_its_calls_and_costs_nothing(server, model):
    server.levers.batch_end = "failed"
    run = turn(batch_run(model))
    assert states(run) == {CallState.FAILED: 4}
    assert run.committed == 0
    assert "The server does not like it. (line 1 of the file)" in the_batch(run).message


def test_a_provider_that_takes_no_more_for_now_is_asked_again_later(server, model):
    server.levers.batch_end, server.levers.batch_error = "failed", "token_limit_exceeded"
    run = turn(batch_run(model))
    assert states(run) == {CallState.PENDING: 4}
    server.levers.batch_end = "completed"
    assert turn(run).state == RunState.FINISHED


def test_a_complete_batch_without_a_result_leaves_that_call_in_doubt(server, model):
    server.levers.batch_made = 3
    run = turn(batch_run(model))
    assert states(run) == {CallState.DONE: 3, CallState.IN_DOUBT: 1}
    assert books_are_in_order(run)


@pytest.mark.parametrize(("what", "status"), [("upload", 413), ("upload", 401), ("create", 400)])
def test_a_refused_batch_fails_its_calls_with_the_reason(server, model, what, status):
    server.levers.batch_faults = [f"{what}:{status}"]
    run = turn(batch_run(model))
    assert states(run) == {CallState.FAILED: 4}
    assert f"The server says {status}" in run.calls.first().error
    assert run.committed == 0
    server.levers.batch_faults = []
    retry_failed(run=run)
    assert turn(run).state == RunState.FINISHED


# --- Strange results ----------------------------------------------------------------------------------------------


def line(key: object, text: str = "Not asked for.") -> str:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"custom_id": str(key), "response": {"status_code": 200, "body": {"choices": [choice]}}})


def test_foreign_doubled_and_garbled_lines_are_counted_and_stored_nowhere(server, model, engine):
    run = batch_run(model)
    other = batch_run(model)
    a_key = run.calls.first().key
    server.levers.batch_lines = [
        line(uuid.uuid4()),
        line(other.calls.first().key),
        line(a_key),
        line(a_key.hex),
        line("x" * 100_000),
        *(
            '{"custom_id": ',
            "[]",
            '"text"',
            "null",
            "<html>",
            '{"custom_id": 7}',
            "[" * 200_000,
            "NaN",
            '"\\ud83d\\u0000"',
        ),
    ]
    pause_run(run=other)
    turn(run)
    assert run.state == RunState.FINISHED
    assert set(run.responses.values_list("text", flat=True)) == {"The answer."}
    assert states(other) == {CallState.PENDING: 4}
    batch = the_batch(run)
    assert (batch.foreign_lines, batch.doubled_lines, batch.unreadable_lines) == (4, 1, 9)
    [kept] = (engine / "spool" / "unknown").iterdir()
    assert kept.name.startswith(str(batch.key))


@pytest.mark.parametrize(
    "response",
    [
        None,
        7,
        {},
        {"status_code": 200},
        {"status_code": 200, "body": []},
        {"status_code": 2**63, "body": {}},
        {"status_code": True, "body": {}},
        {"status_code": 200, "body": {"choices": [{"message": {"content": {"a": 1}}}], "usage": [2**63]}},
        {"status_code": 503, "body": "\ud83d"},
    ],
)
def test_a_result_that_says_nothing_leaves_its_call_in_doubt_or_empty(server, model, response):
    server.levers.batch_made = 0
    run = batch_run(model, instances=1)
    server.levers.batch_lines = [json.dumps({"custom_id": str(run.calls.get().key), "response": response})]
    turn(run)
    assert states(run) in ({CallState.IN_DOUBT: 1}, {CallState.DONE: 1})
    assert the_batch(run).state == BatchState.ENDED
    assert books_are_in_order(run)


# --- Pause and cancel ---------------------------------------------------------------------------------------------


def test_replies_that_arrive_after_a_cancel_are_kept(server, model):
    server.levers.batch_seconds = 3600.0
    run = turn(batch_run(model, instances=4))
    server.levers.batch_made = 3
    cancel_run(run=run)
    turn(run)
    assert server.batches.asked.count("cancel") == 1
    turn(run)
    assert states(run) == {CallState.DONE: 3, CallState.CANCELLED: 1}
    assert books_are_in_order(run)


def test_a_batch_that_was_not_created_yet_never_is_once_the_run_is_cancelled(server, model):
    server.levers.batch_faults = ["upload:cut"]
    run = turn(batch_run(model))
    assert states(run) == {CallState.SENT: 4}
    server.levers.batch_faults = []
    cancel_run(run=run)
    turn(run)
    assert states(run) == {CallState.CANCELLED: 4}
    assert "create" not in server.batches.asked
    assert run.committed == 0


def test_a_paused_run_sends_no_batch_and_lands_those_under_way(server, model):
    LanguageModel.objects.filter(pk=model.pk).update(batch_calls=3)
    server.levers.batch_seconds = 3600.0
    run = turn(batch_run(model, instances=3))
    pause_run(run=run)
    server.levers.batch_seconds = 0.0
    turn(run)
    assert states(run) == {CallState.DONE: 3}
    other = batch_run(model)
    pause_run(run=other)
    turn(other)
    assert server.batches.asked.count("upload") == 1
    resume_run(run=other)
    assert turn(other, 2).state == RunState.FINISHED


# --- Pages and commands -------------------------------------------------------------------------------------------


def test_the_page_of_a_run_shows_its_batches(server, model, sign_in, admin):
    client = sign_in(admin)
    server.levers.batch_lines = [line(uuid.uuid4())]
    form = {
        "release": make_release(2).pk,
        "language_models": [model.pk],
        "templates": [template.pk for template in templates("5")],
        "repetitions": 1,
        "in_batches": "on",
    }
    page = client.post(reverse("run_new"), form, follow=True).content.decode()
    run = Run.objects.get()
    assert "Costs are at batch prices" in page
    client.post(reverse("run_start", args=[run.pk]))
    turn(run)
    page = " ".join(client.get(reverse("run", args=[run.pk])).content.decode().split())
    assert "<code>batch_1</code>" in page
    assert "Complete" in page
    assert "1 line of its results is set aside: 1 of other calls" in page
    assert "at the batch price" in client.get(reverse("response", args=[run.responses.first().key])).content.decode()
    LanguageModel.objects.update(offers_batches=False)
    refused = client.post(reverse("run_new"), form)
    assert refused.status_code == 400
    assert "offers no batches" in refused.content.decode()


def test_a_run_in_batches_is_started_and_followed_from_the_terminal(server, model, monkeypatch):
    monkeypatch.setattr("judging.call_batches.advancing.LOOK_AGAIN", 0.01)
    server.levers.batch_seconds = 0.2
    templates("1")
    make_release(2)
    out = io.StringIO()
    arguments = ["--models", model.name, "--templates", "1", "--batches", "--yes", "--here"]
    call_command("start_run", *arguments, stdout=out)
    assert "in about 1 batch, at 0.5 of the normal price" in out.getvalue()
    assert "finished: 2 of 2 done" in out.getvalue()
    assert Run.objects.get().call_batches.count() == 1
