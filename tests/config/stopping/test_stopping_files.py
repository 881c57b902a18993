"""SIGTERM in the middle of imports, exports, releases and harvests, to real processes: a file or a release is there
whole or not at all, and stopped work continues or can be repeated.
"""

import contextlib
import http.client
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from speed.large.dumps import pages, written
from speed.lock_waits import json_list, records
from tests.judging.restoring.test_restore_in_a_run import wait_until
from tests.servers.services import free_port
from tests.sites import done, empty_site
from tests.structure import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
RECORDS, PAGES, PATIENCE = 5_000, 1_200, 300
SESSION = """
import django; django.setup()
from core.models import Role
from tests.conftest import make_person
from speed.laboratory import sign_in
make_person("Amir", Role.ADMIN)
print(sign_in("Amir", 1)[0])
"""
HARVEST = """
import django; django.setup()
from annotation.harvesting.harvests import start_harvest
from annotation.models import Wiki
wiki = Wiki.objects.create(api_url="https://en.wikipedia.org/w/api.php", name="Wikipedia", language="en")
start_harvest(source="dump", wiki=wiki, parameters={{"path": {path!r}}})
"""
# A worker as it is started everywhere, but for the seconds that it waits for work other than calls.
WORKER = """
import sys, django; django.setup()
from judging import tasks
from config.celery import app
tasks.OTHERS_SECONDS = 0.2
app.worker_main(["--quiet", "worker", "--beat", "-s", sys.argv[1], "--pool", "threads", "--concurrency", "4"])
"""
# As if the stopped process had been silent for long enough.
LAPSE = (
    "UPDATE core_batch SET alive_until = '2026-01-01'",
    "UPDATE core_backgroundwork SET lease_expires_at = '2026-01-01' WHERE lease_expires_at IS NOT NULL",
    "UPDATE annotation_harvest SET lease_expires_at = '2026-01-01' WHERE lease_expires_at IS NOT NULL",
)


@pytest.fixture
def site(migrated, tmp_path) -> Iterator[dict[str, str]]:
    with empty_site(tmp_path, vendor="sqlite") as environment:
        shutil.copy(migrated, tmp_path / "workbench.sqlite3")
        yield environment


@pytest.fixture
def annotations(tmp_path) -> Path:
    path = tmp_path / "annotations.json"
    path.write_text("".join(json_list(records(RECORDS, tasks=False))))
    return path


def asked(site: dict[str, str], sql: str) -> int:
    """The number that this query returns in the site's database."""
    address = Path(site["VAR_DIR"]) / "workbench.sqlite3"
    with closing(sqlite3.connect(address, timeout=30, isolation_level=None)) as database:
        return next(iter(database.execute(sql).fetchone() or [0]))


def is_being_written(site: dict[str, str], table: str) -> Callable[[], bool]:
    """Return whether an open batch has rows in this table."""
    sql = f"SELECT count(*) FROM {table} JOIN core_batch ON core_batch.id = batch_id AND is_open"
    return lambda: asked(site, sql) > 0


def stopped(site: dict[str, str], condition: Callable[[], bool], *command: str) -> tuple[int, str]:
    """Start a command, stop it once the condition is met; returns its exit code and what it wrote to stderr."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=site, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until(lambda: condition() or process.poll() is not None, PATIENCE)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, errors


def test_a_stopped_import_or_release_wrote_nothing_and_can_be_repeated(site, annotations):
    command = ("import_annotations", str(annotations))
    code, errors = stopped(site, is_being_written(site, "annotation_annotation"), *command)
    assert code == 130, errors
    assert "Interrupted. Either nothing or everything was written." in errors
    assert asked(site, "SELECT count(*) FROM annotation_annotation") == 0
    assert asked(site, "SELECT count(*) FROM core_batch WHERE is_open") == 0
    done(site, "manage.py", *command)
    assert asked(site, "SELECT count(*) FROM annotation_annotation") == RECORDS

    code, errors = stopped(site, is_being_written(site, "annotation_releasedinstance"), "make_release", "First")
    assert code == 130, errors
    assert "Interrupted. A release is frozen as a whole or not at all" in errors
    assert asked(site, "SELECT count(*) FROM annotation_release") == 0
    done(site, "manage.py", "make_release", "First")
    assert asked(site, "SELECT count(*) FROM annotation_releasedinstance") == RECORDS


def test_a_stopped_export_leaves_the_older_file(site, annotations, tmp_path):
    done(site, "manage.py", "import_annotations", str(annotations))
    old = tmp_path / "old.json"
    old.write_text("[]")
    begun = lambda: any(part.stat().st_size for part in tmp_path.glob(".old.json.*"))  # noqa: E731
    code, errors = stopped(site, begun, "export_annotations", "--output", str(old))
    assert code == 130, errors
    assert "Interrupted. No file was written. An existing file is unchanged." in errors
    assert old.read_text() == "[]"
    assert not [*tmp_path.glob(".old.json.*")]


@contextmanager
def web_server(site: dict[str, str]) -> Iterator[tuple[subprocess.Popen, int]]:
    """The web server as docs/deployment.md starts it, but for the seconds that it waits for requests in progress."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--worker-class", "gthread", "--workers", "2", "--threads", "8", "--worker-connections", "32"]
    command += ["--keep-alive", "75", "--graceful-timeout", "15", "--no-control-socket"]
    process = subprocess.Popen(command, cwd=ROOT, env=site, start_new_session=True)

    def listens() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        return False

    try:
        wait_until(listens, PATIENCE)
        yield process, port
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def worker(site: dict[str, str]) -> Iterator[subprocess.Popen]:
    schedule = str(Path(site["VAR_DIR"]) / "schedule")
    command = [sys.executable, "-c", WORKER, schedule]
    with log_of(site).open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=site, stderr=log, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def log_of(site: dict[str, str]) -> Path:
    return Path(site["VAR_DIR"]) / "worker.log"


def stop_worker(site: dict[str, str], condition: Callable[[], bool]) -> None:
    """Start a worker, stop it once the condition is met, and have its leases lapse."""
    with worker(site) as process:
        wait_until(condition, PATIENCE)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 0
    assert "the next one continues with it" in log_of(site).read_text()
    for statement in LAPSE:
        asked(site, statement)


def test_another_worker_repeats_an_import_and_continues_a_harvest(site, annotations, tmp_path):
    session = done(site, "-c", SESSION).strip()
    with web_server(site) as (process, port):
        boundary, content = "boundary", annotations.read_text()
        fields = {"csrfmiddlewaretoken": "t" * 32, "action": "import"}
        body = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        )
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'
        body += f"{content}\r\n--{boundary}--\r\n"
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        headers = {
            "Cookie": f"sessionid={session}; csrftoken={'t' * 32}",
            "Content-Type": f"multipart/form-data; boundary={boundary}",
        }
        client.request("POST", "/annotation/import/", body.encode(), headers)
        assert client.getresponse().status == 302
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 0
    stop_worker(site, is_being_written(site, "annotation_annotation"))
    assert (
        asked(site, "SELECT count(*) FROM annotation_annotation JOIN core_batch b ON b.id = batch_id AND NOT is_open")
        == 0
    )
    with worker(site):
        wait_until(
            lambda: asked(site, "SELECT count(*) FROM core_backgroundwork WHERE state = 'done'") == 1, PATIENCE
        )
    assert asked(site, "SELECT count(*) FROM annotation_annotation") == RECORDS

    dump = written(tmp_path / "dump.xml.bz2", pages(PAGES, 1.0))
    done(site, "-c", HARVEST.format(path=str(dump)))
    stop_worker(site, lambda: asked(site, "SELECT articles_seen FROM annotation_harvest") > 0)
    assert 0 < asked(site, "SELECT articles_seen FROM annotation_harvest") < PAGES
    with worker(site):
        wait_until(lambda: asked(site, "SELECT count(*) FROM annotation_harvest WHERE state = 'done'") == 1, PATIENCE)
    assert asked(site, "SELECT articles_seen FROM annotation_harvest") == PAGES
    assert asked(site, "SELECT tags_new FROM annotation_harvest") == PAGES
