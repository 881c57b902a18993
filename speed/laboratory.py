"""Common parts of the measurements and the kill drill: a separate database, people, a release, servers, workers,
figures.

They touch nothing of the installation: everything lives in a temporary folder and, on PostgreSQL, in a database that
is created and dropped.
"""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.servers.services import free_port

ROOT = Path(__file__).parents[1]


@contextlib.contextmanager
def laboratory(**environment: str) -> Iterator[Path]:
    """A folder for everything, with Django set up on a fresh database in it. Only one per process, as Django is set
    up once.
    """
    folder = Path(tempfile.mkdtemp(prefix="workbench-"))
    os.environ.update(VAR_DIR=str(folder), DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="ERROR")
    os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder / 'workbench.sqlite3'}")
    os.environ.setdefault("CELERY_BROKER_URL", "files://localhost")
    os.environ.update(environment)
    import django
    from django.core.management import call_command

    try:
        django.setup()
        call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def private_database(address: str) -> Iterator[str]:
    """The address of a new database on the server of this one; dropped at the end."""
    import psycopg
    from environ import Env

    settings = Env.db_url_config(address)
    keys = {"HOST": "host", "PORT": "port", "USER": "user", "PASSWORD": "password", "NAME": "dbname"}
    server = {keys[name]: settings[name] for name in keys if settings.get(name)}
    name = f"workbench_reports_{os.getpid()}"
    with psycopg.connect(**server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{address.rsplit('/', 1)[0]}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.contextmanager
def laboratory_on(server: str | None, **environment: str) -> Iterator[Path]:
    """`laboratory` in a new database on the PostgreSQL server of this address, or on SQLite. If killed with SIGTERM,
    it still drops the database.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.ExitStack() as stack:
        if server:
            environment["DATABASE_URL"] = stack.enter_context(private_database(server))
        yield stack.enter_context(laboratory(**environment))


def analyse() -> None:
    """Have the database update its table statistics now, as it would later on its own."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def new_uuid() -> str:
    """SQL for a new UUID."""
    from django.db import connection

    return "gen_random_uuid()" if connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"


def new_person(role: str, name: str = "", **values: Any) -> Any:
    from django.contrib.auth.models import Group

    from core.models import User

    person = User.objects.create(username=name or role, **values)
    person.groups.add(Group.objects.get_or_create(name=role)[0])
    return person


def sign_in(prefix: str, count: int) -> list[str]:
    """Sessions of the first `count` people whose names begin with `prefix`; a "reviewer" reviews from then on."""
    from django.contrib.auth.models import Group
    from django.test import Client

    from core.models import Role, User

    reviewers = Group.objects.get_or_create(name=Role.REVIEWER)[0]
    sessions = []
    for person in User.objects.filter(username__startswith=prefix).order_by("pk")[:count]:
        if prefix == "reviewer":
            person.groups.add(reviewers)
        client = Client(SERVER_NAME="localhost")
        client.force_login(person, backend="core.accounts.adapter.Backend")
        sessions.append(client.cookies["sessionid"].value)
    return sessions


def percentile(values: Sequence[float], share: int) -> float:
    """The value that this percentage of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-share * len(ordered) // 100) - 1)]


def measured(what: str, do: Callable[[], object]) -> float:
    """Print the time that this takes; returns its seconds."""
    before, started, cpu = peak(), time.monotonic(), time.process_time()
    do()
    seconds, cpu = time.monotonic() - started, time.process_time() - cpu
    print(f"  {what:34} {seconds:7.2f} s, {cpu:6.2f} s of CPU   {peak() - before:+6.1f} MB at most", flush=True)
    return seconds


def peak() -> float:
    """The peak memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def as_served() -> None:
    """Load the application as a web server does: garbage collection then skips everything loaded, which would take a
    tenth of a second in one of a hundred requests. Call it before the first request.
    """
    import_module("config.wsgi")


class Server:
    """The counting server, in a separate process."""

    def __init__(self, folder: Path, *arguments: str):
        self.port = free_port()
        self.log = folder / "server.jsonl"
        command = [sys.executable, "-m", "tests.servers.llm_server", "--port", str(self.port), "--log", str(self.log)]
        self.process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, cwd=ROOT)
        assert self.process.stdout
        self.base_url = self.process.stdout.readline().decode().strip()

    def model(self, name: str, **values: Any) -> Any:
        """A new model with prices at this server."""
        from judging.models import LanguageModel

        prices = {"price_in": 1, "price_out": 2}
        return LanguageModel.objects.create(
            name=name, endpoint_name="bench", base_url=self.base_url, **prices, **values
        )

    def calls(self) -> list[dict]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [json.loads(line) for line in lines]

    def pull(self, **levers: object) -> None:
        data = json.dumps(levers).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/levers", data, method="POST")
        with urllib.request.urlopen(request, timeout=10):
            pass

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)


class Worker:
    """A Celery worker as `manage.py up` starts it, with its own clock, in a separate process group."""

    def __init__(self, folder: Path, name: str):
        self.name = name
        self.log = open(folder / f"{name}.log", "ab")  # noqa: SIM115  # open as long as the worker
        self.command = [sys.executable, "-m", "celery", "--quiet", "-A", "config", "worker"]
        self.command += ["--beat", "-s", str(folder / f"{name}.schedule")]
        self.command += ["--pool", "threads", "--concurrency", "4", "--without-gossip", "--without-mingle"]
        self.command += ["--without-heartbeat", "-n", f"{name}@%h"]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command, cwd=ROOT, stdout=self.log, stderr=self.log, start_new_session=True
        )
        self.started_at = time.monotonic()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        self.log.close()


def new_instance(key: str, **values: Any) -> Any:
    """An unsaved instance of WikiContradict, its content given field by field."""
    from annotation.content.instances import Conflict
    from annotation.models import Instance
    from annotation.releases.canonical import listed
    from benchmarks.wikicontradict.items import CODE

    content = asdict(Conflict(**values))
    return Instance(key=key, **Instance.columns(CODE, listed(content), content))


def bridge(number: int) -> dict[str, str]:
    """An instance as long as those of the paper's benchmark."""
    passage = "The bridge over the river opened in {} after nine years of work, as the town's chronicle has it. " * 3
    return {
        "question": f"In which year did bridge {number} open?",
        "passage_1": passage.format(*[1900 + number % 50] * 3),
        "passage_2": passage.format(*[1950 + number % 50] * 3),
        "answer_1": str(1900 + number % 50),
        "answer_2": str(1950 + number % 50),
    }


def make_release(instances: int, *, number: int = 1, of: Callable[[int], dict[str, str]] = bridge) -> Any:
    """A release with this number and this many instances, each made by `of`."""
    from annotation.models import Instance, Release, ReleasedInstance
    from benchmarks.wikicontradict.items import CODE

    release = Release.objects.create(number=number, benchmark=CODE, name="All", content_hash="0" * 64)
    for start in range(0, instances, 5_000):
        some = range(start, min(start + 5_000, instances))
        rows = Instance.objects.bulk_create(new_instance(f"{number:04d}{each:060d}", **of(each)) for each in some)
        ReleasedInstance.objects.bulk_create(
            ReleasedInstance(release=release, number=each, instance=row) for each, row in enumerate(rows, start + 1)
        )
    return release
