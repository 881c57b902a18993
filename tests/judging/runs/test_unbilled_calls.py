"""Calls that a provider does not bill, as an admin declares, are tried again by themselves; others are in doubt."""

import pytest
from django.core.management import call_command
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.models import Event
from judging.endpoints.failures import NotSent, RateLimited
from judging.models import AttemptOutcome, CallState, LanguageModel
from judging.runs.calls.asking import ask_endpoint
from judging.runs.calls.calls import ReadAhead, take_calls
from judging.runs.calls.landing import land
from judging.runs.runs import create_run
from tests.factories.judging import committed_by_attempts, make_model, make_release, make_run, states, templates, work
from tests.servers.llm_server import LlmServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]

TICKS = ("unbilled_429", "unbilled_408", "unbilled_5xx", "unbilled_resets")
# How a call ends, and the tick that says that it is not billed; the last two are always in doubt.
ENDINGS = {
    "429": "unbilled_429",
    "408": "unbilled_408",
    "499": "unbilled_408",
    "500": "unbilled_5xx",
    "529": "unbilled_5xx",
    "drop": "unbilled_resets",
    "half": None,
    "garbage": None,
}


@pytest.fixture
def server():
    with LlmServer() as server:
        yield server


@pytest.mark.parametrize(("fault", "tick"), [(fault, tick) for fault, tick in ENDINGS.items() if tick])
def test_what_is_declared_as_not_billed_is_tried_again_and_costs_nothing(server, fault, tick):
    server.levers.faults = [f"{fault}/2"]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1, **{tick: True}), instances=4)
    work(run)
    assert states(run) == {CallState.DONE: 4}
    assert run.responses.count() == 4
    assert run.committed == committed_by_attempts(run)
    unpaid = [a for call in run.calls.all() for a in call.attempts.all() if a.outcome == AttemptOutcome.UNPAID]
    assert len(unpaid) == sum(call["kind"] == fault for call in server.calls) > 0
    assert {attempt.cost for attempt in unpaid} == {0}
    if fault != "429":
        assert all("Not billed, according to the model's settings" in attempt.message for attempt in unpaid)


@given(ticks=st.fixed_dictionaries({tick: st.booleans() for tick in TICKS}), fault=st.sampled_from(sorted(ENDINGS)))
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_priced_call_is_repeated_by_itself_exactly_if_its_ending_is_ticked(server, ticks, fault):
    server.levers.faults = [fault]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1, **ticks), instances=1)
    land([ask_endpoint(each) for each in take_calls(ReadAhead(run.language_models.get()), most=1)])
    expected = CallState.PENDING if ticks.get(ENDINGS[fault] or "") else CallState.IN_DOUBT
    assert states(run) == {expected: 1}
    run.refresh_from_db()
    assert run.committed == committed_by_attempts(run)
    assert (run.committed == 0) == (expected == CallState.PENDING)


def test_a_time_out_stays_in_doubt_whatever_is_ticked(server):
    server.levers.faults = ["hang"]
    ticks = dict.fromkeys(TICKS, True)
    run = make_run(make_model(server.base_url, price_in=1, price_out=1, timeout_seconds=1, **ticks), instances=1)
    work(run)
    assert states(run) == {CallState.IN_DOUBT: 1}


def test_a_call_that_is_never_billed_and_never_answered_fails_after_ten_times(server, settings):
    settings.CALL_BACKOFF_SECONDS = 0.001
    server.levers.faults = ["503"]
    run = make_run(make_model(server.base_url, price_in=1, price_out=1, unbilled_5xx=True), instances=1)
    work(run)
    call = run.calls.get()
    assert (call.state, call.attempts_made, len(server.calls)) == (CallState.FAILED, 10, 10)
    assert run.committed == 0


def test_by_default_only_429_is_not_billed():
    model = make_model()
    assert model.unbilled == ["429 (too many calls)"]
    assert model.does_not_bill(RateLimited("Slow down.", reason="rate", status=429))
    assert model.does_not_bill(NotSent("No connection.", reason="refused"))


def test_plan_page_and_log_tell_what_is_declared(sign_in, admin, capsys):
    client = sign_in(admin)
    model = make_model("http://127.0.0.1:9000/v1", name="Tiny")
    form = client.get(reverse("model_edit", args=[model.pk])).context["form"]
    values = {name: value for name, value in form.initial.items() if value not in (None, False)}
    values |= {"name": "Tiny", "more_decoding": "", "unbilled_5xx": "on"}
    assert client.post(reverse("model_edit", args=[model.pk]), values).status_code == 302
    model = LanguageModel.objects.get(pk=model.pk)
    assert (model.unbilled_429, model.unbilled_5xx, model.unbilled_resets) == (True, True, False)
    event = Event.objects.about(model).get(action="changed")
    assert (event.before["unbilled_5xx"], event.after["unbilled_5xx"]) == (False, True)
    said = "429 (too many calls), 5xx (errors of the server)"
    assert said in client.get(reverse("model", args=[model.pk])).content.decode()
    run = create_run(release=make_release(1), language_models=[model], templates=templates("5"))
    assert said in client.get(reverse("run", args=[run.pk])).content.decode()
    call_command("start_run", "--release", "1", "--models", "Tiny", "--templates", "5", "--plan")
    assert f"Tiny: not billed, so retried: {said}." in capsys.readouterr().out
