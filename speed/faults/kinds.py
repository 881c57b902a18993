"""The faults of a running site: each begins, lasts for some seconds, and ends."""

import shutil
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psycopg
import redis

from speed.playing.servers import Site

from .clock import set_clock

AWAY, WITHOUT_WRITING, FROZEN, WRONG_TIME = 3.0, 10.0, 120.0, 20.0
HOUR = 3600


class Fault(Protocol):
    name: str
    seconds: float

    def begin(self, site: Site) -> None: ...

    def end(self, site: Site) -> None: ...


@dataclass
class Kill:
    """A part dies as by a power cut, and is started again."""

    part: str
    seconds: float = AWAY

    @property
    def name(self) -> str:
        return f"{self.part} killed"

    def begin(self, site: Site) -> None:
        site.servers[self.part].kill()

    def end(self, site: Site) -> None:
        site.servers[self.part].start()


@dataclass
class Stop:
    """A part is stopped as by an update (SIGTERM), which it has to end in time and with 0, and is started again."""

    part: str
    seconds: float = AWAY

    @property
    def name(self) -> str:
        return f"{self.part} stopped"

    def begin(self, site: Site) -> None:
        process = site.servers[self.part].process
        site.servers[self.part].end()
        if process and process.returncode:
            raise SystemExit(f"{self.name}: it ended with {process.returncode}")

    def end(self, site: Site) -> None:
        site.servers[self.part].start()


@dataclass
class Freeze:
    """A part stands still, as on a machine that swaps or is suspended, and goes on with what it was doing."""

    part: str
    seconds: float = FROZEN

    @property
    def name(self) -> str:
        return f"{self.part} frozen"

    def begin(self, site: Site) -> None:
        for process in site.servers[self.part].processes():
            process.suspend()

    def end(self, site: Site) -> None:
        for process in site.servers[self.part].processes():
            process.resume()


@dataclass
class ReadOnly:
    """PostgreSQL takes no writes, as a standby or after a failover."""

    address: str
    name: str = "database read-only"
    seconds: float = WITHOUT_WRITING

    def begin(self, site: Site) -> None:
        self._set("on")

    def end(self, site: Site) -> None:
        self._set("off")

    def _set(self, value: str) -> None:
        with psycopg.connect(self.address.replace("postgres:", "postgresql:"), autocommit=True) as server:
            server.execute("SET default_transaction_read_only = off")
            server.execute(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
            server.execute("SELECT pg_reload_conf()")


@dataclass
class Locked:
    """Another program holds the write lock of the SQLite file for longer than anyone waits."""

    file: Path
    name: str = "database locked by another program"
    seconds: float = WITHOUT_WRITING + 20

    def begin(self, site: Site) -> None:
        self.other = sqlite3.connect(self.file, isolation_level=None, timeout=30, check_same_thread=False)
        self.other.execute("BEGIN IMMEDIATE")

    def end(self, site: Site) -> None:
        self.other.execute("ROLLBACK")
        self.other.close()


@dataclass
class Full:
    """The disk with the database and VAR_DIR is full. PostgreSQL stops itself when it cannot write its journal: it
    is started again once there is room.
    """

    disk: Path
    name: str = "disk full"
    seconds: float = WITHOUT_WRITING

    def begin(self, site: Site) -> None:
        size = shutil.disk_usage(self.disk).free + 2**20
        subprocess.run(
            ["dd", "if=/dev/zero", f"of={self._filler}", "bs=64K", f"count={size // 2**16}"],
            check=False,  # it ends when the disk is full, which it calls an error
            capture_output=True,
        )

    def end(self, site: Site) -> None:
        self._filler.unlink()
        for server in site.servers.values():
            if server.process and server.process.poll() is not None:
                server.kill()
                server.start()

    @property
    def _filler(self) -> Path:
        return self.disk / "filler"


@dataclass
class Clock:
    """The clock of web server and worker is off by an hour, as after a jump of the machine's."""

    file: Path
    offset: int
    seconds: float = WRONG_TIME

    @property
    def name(self) -> str:
        return f"clock {'ahead' if self.offset > 0 else 'behind'} by an hour"

    def begin(self, site: Site) -> None:
        set_clock(self.file, self.offset)

    def end(self, site: Site) -> None:
        set_clock(self.file, 0)


@dataclass
class Flush:
    """The broker forgets everything."""

    address: str
    name: str = "broker flushed"
    seconds: float = 0.0

    def begin(self, site: Site) -> None:
        if self.address.startswith("redis:"):
            redis.Redis.from_url(self.address).flushall()
        else:
            for message in (site.folder / "messages").rglob("*"):
                if message.is_file():
                    message.unlink(missing_ok=True)

    def end(self, site: Site) -> None:
        pass
