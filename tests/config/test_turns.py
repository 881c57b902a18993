"""On SQLite processes write in turn, and one that was killed or stopped holds nobody up."""

import errno
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from config.sqlite.turns import ProcessTurns, Turns

ROOT = Path(__file__).parents[2]
# Opens the database as the program does; `write` takes the turn, the lock, a moment, and writes its name.
WRITER = """
import sys, time
import django
from django.conf import settings
settings.configure(DATABASES={"default": {"ENGINE": "config.sqlite", "NAME": sys.argv[1], "OPTIONS": {
    "transaction_mode": "IMMEDIATE", "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"}}})
django.setup()
from django.db import connection, transaction

def write(name, seconds):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO written (name) VALUES (%s)", [name])
        time.sleep(seconds)
"""
FOR_EVER = "print('begun', flush=True)\nwhile True: write(sys.argv[2], 0.01)"
TWENTY = "for _ in range(20): write(sys.argv[2], 0.001)"
WITHIN_ITS_TURN = """
with transaction.atomic(), connection.cursor() as cursor:
    cursor.execute("INSERT INTO written (name) VALUES (%s)", [sys.argv[2]])
    print('begun', flush=True)
    time.sleep(600)
"""
INTERRUPTED = """
from django.db.backends.sqlite3.base import DatabaseWrapper
commit = DatabaseWrapper._commit
def interrupted(wrapper):
    commit(wrapper)
    DatabaseWrapper._commit = commit
    raise KeyboardInterrupt
DatabaseWrapper._commit = interrupted
try:
    write(sys.argv[2], 0)
except KeyboardInterrupt:
    write(sys.argv[2], 0)
"""
COMES_NEXT = """
import fcntl, sys, time
from config.sqlite.turns import ProcessTurns
turns = ProcessTurns(sys.argv[1])
turns.take(time.monotonic())
fcntl.lockf(turns._file, fcntl.LOCK_EX, 1, turns.COMES_NEXT)
print('begun', flush=True)
time.sleep(600)
"""


@pytest.fixture
def database(tmp_path) -> Path:
    path = tmp_path / "some.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE written (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)")
    connection.close()
    return path


@contextmanager
def another_process(program: str, *arguments: object) -> Iterator[subprocess.Popen]:
    """A process that has printed a line; it is killed at the end."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            process.kill()


def run(program: str, *arguments: object) -> None:
    subprocess.run([sys.executable, "-c", WRITER + program, *map(str, arguments)], cwd=ROOT, check=True)


def names(database: Path) -> str:
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT name FROM written ORDER BY id").fetchall()
    connection.close()
    return "".join(name for (name,) in rows)


def test_a_process_that_writes_again_at_once_lets_others_come_first(database):
    with another_process(WRITER + FOR_EVER, database, "a"):
        run(TWENTY, database, "b")
    between = names(database).split("b")[1:-1]
    assert len(between) == 19
    # Without turns "b" writes all of its own first. Now and then a second "a" begins before "b" asks again.
    assert 1 <= statistics.median(map(len, between)) <= 2


def test_whoever_is_killed_within_a_turn_is_not_waited_for(database):
    with another_process(WRITER + WITHIN_ITS_TURN, database, "a") as process:
        process.kill()
        process.wait()
        run(TWENTY, database, "b")
    assert names(database) == 20 * "b"


def test_a_stopped_process_that_came_next_holds_nobody_up_for_good(database, tmp_path):
    with another_process(COMES_NEXT, f"{database}-turns") as process:
        os.kill(process.pid, signal.SIGSTOP)
        mine = Turns(str(database))
        assert mine.take(0.2), "SQLite decides"
        mine.end()
        assert mine.take(0.2)


def test_what_a_child_inherits_is_not_its_turn(database):
    """As when a server forks after its first query."""
    mine = ProcessTurns(f"{database}-turns")
    mine.take(time.monotonic() + 5)
    child = os.fork()
    if not child:
        with suppress(BaseException):
            mine.end()  # frees nothing: the turn is its parent's
        os._exit(0)
    os.waitpid(child, 0)
    look = "import fcntl, os, sys; file = os.open(sys.argv[1], os.O_RDWR)\n"
    look += "try: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)\nexcept OSError: sys.exit('taken')"
    command = [sys.executable, "-c", look, f"{database}-turns"]
    assert subprocess.run(command, capture_output=True, text=True).stderr == "taken\n"
    mine.end()
    assert subprocess.run(command).returncode == 0


def no_locks(*_args: object) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


def interrupted(*_args: object) -> None:
    raise KeyboardInterrupt


def test_where_there_are_no_such_locks_nobody_waits(database, monkeypatch):
    mine = Turns(str(database))
    monkeypatch.setattr("config.sqlite.turns.fcntl.lockf", no_locks)
    began = time.monotonic()
    assert mine.take(60)
    assert time.monotonic() - began < 30


def test_whoever_is_interrupted_while_waiting_gives_up_the_turn(database, monkeypatch):
    mine = Turns(str(database))
    with monkeypatch.context() as patch:
        patch.setattr(ProcessTurns, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            mine.take(0.2)
    assert mine.take(0.2)


def test_whoever_is_interrupted_in_a_commit_gives_up_the_turn(database):
    run(INTERRUPTED, database, "a")
    assert names(database) == "aa"


def test_where_no_file_can_be_written_sqlite_says_so(tmp_path):
    mine = Turns(str(tmp_path / "no folder" / "some.sqlite3"))
    for _ in range(2):
        assert mine.take(0.2)
        mine.end()
