"""A stop loses nothing: the worker waits for its calls, and commands say what is kept."""

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.judging.restoring.test_restore_in_a_run import BEGIN, STATES, wait_until
from tests.servers.llm_server import LlmServer
from tests.servers.services import free_port
from tests.sites import done, empty_site
from tests.structure import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
# Seconds a call takes: longer than its lease, so the stopping worker has to renew it.
DELAY, LEASE = 8.0, 4


def test_an_update_in_the_middle_of_calls_leaves_none_in_doubt(tmp_path):
    with LlmServer(delay=DELAY) as server, empty_site(tmp_path, vendor="sqlite") as site:
        site |= {"CALL_LEASE_SECONDS": str(LEASE)}
        done(site, "manage.py", "migrate", "--verbosity", "0")
        done(site, "-c", BEGIN.format(url=server.base_url, batches=False))
        up = [sys.executable, "manage.py", "up", "--port", str(free_port())]
        process = subprocess.Popen(up, cwd=ROOT, env=site, stdout=subprocess.PIPE, text=True)
        wait_until(lambda: len(server.calls) >= 4)
        sent = len(server.calls)
        process.send_signal(signal.SIGTERM)
        printed, _ = process.communicate(timeout=120)
        assert "Waiting for" in printed
        states = list(json.loads(done(site, "-c", STATES))["calls"].values())
        assert len(server.calls) <= sent + 6
        assert states.count("done") == len(server.calls)
        assert set(states) == {"done", "pending"}


def test_a_stop_without_calls_is_quick(tmp_path):
    with empty_site(tmp_path, vendor="sqlite") as site:
        done(site, "manage.py", "migrate", "--verbosity", "0")
        up = [sys.executable, "manage.py", "up", "--port", str(free_port())]
        process = subprocess.Popen(up, cwd=ROOT, env=site, stdout=subprocess.DEVNULL)
        wait_until(lambda: any((tmp_path / "alive").glob("worker-*")))
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        assert time.monotonic() - began < 30


def test_sigterm_ends_a_command_and_says_what_is_kept(tmp_path):
    with empty_site(tmp_path, vendor="sqlite") as site:
        done(site, "manage.py", "migrate", "--verbosity", "0")
        command = [sys.executable, "manage.py", "import_annotations", "-"]
        process = subprocess.Popen(
            command, cwd=ROOT, env=site, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        time.sleep(15)  # it waits for its standard input
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert b"Interrupted. Either nothing or everything was written." in errors
        assert b"Traceback" not in errors
