"""Worker and clock give signs of life; when they stop, the site and their health checks say so."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from config import alive
from core.health import beating, clock, signs
from core.health.checks import Finding, State, found_by, worst
from core.health.ready import answers, clock_findings, worker_findings
from core.health.tasks import clear_signs, sign_work
from core.models import Sign, SignKind
from tests.config.reading.test_environment import environment

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path


def state(check: Callable[[], list[Finding]]) -> State:
    return worst(check())


@pytest.mark.django_db
def test_without_any_sign_worker_and_clock_have_failed():
    assert (state(worker_findings), state(clock_findings)) == (State.FAILED, State.FAILED)


@pytest.mark.django_db
def test_signs_make_them_well_and_old_ones_do_not_count():
    signs.give_sign(SignKind.WORKER, "a:1")
    signs.give_sign(SignKind.CLOCK, "a:2")
    assert state(worker_findings) == State.OK
    assert state(clock_findings) == State.FAILED, "no message of the clock has reached a worker"
    sign_work()
    assert state(clock_findings) == State.OK
    Sign.objects.update(at=timezone.now() - timedelta(minutes=2))
    assert (state(worker_findings), state(clock_findings)) == (State.FAILED, State.FAILED)


@pytest.mark.django_db
def test_one_row_for_each_process_and_those_of_ended_ones_are_cleared():
    for _ in range(3):
        signs.give_sign(SignKind.WORKER, "a:1")
    signs.give_sign(SignKind.WORKER, "a:2")
    sign_work()
    assert Sign.objects.filter(kind=SignKind.WORKER).count() == 2
    Sign.objects.exclude(name="a:2").update(at=timezone.now() - timedelta(days=3))
    clear_signs()
    assert {(sign.kind, sign.name) for sign in Sign.objects.all()} == {("worker", "a:2"), ("work", ""), ("sums", "")}


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_stops_neither_worker_nor_clock(monkeypatch, tmp_path):
    def gone(*arguments: object, **facts: object) -> None:
        raise OSError("gone")

    monkeypatch.setattr(beating, "give_sign_and_hang_up", gone)
    monkeypatch.setattr(signs, "give_sign_and_hang_up", gone)
    beating.write_row()
    clock.give_signs()
    assert not Sign.objects.exists()
    assert alive.seconds_since("clock", tmp_path) < 60


def test_a_check_that_breaks_is_unknown_and_never_ok():
    def broken() -> list[Finding]:
        raise RuntimeError("secret detail")

    (finding,) = found_by("Disk", broken)
    assert finding.state == State.UNKNOWN
    assert "secret" not in finding.sentence
    assert worst([]) == State.UNKNOWN
    assert worst([Finding("a", State.OK, ""), finding]) == State.UNKNOWN


@pytest.mark.django_db
def test_readiness_names_states_and_no_details(client, tmp_path):
    answers.forget()
    signs.give_sign(SignKind.WORKER, "machine-7:1")
    lines = client.get("/ready/").content.decode().splitlines()
    answers.forget()
    assert {"database: ok", "migrations: ok", "workers: ok", "clock: failed"} <= set(lines)
    assert not any("machine-7" in line or str(tmp_path) in line for line in lines)


@pytest.mark.django_db
def test_many_who_ask_get_one_answer(client, django_assert_num_queries):
    answers.forget()
    client.get("/ready/")
    with django_assert_num_queries(0):
        client.get("/ready/")
    answers.forget()


def health_check(kind: str, folder: Path) -> int:
    command = [sys.executable, "-m", "config.alive", kind]
    return subprocess.run(command, cwd=ROOT, env=environment(folder), capture_output=True, check=False).returncode


def test_the_health_check_of_a_container_looks_at_the_age_of_the_sign(tmp_path):
    assert health_check("worker", tmp_path) == 1
    signs.touch(SignKind.WORKER)
    assert health_check("worker", tmp_path) == 0
    assert health_check("clock", tmp_path) == 1
    old = time.time() - 120
    os.utime(signs.sign_file(Path(settings.VAR_DIR), "worker"), (old, old))
    assert health_check("worker", tmp_path) == 1
    assert health_check("web", tmp_path) == 2


@pytest.mark.thorough
@pytest.mark.django_db
def test_a_real_worker_with_its_clock_gives_signs_and_falls_silent_when_it_is_frozen(migrated, tmp_path):
    shutil.copy(migrated, tmp_path / "workbench.sqlite3")
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--beat", "--pool", "threads"]
    worker = subprocess.Popen([*command, "--concurrency", "2"], cwd=ROOT, env=environment(tmp_path))

    def kinds() -> set[str]:
        with sqlite3.connect(tmp_path / "workbench.sqlite3") as database:
            return {kind for (kind,) in database.execute("SELECT kind FROM core_sign")}

    try:
        deadline = time.monotonic() + 90
        while not kinds() >= {"worker", "clock", "work"} and time.monotonic() < deadline:
            time.sleep(0.5)
        assert kinds() >= {"worker", "clock", "work"}
        assert health_check("worker", tmp_path) == health_check("clock", tmp_path) == 0
        worker.send_signal(signal.SIGSTOP)
        file = signs.sign_file(tmp_path, "worker")
        before = file.stat().st_mtime
        time.sleep(signs.SIGN_EVERY + 3)
        assert file.stat().st_mtime == before
    finally:
        worker.send_signal(signal.SIGCONT)
        worker.terminate()
        worker.wait()
