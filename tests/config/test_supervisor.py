"""`manage.py up` keeps web and worker running, and takes them with it when it goes, however it goes."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import requests
from django.core.management import CommandError, call_command

from tests.servers.services import free_port

ROOT = Path(__file__).parents[2]


def wait_for(condition, seconds=120.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    pytest.fail(f"not within {seconds} s")


def environment_in(folder: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "CELERY_BROKER_URL")}
    return kept | {"VAR_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}


@pytest.fixture
def site(tmp_path, migrated):
    """A running `up` on a database of its own: its process and its address."""
    port = free_port()
    environment = environment_in(tmp_path)
    shutil.copy(migrated, tmp_path / "workbench.sqlite3")
    command = [sys.executable, "manage.py", "up", "--port", str(port)]
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=said)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: is_up(address))
        yield psutil.Process(process.pid), address
    finally:
        process.kill()
        process.wait()


def test_the_terminal_has_no_line_for_each_request(site, tmp_path):
    _, address = site
    assert requests.get(f"{address}/account/login/", timeout=20).ok
    assert requests.get(f"{address}/nowhere/", timeout=20).status_code == 404
    assert "event=request" not in (tmp_path / "said").read_text()


def is_up(address: str) -> bool:
    try:
        return requests.get(f"{address}/health/", timeout=20).status_code == 200
    except requests.RequestException:
        return False


def web_of(supervisor: psutil.Process) -> psutil.Process | None:
    """The child that listens."""
    listening = (child for child in supervisor.children() if child.net_connections("tcp"))
    return next(listening, None)


def test_it_starts_a_killed_web_server_again_and_leaves_no_orphans_when_it_is_killed_itself(site):
    supervisor, address = site
    first = web_of(supervisor)
    os.killpg(first.pid, signal.SIGKILL)
    wait_for(lambda: is_up(address) and web_of(supervisor).pid != first.pid)
    wait_for(lambda: len(supervisor.children(recursive=True)) >= 3)
    family = supervisor.children(recursive=True)
    supervisor.kill()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert not alive


def test_it_lets_both_finish_and_ends_when_it_is_told_to_stop(site):
    supervisor, address = site
    family = wait_for(lambda: len(found := supervisor.children(recursive=True)) >= 3 and found)
    supervisor.send_signal(signal.SIGINT)
    _, alive = psutil.wait_procs(family, timeout=60)
    assert not alive
    assert not is_up(address)
    wait_for(lambda: not supervisor.is_running() or supervisor.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.django_db
def test_a_taken_port_is_refused_in_plain_words():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=f"Cannot listen on 127.0.0.1 port {port}"):
            call_command("up", port=str(port))
