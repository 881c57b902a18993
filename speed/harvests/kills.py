"""The kill drill of harvests: workers of two machines read dumps and are killed at random moments; what is stored is
compared with what one reader finds.

    python -m speed.harvests.kills [--postgresql] [--harvests 5] [--kills 20] [--lease 10] [--seed 7]

An admin uploads each dump to the web server, which may be killed during that request. Two workers, each of which
takes itself for the only one of its machine, read it. At random moments one of them is killed (SIGKILL), or the one
whose turn it is to store, or both, or a process that reads; or one stands still (SIGSTOP) for longer than its lease
and goes on. What was killed starts again after some seconds. The lease and the ranges are short, so that the drill
ends soon; `--lease 90` is the program's. Ends with 1 if a harvest's rows, their order, its counts, problems or
checkpoint differ from one reader's, if a tag is stored twice, or if a harvest hangs.
"""

import argparse
import http.client
import os
import random
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from speed.laboratory import new_person, sign_in
from speed.large.dumps import forget
from speed.playing.http import TOKEN
from speed.playing.servers import Server, Site, machine, private_site, web_server

from .results import by_one_reader, differences, left_by, make_dump

if TYPE_CHECKING:
    from annotation.models import Harvest

MACHINES = ("north", "south")
PAGES, SHARE, SECTION = 5_000, 0.4, 2**16
HANGS = 900.0  # seconds without an end of a harvest
LONGEST_CALM, LONGEST_ABSENCE = 2.5, 4.0  # seconds between two kills, and until what was killed is started again
BOUNDARY = "of-this-drill"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", action="store_true", help="on a PostgreSQL and a Redis of its own")
    parser.add_argument("--harvests", type=int, default=5, help="the least number (%(default)s)")
    parser.add_argument("--kills", type=int, default=20, help="the least number (%(default)s)")
    parser.add_argument("--lease", type=float, default=10.0, help="seconds (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    chosen = parser.parse_args()
    random.seed(chosen.seed)
    with private_site(is_postgresql=chosen.postgresql) as site, ExitStack() as ends:
        os.environ["EVIDENCE_AHEAD"] = "false"
        print(f"{machine()}; {'PostgreSQL' if chosen.postgresql else 'SQLite'}, seed {chosen.seed}", flush=True)
        dump = make_dump(site.folder / "dump.xml.bz2", PAGES, SHARE)
        expected = by_one_reader(dump)
        print(f"one reader: {expected['counts']}, {len(expected['problems'])} problems", flush=True)
        drill = Drill(site, dump, chosen.lease)
        ends.callback(drill.end)
        drill.start()
        holds = True
        while drill.harvests < chosen.harvests or drill.kills.total() < chosen.kills:
            harvest = drill.disturbed()
            wrong = differences(left_by(harvest), expected)
            holds = holds and not wrong
            print("\n  ".join([drill.said, *(wrong or ["as by one reader"])]), flush=True)
            forget()
        print(f"{drill.harvests} harvests, {drill.kills.total()} kills: {dict(drill.kills)}")
    sys.exit(0 if holds else 1)


def worker(site: Site, name: str, environment: dict[str, str]) -> Server:
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "speed.harvests.worker", "worker", "--beat"]
    command += ["-s", str(site.folder / f"{name}.schedule"), "--pool", "threads", "--concurrency", "4"]
    command += ["--without-gossip", "--without-mingle", "--without-heartbeat", "-n", f"{name}@drill"]
    return Server(name, command, site.folder, environment={"MACHINE": name, **environment})


@dataclass
class Drill:
    site: Site
    dump: Path
    lease: float
    kills: Counter[str] = field(default_factory=Counter)
    harvests: int = 0
    said: str = ""

    def start(self) -> None:
        new_person("admin")
        self.session = sign_in("admin", 1)[0]
        self.site.servers["web"] = web_server(self.site.folder, 1)
        for name in MACHINES:
            environment = {"HARVEST_LEASE": str(self.lease), "DUMP_SECTION": str(SECTION)}
            self.site.servers[name] = worker(self.site, name, environment)
        for name in ("web", *MACHINES):
            self.site.servers[name].start()

    def end(self) -> None:
        for name in MACHINES:
            self.site.servers[name].kill()

    def disturbed(self) -> "Harvest":
        """A harvest that was requested on a page and has ended, however often its workers were killed."""
        harvest, begun, before = self.ask(), time.monotonic(), self.kills.copy()
        while self.is_open(harvest):
            time.sleep(random.uniform(0.1, LONGEST_CALM))
            if time.monotonic() > begun + HANGS:
                raise SystemExit(f"{harvest} hangs: {vars(harvest)}, {list(harvest.ranges.values())}")
            seen = harvest.articles_seen
            if self.is_open(harvest) and (harvest.articles_seen > seen or random.random() < 0.1):
                self.strike(harvest)
        self.harvests += 1
        took, struck = time.monotonic() - begun, dict(self.kills - before)
        self.said = f"harvest {self.harvests}: {took:.0f} s, {harvest.articles_seen} pages, {struck}"
        return harvest

    def is_open(self, harvest: "Harvest") -> bool:
        harvest.refresh_from_db()
        return harvest.is_open

    # --- The request ---------------------------------------------------------------------------------------------

    def ask(self) -> "Harvest":
        """Upload the dump; the web server may be killed meanwhile, and then the admin asks again if nothing came of
        it.
        """
        from annotation.models import Harvest

        before = Harvest.objects.count()
        if random.random() < 0.7:
            request = threading.Thread(target=self.upload)
            request.start()
            time.sleep(random.uniform(0, 0.4))
            self.kill("web", "the web server")
            request.join()
            self.site.servers["web"].start()
        if Harvest.objects.count() == before:
            self.upload()
        if Harvest.objects.count() != before + 1:
            raise SystemExit(f"the request was followed by {Harvest.objects.count() - before} harvests")
        return Harvest.objects.latest("pk")

    def upload(self) -> None:
        from django.urls import reverse

        from annotation.models import Wiki

        fields = {"source": "dump", "dump_wiki": str(Wiki.objects.get(api_url__contains="en.wikipedia").pk)}
        parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
                 for name, value in fields.items()]  # fmt: skip
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="dump"; filename="dump.xml.bz2"\r\n\r\n'
        body = b"".join([*parts, head.encode(), self.dump.read_bytes(), f"\r\n--{BOUNDARY}--\r\n".encode()])
        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Cookie": f"sessionid={self.session}; csrftoken={TOKEN}",
            "X-CSRFToken": TOKEN,
        }
        browser = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=60)
        with suppress(OSError, http.client.HTTPException):
            browser.request("POST", reverse("harvest_new"), body, headers)
            if (status := browser.getresponse().status) != 302:
                raise SystemExit(f"the request was answered with {status}")
        browser.close()

    # --- Kills ---------------------------------------------------------------------------------------------------

    def strike(self, harvest: "Harvest") -> None:
        first = harvest.ranges.first()
        stores = first.machine if first else random.choice(MACHINES)
        other = random.choice(MACHINES)
        kind = random.choice(["a worker", "the one that stores", "both workers", "a reading process", "frozen"])
        if kind == "frozen":
            self.freeze(random.choice([stores, other]))
        elif kind == "a reading process":
            self.kill_child(other)
        else:
            names = {"a worker": [other], "the one that stores": [stores], "both workers": MACHINES}[kind]
            for name in names:
                self.kill(name, kind if name == names[-1] else "")
            time.sleep(random.uniform(0, LONGEST_ABSENCE))
            for name in names:
                self.site.servers[name].start()

    def kill(self, name: str, kind: str) -> None:
        self.site.servers[name].kill()
        self.kills.update([kind] if kind else [])

    def kill_child(self, name: str) -> None:
        children = self.site.servers[name].processes()[1:]
        if children:
            with suppress(psutil.NoSuchProcess):
                random.choice(children).kill()
                self.kills["a reading process"] += 1

    def freeze(self, name: str) -> None:
        processes = self.site.servers[name].processes()
        for each in processes:
            with suppress(psutil.NoSuchProcess):
                each.suspend()
        time.sleep(self.lease + random.uniform(1, 4))
        for each in processes:
            with suppress(psutil.NoSuchProcess):
                each.resume()
        self.kills["frozen"] += 1


if __name__ == "__main__":
    main()
