"""Actions on several runs of the list: on all that are selected, or on none."""

import pytest
from django.utils import timezone

from core.models import Event
from judging.models import Run, RunKind, RunState

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def make_runs(*states: RunState) -> list[int]:
    return [Run.objects.create(kind=RunKind.ANSWER, state=state, started_at=NOW).pk for state in states]


def change(client, runs: list[int], action: str):
    return client.post("/judging/runs/change/", {"run": runs, "action": action, "sure": "1"}, follow=True)


def states() -> list[str]:
    return list(Run.objects.order_by("pk").values_list("state", flat=True))


def test_ticked_runs_are_paused_continued_and_cancelled(admin, sign_in):
    client = sign_in(admin)
    first, second, _ = make_runs(RunState.RUNNING, RunState.RUNNING, RunState.RUNNING)
    assert "Done for 2 runs." in change(client, [first, second], "pause").text
    assert states() == ["paused", "paused", "running"]
    change(client, [first], "resume")
    assert states() == ["running", "paused", "running"]
    change(client, [first, second], "cancel")
    assert states() == ["cancelled", "cancelled", "running"]
    assert Event.objects.filter(actor=admin).count() == 5


@pytest.mark.parametrize("action", ["pause", "resume", "cancel", "retry"])
def test_if_one_run_refuses_none_is_changed_and_it_is_named(action, admin, sign_in):
    state = RunState.PAUSED if action == "resume" else RunState.RUNNING
    refused = RunState.FINISHED if action == "cancel" else RunState.CANCELLED
    runs = make_runs(state, refused, state)
    answer = change(sign_in(admin), runs, action)
    assert answer.status_code == 409
    assert f"Run {runs[1]}: The run " in answer.text
    assert states() == [state, refused, state]
    assert not Event.objects.filter(actor=admin).exists()


def test_nothing_ticked_or_nothing_chosen_is_refused(admin, sign_in):
    client, runs = sign_in(admin), make_runs(RunState.RUNNING)
    assert change(client, [], "pause").status_code == 400
    assert change(client, runs, "delete").status_code == 400
    assert states() == ["running"]
