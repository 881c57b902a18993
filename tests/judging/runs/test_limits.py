"""Calls at a time, requests and tokens per minute, and pauses that an endpoint asks for hold over all workers."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judging.endpoints.failures import NotSent, RateLimited
from judging.endpoints.replies import read_reply
from judging.models import Attempt, LanguageModel, Run, Throttle
from judging.runs.calls import calls, landing
from judging.runs.calls.calls import ReadAhead, TakenCall, take_calls
from judging.runs.calls.landing import Result, land
from tests.factories.judging import make_model, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]

REPLY = read_reply(b'{"choices": [{"message": {"content": "Yes."}}]}')


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def tick(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    fake = SimpleNamespace(now=lambda: clock.now)
    monkeypatch.setattr(calls, "timezone", fake)
    monkeypatch.setattr(landing, "timezone", fake)
    return clock


def start(model: LanguageModel, clock: Clock, *, instances: int) -> Run:
    run = make_run(model, instances=instances)
    run.calls.update(not_before=clock.now)
    return run


def take(model: LanguageModel, most: int = 1000) -> list[TakenCall]:
    """As one more worker would."""
    return take_calls(ReadAhead(LanguageModel.objects.get(pk=model.pk)), most=most)


def answer(taken: list[TakenCall]) -> None:
    land([Result(each.key, each.attempt, reply=REPLY, model_id=each.model.pk) for each in taken])


def test_calls_at_a_time_hold_over_two_workers(clock):
    model = make_model(concurrent_calls=5)
    start(model, clock, instances=12)
    first = take(model, most=3)
    second = take(model)
    assert (len(first), len(second), len(take(model))) == (3, 2, 0)
    answer(first[:2])
    assert len(take(model)) == 2


def test_a_reply_that_is_on_disk_frees_its_connection_before_it_lands(clock):
    model = make_model(concurrent_calls=2)
    start(model, clock, instances=4)
    take(model)
    assert len(take_calls(ReadAhead(model), most=10, arrived=1)) == 1


def test_requests_a_minute_go_out_a_tenth_at_a_time(clock):
    model = make_model(concurrent_calls=100, requests_per_minute=20)
    start(model, clock, instances=60)
    assert len(take(model)) == 2
    clock.tick(3)
    assert len(take(model)) == 0
    clock.tick(3.01)
    assert len(take(model)) == 2


def test_less_than_one_request_in_six_seconds_still_goes_out(clock):
    model = make_model(concurrent_calls=100, requests_per_minute=1)
    start(model, clock, instances=3)
    assert len(take(model)) == 1
    clock.tick(59)
    assert len(take(model)) == 0
    clock.tick(1.01)
    assert len(take(model)) == 1


@given(limit=st.integers(1, 40), pauses=st.lists(st.floats(0, 30), min_size=5, max_size=40))
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_minute_holds_more_requests_than_the_limit(clock, limit, pauses):
    model = make_model(concurrent_calls=500, requests_per_minute=limit)
    start(model, clock, instances=80)
    sent: list[datetime] = []
    for pause in pauses:
        clock.tick(pause)
        sent += [clock.now] * len(take(model))
    for moment in sent:
        assert sum(moment <= other < moment + timedelta(seconds=60) for other in sent) <= limit


def test_tokens_a_minute_count_what_is_held_then_what_was_used(clock):
    model = make_model(concurrent_calls=100, tokens_per_minute=10_000)
    start(model, clock, instances=20)
    first = take(model)
    held = first[0].request.tokens
    assert len(first) == 1000 // held
    answer(first)
    used = Attempt.objects.filter(call__key=first[0].key).get()
    assert used.tokens == held, "without a count in the reply, the estimate stands"
    reply = read_reply(
        b'{"choices": [{"message": {"content": "Y"}}], "usage": {"prompt_tokens": 50, "completion_tokens": 1}}'
    )
    clock.tick(6.01)
    second = take(model)
    land([Result(each.key, each.attempt, reply=reply) for each in second])
    assert len(take(model)) > 0, "they took less than was held for them"


def test_a_call_larger_than_the_limit_goes_out_alone(clock):
    model = make_model(concurrent_calls=100, tokens_per_minute=10)
    start(model, clock, instances=3)
    assert len(take(model)) == 1
    assert len(take(model)) == 0
    clock.tick(61)
    assert len(take(model)) == 1


def test_retry_after_pauses_the_model_and_no_other(clock):
    model = make_model(concurrent_calls=3, adapts_concurrency=False)
    other = make_model(name="Other", concurrent_calls=3)
    start(model, clock, instances=9)
    start(other, clock, instances=9)
    taken = take(model, most=1)
    failure = RateLimited("slower", reason="rate", status=429, retry_after=20.0)
    land([Result(taken[0].key, 1, failure=failure, model_id=model.pk)])
    clock.tick(19)
    assert (len(take(model)), len(take(other))) == (0, 3)
    assert "slower" in Throttle.objects.get(model=model).reason
    clock.tick(1.1)
    assert len(take(model)) == 3


def test_while_a_server_is_down_one_call_at_a_time_tries_it(clock):
    model = make_model(concurrent_calls=4)
    start(model, clock, instances=9)
    taken = take(model)
    land([Result(e.key, 1, failure=NotSent("down", reason="refused"), model_id=model.pk) for e in taken])
    clock.tick(60)
    [probe] = take(model)
    assert probe.is_probe
    assert take(model) == []
    land([Result(probe.key, probe.attempt, reply=REPLY, model_id=model.pk, was_probe=True)])
    assert len(take(model)) == 4
