"""Archives where something is odd: a clock that jumps or stands still, other files beside them, a full disk."""

import errno
import sqlite3
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from core.health.signs import last_sign
from core.keeping.archive import database, making
from core.keeping.archive.making import files_of, make_backup
from core.keeping.archive.parts import Reader
from core.keeping.archive.restoring import verify
from core.keeping.archive.rotation import rotate
from core.management.commands import verify as rehearsing
from core.models import SignKind
from core.refusals import Refusal


@pytest.fixture
def own_folder(tmp_path, monkeypatch) -> Path:
    own = tmp_path / "var"
    (own / "uploads").mkdir(parents=True)
    (own / "uploads" / "one.xml").write_text("one")
    monkeypatch.setattr(settings, "VAR_DIR", own)
    return own


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


def test_rotation_takes_no_other_file_for_an_archive(folder):
    archive = folder / "workbench-20261127T020700Z.tar"
    for name in (archive.name, f"{archive.name}.sha256", f"{archive.name}.part"):
        (folder / name).write_text("")
    assert rotate(folder, days=1, weeks=1) == []
    assert len(list(folder.iterdir())) == 3


def test_an_archive_from_the_future_does_not_cost_the_new_one(own_folder, folder, annotator, transactional_db):
    future = folder / "workbench-20991127T020700Z.tar"
    future.write_text("")
    made = make_backup(folder)
    assert rotate(folder, days=1, weeks=0) == []
    assert made.exists()


def test_a_clock_that_stands_still_costs_no_archive(own_folder, folder, annotator, monkeypatch, transactional_db):
    monkeypatch.setattr(making.timezone, "now", lambda: datetime(2026, 11, 27, 2, 7, tzinfo=UTC))
    assert len({make_backup(folder), make_backup(folder)}) == 2
    assert len(list(folder.iterdir())) == 2


def test_a_full_disk_is_said_and_recorded(own_folder, folder, monkeypatch, transactional_db):
    def fail(_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(making, "copy_database", fail)
    with pytest.raises(CommandError, match=r"No backup was made in .*: database or disk is full"):
        call_command("backup", str(folder))
    sign = last_sign(SignKind.BACKUP)
    assert sign
    assert "disk is full" in sign.facts["error"]
    assert list(folder.iterdir()) == []


def test_an_archive_that_finds_no_room_is_not_called_damaged(
    own_folder, folder, annotator, monkeypatch, transactional_db
):
    made = make_backup(folder)
    full = OSError(errno.ENOSPC, "No space left on device")

    def fail(*_):
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(Reader, "extract", fail)
        with pytest.raises(Refusal, match=r"could not be unpacked into .*No space left.*nothing about the archive"):
            verify(made)
    if connection.vendor == "sqlite":
        monkeypatch.setattr(database.shutil, "copyfileobj", fail)
        with pytest.raises(Refusal, match=r"could not be unpacked into .*No space left.*nothing about the archive"):
            verify(made)


def test_logs_figures_and_unfinished_trials_are_in_no_archive(own_folder, tmp_path, monkeypatch):
    for name in (
        "metrics/host/counter_1.db",
        "logs/site-2026-11-27.log",
        "archive-x.part/database",
        "logs/other.txt",
    ):
        (own_folder / name).parent.mkdir(parents=True, exist_ok=True)
        (own_folder / name).write_text("")
    monkeypatch.setattr(settings, "LOG_FILE", own_folder / "logs" / "site.log")
    found = {str(path.relative_to(own_folder)) for path in files_of(own_folder, tmp_path)}
    assert found == {"uploads/one.xml", "logs/other.txt"}


def test_a_rehearsal_does_not_read_the_address_of_the_site(
    own_folder, folder, annotator, tmp_path, monkeypatch, transactional_db
):
    made = make_backup(folder)
    seen = {}

    def run(command, *, env, **_):
        seen.update(env)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "address"))
    monkeypatch.setattr(rehearsing, "subprocess", SimpleNamespace(run=run))
    call_command("verify", str(made), "--rehearse", "--database", "postgres://me@localhost/trial")
    assert (seen["DATABASE_URL"], seen["DATABASE_URL_FILE"]) == ("postgres://me@localhost/trial", "")
