"""Runs in batches, with the real client, against a batch server that others wrote: AIBrix, on files of its own.

It makes the calls of a batch at the counting server, so that what was paid is known.
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import httpx2
import pytest
from django.utils import timezone

from judging.call_batches.advancing import advance_batches
from judging.models import BatchState, CallState, LanguageModel, Run, RunState
from judging.runs.repeating import repeat_in_doubt
from judging.runs.runs import cancel_run
from judging.runs.sweep import sweep
from tests.environments import FOLDER, for_tests
from tests.factories.judging import committed_by_attempts, make_model, make_run, states
from tests.servers.llm_server import LlmServer
from tests.servers.services import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine"), pytest.mark.third_party]

# On a machine that is busy with other tests.
SECONDS_TO_START, SECONDS_TO_END = 120.0, 120.0


@pytest.fixture(scope="module")
def backend() -> Iterator[LlmServer]:
    with LlmServer() as server:
        yield server


@pytest.fixture(scope="module")
def batch_server(backend: LlmServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of AIBrix's files and batches."""
    folder, port = tmp_path_factory.mktemp("aibrix"), free_port()
    python = for_tests("aibrix") / "bin" / "python"
    command = [str(python), str(FOLDER / "aibrix" / "serve.py"), backend.base_url.removesuffix("/v1"), str(port)]
    env = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=env, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until_it_answers(port, process, folder / "log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def wait_until_it_answers(port: int, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    with httpx2.Client(timeout=5) as client:
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if client.get(f"http://127.0.0.1:{port}/healthz").status_code == 200:
                    return
            except httpx2.TransportError:
                time.sleep(0.2)
    raise RuntimeError(f"AIBrix did not start: {log.read_text()[-2000:]}")


@pytest.fixture
def model(batch_server: str, backend: LlmServer, settings) -> LanguageModel:
    settings.CALL_BACKOFF_SECONDS = 0.001
    settings.BATCH_POLL_SECONDS = 0.0
    return make_model(batch_server, offers_batches=True, price_in=Decimal(1), price_out=Decimal(2))


def follow(run: Run, until: Callable[[Run], bool]) -> None:
    """Advance the run's batches, as the clock does, until this holds."""
    deadline = time.monotonic() + SECONDS_TO_END
    while not until(run):
        assert time.monotonic() < deadline, (states(run), list(run.call_batches.values_list("state", "message")))
        run.call_batches.update(not_before=timezone.now(), lease_expires_at=None)
        assert advance_batches()
        sweep()
        run.refresh_from_db()
        time.sleep(0.1)


def is_over(run: Run) -> bool:
    return run.state != RunState.RUNNING and not run.call_batches.exclude(state=BatchState.ENDED).exists()


def is_over_or_in_doubt(run: Run) -> bool:
    return not run.calls.exclude(state__in=[CallState.DONE, CallState.IN_DOUBT]).exists()


def test_a_whole_run_goes_out_in_batches_and_every_response_comes_back(model, backend):
    LanguageModel.objects.filter(pk=model.pk).update(batch_calls=5)
    paid = len(backend.paid)
    run = make_run(model, instances=8, in_batches=True)
    follow(run, is_over)
    assert (run.state, run.responses.count(), states(run)) == (RunState.FINISHED, 8, {CallState.DONE: 8})
    assert [batch.calls for batch in run.call_batches.order_by("pk")] == [5, 3]
    assert len(backend.paid) - paid == 8
    response = run.responses.select_related("attempt").latest("pk")
    assert response.text == "The answer."
    assert response.cost == model.cost(response.prompt_tokens or 0, response.completion_tokens or 0) / 2 > 0
    assert run.committed == committed_by_attempts(run)


def test_a_line_without_a_reply_is_in_doubt_and_goes_out_again_when_an_admin_says_so(model, backend):
    """AIBrix does not pass on with which status a call was refused, so nobody knows whether it was paid."""
    backend.levers.faults = ["400:length/3"]
    try:
        run = make_run(model, instances=6, in_batches=True)
        follow(run, is_over_or_in_doubt)
    finally:
        backend.levers.faults = []
    assert states(run) == {CallState.DONE: 4, CallState.IN_DOUBT: 2}
    doubtful = run.calls.filter(state=CallState.IN_DOUBT)
    assert {call.reason for call in doubtful} == {"inference_failed"}
    assert all("HTTP 400" in call.error for call in doubtful)
    assert run.committed == committed_by_attempts(run)
    repeat_in_doubt(run=run, actor=None)
    follow(run, is_over)
    assert (run.state, run.responses.count(), run.call_batches.count()) == (RunState.FINISHED, 6, 2)


def test_a_cancelled_run_cancels_its_batch_and_keeps_what_was_answered(model, backend):
    """Four calls are answered, and none after them before AIBrix is told to cancel; what it makes then is refused."""
    answered: list[dict] = []

    def answer(request: dict) -> str:
        answered.append(request)
        if len(answered) == 4:
            backend.levers.faults = ["hang"]
        return "The answer."

    backend.answer = answer
    try:
        run = make_run(model, instances=40, in_batches=True)
        follow(run, lambda run: bool(backend.hanging))
        cancel_run(run=run)
        follow(run, lambda run: run.call_batches.filter(cancelled_at__isnull=False).exists())
        backend.levers.faults = ["400:length"]
        backend.cut_hanging()
        follow(run, is_over)
    finally:
        backend.answer, backend.levers.faults = None, []
    assert run.state == RunState.CANCELLED
    assert CallState.SENT not in states(run)
    assert run.responses.count() == states(run).get(CallState.DONE, 0) == 4
    assert run.committed == committed_by_attempts(run)
