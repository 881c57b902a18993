"""Calls at a time adapt to the endpoint: one more a round, half at a sign of overload, over all workers."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from judging.endpoints.failures import InDoubt, RateLimited
from judging.endpoints.replies import ChatReply
from judging.models import LanguageModel, Throttle
from judging.runs.calls.calls import ReadAhead, TakenCall, take_calls
from judging.runs.calls.landing import Result, land
from judging.runs.calls.width import Ended, Width, next_width
from tests.factories.judging import make_model, make_run, work
from tests.servers.llm_server import LlmServer

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SLOW_DOWN = RateLimited("Slow down.", reason="rate", status=429)


def answers(count: int, *, seconds: float = 1.0, tokens: int = 50) -> list[Ended]:
    return [Ended(reply=ChatReply("Yes.", seconds=seconds, completion_tokens=tokens))] * count


def step(width: Width, ended: list[Ended], *, on_their_way: int = 1000, limit: int = 40) -> Width:
    return next_width(width, ended, limit=limit, on_their_way=on_their_way, now=NOW)


def test_a_round_of_answers_adds_one_call_up_to_the_limit():
    assert step(Width(10.0), answers(10)).calls == pytest.approx(11, abs=0.05)
    assert step(Width(10.0), answers(5000)).calls == 40


@pytest.mark.parametrize(
    "failure",
    [
        SLOW_DOWN,
        InDoubt("503", reason="503", status=503),
        InDoubt("529", reason="529", status=529),
        InDoubt("Nothing came.", reason="time-out"),
    ],
)
def test_overload_leaves_half_of_what_was_on_its_way(failure):
    assert step(Width(40.0), [Ended(failure=failure)]).calls == 20
    assert step(Width(40.0), [Ended(failure=failure)], on_their_way=10).calls == 5
    assert step(Width(1.0), [Ended(failure=failure)]).calls == 1


def test_other_failures_say_nothing_of_the_load():
    for failure in (
        InDoubt("500", reason="500", status=500),
        InDoubt("Cut.", reason="broken off", before_reply=True),
    ):
        assert step(Width(40.0), [Ended(failure=failure)]).calls == 40


def test_one_round_narrows_once():
    refused = [Ended(failure=SLOW_DOWN, sent_at=NOW - timedelta(seconds=1))] * 30
    once = step(Width(40.0), refused)
    assert (once.calls, once.because) == (20, "too many calls (429)")
    assert step(once, refused).calls == 20, "they went out before the first of them came back"
    assert step(once, [Ended(failure=SLOW_DOWN, sent_at=NOW + timedelta(seconds=1))]).calls == 10


def test_slower_answers_narrow_and_longer_ones_do_not():
    usual = step(Width(40.0), answers(100))
    longer = step(usual, answers(100, seconds=10, tokens=950))
    assert longer.calls == 40
    slower = step(usual, answers(8, seconds=4))
    assert (slower.calls, slower.because) == (20, "answers come more slowly")
    assert step(usual, answers(100, seconds=1.8)).calls == 40


def test_a_pace_that_stays_becomes_the_usual_one():
    width = step(Width(40.0), answers(100))
    for _ in range(2000):
        width = step(width, answers(1, seconds=5))
    assert width.calls == 40


@given(
    limit=st.integers(1, 50),
    rounds=st.lists(
        st.tuples(st.integers(0, 30), st.floats(0, 1e4), st.integers(0, 3), st.integers(0, 60)), max_size=30
    ),
)
def test_the_width_stays_between_one_and_the_limit(limit, rounds):
    width = Width(float(limit))
    for replies, seconds, refused, on_their_way in rounds:
        ended = [*answers(replies, seconds=seconds), *[Ended(failure=SLOW_DOWN)] * refused]
        before, width = width, step(width, ended, on_their_way=on_their_way, limit=limit)
        assert 1 <= width.calls <= limit
        assert not refused or width.calls < before.calls + replies or width.calls == 1


def take(model: LanguageModel) -> list[TakenCall]:
    """As one more worker would."""
    return take_calls(ReadAhead(LanguageModel.objects.get(pk=model.pk)), most=1000)


def refuse(taken: list[TakenCall]) -> None:
    land([Result(t.key, t.attempt, failure=SLOW_DOWN, model_id=t.model.pk, sent_at=t.sent_at) for t in taken])


@pytest.mark.django_db
@pytest.mark.usefixtures("engine")
class TestWorkers:
    def test_all_workers_share_the_width(self):
        model = make_model(concurrent_calls=8)
        make_run(model, instances=30)
        taken = take(model)
        assert len(taken) == 8
        refuse(taken)
        assert [len(take(model)), len(take(model))] == [4, 0]

    def test_a_model_that_does_not_adapt_keeps_its_limit(self):
        model = make_model(concurrent_calls=8, adapts_concurrency=False)
        make_run(model, instances=30)
        refuse(take(model))
        assert len(take(model)) == 8

    def test_a_run_ends_whole_at_an_endpoint_that_takes_few_calls_at_a_time(self):
        with LlmServer(delay=0.01, faults=["429/5"]) as server:
            model = make_model(server.base_url, concurrent_calls=8)
            run = make_run(model, instances=25)
            work(run)
            assert run.responses.count() == 25
            assert set(server.paid.values()) == {1}
        assert "429" in Throttle.objects.get(model=model).narrowed_because

    def test_the_page_of_the_model_shows_how_many_go_out_now_and_why(self, sign_in, admin):
        model = make_model(concurrent_calls=8)
        make_run(model, instances=30)
        where = reverse("model", args=[model.pk])
        client = sign_in(admin)
        assert client.get(where).context["at_a_time"] == 8
        refuse(take(model))
        page = client.get(where)
        assert page.context["at_a_time"] == 4
        assert "4 of 8: too many calls (429)" in page.content.decode()
