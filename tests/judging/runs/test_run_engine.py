"""Runs from plan to responses, over a real HTTP server; and their outcomes when something breaks."""

from decimal import Decimal

import pytest

from core.models import Event
from core.refusals import Refusal
from judging.models import AttemptOutcome, CallState, JudgingAction, Mark, Response, RunState
from judging.runs import pump
from judging.runs.calls.asking import ask_endpoint
from judging.runs.calls.calls import ReadAhead, take_calls
from judging.runs.calls.landing import land
from judging.runs.repeating import give_up_in_doubt, repeat_in_doubt, retry_failed
from judging.runs.runs import cancel_run, create_run, pause_run, resume_run, start_run
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

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def test_a_run_stores_one_response_for_each_instance_template_and_repetition(server, engine):
    run = make_run(make_model(server.base_url), instances=3, codes=("1", "5"), repetitions=2)
    work(run)
    assert run.state == RunState.FINISHED
    assert run.responses.count() == len(server.calls) == 12
    assert set(server.paid.values()) == {1}
    assert list((engine / "spool").glob("*.reply")) == []


def test_a_response_shows_what_was_sent_and_what_came_back(server):
    run = make_run(make_model(server.base_url, price_in=1, price_out=2), instances=1)
    work(run)
    response = run.responses.get()
    sent = server.requests[0]["json"]
    assert response.messages == sent["messages"]
    assert [message["role"] for message in response.messages] == ["system", "user"]
    assert sent["temperature"] == 0
    assert sent["max_tokens"] == 250
    assert sent["seed"] == 5
    assert response.text == "The answer."
    assert response.finish_reason == "stop"
    attempt = response.attempt
    assert attempt
    assert '"The answer."' in attempt.raw_text
    assert response.prompt_tokens
    assert response.completion_tokens
    usage = (response.prompt_tokens + 2 * response.completion_tokens) / Decimal(1_000_000)
    assert response.cost == attempt.cost == run.committed == usage
    assert response.seconds


def test_a_run_goes_through_several_models_at_once(server):
    one, other = make_model(server.base_url), make_model(server.base_url, name="Other", endpoint_name="other")
    run = create_run(release=make_release(4), language_models=[one, other], templates=templates("4"))
    start_run(run=run)
    work(run)
    assert run.responses.filter(model=one).count() == run.responses.filter(model=other).count() == 4


@pytest.mark.parametrize(
    ("kind", "mark", "text"),
    [
        ("length", Mark.CUT, "The a"),
        ("empty", Mark.EMPTY, ""),
        ("refusal", Mark.REFUSED, ""),
        ("filter", Mark.FILTERED, ""),
        ("reasoning", Mark.COMPLETE, "The answer."),
    ],
)
def test_what_is_no_whole_answer_is_marked(server, kind, mark, text):
    server.levers.faults = [kind]
    run = make_run(make_model(server.base_url), instances=1)
    work(run)
    response = run.responses.get()
    assert (response.mark, response.text) == (mark, text)
    assert Response.objects.filter(mark=Mark.COMPLETE).count() == (mark == Mark.COMPLETE)


def test_starting_pausing_and_resuming_twice_is_once(server, admin):
    run = create_run(release=make_release(2), language_models=[make_model(server.base_url)], templates=templates("5"))
    start_run(run=run, actor=admin)
    start_run(run=run, actor=admin)
    pause_run(run=run, actor=admin)
    pause_run(run=run, actor=admin)
    work(run)
    assert (run.state, len(server.calls)) == (RunState.PAUSED, 0)
    resume_run(run=run, actor=admin)
    resume_run(run=run, actor=admin)
    work(run)
    work(run)
    assert (run.state, len(server.calls)) == (RunState.FINISHED, 2)
    actions = [event.action for event in Event.objects.about(run)]
    assert actions == ["planned", "started", "paused", "resumed", "finished"]


def test_a_cancelled_run_keeps_what_it_has_and_asks_no_more(server):
    run = make_run(make_model(server.base_url), instances=2)
    work(run)
    release_run = make_run(make_model(server.base_url), instances=2)
    cancel_run(run=release_run)
    work(release_run)
    assert states(release_run) == {CallState.CANCELLED: 2}
    assert len(server.calls) == 2
    with pytest.raises(Refusal, match="cancelled"):
        resume_run(run=release_run)
    with pytest.raises(Refusal, match="cancelled"):
        start_run(run=release_run)
    with pytest.raises(Refusal, match="finished"):
        cancel_run(run=run)


def test_a_refused_call_is_final_and_can_be_tried_again(server, admin):
    server.levers.faults = ["400/2"]
    run = make_run(make_model(server.base_url), instances=4)
    work(run)
    assert states(run) == {CallState.DONE: 2, CallState.FAILED: 2}
    failed = run.calls.filter(state=CallState.FAILED)
    assert {(call.reason, call.attempts_made) for call in failed} == {("request", 1)}
    assert "The server says 400" in failed[0].error
    assert run.state == RunState.FINISHED
    server.levers.faults = []
    assert retry_failed(run=run, actor=admin) == 2
    assert retry_failed(run=run, actor=admin) == 0
    work(run)
    assert states(run) == {CallState.DONE: 4}


def test_an_endpoint_that_refuses_the_key_is_not_asked_a_thousand_times(server, monkeypatch):
    monkeypatch.setenv("WRONG_API_KEY", "sk-wrong-key")
    server.levers.api_key = "sk-right-key"
    model = make_model(server.base_url, key_name="WRONG_API_KEY", concurrent_calls=2)
    run = make_run(model, instances=40)
    work(run)
    assert states(run) == {CallState.FAILED: 40}
    assert len(server.calls) < 10
    assert set(run.calls.values_list("reason", flat=True)) == {"key"}
    assert not any("sk-wrong-key" in call.error for call in run.calls.all())


EXHAUSTED = [
    ("402", ""),
    ("400:credit", "Your credit balance is too low to access the API. Please go to Plans & Billing."),
    ("403:credit", "Your team has either used all available credits or reached its monthly spending limit."),
    ("429:credit", "You exceeded your current quota, please check your plan and billing details."),
    ("400:credit", "Budget has been exceeded! Current cost: 10.{n}, Max budget: 10.0"),
    ("quota", ""),
]


@pytest.mark.parametrize(("fault", "said"), EXHAUSTED)
def test_where_no_money_is_left_the_model_is_not_asked_a_thousand_times(server, fault, said):
    server.levers.faults, server.levers.said = [], {"credit": said}
    run = make_run(make_model(server.base_url, concurrent_calls=2), instances=40)
    ahead = ReadAhead(run.language_models.get())
    land([ask_endpoint(taken) for taken in take_calls(ahead, most=2)])
    server.levers.faults = [fault]
    work(run)
    assert states(run) == {CallState.DONE: 2, CallState.FAILED: 38}
    assert len(server.calls) < 12
    assert set(run.calls.exclude(reason="").values_list("reason", flat=True)) == {"quota"}
    assert run.calls.filter(state=CallState.FAILED).values("failure_group").distinct().count() == 1
    server.levers.faults = []
    assert retry_failed(run=run) == 38
    work(run)
    assert states(run) == {CallState.DONE: 40}


def test_a_limit_by_the_minute_that_speaks_of_a_quota_is_waited_for(server):
    server.levers.said = {"minute": "You exceeded your current quota. Please retry in 1.5s."}
    server.levers.faults = ["429:minute/2"]
    run = make_run(make_model(server.base_url), instances=4)
    work(run)
    assert states(run) == {CallState.DONE: 4}


@pytest.mark.parametrize("price", [None, Decimal(1)])
def test_web_pages_instead_of_answers_stop_the_model(server, price):
    run = make_run(make_model(server.base_url, price_in=price, price_out=price, concurrent_calls=2), instances=40)
    land([ask_endpoint(taken) for taken in take_calls(ReadAhead(run.language_models.get()), most=2)])
    server.levers.faults = ["garbage"]
    work(run)
    assert len(server.calls) < 12
    assert run.calls.filter(state=CallState.DONE).count() == 2
    assert set(run.calls.exclude(reason="").values_list("reason", flat=True)) == {"web page"}
    assert "A web page arrived instead of an answer" in run.calls.filter(state=CallState.FAILED)[0].error


@pytest.mark.parametrize("fault", ["400", "500", "drop", "error200"])
def test_the_same_failure_from_the_first_call_on_stops_the_model(server, fault):
    server.levers.faults = [fault]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1, concurrent_calls=2), instances=40)
    work(run)
    assert run.state == RunState.FINISHED
    assert len(server.calls) < 10
    assert run.responses.count() == 0
    assert "No longer called: 5 calls in a row ended like this" in run.calls.filter(attempts_made=0)[0].error
    assert run.committed == committed_by_attempts(run)


def test_the_same_failure_after_an_answer_is_no_reason_to_stop(server):
    run = make_run(make_model(server.base_url, concurrent_calls=2), instances=20)
    land([ask_endpoint(taken) for taken in take_calls(ReadAhead(run.language_models.get()), most=1)])
    server.levers.faults = ["400"]
    work(run)
    assert len(server.calls) == 20


def test_one_model_that_fails_leaves_the_others_alone(server):
    server.levers.models = ["known"]
    known = make_model(server.base_url, name="Known", endpoint_name="known")
    unknown = make_model(server.base_url, name="Unknown", endpoint_name="unknown", concurrent_calls=1)
    run = create_run(release=make_release(20), language_models=[known, unknown], templates=templates("5"))
    start_run(run=run)
    work(run)
    assert run.responses.filter(model=known).count() == 20
    assert len(server.calls) == 25


def test_a_key_that_is_not_set_fails_with_the_name_of_the_variable(server):
    run = make_run(make_model(server.base_url, key_name="NOWHERE_API_KEY"), instances=1)
    work(run)
    call = run.calls.get()
    assert "NOWHERE_API_KEY is not set" in call.error
    assert server.calls == []


def test_429_is_tried_again_and_costs_nothing(server):
    server.levers.faults = ["429/2"]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1), instances=6)
    work(run)
    assert run.responses.count() == 6
    assert set(server.paid.values()) == {1}
    assert run.committed == committed_by_attempts(run)
    outcomes = [attempt.outcome for call in run.calls.all() for attempt in call.attempts.all()]
    assert outcomes.count(AttemptOutcome.UNPAID) == sum(call["kind"] == "429" for call in server.calls) > 0


def test_a_server_that_is_down_is_tried_by_one_call_at_a_time_until_it_is_back(server):
    run = make_run(make_model(concurrent_calls=5), instances=20)
    model = run.language_models.get()
    taken = take_calls(ReadAhead(model), most=50)
    assert len(taken) == 5
    land([ask_endpoint(each) for each in taken])
    model.throttle.refresh_from_db()
    assert model.throttle.failures == 1
    assert "No connection" in model.throttle.reason
    type(model).objects.filter(pk=model.pk).update(base_url=server.base_url)
    work(run)
    assert run.responses.count() == 20
    model.throttle.refresh_from_db()
    assert model.throttle.failures == 0


def test_calls_that_are_never_paid_fail_after_some_attempts(settings):
    settings.CALL_BACKOFF_SECONDS = 0.001
    run = make_run(make_model(), instances=1)
    work(run)
    call = run.calls.get()
    assert (call.state, call.attempts_made, call.reason) == (CallState.FAILED, 10, "refused")
    assert run.committed == 0


def test_a_budget_stops_the_run_before_it_is_passed(server, admin):
    model = make_model(server.base_url, price_in=1000, price_out=1000, concurrent_calls=3)
    run = make_run(model, instances=10, budget=Decimal("1"))
    work(run)
    assert run.state == RunState.STOPPED
    assert 0 < run.responses.count() < 10
    assert run.committed == committed_by_attempts(run) <= Decimal(1)
    assert spent(run) == run.committed
    asked = len(server.calls)
    resume_run(run=run, actor=admin)
    work(run)
    assert (run.state, len(server.calls)) == (RunState.STOPPED, asked), "the same budget buys nothing more"
    resume_run(run=run, actor=admin, budget=Decimal("100"))
    work(run)
    assert (run.state, run.responses.count()) == (RunState.FINISHED, 10)


def test_a_call_in_doubt_of_a_model_with_a_price_waits_for_a_person(server, admin):
    server.levers.faults = ["500/2"]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1), instances=4)
    work(run)
    assert states(run) == {CallState.DONE: 2, CallState.IN_DOUBT: 2}
    assert len(server.calls) == 4
    held = run.committed - spent(run)
    doubtful = run.calls.filter(state=CallState.IN_DOUBT)
    assert held == sum(call.attempts.get().possible_cost for call in doubtful) > 0
    server.levers.faults = []
    assert repeat_in_doubt(run=run, actor=admin, calls=[doubtful[0].pk]) == 1
    assert give_up_in_doubt(run=run, actor=admin) == 1
    work(run)
    assert states(run) == {CallState.DONE: 3, CallState.FAILED: 1}
    assert run.committed == committed_by_attempts(run)
    assert Event.objects.about(run).filter(action=JudgingAction.REPEATED_IN_DOUBT, actor=admin).count() == 1


def test_a_call_in_doubt_of_ones_own_server_is_repeated_once_after_the_lease(server, settings):
    settings.CALL_LEASE_SECONDS = 0.2
    server.levers.faults = ["drop"]
    run = make_run(make_model(server.base_url), instances=2)
    work(run)
    assert states(run) == {CallState.IN_DOUBT: 2}
    assert len(server.calls) == 4


def test_a_process_that_stood_still_does_not_give_up_calls_that_it_still_waits_for(server, settings, monkeypatch):
    """Each round comes later than the leases of the calls in flight."""
    settings.CALL_LEASE_SECONDS = 0.05
    monkeypatch.setattr(pump, "SWEEP_EVERY", 0.0)
    server.levers.delay = 0.5
    run = make_run(make_model(server.base_url), instances=2)
    work(run)
    assert states(run) == {CallState.DONE: 2}
    assert len(server.calls) == 2


def test_what_a_provider_kept_is_looked_up_instead_of_paid_again(server):
    server.levers.faults = ["drop/2"]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1, keeps_completions=True), instances=4)
    work(run)
    work(run)
    assert run.responses.count() == len(server.calls) == 4
    assert run.committed == committed_by_attempts(run)
