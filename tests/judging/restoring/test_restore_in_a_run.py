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

CALLS, BATCH = 60, 10
BEGIN = """
import django; django.setup()
from django.db import transaction
from annotation.releases.files.writing import content_hash_of
from tests.factories.judging import make_model, make_release, make_run
with transaction.atomic():
    hashed = content_hash_of(make_release(30))
    transaction.set_rollback(True)
how = dict(concurrent_calls=6, offers_batches=True, batch_calls=10)
model = make_model({url!r}, price_in=1, price_out=1, **how)
make_run(model, release=make_release(30, content_hash=hashed), codes=("4", "5"), in_batches={batches})
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


def begin(site: dict[str, str], **run) -> subprocess.Popen:
    """Start the run, and a worker."""
    site |= {"CALL_LEASE_SECONDS": "4", "CALL_BACKOFF_SECONDS": "0.2", "BATCH_POLL_SECONDS": "0.5"}
    done(site, "manage.py", "migrate", "--verbosity", "0")
    done(site, "-c", BEGIN.format(**run))
    return worker(site)


def back_up(site: dict[str, str], tmp_path: Path) -> None:
    done(site, "manage.py", "backup", str(tmp_path / "backups"))


def restore(site: dict[str, str], tmp_path: Path, asked: Callable[[], int]) -> dict:
    """Lose the database, restore it, and let the run end. Returns what is stored then."""
    before = asked()
    lose_database(site)
    (archive,) = (tmp_path / "backups").glob("*.tar")
    said = done(site, "manage.py", "restore", str(archive))
    assert "Nothing goes out until an admin allows it" in said
    assert "had been sent since the backup" in said
    second = worker(site)
    try:
        time.sleep(8)
        assert asked() == before, "a call went out before an admin allowed it"
        assert "Sending is allowed again from 1 machine" in done(site, "manage.py", "allow_sending")
        wait_until(lambda: is_over(site))
    finally:
        kill(second)
    return json.loads(done(site, "-c", STATES))


def check(found: dict, server: LlmServer) -> None:
    states = list(found["calls"].values())
    assert [key for key, times in server.paid.items() if times > 1] == []
    assert set(states) <= {"done", "in_doubt"}
    assert found["responses"] == states.count("done")
    assert found["sums"] == []
    assert found["committed"] == found["by attempts"]


def test_nothing_is_paid_twice_or_lost(tmp_path):
    with LlmServer(delay=0.3, faults=["429/9"]) as server, empty_site(tmp_path / "var") as site:
        first = begin(site, url=server.base_url, batches=False)
        wait_until(lambda: len(server.paid) >= 12)
        server.levers.delay = 2.5  # so that calls are left after the backup, however slow the machine is
        back_up(site, tmp_path)
        server.levers.delay = 0.3
        at_backup = len(server.paid)
        wait_until(lambda: len(server.paid) >= min(at_backup + 15, CALLS - 5))
        kill(first)
        on_disk = arrived(tmp_path / "var")
        found = restore(site, tmp_path, lambda: len(server.calls))
        check(found, server)
        assert {key for key in on_disk if found["calls"][key] != "done"} == set()
        assert list(found["calls"].values()).count("in_doubt") <= 6


def test_batches_of_after_the_backup_are_found_at_their_provider(tmp_path):
    with LlmServer(batch_pause=0.2, batch_seconds=6.0) as server, empty_site(tmp_path / "var") as site:
        first = begin(site, url=server.base_url, batches=True)
        wait_until(lambda: "upload" in server.batches.asked)
        server.levers.batch_pause = 5.0
        back_up(site, tmp_path)
        server.levers.batch_pause = 0.2
        wait_until(lambda: len(server.batches.batches) == CALLS // BATCH and len(server.paid) >= BATCH)
        kill(first)
        found = restore(site, tmp_path, lambda: len(server.batches.asked))
        check(found, server)
        assert len(server.batches.batches) == CALLS // BATCH
        assert list(found["calls"].values()).count("done") == CALLS


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
