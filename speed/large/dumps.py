"""Measures how fast tagged articles are harvested from a dump and from a tasks JSON file.

    python -m speed.large.dumps --pages 2000 --share 1.0          # the tagged articles alone: what storing costs
    python -m speed.large.dumps --pages 60000 --share 0.002       # as in a Wikipedia: what reading costs
    python -m speed.large.dumps --pages 60000 --share 0.002 --machines 2   # the same by two workers at once
    python -m speed.large.dumps --postgres postgres://... --tasks 5000

The dump is made on the spot, packed in many streams of a hundred pages as Wikimedia's are; its texts are of the
lengths of a Wikipedia's articles. At the end it prints a table: one decompressor (`bz2`) for the same file, then each
number of processes and machines, with CPU and peak memory of the processes that hold the harvest and of those that
read or find tags. On a busy machine only the CPU can be compared: pages per second of CPU on one core, times the
cores, is the speed at which an idle machine could go.
"""

import argparse
import bz2
import contextlib
import json
import os
import random
import resource
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from speed.laboratory import laboratory_on

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

    from annotation.models import Harvest
    from tests.mediawiki.dumpfile import Page

SITE = "<siteinfo><base>https://en.wikipedia.org/wiki/Main_Page</base></siteinfo>\n"
PAGES_A_STREAM = 100
HEAD = ("| read by | seconds | CPU, s: own; all that read | peak MB: own, each that reads |", "|---|---:|---|---|")
MEDIAN_CHARACTERS, SPREAD, MOST_CHARACTERS = 3_500, 1.1, 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--share", type=float, default=1.0, help="of the articles with a tag (%(default)s)")
    parser.add_argument("--tasks", type=int, default=0, help="also harvest a tasks JSON file of this many records")
    parser.add_argument("--processes", type=int, nargs="+", default=[0], help="0: one for each core")
    parser.add_argument("--machines", type=int, default=0, help="also by this many workers as if on several machines")
    parser.add_argument("--again", action="store_true", help="harvest the dump twice")
    parser.add_argument("--postgres", metavar="URL", help="measure in a new database on this server")
    chosen = parser.parse_args()
    with laboratory_on(chosen.postgres) as folder:
        load = os.getloadavg()[0]
        if chosen.pages:
            dump = written(folder / "dump.xml.bz2", pages(chosen.pages, chosen.share))
            rows = [unpack(dump)]
            for number in chosen.processes:
                forget()
                rows.append(harvest(dump, told_processes(number), number))
            if chosen.machines:
                forget()
                rows.append(harvest_together(dump, chosen.machines, chosen.processes[-1]))
            if chosen.again:
                rows.append(harvest(dump, "again"))
            print(f"load {load:.1f} to {os.getloadavg()[0]:.1f}", *HEAD, *(row.told() for row in rows), sep="\n")
        if chosen.tasks:
            harvest_tasks(folder, chosen.tasks)


@dataclass
class Used:
    """Seconds of CPU and peak megabytes of the process that holds a harvest, and of its children."""

    cpu: float
    children: float = 0.0
    peak: float = 0.0
    each_child: float = 0.0


@dataclass
class Row:
    """A row of the table: who read the dump, in how many seconds, and what each machine's processes have used."""

    what: str
    seconds: float
    machines: list[Used]

    def told(self) -> str:
        cpu = "; ".join(
            ", ".join(f"{seconds:.2f}" for seconds in column)
            for column in ([used.cpu for used in self.machines], [used.children for used in self.machines])
        )
        memory = "; ".join(f"{used.peak:.0f}, {used.each_child:.0f}" for used in self.machines if used.peak)
        return f"| {self.what} | {self.seconds:.1f} | {cpu} | {memory} |"


def told_processes(number: int) -> str:
    return f"{number or 'all'} process{'' if number == 1 else 'es'}"


def written(path: Path, articles: "Iterable[Page]") -> Path:
    """A multistream dump of these pages, written to `path`."""
    from tests.mediawiki.dumpfile import dump

    return packed(path, dump(articles, siteinfo=SITE))


def packed(path: Path, pieces: Iterator[str]) -> Path:
    """The pieces of a dump, a page in a few of them, written to `path` in streams of a hundred pages."""
    with path.open("wb") as file:
        file.write(bz2.compress(next(pieces).encode()))
        held: list[str] = []
        for piece in pieces:
            held.append(piece)
            if piece == "</page>\n" and held.count(piece) == PAGES_A_STREAM:
                file.write(bz2.compress("".join(held).encode()))
                held = []
        file.write(bz2.compress("".join(held).encode()))
    return path


def pages(count: int, share: float) -> "Iterator[Page]":
    from tests.mediawiki.dumpfile import Page

    drawn = random.Random(7)
    words = ["".join(drawn.choice("etaoinshrdlucmfwyp") for _ in range(drawn.randint(2, 11))) for _ in range(20_000)]
    for number in range(count):
        size = min(int(drawn.lognormvariate(0, SPREAD) * MEDIAN_CHARACTERS), MOST_CHARACTERS)
        text = article(drawn, words, size, number, is_tagged=drawn.random() < share)
        yield Page.of(f"Bridge {number}", text)


def article(drawn: random.Random, words: list[str], size: int, number: int, *, is_tagged: bool) -> str:
    """Sections, paragraphs, links, references and templates as often as in articles of that length."""
    parts = [f"{{{{Infobox bridge|name=Bridge {number}|opened=1903}}}}\n"]
    length, at = len(parts[0]), 0
    while length < size:
        sentences = []
        for _ in range(drawn.randint(2, 6)):
            chosen = [
                words[min(int(drawn.expovariate(1 / 900)), len(words) - 1)] for _ in range(drawn.randint(8, 24))
            ]
            chosen[3] = f"[[{chosen[3]}|{chosen[4]}]]"
            sentences.append(" ".join(chosen).capitalize() + ".")
            if drawn.random() < 0.4:
                sentences[-1] += (
                    f"<ref>{{{{cite web|url=https://example.org/{number}/{at}|title={chosen[0]}}}}}</ref>"
                )
        at += 1
        heading = f"\n== {words[drawn.randrange(2000)]} ==\n" if at % 4 == 0 else ""
        parts.append(f"{heading}{' '.join(sentences)}\n\n")
        length += len(parts[-1])
    if is_tagged:
        tag = "It opened in 1903.{{Inconsistent|date=May 2024|reason=Which year?}} It closed in 1899.\n\n"
        parts.insert(len(parts) // 2, tag)
    return "".join(parts)


def unpack(path: Path) -> Row:
    begun, cpu, size = time.perf_counter(), time.process_time(), 0
    rest = path.read_bytes()
    while rest:
        stream = bz2.BZ2Decompressor()
        size += len(stream.decompress(rest))
        rest = stream.unused_data
    took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    tell("one decompressor", took, size=size)
    return Row("a plain decompressor", took, [Used(cpu)])


def forget() -> None:
    """Delete what an earlier harvest has stored."""
    from annotation.models import Article, Assignment, Tag

    for model in (Assignment, Tag, Article):
        model.objects.all().delete()


def harvest(path: Path, what: str, processes: int = 0) -> Row:
    row = requested(path)
    begun = time.perf_counter()
    used = used_by(lambda: run(row.pk, processes))
    took = time.perf_counter() - begun
    row.refresh_from_db()
    tell(f"dump, {what}", took, state=row.state, seen=row.articles_seen, tags=row.tags_found, new=row.tags_new)
    total = used.cpu + used.children
    print(f"  all: {total:.2f} s of CPU, {row.articles_seen / total:.0f} pages per second of CPU", flush=True)
    return Row(what, took, [used])


def run(number: int, processes: int) -> None:
    from annotation.harvesting.steps import run_harvest

    run_harvest(number, processes=processes or None)


def used_by(do: Callable[[], object]) -> Used:
    """CPU and peak memory of this process and its children while it does this."""
    end_children()
    ended, cpu = ended_children(), time.process_time()
    do()
    cpu = time.process_time() - cpu
    each = [peak_of(child) for child in psutil.Process().children()]
    end_children()
    return Used(cpu, ended_children() - ended, peak_of(psutil.Process()), max(each, default=0.0))


def requested(path: Path) -> "Harvest":
    from annotation.harvesting.harvests import start_harvest
    from annotation.models import Wiki

    wiki, _ = Wiki.objects.get_or_create(
        api_url="https://en.wikipedia.org/w/api.php", defaults={"name": "Wikipedia", "language": "en"}
    )
    return start_harvest(source="dump", wiki=wiki, parameters={"path": str(path)})


def harvest_together(path: Path, machines: int, processes: int) -> Row:
    """Harvest by workers of which each takes itself for the only one of its machine."""
    row, spawning = requested(path), get_context("spawn")
    used = spawning.SimpleQueue()
    workers = [spawning.Process(target=work, args=(row.pk, each, processes, used)) for each in range(machines)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    row.refresh_from_db()
    took = (row.finished_at - row.started_at).total_seconds()
    what = f"{machines} machines, {told_processes(processes)} each"
    tell(f"dump, {what}", took, state=row.state, seen=row.articles_seen, new=row.tags_new)
    return Row(what, took, [used.get() for _ in workers])


def work(number: int, machine: int, processes: int, used: "SimpleQueue[Used]") -> None:
    import django

    django.setup()
    from annotation.models import Harvest

    def until_it_is_over() -> None:
        while Harvest.objects.get(pk=number).is_open:
            run(number, processes)
            time.sleep(0.1)

    socket.gethostname = lambda: f"machine-{machine}"
    used.put(used_by(until_it_is_over))


def end_children() -> None:
    """End the processes of an earlier harvest, so that each one's CPU is counted from its start."""
    from annotation.harvesting.dumps import sections
    from annotation.wikitext import extraction

    sections._readers.end_idle()
    extraction._readers.end_idle()


def ended_children() -> float:
    """The CPU of all children that have ended, in seconds."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def peak_of(process: psutil.Process) -> float:
    """The peak memory of a process, in megabytes."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return process.memory_info().rss / 2**20


def harvest_tasks(folder: Path, count: int) -> None:
    from annotation.harvesting.harvests import start_harvest
    from annotation.harvesting.steps import run_harvest

    sentence = "The bridge over the river {} {} in {}, after nine years of work, as the town's chronicle has it. "
    records = []
    for number in range(count):
        clean = sentence.format(number, "opened", 1903) * 3 + sentence.format(number, "was closed", 1899) * 3
        tag = "Inconsistent|date=May 2024"
        records.append(
            {
                "title": f"Road {number}",
                "url": f"https://en.wikipedia.org/wiki/Road_{number}",
                "paragraph_A": clean + "{{" + tag + "}}",
                "paragraph_A_clean": clean,
                "tag": tag,
                "tagDate": "May 2024",
                "tagReason": "",
            }
        )
    path = folder / "tasks.json"
    path.write_text(json.dumps(records))
    row = start_harvest(source="tasks", parameters={"path": str(path)})
    begun, cpu = time.perf_counter(), time.process_time()
    run_harvest(row.pk)
    took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    row.refresh_from_db()
    print(f"  {cpu:.2f} s of CPU, {count / cpu:.0f} records per second of CPU")
    tell("tasks", took, state=row.state, seen=row.articles_seen, tags=row.tags_found, new=row.tags_new)


def tell(what: str, took: float, *, size: int = 0, **values: object) -> None:
    of_size = f" {size / 1e6:.0f} MB, {size / 1e6 / took:.1f} MB/s" if size else ""
    seen = values.get("seen")
    of_pages = f", {int(str(seen)) / took:.0f}/s" if seen else ""
    print(f"{what:<18}{took:7.2f} s{of_size}{of_pages} {values or ''}", flush=True)


if __name__ == "__main__":
    main()
