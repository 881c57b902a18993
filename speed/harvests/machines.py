"""The drill of machines that are cut off: several read one dump over a network that fails; what is stored is compared
with what one reader finds.

    python -m speed.harvests.machines [--harvests 5] [--lease 10] [--seed 7]      # as root: it makes networks

PostgreSQL and Redis run on this machine. `north`, `south` and `east` are workers with a network, a host name, a
`VAR_DIR` and a file system of their own (network namespaces of Linux): north and south have a copy of the dump at the
same path, east has none. In the middle of each harvest one of the two is cut off (its link goes down): until the
harvest has ended, or for half as long again as its lease, or from the middle of a transaction on. Ends with 1 if a
harvest's rows differ from one reader's, if east claims a part, if a harvest hangs, or if a machine that is back does
no work.
"""

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from speed.large.dumps import forget, requested
from speed.playing.servers import Server, Site, machine, private_site

from .results import by_one_reader, differences, left_by, make_dump

if TYPE_CHECKING:
    from annotation.models import Harvest

NETWORK = "10.213.0.0/16"
PAGES, SHARE, SECTION = 8_000, 0.4, 2**16
HANGS, BACK = 300.0, 180.0  # seconds until a harvest has to end, and until a machine that is back has to give a sign
WITH_A_COPY = ("north", "south")
CUTS = ["to the end", "for a while", "in a transaction"]
# A transaction that has written: what it has locked stays locked until the server ends it.
IN_A_TRANSACTION = """SELECT 1 FROM pg_stat_activity
    WHERE host(client_addr) = %s AND backend_xid IS NOT NULL AND state = 'idle in transaction'"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harvests", type=int, default=5)
    parser.add_argument("--cuts", nargs="+", choices=CUTS, default=CUTS, help="in turn (%(default)s)")
    parser.add_argument("--lease", type=float, default=10.0, help="seconds (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    chosen = parser.parse_args()
    random.seed(chosen.seed)
    with private_site(is_postgresql=True, network=NETWORK) as site, contextlib.ExitStack() as ends:
        os.environ["EVIDENCE_AHEAD"] = "false"
        print(f"{machine()}; seed {chosen.seed}", flush=True)
        dumps = site.folder / "dumps"
        dumps.mkdir()
        dump = make_dump(dumps / "dump.xml.bz2", PAGES, SHARE)
        expected = by_one_reader(dump)
        machines = {}
        for number, name in enumerate([*WITH_A_COPY, "east"], start=1):
            machines[name] = ends.enter_context(running(site, name, number, dump, chosen.lease))
        drill = Drill(dump, machines, chosen.lease)
        drill.wait_for_signs()
        allow_new_folders()
        holds = True
        for number in range(chosen.harvests):
            harvest = drill.disturbed(chosen.cuts[number % len(chosen.cuts)])
            wrong = [*differences(left_by(harvest), expected), *drill.wrong_after(harvest, expected)]
            holds = holds and not wrong
            print("\n  ".join([drill.said, *(wrong or ["as by one reader, also once both were back"])]), flush=True)
            forget()
    sys.exit(0 if holds else 1)


@dataclass
class Machine:
    link: str
    address: str

    def cut(self) -> None:
        _ip("link", "set", self.link, "down")

    def mend(self) -> None:
        _ip("link", "set", self.link, "up")


@contextlib.contextmanager
def running(site: Site, name: str, number: int, dump: Path, lease: float) -> Iterator[Machine]:
    """A worker on a machine of its own, which ends with the block."""
    own, link, address = f"drill-{name}", f"drill{number}", f"10.213.{number}"
    _ip("netns", "add", own)
    try:
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", own)
        _ip("address", "add", f"{address}.1/24", "dev", link)
        _ip("link", "set", link, "up")
        for words in (("address", "add", f"{address}.2/24", "dev", "eth0"), ("link", "set", "eth0", "up"),
                      ("link", "set", "lo", "up")):  # fmt: skip
            _ip("-n", own, *words)
        worker = Server(
            name, command(site, name, own, dump), site.folder, environment=environment(site, name, address, lease)
        )
        worker.start()
        site.servers[name] = worker
        try:
            yield Machine(link, f"{address}.2")
        finally:
            worker.kill()
    finally:
        _ip("netns", "delete", own)


def command(site: Site, name: str, own: str, dump: Path) -> list[str]:
    """The worker's command: with a host name, and with a copy of the dump, or nothing, where the dump is."""
    folder = site.folder / name
    (folder / "dumps").mkdir(parents=True)
    if name in WITH_A_COPY:
        shutil.copy(dump, folder / "dumps")
    celery = f"{sys.executable} -m celery --quiet -A speed.harvests.worker worker --beat -s {folder}/schedule"
    celery += f" --pool threads --concurrency 4 --without-gossip --without-mingle -n worker@{name}"
    script = f"hostname {name} && mount --bind {folder}/dumps {dump.parent} && exec {celery}"
    return ["ip", "netns", "exec", own, "unshare", "--uts", "--mount", "sh", "-c", script]


def environment(site: Site, name: str, address: str, lease: float) -> dict[str, str]:
    return {
        "VAR_DIR": str(site.folder / name),
        "DATABASE_URL": f"postgres://workbench@{address}.1:{site.servers['database'].port}/postgres",
        "CELERY_BROKER_URL": f"redis://{address}.1:{site.servers['broker'].port}/0",
        "HARVEST_LEASE": str(lease),
        "DUMP_SECTION": str(SECTION),
    }


def allow_new_folders() -> None:
    """As an admin does for each further machine: until then it sends and harvests nothing."""
    from core.keeping.sending import allow_sending
    from core.models import DataFolder

    while DataFolder.objects.filter(recovered_at=None).exists() or DataFolder.objects.count() <= len(WITH_A_COPY):
        time.sleep(0.5)
    allow_sending(admin=None)
    time.sleep(1)  # until the workers have noticed


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


@dataclass
class Drill:
    dump: Path
    machines: dict[str, Machine]
    lease: float
    said: str = ""
    readers: set[str] = field(default_factory=set)

    def disturbed(self, kind: str) -> "Harvest":
        """A harvest that has ended, during which a machine was cut off. It is back when this returns."""
        from annotation.tasks import run_harvest

        harvest, begun = requested(self.dump), time.monotonic()
        run_harvest.delay(harvest.pk)
        self.readers = set()
        while not self.readers >= set(WITH_A_COPY):
            self.look(harvest, begun, "until two machines read it")
            if not harvest.is_open:  # before the second one joined it
                forget()
                return self.disturbed(kind)
            if random.random() < 0.1:
                run_harvest.apply_async([harvest.pk], expires=60)  # as the clock does every 20 seconds
        until = time.monotonic() + random.uniform(0, 3)
        while time.monotonic() < until:
            self.look(harvest, begun, "")
        name = self.cut_off(kind)
        cut, seen = time.monotonic(), harvest.articles_seen
        while harvest.is_open and (kind != "for a while" or time.monotonic() < cut + self.lease * 1.5):
            self.look(harvest, begun, f"after {name} was cut off")
        ended = "back before the end" if harvest.is_open else f"ended {time.monotonic() - cut:.0f} s later"
        self.machines[name].mend()
        while harvest.is_open:
            self.look(harvest, begun, f"after {name} came back")
        took = time.monotonic() - begun
        self.said = f"{took:.0f} s; {name} cut off {kind} after {seen} pages, {ended}"
        return harvest

    def cut_off(self, kind: str) -> str:
        """Cut one of the machines off; returns its name."""
        if kind != "in a transaction":
            name = random.choice(WITH_A_COPY)
            self.machines[name].cut()
            return name
        while True:
            for name in WITH_A_COPY:
                if self.is_in_a_transaction(name):
                    self.machines[name].cut()
                    time.sleep(0.5)
                    if self.is_in_a_transaction(name):
                        return name
                    self.machines[name].mend()  # it was over just before

    def is_in_a_transaction(self, name: str) -> bool:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(IN_A_TRANSACTION, [self.machines[name].address])
            return cursor.fetchone() is not None

    def look(self, harvest: "Harvest", begun: float, when: str) -> None:
        time.sleep(0.05)
        harvest.refresh_from_db()
        self.readers |= {row.machine for row in harvest.ranges.all()}
        if time.monotonic() > begun + HANGS:
            raise SystemExit(f"{harvest} hangs {when}: {vars(harvest)}, {list(harvest.ranges.values())}")

    def wrong_after(self, harvest: "Harvest", expected: dict) -> list[str]:
        """Differences that appear once all machines are at work again."""
        begun = time.monotonic()
        self.wait_for_signs()
        self.said += f"; all at work again after {time.monotonic() - begun:.0f} s"
        wrong = [f"later: {line}" for line in differences(left_by(harvest), expected)]
        return wrong + (["east claimed a range"] if "east" in self.readers else [])

    def wait_for_signs(self) -> None:
        """Wait until each machine has given a sign of life from now on."""
        from django.utils import timezone

        from core.models import Sign, SignKind

        now, begun = timezone.now(), time.monotonic()
        silent = set(self.machines)
        while silent:
            time.sleep(0.2)
            given = Sign.objects.filter(kind=SignKind.WORKER, at__gt=now).values_list("name", flat=True)
            silent -= {name.partition(":")[0] for name in given}
            if time.monotonic() > begun + BACK:
                raise SystemExit(f"no sign of life of {', '.join(sorted(silent))} for {BACK:.0f} s")


if __name__ == "__main__":
    main()
