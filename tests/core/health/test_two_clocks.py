"""However many clocks run, each message is sent once, and a clock that dies is replaced."""

import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from celery import Celery
from celery.schedules import crontab
from django.db import OperationalError
from django.utils import timezone

from core.health import clock, signs, turn
from core.models import Sign, SignKind
from tests.config.reading.test_environment import environment

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(clock, "give_signs", lambda: None)
    monkeypatch.setattr(turn, "connection", SimpleNamespace(close=lambda: None))  # it is the test's, too


@pytest.fixture
def become(monkeypatch):
    """Be another machine's process from now on."""
    return lambda name: monkeypatch.setattr(turn, "process_name", lambda: name)


def renewed(ago: timedelta) -> None:
    Sign.objects.filter(kind=SignKind.TURN).update(at=timezone.now() - ago)


def test_one_of_two_clocks_has_the_turn(become):
    for name, has_it in (("a:1", True), ("b:1", False), ("a:1", True), ("b:1", False)):
        become(name)
        assert (turn.take_turn() is not None) == has_it
    renewed(turn.LEASE)
    assert turn.take_turn() is not None  # a is silent
    become("a:1")
    assert turn.take_turn() is None


def test_a_turn_that_was_released_or_is_of_an_ended_process_of_this_machine_is_free_at_once(become):
    become("a:1")
    turn.take_turn()
    turn.release_turn()
    become("b:1")
    assert turn.take_turn() is not None
    gone = subprocess.Popen(["true"])
    gone.wait()
    machine = signs.process_name().rpartition(":")[0]
    for number, is_free in ((os.getpid(), False), (gone.pid, True)):
        Sign.objects.update(at=timezone.now(), facts={**turn._me(), "holder": f"{machine}:{number}"})
        assert (turn.take_turn() is not None) == is_free


def test_of_two_clocks_that_see_a_free_turn_one_takes_it(become, monkeypatch):
    become("a:1")
    turn.take_turn()
    turn.release_turn()
    real = turn._is_over

    def overtaken(facts):
        become("c:1")
        monkeypatch.setattr(turn, "_is_over", real)
        assert turn.take_turn() is not None
        return True

    become("b:1")
    monkeypatch.setattr(turn, "_is_over", overtaken)
    assert turn.take_turn() is None
    assert Sign.objects.get(kind=SignKind.TURN).facts["holder"] == "c:1"


class Sending(clock.Clock):
    """A clock that notes the names of what it would send."""

    def __init__(self, path: Path, name: str, become) -> None:
        app = Celery("test", set_as_current=False)
        app.conf.result_expires = None  # no entry of Celery's own
        app.conf.beat_schedule = {
            "often": {"task": "often", "schedule": timedelta(seconds=5)},
            "nightly": {"task": "nightly", "schedule": crontab(hour=2, minute=7)},
        }
        self.name, self.become, self.sent = name, become, list[str]()
        super().__init__(app, schedule_filename=str(path / name))

    @property
    def producer(self):
        return None

    def apply_async(self, entry, producer=None, advance=True, **kwargs):
        self.sent.append(entry.name)

    def all_ticks(self) -> list[str]:
        """Tick until nothing is due; returns what was sent."""
        self.become(self.name)
        self.sent, self._asked_at = [], float("-inf")
        while self.tick() == 0:
            pass
        return sorted(self.sent)


@pytest.fixture
def at(monkeypatch):
    """Set the time, as hour and minute of a day."""

    def set_to(hour: int, minute: int, second: int = 0) -> None:
        now = datetime(2026, 11, 28, hour, minute, second, tzinfo=timezone.get_default_timezone())
        monkeypatch.setattr(timezone, "now", lambda: now)
        monkeypatch.setattr(Celery, "now", lambda self: now)

    return set_to


def test_each_message_is_sent_by_one_clock_and_none_is_left_out_when_another_takes_over(
    at, become, tmp_path, monkeypatch
):
    at(1, 0)
    monkeypatch.setattr(clock, "give_signs", lambda: None)
    first, second = Sending(tmp_path, "a:1", become), Sending(tmp_path, "b:1", become)
    assert first.all_ticks() == second.all_ticks() == []
    at(1, 0, 6)
    assert (second.all_ticks(), first.all_ticks()) == ([], ["often"])
    at(2, 7, 1)
    assert (first.all_ticks(), second.all_ticks()) == (["nightly", "often"], [])
    at(2, 9)  # the first has died
    assert second.all_ticks() == ["often"], "the work of the night has been sent"
    at(2, 9, 5)
    assert first.all_ticks() == [], "it was frozen only, and has lost its turn"
    at(2, 9, 10)
    assert second.all_ticks() == ["often"]


def test_the_work_of_a_night_in_which_no_clock_ran_is_sent_once_in_the_morning(at, become, tmp_path):
    at(1, 0)
    assert Sending(tmp_path, "a:1", become).all_ticks() == []
    at(8, 0)
    second, third = Sending(tmp_path, "b:1", become), Sending(tmp_path, "c:1", become)
    assert (second.all_ticks(), third.all_ticks()) == (["nightly", "often"], [])


def test_without_the_database_a_clock_goes_on_as_long_as_no_other_can_have_its_turn(
    at, become, tmp_path, monkeypatch
):
    at(1, 0)
    one = Sending(tmp_path, "a:1", become)
    one.all_ticks()

    def away():
        raise OperationalError("gone")

    monkeypatch.setattr(turn, "take_turn_and_hang_up", away)
    at(1, 0, 6)
    assert one.all_ticks() == ["often"]
    one._had_at -= turn.LEASE.total_seconds()
    at(1, 0, 12)
    assert one.all_ticks() == []


@pytest.mark.thorough
def test_two_real_clocks_send_each_message_once_and_the_second_goes_on_when_the_first_is_killed(migrated, tmp_path):
    shutil.copy(migrated, tmp_path / "workbench.sqlite3")
    command = [sys.executable, "-m", "celery", "-A", "config", "beat", "--pidfile="]
    clocks = [
        subprocess.Popen([*command, "-s", str(tmp_path / name)], cwd=ROOT, env=environment(tmp_path)) for name in "ab"
    ]

    def sent(task: str) -> list[float]:
        messages = sorted(tmp_path.glob("messages/queue/*.msg"), key=lambda path: path.stat().st_mtime)
        return [path.stat().st_mtime for path in messages if task in path.read_text()]

    def wait_for(count: int) -> None:
        deadline = time.monotonic() + 90
        while len(sent("call_models")) < count and time.monotonic() < deadline:
            time.sleep(0.5)

    try:
        wait_for(4)
        with sqlite3.connect(tmp_path / "workbench.sqlite3") as database:
            ((facts,),) = database.execute("SELECT facts FROM core_sign WHERE kind = 'turn'")
        holder = next(each for each in clocks if f":{each.pid}" in facts)
        holder.kill()
        holder.wait()
        before = len(sent("call_models"))
        wait_for(before + 3)
    finally:
        for each in clocks:
            each.terminate()
            each.wait()
    times = sent("call_models")
    assert len(times) >= before + 3
    # Every five seconds; the second asks for the turn every 15.
    gaps = [round(later - earlier, 1) for earlier, later in itertools.pairwise(times)]
    assert all(4 < gap < 22 for gap in gaps), gaps
    assert len(sent("clear_expired")) <= 1
