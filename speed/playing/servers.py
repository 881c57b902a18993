"""A site as docs/deployment.md starts it, on separate ports and in separate folders; each part can be killed and
started.
"""

import contextlib
import glob
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from speed.laboratory import ROOT, laboratory
from tests.servers.services import free_port


class Server:
    """One process and its children, in a separate process group."""

    def __init__(
        self,
        name: str,
        command: list[str],
        folder: Path,
        *,
        port: int = 0,
        user: str | None = None,
        patience: int = 20,
        environment: dict[str, str] | None = None,
    ):
        self.name, self.command, self.folder, self.port, self.user = name, command, folder, port, user
        self.patience = patience  # seconds until it listens
        self.environment = environment or {}  # besides this process's own
        self.process: subprocess.Popen | None = None
        self.spent = 0.0  # seconds of CPU of processes that were ended

    def start(self) -> None:
        """Start it and wait until it listens, if it has a port."""
        for _ in range(20):  # one that was just killed may still be in the way
            self._launch()
            if not self.port or self._listens():
                return
            self.kill()
            time.sleep(0.5)
        raise SystemExit(f"{self.name} did not start: see {self.folder / f'{self.name}.log'}")

    def _launch(self) -> None:
        with open(self.folder / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=ROOT if not self.user else "/", stdout=log, stderr=log, start_new_session=True,
                user=self.user, group=self.user, env=os.environ | self.environment,
            )  # fmt: skip

    def _listens(self) -> bool:
        for _ in range(self.patience * 10):
            if self.process and self.process.poll() is not None:
                return False
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
            time.sleep(0.1)
        return False

    def processes(self) -> list[psutil.Process]:
        if not self.process:
            return []
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = psutil.Process(self.process.pid)
            return [parent, *parent.children(recursive=True)]
        return []

    def cpu(self) -> float:
        """Seconds of CPU that it and its children, including ended ones, have used so far."""
        total = self.spent
        for process in self.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                total += sum(process.cpu_times()[:4])
        return total

    def memory(self) -> float:
        """Its memory in megabytes; memory shared by processes is counted once (PSS)."""
        total = 0
        for process in self.processes():
            with contextlib.suppress(OSError, IndexError):
                text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
                total += int(text.split("\nPss:")[1].split()[0])
        return total / 1000

    def kill(self) -> None:
        """Kill it immediately, as by a power cut of this part."""
        if not self.process:
            return
        self.spent = self.cpu()
        children = self.processes()[1:]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        psutil.wait_procs(children, timeout=10)
        self.process = None

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT if self.name == "database" else signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
        self.kill()


def web_server(folder: Path, workers: int, environment: dict[str, str] | None = None) -> Server:
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "speed.playing.timed_wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--worker-class", "gthread", "--workers", str(workers), "--threads", "8"]
    command += ["--worker-connections", "32", "--keep-alive", "75", "--log-level", "error"]
    return Server("web", command, folder, port=port, environment=environment)


def background_worker(folder: Path, environment: dict[str, str] | None = None) -> Server:
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "config", "worker", "--beat"]
    command += ["-s", str(folder / "schedule"), "--pool", "threads", "--concurrency", "8"]
    return Server("worker", command, folder, environment=environment)


def redis(folder: Path, network: str = "") -> Server:
    """A Redis for this machine, or for all machines of a network such as "10.0.0.0/16"."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--save", "", "--dir", str(folder)]
    command += ["--bind", "0.0.0.0", "--protected-mode", "no"] if network else ["--bind", "127.0.0.1"]
    return Server("broker", [*command, "--appendonly", "yes"], folder, port=port)


def postgresql(folder: Path, network: str = "") -> Server:
    """A private PostgreSQL cluster with the settings of `initdb`, for this machine or for all of a network.
    PostgreSQL refuses to run as root.
    """
    user = "postgres" if os.geteuid() == 0 else None
    port, data = free_port(), folder / "data"
    if user:
        shutil.chown(folder, user, user)
    tools = shutil.which("postgres") or sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))[-1]
    initdb = str(Path(tools).with_name("initdb"))
    made = [
        initdb,
        "-D",
        str(data),
        "-U",
        "workbench",
        "--auth",
        "trust",
        "--encoding",
        "UTF8",
        "--locale",
        "C.UTF-8",
    ]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL, user=user, group=user, cwd="/")
    if network:
        with (data / "pg_hba.conf").open("a") as access:
            access.write(f"host all all {network} trust\n")
    listens = "listen_addresses=*" if network else "listen_addresses=127.0.0.1"
    command = [tools, "-D", str(data), "-p", str(port), "-k", str(folder), "-c", listens]
    return Server("database", command, folder, port=port, user=user)


@dataclass
class Site:
    """The parts of a running site, by name."""

    folder: Path
    servers: dict[str, Server] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return self.servers["web"].port

    def cpu(self) -> dict[str, float]:
        return {name: server.cpu() for name, server in self.servers.items()}

    def memory(self) -> dict[str, float]:
        return {name: server.memory() for name, server in self.servers.items()}

    def start_web(self, workers: int, *, environment: dict[str, str] | None = None) -> None:
        """Start web server and worker, once the database has its data."""
        self.servers["web"] = web_server(self.folder, workers, environment)
        self.servers["worker"] = background_worker(self.folder, environment)
        for name in ("web", "worker"):
            self.servers[name].start()
        for _ in range(40):  # each worker has then loaded what it loads at its first request
            self.health()

    def health(self) -> int:
        """The status of /health/, which says whether the web server lives; 0 without an answer."""
        return self._status("/health/")

    def ready(self) -> int:
        """The status of /ready/, which says whether people can work; 0 without an answer."""
        return self._status("/ready/")

    def _status(self, path: str) -> int:
        probe = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            probe.request("GET", path)
            return probe.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            probe.close()


@contextlib.contextmanager
def private_site(*, is_postgresql: bool, network: str = "") -> Iterator[Site]:
    """A site with an empty database, with Django set up on it here, without touching the installation. With
    PostgreSQL and Redis, or with SQLite and the folder of messages. `network` reaches them, if given.
    """
    folder = Path(tempfile.mkdtemp(prefix="workbench-load-"))
    folder.chmod(0o711)
    servers: dict[str, Server] = {}
    environment = {"SECRET_KEY": "of-a-benchmark-" * 4, "DATABASE_URL": ""}
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if is_postgresql:
            (folder / "database").mkdir()
            (folder / "broker").mkdir()
            database, broker = postgresql(folder / "database", network), redis(folder / "broker", network)
            servers = {"database": database, "broker": broker}
            for server in servers.values():
                stack.callback(server.end)
                server.start()
            environment["DATABASE_URL"] = f"postgres://workbench@127.0.0.1:{servers['database'].port}/postgres"
            environment["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{servers['broker'].port}/0"
            wait_for_database(environment["DATABASE_URL"])
        site = Site(stack.enter_context(laboratory(**environment)), servers)
        stack.callback(lambda: [site.servers[name].end() for name in ("worker", "web") if name in site.servers])
        yield site
        from django.db import connections

        connections.close_all()


def wait_for_database(address: str) -> None:
    """Wait for the database: it listens before it takes queries."""
    import psycopg

    for _ in range(100):
        with (
            contextlib.suppress(psycopg.OperationalError),
            psycopg.connect(address.replace("postgres:", "postgresql:")),
        ):
            return
        time.sleep(0.1)


def machine() -> str:
    """This machine and its load, in one line."""
    models = [
        line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    name = models[0] if models else "processor"
    return (
        f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores ({name}), load average {os.getloadavg()[0]:.1f}"
    )
