"""A database of version 0.1 is refused and left as it is."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def old_site(tmp_path) -> Path:
    """A folder with the database of an earlier version, as far as it tells one."""
    with sqlite3.connect(tmp_path / "workbench.sqlite3") as database:
        database.execute("PRAGMA journal_mode=WAL")  # as every site has it
        database.execute("CREATE TABLE annotation_user (id integer PRIMARY KEY, username text)")
        database.execute("INSERT INTO annotation_user (username) VALUES ('anna')")
    database.close()
    return tmp_path


def prepare(folder: Path) -> subprocess.CompletedProcess:
    settings = {"VAR_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL",)}
    command = [sys.executable, "manage.py", "prepare"]
    return subprocess.run(command, cwd=ROOT, env=environment | settings, capture_output=True, text=True, timeout=120)


def test_an_old_database_is_refused_in_a_sentence_and_left_as_it_was(old_site):
    before = (old_site / "workbench.sqlite3").read_bytes()
    refused = prepare(old_site)
    assert refused.returncode == 1
    assert "made by version 0.1" in refused.stderr
    assert "VAR_DIR=var-new make run" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert (old_site / "workbench.sqlite3").read_bytes() == before
