"""Starting, cancelling and retrying large runs: others write meanwhile, and half a start is no start."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from core.models import Event
from judging.models import Call, CallState, Run, RunState
from judging.runs.calls.calls import pending_calls
from judging.runs.repeating import give_up_in_doubt, retry_failed
from judging.runs.runs import cancel_run, create_run, start_run
from judging.runs.sweep import sweep
from judging.tasks import start_runs
from tests.factories.judging import make_model, make_release, make_run, states, templates
from tests.interleaving.pieces import PIECE, Killed

pytestmark = pytest.mark.usefixtures("engine", "pauses")
MANY = 35


def planned(model=None) -> Run:
    model = model or make_model()
    return create_run(release=make_release(MANY), language_models=[model], templates=templates("5"))


def killed_start(pauses) -> Run:
    run = planned()
    pauses.kill_at = 2
    with pytest.raises(Killed):
        start_run(run=run)
    pauses.kill_at = None
    run.refresh_from_db()
    return run


def test_others_write_while_a_run_starts(pauses):
    run = planned()
    pauses.count = lambda: Call.objects.count()
    start_run(run=run)
    assert pauses.grew_by() == [PIECE, PIECE, PIECE, 5]
    assert (run.state, run.calls.count()) == (RunState.RUNNING, MANY)


def test_no_call_goes_out_and_none_is_shown_before_all_are_written(pauses, sign_in, admin):
    run = planned()
    client = sign_in(admin)
    seen = []

    def look():
        page = client.get(reverse("run", args=[run.pk])).content.decode()
        calls = client.get(reverse("run_calls", args=[run.pk])).content.decode()
        listed = client.get(reverse("runs")).content.decode()
        now = timezone.now()
        seen.append((pending_calls(run.language_models.get().pk, now=now).count(), "Being started" in page))
        assert 'class="run-bar' not in page
        assert f"call/{Call.objects.first().key}" not in calls
        assert "10 calls" not in listed

    pauses.look = look
    start_run(run=run)
    assert seen == [(0, True)] * 4


def test_a_start_that_was_killed_is_gone_on_with_by_the_clock(pauses):
    run = killed_start(pauses)
    assert (run.state, run.calls.count()) == (RunState.STARTING, 2 * PIECE)
    keys = set(run.calls.values_list("key", flat=True))
    start_runs()
    assert run.calls.count() == 2 * PIECE, "its process may be alive"
    Run.objects.update(starting_until=timezone.now() - timedelta(seconds=1))
    start_runs()
    run.refresh_from_db()
    assert (run.state, states(run)) == (RunState.RUNNING, {"pending": MANY})
    assert keys < set(run.calls.values_list("key", flat=True))


def test_a_half_started_run_can_be_cancelled(pauses):
    run = killed_start(pauses)
    cancel_run(run=run)
    Run.objects.filter(state=RunState.STARTING).update(starting_until=timezone.now() - timedelta(seconds=1))
    start_runs()
    run.refresh_from_db()
    assert (run.state, states(run)) == (RunState.CANCELLED, {"cancelled": 2 * PIECE})


def test_a_run_cancelled_while_it_starts_gets_no_more_calls(pauses):
    run = planned()
    pauses.look = lambda: cancel_run(run=Run.objects.get(pk=run.pk)) if len(pauses.counts) == 1 else None
    with pytest.raises(Exception, match="cancelled"):
        start_run(run=run)
    assert states(run) == {"cancelled": PIECE}


def test_others_write_while_a_run_is_cancelled_and_the_sweep_finishes_it(pauses):
    run = make_run(make_model(), instances=MANY)
    pauses.counts.clear()
    pauses.count = lambda: Call.objects.filter(state=CallState.CANCELLED).count()
    pauses.kill_at = 2
    with pytest.raises(Killed):
        cancel_run(run=run)
    assert pauses.grew_by() == [PIECE] * 2
    pauses.kill_at = None
    sweep()
    assert states(run) == {"cancelled": MANY}


@pytest.mark.parametrize(
    ("rule", "state", "to"), [(retry_failed, "failed", "pending"), (give_up_in_doubt, "in_doubt", "failed")]
)
def test_others_write_while_calls_are_tried_again_or_given_up(pauses, rule, state, to):
    run = make_run(make_model(), instances=MANY)
    run.calls.update(
        state=state, error="gone", reason="server", failure_group="server", ended_at=timezone.now(), attempts_made=1
    )
    Run.objects.update(state=RunState.FINISHED, finished_at=timezone.now())
    pauses.counts.clear()
    pauses.count = lambda: Call.objects.filter(state=to).count()
    assert rule(run=run, actor=None) == MANY
    assert pauses.grew_by() == [PIECE, PIECE, PIECE, 5]
    assert states(run) == {to: MANY}


@pytest.mark.parametrize(("rule", "state"), [(retry_failed, "failed"), (give_up_in_doubt, "in_doubt")])
def test_the_log_knows_of_a_retry_that_was_killed_and_the_run_goes_on_with_it(pauses, admin, rule, state):
    run = make_run(make_model(), instances=MANY)
    run.calls.update(
        state=state, error="gone", reason="server", failure_group="server", ended_at=timezone.now(), attempts_made=1
    )
    Run.objects.update(state=RunState.FINISHED, finished_at=timezone.now())
    pauses.counts.clear()
    pauses.kill_at = 2
    with pytest.raises(Killed):
        rule(run=run, actor=admin)
    pauses.kill_at = None
    assert run.calls.exclude(state=state).count() == 2 * PIECE
    said = Event.objects.about(run).last()
    assert (said.actor, said.after["calls"]) == (admin, MANY)
    run.refresh_from_db()
    assert run.state == (RunState.RUNNING if rule is retry_failed else RunState.FINISHED)


def test_showing_a_plan_writes_nothing(capsys):
    model = make_model()
    make_release(MANY)
    templates("5")
    with CaptureQueriesContext(connection) as queries:
        call_command("start_run", models=[model.name], templates=["5"], plan=True)
    said = capsys.readouterr().out
    assert f"{MANY} calls" in said
    written = [q["sql"] for q in queries if not q["sql"].lstrip().upper().startswith("SELECT")]
    assert written == []
    assert not Run.objects.exists()
