"""Whatever workers and people do in whatever order, and wherever a process dies: no reply is lost, none is stored
twice, and nothing is paid twice unless a person said so."""

import json
import os
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from itertools import count

import pytest
from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from judging.endpoints.failures import CallFailed, InDoubt, NotSent, RateLimited, Rejected
from judging.endpoints.replies import read_reply
from judging.models import Call, CallState, Run, RunState, Throttle
from judging.runs.calls import spool
from judging.runs.calls.calls import ReadAhead, TakenCall, take_calls
from judging.runs.calls.landing import Result, land
from judging.runs.repeating import give_up_in_doubt, repeat_in_doubt, retry_failed
from judging.runs.runs import finish_runs, pause_run, resume_run
from judging.runs.sweep import sweep
from tests.factories.judging import committed_by_attempts, make_model, make_run
from tests.interleaving.schedules import try_schedules

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def body(text: str = "The answer.") -> bytes:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 60, "completion_tokens": 5}
    return json.dumps({"id": "chatcmpl-1", "model": "m", "choices": [choice], "usage": usage}).encode()


def landed(taken: TakenCall, raw: bytes) -> Result:
    return Result(taken.key, taken.attempt, reply=read_reply(raw), model_id=taken.model.pk)


def let_time_pass() -> None:
    """Every lease runs out, every pause ends, and replies on disk lie there for long."""
    past = timezone.now() - timedelta(hours=1)
    Call.objects.filter(state=CallState.SENT).update(lease_expires_at=past)
    Call.objects.filter(state=CallState.PENDING).update(not_before=past)
    Throttle.objects.update(paused_until=None)
    for path in spool.folder().glob("*.reply"):
        os.utime(path, (0, 0))


FAILURES: dict[str, CallFailed] = {
    "refused": NotSent("down", reason="refused"),
    "limited": RateLimited("slower", reason="rate", status=429),
    "limited for long": RateLimited("slower", reason="rate", status=429, retry_after=30.0),
    "rejected": Rejected("no", reason="request", status=400),
    "filtered": Rejected("no", reason="filtered", status=400),
    "no answer": InDoubt("no answer", reason="time-out"),
    "error": InDoubt("failed", reason="500", status=500, raw=b"oops"),
}


class Calls(RuleBasedStateMachine):
    """Workers, an endpoint that counts what is paid, and an admin, over a run of three calls."""

    price = 1000
    in_hand = Bundle("in_hand")  # calls that a worker is making
    answered = Bundle("answered")  # calls whose reply left the endpoint

    def __init__(self) -> None:
        super().__init__()
        model = make_model(price_in=self.price or None, price_out=self.price or None, concurrent_calls=2)
        self.run: Run = make_run(model, instances=3, budget=Decimal(50))
        self.paid: Counter[str] = Counter()
        self.allowed: Counter[str] = Counter()  # payments that a person, or the absence of a price, agreed to
        self.kept: set[str] = set()  # calls with a reply on disk
        for call in self.run.calls.all():
            self.allowed[str(call.key)] = 1 if self.price else 2

    @rule(target=in_hand)
    def a_worker_takes_a_call(self):
        return multiple(*take_calls(ReadAhead(self.run.language_models.get()), most=1))

    @rule(taken=consumes(in_hand), how=st.sampled_from(sorted(FAILURES)), dies=st.booleans())
    def a_call_fails(self, taken, how, dies):
        """And perhaps the worker dies before it can say so."""
        failure = FAILURES[how]
        self.paid[taken.key] += isinstance(failure, InDoubt)
        if not dies:
            land([Result(taken.key, taken.attempt, failure=failure, model_id=taken.model.pk)])

    @rule(target=answered, taken=consumes(in_hand))
    def a_reply_arrives_and_is_put_on_disk(self, taken):
        self.paid[taken.key] += 1
        self.kept.add(taken.key)
        spool.keep_reply(taken.key, taken.attempt, body(), seconds=0.5)
        return taken

    @rule(taken=answered)
    def a_reply_is_landed(self, taken):
        """Perhaps late, perhaps for the second time; or the worker died, and this never happens."""
        land([landed(taken, body())])

    @rule(passes=st.booleans())
    def the_sweeper_comes(self, passes):
        if passes:
            let_time_pass()
        sweep()

    @rule(what=st.sampled_from(["pause", "give up in doubt", "ask again"]))
    def an_admin_decides(self, what):
        self.run.refresh_from_db()
        if what == "pause" and not self.run.is_over:
            pause_run(run=self.run)
        elif what == "give up in doubt":
            give_up_in_doubt(run=self.run, actor=None)
        elif what == "ask again":
            # Also what was given up in doubt, and counts as failed.
            for call in self.run.calls.filter(state__in=[CallState.IN_DOUBT, CallState.FAILED], doubts__gte=1):
                self.allowed[str(call.key)] += 1
            repeat_in_doubt(run=self.run, actor=None)
            retry_failed(run=self.run)

    @rule()
    def an_admin_resumes_twice(self):
        for _ in range(2):
            resume_run(run=self.run)

    # --- What must always hold --------------------------------------------------------------------------------

    @invariant()
    def nothing_is_paid_twice_unasked(self):
        for key, times in self.paid.items():
            assert times <= self.allowed[key], "paid again without an admin's word"

    @invariant()
    def money_adds_up_and_stays_within_the_budget(self):
        self.run.refresh_from_db()
        assert self.run.committed == committed_by_attempts(self.run) <= (self.run.budget or 0)

    @invariant()
    def a_call_has_one_response_exactly_when_it_is_done(self):
        done = set(self.run.calls.filter(state=CallState.DONE).values_list("instance", flat=True))
        assert done == set(self.run.responses.values_list("instance", flat=True))
        assert self.run.responses.count() == len(done)

    def teardown(self):
        """However it went, it can be brought to an end, and every reply that ever arrived is there."""
        for _ in range(6):
            let_time_pass()
            sweep()
            arrived = self.run.calls.filter(key__in=self.kept)
            assert set(arrived.values_list("state", flat=True)) <= {CallState.DONE}
            self.run.refresh_from_db()
            if self.run.state == RunState.PAUSED:
                resume_run(run=self.run)
            repeat_in_doubt(run=self.run, actor=None)
            retry_failed(run=self.run)
            let_time_pass()
            for taken in take_calls(ReadAhead(self.run.language_models.get()), most=9):
                land([landed(taken, body())])
        finish_runs()
        self.run.refresh_from_db()
        assert set(self.run.calls.values_list("state", flat=True)) == {CallState.DONE}
        assert self.run.state == RunState.FINISHED
        assert not list(spool.folder().glob("*.reply"))


class CallsOfOnesOwnServer(Calls):
    """Without a price: in doubt, a call is repeated once automatically."""

    price = 0


@pytest.fixture
def clock(monkeypatch):
    """Time goes on by a microsecond with each look at it. No pause or lease ends because the machine is busy:
    the same steps would then lead elsewhere when they are repeated."""
    began, looks = timezone.now(), count()
    monkeypatch.setattr("django.utils.timezone.now", lambda: began + timedelta(microseconds=next(looks)))


@pytest.mark.parametrize("machine", [Calls, CallsOfOnesOwnServer])
def test_no_order_of_events_loses_a_reply_or_pays_twice(machine, clock):
    try_schedules(machine, count=6, steps=40)
