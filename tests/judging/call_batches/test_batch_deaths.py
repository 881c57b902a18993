"""Runs in batches when a process dies or a provider does not answer: nothing is paid twice, nothing lost."""

import pkgutil
from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import CallBatch, CallState, RunState
from tests.factories.judging import states
from tests.interleaving.pieces import Killed
from tests.judging.call_batches.batches import batch_run, books_are_in_order, the_batch, turn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine", "no_waiting")]

STEPS = [
    "judging.call_batches.gathering.Gathering.write",
    "judging.call_batches.sending.upload",
    "judging.endpoints.batches.upload",
    "judging.call_batches.sending.create",
    "judging.endpoints.batches.create",
    "judging.call_batches.sending.adopt",
    "judging.call_batches.sending.look",
    "judging.endpoints.batches.download",
    "judging.call_batches.results.ResultLanding.land_file",
    "judging.call_batches.results.land",
    "judging.call_batches.results.ResultLanding.land_rest",
    "judging.call_batches.sending.end",
]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_death_at_any_step_leaves_nothing_in_doubt_and_pays_nothing_twice(
    server, model, monkeypatch, settings, step, when
):
    path, _, name = step.rpartition(".")
    owner = pkgutil.resolve_name(path)
    true = getattr(owner, name)

    def dies(*args, **kwargs):
        if when == "after":
            true(*args, **kwargs)
        raise Killed

    run = batch_run(model)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, dies)
        with pytest.raises(Killed):
            turn(run)
    settings.BATCH_GRACE_SECONDS = 0.0
    turn(run, 5)
    assert (run.state, states(run)) == (RunState.FINISHED, {CallState.DONE: 4})
    assert run.responses.count() == 4
    assert set(server.paid.values()) == {1}
    assert server.batches.asked.count("create") == 1
    assert books_are_in_order(run)


@pytest.mark.parametrize("kind", ["lose", "cut", "500", "408"])
def test_a_creation_without_an_answer_is_looked_up_before_it_is_tried_again(server, model, kind, settings):
    run = batch_run(model)
    others = [f"batch_of_another_{n}" for n in range(5)]  # more than a page
    server.levers.batch_faults = [f"create:{kind}"]
    turn(run)
    server.levers.batch_faults = []
    for name in others:
        server.batches.files[name] = b""
        server.batches.create({"input_file_id": name})
    turn(run)
    is_there = kind == "lose"
    assert server.batches.asked.count("create") == 1, "not known yet whether it exists"
    assert (run.state == RunState.FINISHED) == is_there
    settings.BATCH_GRACE_SECONDS = 0.0
    assert turn(run, 3).state == RunState.FINISHED
    assert server.batches.asked.count("create") == (1 if is_there else 2)
    assert set(server.paid.values()) == {1}
    assert not run.calls.filter(state=CallState.IN_DOUBT).exists()


def test_where_batches_cannot_be_listed_a_lost_creation_is_in_doubt(server, model):
    server.levers.batch_faults = ["create:lose", "list:404"]
    run = turn(batch_run(model), 2)
    assert states(run) == {CallState.IN_DOUBT: 4}
    assert "It is not known whether the provider created the batch" in the_batch(run).message
    assert books_are_in_order(run)


def test_a_provider_that_is_down_is_asked_again_and_again(server, model):
    server.levers.batch_seconds = 3600.0
    run = turn(batch_run(model))
    for fault in ("look:500", "look:401", "look:cut", "look:404"):
        server.levers.batch_faults = [fault]
        turn(run)
        assert the_batch(run).message
        assert states(run) == {CallState.SENT: 4}
    server.levers.batch_faults, server.levers.batch_seconds = ["content:500"], 0.0
    turn(run)
    assert states(run) == {CallState.SENT: 4}
    server.levers.batch_faults = []
    assert turn(run).state == RunState.FINISHED
    assert the_batch(run).message == ""


def test_a_batch_that_its_provider_has_forgotten_is_in_doubt_after_some_days(server, model):
    server.levers.batch_seconds = 3600.0
    run = turn(batch_run(model))
    server.levers.batch_faults = ["look:404"]
    CallBatch.objects.update(sent_at=timezone.now() - timedelta(days=3))
    turn(run)
    assert states(run) == {CallState.IN_DOUBT: 4}
    assert books_are_in_order(run)
