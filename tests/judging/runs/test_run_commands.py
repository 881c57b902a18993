"""Runs from the terminal: plan, start, follow, resume."""

import io
import json
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from judging.catalogue.standard import judge_baseline
from judging.models import Response, Run, RunState
from judging.runs.calls.calls import ReadAhead, take_calls
from judging.runs.calls.landing import land
from judging.runs.runs import finish_runs, pause_run
from tests.factories.judging import make_model, make_release, make_run, templates, work
from tests.judging.runs.test_claims import body, landed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def run_command(*args: object) -> str:
    out = io.StringIO()
    call_command(*map(str, args), stdout=out)
    return out.getvalue()


@pytest.fixture
def model(server):
    templates()
    make_release(2)
    return make_model(server.base_url, name="Ours", price_in=Decimal(1), price_out=Decimal(2))


def test_the_plan_comes_first_and_nothing_happens_without_a_yes(model, server, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _question: "n")
    said = run_command("start_run", "--models", "Ours", "--templates", "1", "5.3", "--budget", "3")
    assert "2 calls; cost US$0.0" in said
    assert "Left out with prompt 5.3: 2, because the conflict is not resolved yet." in said
    assert "Nothing was started." in said
    assert run_command("start_run", "--models", "Ours", "--plan").count("Nothing was started") == 1
    assert Run.objects.count() == len(server.calls) == 0


def test_the_plan_of_a_model_without_a_price_says_so(model, server):
    make_model(server.base_url, name="Free", price_in=None, price_out=None)
    said = run_command("start_run", "--models", "Free", "--templates", "1", "--plan")
    assert "2 calls; none of its models has a price." in said
    assert "cost no price" not in said


def test_a_run_made_here_is_followed_to_its_end(model, server):
    said = run_command("start_run", "--models", "Ours", "--templates", "1", "5", "--yes", "--here", "--name", "first")
    run = Run.objects.get()
    assert (run.state, run.name, run.responses.count()) == (RunState.FINISHED, "first", 4)
    assert "finished: 4 of 4 done, 0 failed, 0 in doubt, 0 left" in said


def test_what_a_worker_has_taken_meanwhile_is_followed_to_its_end(model, monkeypatch):
    """A worker that runs may be quicker than the command that says --here."""

    taken = []

    def worker_takes_all(watch):
        taken.extend(take_calls(ReadAhead(model), most=9, worker="another"))

    def worker_ends(seconds):
        land([landed(each, body()) for each in taken])
        finish_runs()

    monkeypatch.setattr("judging.call_batches.advancing.make_all_calls", worker_takes_all)
    monkeypatch.setattr("judging.runs.printing.time.sleep", worker_ends)
    said = run_command("start_run", "--models", "Ours", "--templates", "1", "--yes", "--here")
    assert "finished: 2 of 2 done" in said


def test_a_run_that_is_left_to_the_worker_can_be_waited_for(model, settings, django_capture_on_commit_callbacks):
    # The tests' Celery works in this process, once the transaction is through.
    with django_capture_on_commit_callbacks(execute=True):
        run_command("start_run", "--models", "Ours", "--templates", "1", "--yes")
    run = Run.objects.get()
    assert "2 of 2 done" in run_command("run_status", run.pk)
    assert "Run 1" in run_command("resume_run", run.pk, "--wait").replace(f"Run {run.pk}", "Run 1")


def test_a_judge_run_starts_from_the_terminal(model):
    run_command("start_run", "--models", "Ours", "--templates", "1", "--yes", "--here")
    first = Run.objects.get()
    run_command("start_run", "--judge-runs", first.pk, "--models", judge_baseline().name, "--yes", "--here")
    assert Run.objects.get(kind="judge").judgments.count() == 2


@pytest.mark.parametrize("word", ["--yes", "--dry-run"])
def test_no_run_is_planned_that_has_nothing_to_ask(model, word):
    run_command("start_run", "--models", "Ours", "--templates", "1", "--yes", "--here")
    first = Run.objects.get()
    with pytest.raises(CommandError, match="no calls to make"):
        run_command("start_run", "--models", "Ours", "--templates", "1", "--only-missing", word)
    Response.objects.update(mark="cut")
    judge = judge_baseline().name
    with pytest.raises(CommandError, match="no calls to make"):
        run_command("start_run", "--judge-runs", first.pk, "--models", judge, word)
    assert Run.objects.get() == first


def test_what_did_not_come_through_is_said_with_what_to_do(model, server):
    server.levers.faults = ["500/2", "400/3"]
    with pytest.raises(CommandError, match="not complete"):
        run_command("start_run", "--models", "Ours", "--templates", "1", "4", "--yes", "--here")
    run = Run.objects.get()
    said = run_command("run_status", run.pk)
    assert f"manage.py resume_run {run.pk} --retry-failed" in said
    assert f"manage.py resume_run {run.pk} --repeat-in-doubt" in said
    server.levers.faults = []
    said = run_command("resume_run", run.pk, "--retry-failed", "--repeat-in-doubt", "--here")
    assert "4 of 4 done" in said


def test_one_group_of_failures_is_tried_again_alone(model, server):
    server.levers.faults = ["500/2", "400/3"]
    with pytest.raises(CommandError, match="not complete"):
        run_command("start_run", "--models", "Ours", "--templates", "1", "4", "5", "--yes", "--here")
    run = Run.objects.get()
    status = json.loads(run_command("run_status", run.pk, "--json"))
    [failed], [doubtful] = status["failed"], status["in_doubt"]
    assert (failed["calls"], failed["reason"], failed["model"]) == (1, "request", "Ours")
    assert f"group {failed['group']}" in run_command("run_status", run.pk)
    with pytest.raises(CommandError, match="--group works only with"):
        run_command("resume_run", run.pk, "--group", failed["group"])
    server.levers.faults = []
    assert "0 failed calls" in run_command("resume_run", run.pk, "--retry-failed", "--group", doubtful["group"])
    assert "1 failed call." in run_command("resume_run", run.pk, "--retry-failed", "--group", failed["group"])
    work(run)
    assert json.loads(run_command("run_status", run.pk, "--json"))["failed"] == []


def test_a_budget_that_stops_a_run_can_be_raised(model, server):
    with pytest.raises(CommandError, match="not complete"):
        run_command("start_run", "--models", "Ours", "--templates", "1", "--yes", "--here", "--budget", "0.0006")
    run = Run.objects.get()
    assert run.state == RunState.STOPPED
    assert "--budget AMOUNT" in run_command("run_status", run.pk)
    run_command("resume_run", run.pk, "--budget", "1", "--here")
    run.refresh_from_db()
    assert run.state == RunState.FINISHED


def test_the_status_is_there_for_programs(model):
    run = make_run(model, instances=2)
    pause_run(run=run)
    status = json.loads(run_command("run_status", run.pk, "--json"))
    assert status["state"] == "paused"
    assert status["calls"]["left"] == 2
    assert json.loads(run_command("run_status", "--json"))[0] == status
    run_command("resume_run", run.pk)
    work(run)
    assert json.loads(run_command("run_status", run.pk, "--json"))["calls"]["done"] == 2


def test_runs_are_paused_and_cancelled(model):
    run = make_run(model, instances=2)
    assert "is paused" in run_command("pause_run", run.pk)
    assert "is cancelled" in run_command("pause_run", run.pk, "--cancel")
    with pytest.raises(CommandError, match="cancelled"):
        run_command("resume_run", run.pk)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["start_run", "--models", "Nobody", "--yes"], "no model “Nobody”. There are: Baseline"),
        (["start_run", "--models", "Ours", "--templates", "9", "--yes"], "no prompt “9”"),
        (["start_run", "--models", "Ours", "--release", "99", "--yes"], "99"),
        (["start_run", "--models", "Ours", "--budget", "lots"], "invalid amount value"),
        (["start_run", "--models", "Ours", "--repetitions", "0", "--yes"], "at least one repetition"),
        (["start_run", "--judge-runs", "99", "--models", "Ours"], "no run 99"),
        (["run_status", "99"], "no run 99"),
        (["resume_run", "99"], "no run 99"),
    ],
)
def test_a_wrong_word_is_refused_and_nothing_is_left_behind(model, args, words):
    with pytest.raises(CommandError, match=words):
        run_command(*args)
    assert Run.objects.count() == 0


def test_without_runs_the_status_says_how_to_get_one():
    assert "start_run" in run_command("run_status")
