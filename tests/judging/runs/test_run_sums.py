"""Numbers of large runs on pages: sums that the database keeps, whichever statement changes the rows."""

import pytest
from django.db import connection, transaction
from django.utils import timezone

from judging.models import Attempt, Call, CallState, CallSums, OutputSums, Response
from speed.large.runs import make_large_runs
from speed.list_requests import RUNS
from tests.factories.judging import make_model, make_run, work
from tests.judging.run_sums import check_sums

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def test_whatever_changes_many_calls_at_once_changes_their_sums(server):
    run = make_run(make_model(server.base_url, price_in=1, price_out=1), instances=4)
    other = make_run(make_model(server.base_url), instances=2, codes=("1",))
    check_sums()
    work(run)
    check_sums()
    assert {(each.run_id, each.done) for each in CallSums.objects.all()} == {(run.pk, 4), (other.pk, 2)}
    Call.objects.filter(run__in=[run, other]).update(state=CallState.CANCELLED, ended_at=timezone.now())
    Attempt.objects.update(cost=None)
    check_sums()
    Response.objects.update(reused=True)
    check_sums()
    Response.objects.all().delete()
    check_sums()
    assert not any(each.count for each in OutputSums.objects.all())


# The database's steps may vary this much between a run and one three times as large.
FLAT, STEPS, FEW = 1.2, 100, 20


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite tells how many steps a statement takes")
def test_pages_of_runs_take_as_many_steps_for_many_calls(admin, sign_in):
    client = sign_in(admin)
    few, many = (_steps(client, count) for count in (6_000, 18_000))
    assert not {path: (few[path], steps) for path, steps in many.items() if steps > FLAT * few[path] + FEW}


def _steps(client, calls: int) -> dict[str, int]:
    """For each address the steps of SQLite's machine, in hundreds."""
    with transaction.atomic():
        answers, judged = make_large_runs(calls)
        named = {"answers": answers.pk, "judged": judged.pk, "model": judged.language_models.all()[0].pk}
        steps = {path: _steps_of(client, path.format(**named)) for path in RUNS}
        transaction.set_rollback(True)
    return steps


def _steps_of(client, address: str) -> int:
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    assert client.get(address).status_code == 200  # what a process keeps is made
    connection.connection.set_progress_handler(count, STEPS)
    client.get(address)
    connection.connection.set_progress_handler(None, STEPS)
    return steps
