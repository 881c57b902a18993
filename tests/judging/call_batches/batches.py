"""Helpers for tests of runs in batches: a model that offers them, a run, and a turn of the clock."""

from datetime import timedelta

from django.utils import timezone

from judging.call_batches.advancing import advance_batches
from judging.models import CallBatch, CallState, LanguageModel, Run
from judging.runs.sweep import sweep
from tests.factories.judging import committed_by_attempts, make_run


def batch_run(model: LanguageModel, *, instances: int = 4, **values) -> Run:
    return make_run(model, instances=instances, in_batches=True, **values)


def turn(run: Run, times: int = 1) -> Run:
    """A turn of the clock after which every pause is over and every lease has lapsed."""
    for _ in range(times):
        past = timezone.now() - timedelta(seconds=1)
        CallBatch.objects.update(not_before=past)
        CallBatch.objects.exclude(lease_expires_at=None).update(lease_expires_at=past)
        run.calls.filter(state=CallState.PENDING).update(not_before=past)
        assert advance_batches()
        sweep()
    run.refresh_from_db()
    return run


def the_batch(run: Run) -> CallBatch:
    return run.call_batches.get()


def books_are_in_order(run: Run) -> bool:
    run.refresh_from_db()
    return run.committed == committed_by_attempts(run)
