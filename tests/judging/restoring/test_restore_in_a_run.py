"""The acceptance of backups: one is made in the middle of a run, the run goes on, the machine dies, the database is
lost and restored. No call is paid twice, and no reply that had arrived is lost.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from tests.servers.llm_server import LlmServer
from tests.sites import done, empty_site, ended
from tests.structure import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

CALLS = 60
BEGIN = """
import django; django.setup()
from django.db import transaction
from annotation.releases.files.writing import content_hash_of
from tests.factories.judging import make_model, make_release, make_run
with transaction.atomic():
    hashed = content_hash_of(make_release(30))
    transaction.set_rollback(True)
model = make_model({url!r}, price_in=1, price_out=1, concurrent_calls=6)
make_run(model, release=make_release(30, content_hash=hashed), codes=("4", "5"))
"""
STATES = """
import django; django.setup()
import json
from core.engine.kept.keepers import check_sums
from judging.models import Call, Run
from tests.factories.judging import committed_by_attempts
run = Run.objects.get()
print(json.dumps({
    "calls": {str(key): state for key, state in Call.objects.values_list("key", "state")},
    "responses": run.responses.count(), "sums": [str(each) for each in check_sums()],
    "committed": str(run.committed), "by attempts": str(committed_by_attempts(run)),
}))
"""


def worker(site: dict[str, str]) -> subprocess.Popen:
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "config", "worker", "--beat", "--pool", "threads"]
    return subprocess.Popen([*command, "--concurrency", "4"], cwd=ROOT, env=site, start_new_session=True)


def kill(process: subprocess.Popen) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.05)


def lose_database(site: dict[str, str]) -> None:
    if connection.vendor == "sqlite":
        for path in Path(site["VAR_DIR"]).glob("workbench.sqlite3*"):
            path.unlink()
        return
    with psycopg.connect(site["DATABASE_URL"], autocommit=True) as server:
        server.execute("DROP SCHEMA public CASCADE")
        server.execute("CREATE SCHEMA public")


def arrived(folder: Path) -> set[str]:
    """The keys of the calls whose replies are on disk."""
    found = [*folder.glob("spool/*.reply"), *folder.glob("replies/*/*.reply")]
    return {path.stem.rpartition("-")[0] for path in found}


def test_nothing_is_paid_twice_or_lost(tmp_path):
    with LlmServer(delay=0.3, faults=["429/9"]) as server, empty_site(tmp_path / "var") as site:
        site |= {"CALL_LEASE_SECONDS": "4", "CALL_BACKOFF_SECONDS": "0.2"}
        done(site, "manage.py", "migrate", "--verbosity", "0")
        done(site, "-c", BEGIN.format(url=server.base_url))
        first = worker(site)
        wait_until(lambda: len(server.paid) >= 12)
        done(site, "manage.py", "backup", str(tmp_path / "backups"))
        at_backup = len(server.paid)
        wait_until(lambda: len(server.paid) >= min(at_backup + 15, CALLS - 5))
        kill(first)
        on_disk, sent = arrived(tmp_path / "var"), len(server.calls)
        lose_database(site)
        (archive,) = (tmp_path / "backups").glob("*.tar")
        said = done(site, "manage.py", "restore", str(archive))
        assert "Nothing goes out until an admin allows it" in said
        assert "had been sent since the backup" in said
        second = worker(site)
        try:
            time.sleep(8)
            assert len(server.calls) == sent, "a call went out before an admin allowed it"
            assert "Sending is allowed again from 1 machine" in done(site, "manage.py", "allow_sending")
            wait_until(lambda: is_over(site))
        finally:
            kill(second)
        found = json.loads(done(site, "-c", STATES))
        states = found["calls"]
        assert [key for key, times in server.paid.items() if times > 1] == []
        assert {key for key in on_disk if states[key] != "done"} == set()
        assert set(states.values()) <= {"done", "in_doubt"}
        assert list(states.values()).count("in_doubt") <= 6
        assert found["responses"] == list(states.values()).count("done")
        assert found["sums"] == []
        assert found["committed"] == found["by attempts"]


def test_a_restore_can_be_rehearsed(tmp_path):
    with empty_site(tmp_path / "var") as site, empty_site(tmp_path / "other") as other:
        done(site, "manage.py", "migrate", "--verbosity", "0")
        done(site, "manage.py", "backup", str(tmp_path / "backups"))
        (archive,) = (tmp_path / "backups").glob("*.tar")
        into = ["--database", other["DATABASE_URL"]] if connection.vendor == "postgresql" else []
        assert "The rehearsal succeeded" in done(site, "manage.py", "verify", str(archive), "--rehearse", *into)
        assert "Rehearsal" in ended(site, "manage.py", "doctor", "--offline").stdout


def is_over(site: dict[str, str]) -> bool:
    states = json.loads(done(site, "-c", STATES))["calls"].values()
    return not {"pending", "sent"} & set(states)
