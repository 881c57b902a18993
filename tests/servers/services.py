"""PostgreSQL and Redis of a test's own, on ports of their own, that the test may stop and start again."""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psycopg

PASSWORD = "of-this-test"


# Below those that the system gives to connections, which may take one before the server that it is for listens.
PORTS = range(20_000, 32_000)


def free_port() -> int:
    """A port of this machine on which nothing listens, and that hardly any other process gets at the same time."""
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_until_it_listens(port: int, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")


def missing() -> str:
    """The reason why these services cannot start here; empty if there is none."""
    if shutil.which("redis-server") is None:
        return "redis-server is not installed"
    return "" if postgres_programs() else "PostgreSQL's server is not installed"


def postgres_programs() -> Path | None:
    """The folder of `initdb` and `postgres`; Debian keeps them out of the PATH."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class Redis:
    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        options = ["--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--dir", tempfile.gettempdir()]
        self.process = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
        wait_until_it_listens(self.port)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class Postgres:
    """A cluster in a folder that `remove` takes away again. PostgreSQL does not run as root: it gets its own user."""

    def __init__(self) -> None:
        programs = postgres_programs()
        assert programs is not None
        self.programs = programs
        self.port = free_port()
        self.url = f"postgres://workbench:{PASSWORD}@127.0.0.1:{self.port}/postgres"
        self.folder = Path(tempfile.mkdtemp(prefix="workbench-postgres-"))
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        self._initialise()
        self.process: subprocess.Popen | None = None

    def _initialise(self) -> None:
        password = self.folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        options = ["--username", "workbench", "--auth", "scram-sha-256", "--pwfile", str(password), "--no-sync"]
        self._run("initdb", "--pgdata", str(self.folder / "data"), *options)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.programs / program, *arguments], user=self.user, cwd="/", check=True, stdout=subprocess.DEVNULL
        )

    def start(self) -> None:
        options = ["-D", str(self.folder / "data"), "-p", str(self.port), "-h", "127.0.0.1", "-k", "", "-F"]
        self.process = subprocess.Popen(
            [self.programs / "postgres", *options], user=self.user, cwd="/", stderr=subprocess.DEVNULL
        )
        wait_until_it_listens(self.port)
        self._wait_until_it_answers()

    def _wait_until_it_answers(self, seconds: float = 120.0) -> None:
        """It listens before it has recovered from having been cut off."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                psycopg.connect(self.url.replace("postgres://", "postgresql://")).close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """At once, as when the machine goes: open connections are cut."""
        if self.process is not None:
            self.process.send_signal(3)  # SIGQUIT, "immediate shutdown"
            self.process.wait()
            self.process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
