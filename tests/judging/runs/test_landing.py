"""Each way in which a process can die, and what of a reply survives it."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from judging.endpoints.failures import NotSent, Rejected
from judging.endpoints.replies import read_reply
from judging.models import Attempt, AttemptOutcome, Call, CallState, Run
from judging.runs import pump
from judging.runs.calls import landing, spool
from judging.runs.calls.asking import ask_endpoint
from judging.runs.calls.calls import ReadAhead, TakenCall, take_calls
from judging.runs.calls.landing import Result, land, land_overdue, land_spool
from judging.runs.repeating import give_up_in_doubt, repeat_in_doubt
from judging.runs.runs import finish_runs
from tests.factories.judging import committed_by_attempts, make_model, make_run, states, work
from tests.servers.llm_server import LlmServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def take(run: Run, most: int = 1) -> list[TakenCall]:
    return take_calls(ReadAhead(run.language_models.get()), most=most)


def body(text: str = "The answer.") -> bytes:
    return json.dumps(
        {
            "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 60, "completion_tokens": 5},
        }
    ).encode()


def reply_to(taken: TakenCall, text: str = "The answer.") -> Result:
    return Result(taken.key, taken.attempt, reply=read_reply(body(text)))


def let_leases_run_out() -> None:
    Call.objects.filter(state=CallState.SENT).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


@pytest.fixture
def run() -> Run:
    return make_run(make_model(price_in=1000, price_out=1000), instances=2)


def serve(run: Run, server: LlmServer) -> None:
    """From now on, the run's model answers."""
    run.language_models.update(base_url=server.base_url)


def test_a_call_stands_as_sent_before_it_goes_out(run, server):
    serve(run, server)
    [taken] = take(run)
    call = Call.objects.get(key=taken.key)
    assert (call.state, call.attempts.get().outcome) == (CallState.SENT, AttemptOutcome.SENT)
    assert server.calls == []
    ask_endpoint(taken)
    assert [call["key"] for call in server.calls] == [taken.key]


def test_a_process_that_dies_before_the_reply_leaves_the_call_in_doubt(run):
    [taken] = take(run)
    assert land_overdue() == 0, "its lease is alive"
    let_leases_run_out()
    assert land_overdue() == 1
    assert states(run) == {CallState.IN_DOUBT: 1, CallState.PENDING: 1}
    assert "may have succeeded and been paid" in Call.objects.get(key=taken.key).error


def test_a_process_that_dies_after_the_reply_was_put_on_disk_loses_nothing(run, engine):
    [taken] = take(run)
    spool.keep_reply(taken.key, taken.attempt, body("Paid for."), seconds=1.5)
    let_leases_run_out()
    assert land_spool(older_than=60) == 0, "the process may be about to land it itself"
    assert land_spool() == 1
    response = run.responses.get()
    assert (response.text, response.seconds) == ("Paid for.", 1.5)
    assert not list((engine / "spool").iterdir())
    assert land_overdue() == 0


def test_a_process_that_dies_after_landing_but_before_clearing_the_disk_stores_nothing_twice(run):
    [taken] = take(run)
    spool.keep_reply(taken.key, taken.attempt, body(), seconds=1.0)
    landing.land_together([reply_to(taken)])
    committed = Run.objects.get().committed
    assert land_spool() == 1
    assert run.responses.count() == 1
    assert Run.objects.get().committed == committed


def test_a_half_written_reply_is_no_reply(run, engine):
    [taken] = take(run)
    spool.keep_reply(taken.key, taken.attempt, body(), seconds=1.0)
    os.rename(spool.reply_path(taken.key, 1), spool.reply_path(taken.key, 1).with_suffix(".part"))
    assert land_spool() == 0
    spool.sweep_parts()
    assert len(list((engine / "spool").glob("*.part"))) == 1, "a worker may still be writing it"


def test_a_reply_that_comes_after_the_lease_is_landed(run):
    [taken] = take(run)
    let_leases_run_out()
    land_overdue()
    land([reply_to(taken)])
    assert run.responses.count() == 1
    assert states(run) == {CallState.DONE: 1, CallState.PENDING: 1}
    assert Run.objects.get().committed == committed_by_attempts(run)


def test_of_two_replies_the_first_answers_and_both_are_kept_and_counted(run):
    [first] = take(run)
    let_leases_run_out()
    land_overdue()
    repeat_in_doubt(run=run, actor=None)
    [second] = take(run)
    land([reply_to(first, "Late."), reply_to(second, "Again.")])
    assert run.responses.get().text == "Late."
    attempts = Attempt.objects.filter(call__key=first.key)
    assert [json.loads(each.raw_text)["choices"][0]["message"]["content"] for each in attempts] == ["Late.", "Again."]
    assert Run.objects.get().committed == sum(each.cost or 0 for each in attempts) == Decimal("0.13")


def test_the_word_of_an_earlier_attempt_does_not_touch_a_later_one(run):
    [first] = take(run)
    let_leases_run_out()
    land_overdue()
    repeat_in_doubt(run=run, actor=None)
    take(run)
    for failure in (NotSent("down", reason="refused"), Rejected("no", reason="request", status=400)):
        land([Result(first.key, first.attempt, failure=failure)])
        call = Call.objects.get(key=first.key)
        assert (call.state, call.attempts_made) == (CallState.SENT, 2)
    assert [each.outcome for each in call.attempts.all()] == [AttemptOutcome.UNPAID, AttemptOutcome.SENT]
    assert Run.objects.get().committed == committed_by_attempts(run)


def test_proof_that_a_call_in_doubt_was_not_paid_lets_it_be_made_again(run):
    [taken] = take(run)
    let_leases_run_out()
    land_overdue()
    land([Result(taken.key, taken.attempt, failure=NotSent("down", reason="refused"))])
    assert states(run) == {CallState.PENDING: 2}
    assert Run.objects.get().committed == 0


def test_a_refusal_frees_the_money(run):
    taken = take(run, most=2)
    assert Run.objects.get().committed == sum(each.request.possible_cost for each in taken) > 0
    land([Result(each.key, each.attempt, failure=Rejected("no", reason="request", status=400)) for each in taken])
    assert Run.objects.get().committed == 0
    assert states(run) == {CallState.FAILED: 2}


def test_a_reply_without_a_count_of_tokens_is_held_at_the_most_it_can_have_cost(run):
    [taken] = take(run)
    raw = json.dumps({"choices": [{"message": {"content": "Yes."}}]}).encode()
    land([Result(taken.key, taken.attempt, reply=read_reply(raw))])
    assert run.responses.get().cost is None
    assert Run.objects.get().committed == taken.request.possible_cost


def test_replies_wait_for_the_database(run, server, monkeypatch):
    serve(run, server)
    monkeypatch.setattr(pump, "DATABASE_PAUSE", 0.01)
    land_together, failures = landing.land_together, iter([OperationalError("gone")] * 3)

    def sometimes(results):
        for failure in failures:
            raise failure
        return land_together(results)

    monkeypatch.setattr(landing, "land_together", sometimes)
    work(run)
    assert run.responses.count() == len(server.calls) == 2


def test_one_reply_that_cannot_be_stored_holds_up_no_other(run, engine, monkeypatch):
    one, other = take(run, most=2)
    for taken in (one, other):
        spool.keep_reply(taken.key, taken.attempt, body("poison" if taken is one else "fine"), seconds=1.0)
    store_outputs = landing.store_outputs

    def choke(outputs, *, now):
        if any("poison" in reply.text for _, _, reply in outputs):
            raise ValueError("cannot store this")
        store_outputs(outputs, now=now)

    monkeypatch.setattr(landing, "store_outputs", choke)
    land_spool()
    assert [response.text for response in run.responses.all()] == ["fine"]
    assert states(run) == {CallState.DONE: 1, CallState.IN_DOUBT: 1}
    assert "cannot store this" in Call.objects.get(key=one.key).error
    assert len(list((engine / "spool" / "unknown").iterdir())) == 1, "what was paid for is kept"


def test_a_reply_of_another_database_is_set_apart(run, engine):
    spool.keep_reply("0d9b6c3e-0000-4000-8000-000000000000", 1, body(), seconds=1.0)
    (engine / "spool" / "odd-name.reply").write_bytes(b"not ours")
    land_spool()
    assert len(list((engine / "spool" / "unknown").iterdir())) == 2
    assert run.responses.count() == 0


def test_a_full_disk_loses_no_reply(run, server, monkeypatch):
    serve(run, server)

    def full(*args, **kwargs):
        raise OSError("No space left on device")

    monkeypatch.setattr(spool, "keep_reply", full)
    work(run)
    assert run.responses.count() == 2


def test_a_body_that_is_no_completion_leaves_the_call_in_doubt_with_the_body(run, server, engine):
    serve(run, server)
    server.levers.faults = ["garbage"]
    work(run)
    assert states(run) == {CallState.IN_DOUBT: 2}
    assert all("Sign in to the network" in attempt.raw_text for attempt in Attempt.objects.all())
    assert not list((engine / "spool").glob("*.reply"))


def test_a_run_is_finished_only_when_nothing_is_on_its_way(run):
    taken = take(run, most=2)
    finish_runs()
    assert Run.objects.get().state == "running"
    land([reply_to(each) for each in taken])
    finish_runs()
    assert Run.objects.get().state == "finished"
    finish_runs()
    assert Run.objects.get().state == "finished"


def until_another_waits_for_us() -> None:
    """Until another connection waits for a lock of this one."""
    waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
    with connection.cursor() as cursor:
        for _ in range(600):
            cursor.execute(waiting)
            if cursor.fetchone():
                return
            time.sleep(0.05)
    raise AssertionError("nobody waits")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one lock for all")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("decide", [repeat_in_doubt, give_up_in_doubt])
def test_a_late_reply_and_a_decision_about_its_call_do_not_wait_for_each_other(decide):
    """Both lock the run before its calls: in another order PostgreSQL would end one of them."""
    run = make_run(make_model(price_in=1000, price_out=1000), instances=2)
    taken = take(run, most=2)
    let_leases_run_out()
    land_overdue()

    def land_late() -> None:
        try:
            land([reply_to(each) for each in taken])
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Run.objects.select_for_update().get(pk=run.pk)
            late = pool.submit(land_late)
            until_another_waits_for_us()
            assert decide(run=run, actor=None) == 2
        late.result(timeout=30)
    assert run.responses.count() == 2
