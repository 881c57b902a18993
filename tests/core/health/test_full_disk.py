"""A site with SQLite on a really full disk, and one whose database file is really read-only: 503, and never 500."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.config.reading.test_environment import environment, manage
from tests.servers.services import free_port, wait_until_it_listens

pytestmark = pytest.mark.thorough
ROOT = Path(__file__).parents[3]
MEGABYTE = 2**20
BEGIN = """
from django.contrib.auth.models import Group
from core.models import Project, User
Project.get()
amir = User.objects.create_user("amir", password="amir")
amir.groups.add(Group.objects.get(name="admin"))
"""


class Site:
    """gunicorn in a mount namespace of its own.

    Args:
        folder: with its database.
        mounts: a shell command that is run in the namespace first.
    """

    def __init__(self, folder: Path, mounts: str) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.browser = requests.Session()
        web = f"{sys.executable} -m gunicorn config.wsgi --bind 127.0.0.1:{self.port} --worker-class gthread"
        self.process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", f"{mounts} && exec {web} --threads 2 --worker-tmp-dir /dev/shm"],
            cwd=ROOT,
            env=environment(folder),
        )
        wait_until_it_listens(self.port)

    def inside(self, path: Path) -> Path:
        """The path as the site sees it."""
        return Path(f"/proc/{self.process.pid}/root{path}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def open(self, path: str) -> requests.Response:
        return self.browser.get(self.address + path, allow_redirects=False, timeout=60)

    def send(self, path: str, form_on: str, **fields: str) -> requests.Response:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.open(form_on).text)
        assert token
        data = {"csrfmiddlewaretoken": token[1], **fields}
        return self.browser.post(self.address + path, data=data, allow_redirects=False, timeout=60)

    def sign_in(self) -> requests.Response:
        return self.send("/account/login/", "/account/login/", login="amir", password="amir")

    def save_name(self, name: str) -> requests.Response:
        return self.send("/account/name/", "/account/", first_name=name, last_name="B")


@pytest.fixture
def folder(migrated) -> Iterator[Path]:
    may_mount = (
        shutil.which("unshare") and subprocess.run(["unshare", "--mount", "true"], check=False).returncode == 0
    )
    if not may_mount:
        if os.environ.get("CI") == "true":
            pytest.fail("mount namespaces cannot be made here")
        pytest.skip("mount namespaces cannot be made here; root can")
    folder = Path(tempfile.mkdtemp(prefix="workbench-full-"))
    shutil.copy(migrated, folder / "workbench.sqlite3")
    done = manage(folder, "shell", "-v0", "-c", BEGIN)
    assert done.returncode == 0, done.stderr
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def small_disk(folder) -> Iterator[Site]:
    """A site on a disk of 24 MB."""
    disk = f"mount -t tmpfs -o size=24m,mode=700 tmpfs {folder}"
    away = folder.with_name(f"{folder.name}-copy")
    shutil.copytree(folder, away)
    site = Site(folder, f"{disk} && cp -r {away}/. {folder}")
    yield site
    site.stop()
    shutil.rmtree(away)


def fill(disk: Path) -> Path:
    """Fill the disk with one file, to the last byte."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (MEGABYTE, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return filler


def test_on_a_full_disk_saves_are_refused_with_503_and_work_again_once_there_is_space(small_disk, folder):
    assert small_disk.sign_in().status_code == 302
    assert small_disk.save_name("Before").status_code == 302
    filler = fill(small_disk.inside(folder))
    refused = [small_disk.save_name(f"Full {number} {'x' * 100}") for number in range(30)]
    codes = {response.status_code for response in refused}
    assert 503 in codes
    assert codes <= {302, 503}, codes  # what fits into space that SQLite holds already is saved
    last = next(response for response in refused if response.status_code == 503)
    assert "Nothing was saved" in last.text
    assert "The disk is full" in last.text
    assert small_disk.open("/health/").status_code == 200
    assert small_disk.open("/ready/").status_code == 503
    assert "disk: failed" in small_disk.open("/ready/").text
    assert small_disk.open("/account/").status_code == 200
    filler.unlink()
    assert small_disk.save_name("After").status_code == 302
    assert "After" in small_disk.open("/account/").text


@pytest.fixture
def read_only_file(folder) -> Iterator[Site]:
    """A site whose database file cannot be written, in a folder that can."""
    file = folder / "workbench.sqlite3"
    session = manage(folder, "shell", "-v0", "-c", SESSION).stdout.strip()
    site = Site(folder, f"mount --bind {file} {file} && mount -o remount,bind,ro {file}")
    site.browser.cookies["sessionid"] = session
    yield site
    site.stop()


SESSION = """
from tests.conftest import signed_in
from core.models import User
print(signed_in(User.objects.get()).cookies["sessionid"].value)
"""


def test_with_a_read_only_file_pages_can_be_read_and_saves_are_refused_with_503(read_only_file):
    for path in ("/", "/people/", "/activity/", "/account/"):
        assert read_only_file.open(path).status_code == 200, path
    refused = read_only_file.save_name("Nobody")
    assert refused.status_code == 503
    assert "The database cannot be written to" in refused.text
    assert "Nothing was saved" in refused.text
    assert read_only_file.open("/health/").status_code == 200
    assert "database: failed" in read_only_file.open("/ready/").text
