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

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, seconds=30.0):
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


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Path:
    """A folder with an empty database, to be copied."""
    folder = tmp_path_factory.mktemp("migrated")
    command = [sys.executable, "manage.py", "migrate", "-v0"]
    subprocess.run(command, cwd=ROOT, env=environment_in(folder), check=True)
    return folder


@pytest.fixture
def site(migrated, tmp_path):
    """A running `up` on a database of its own: its process and its address."""
    port = free_port()
    environment = environment_in(tmp_path)
    shutil.copytree(migrated, tmp_path, dirs_exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", str(port)], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: is_up(address))
        yield psutil.Process(process.pid), address
    finally:
        process.kill()
        process.wait()


def is_up(address: str) -> bool:
    try:
        return requests.get(f"{address}/health/", timeout=2).status_code == 200
    except requests.RequestException:
        return False


def web_of(supervisor: psutil.Process) -> psutil.Process | None:
    return next((child for child in supervisor.children() if "gunicorn" in " ".join(child.cmdline())), None)


def test_it_starts_a_killed_web_server_again(site):
    supervisor, address = site
    first = web_of(supervisor)
    os.killpg(first.pid, signal.SIGKILL)
    wait_for(lambda: is_up(address) and web_of(supervisor).pid != first.pid)


def test_killing_the_supervisor_leaves_no_orphans(site):
    supervisor, _ = site
    wait_for(lambda: len(supervisor.children(recursive=True)) >= 3)
    family = supervisor.children(recursive=True)
    supervisor.kill()
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive


def test_a_taken_port_is_refused_in_plain_words(site):
    _, address = site
    port = address.rsplit(":", 1)[1]
    done = subprocess.run(
        [sys.executable, "manage.py", "up", "--port", port], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert f"Cannot listen on 127.0.0.1 port {port}" in done.stderr
