"""Measures how fast a dump is searched for untagged contradictions, beside a harvest of the same dump.

    python -m speed.large.untagged --pages 6000

The dump is that of `speed.large.dumps`, except that each page also has an infobox of several lines, sentences with
dates about its subject, and one in three a table with a total; one page in twenty contradicts itself. Both read it
with all cores. Prints pages per second, and per second of CPU of all processes, which a busy machine changes less.
"""

import argparse
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from speed.laboratory import laboratory_on
from speed.large.dumps import end_children, ended_children, forget, pages, tell, written

if TYPE_CHECKING:
    from annotation.models import Wiki
    from tests.mediawiki.dumpfile import Page

CONTRADICTS, HAS_TABLE = 0.05, 1 / 3
TABLE = """{| class="wikitable"
! Span !! Length !! Cost
|-
| First || 1,200 || 30
|-
| Second || 800 || 41
|-
| Third || 400 || 5
|-
! Total !! 2,400 !! 76
|}
"""


def with_facts(articles: "Iterator[Page]") -> "Iterator[Page]":
    """The pages with more to compare in each."""
    from tests.mediawiki.dumpfile import Page

    drawn = random.Random(11)
    for each in articles:
        year = drawn.randint(1800, 1990)
        told = year + 3 if drawn.random() < CONTRADICTS else year
        infobox = f"{{{{Infobox bridge\n| name = {each.title}\n| opened = {year}\n| built = {year - 2}\n}}}}\n"
        lead = (
            f"'''{each.title}''' is a road bridge over the Tarn. It was built in {year - 2} at a cost of 31,000.\n\n"
        )
        body = (
            f"\n== History ==\nThe bridge was opened on 4 May {told} by the mayor. In 1902, 40 people lived there.\n"
        )
        table = f"\n== Spans ==\n{TABLE}" if drawn.random() < HAS_TABLE else ""
        yield Page.of(each.title, infobox + lead + each.revisions[0].text + body + table)


def harvested(wiki: "Wiki", path: Path) -> str:
    from annotation.harvesting.harvests import start_harvest
    from annotation.harvesting.steps import run_harvest

    row = start_harvest(source="dump", wiki=wiki, parameters={"path": str(path)})
    run_harvest(row.pk)
    row.refresh_from_db()
    return f"{row.state}, {row.tags_new:,} tags"


def searched(wiki: "Wiki", path: Path) -> str:
    from annotation.assisting.counterparts.pairs import FLOOR
    from annotation.finding.looking import Look, look_at_dump

    look = Look(least=FLOOR)
    look_at_dump(look, wiki=wiki, path=path)
    return f"{look.pages:,} pages, {look.new:,} candidates"


def cpu_of_all() -> float:
    """The CPU of this process and its children, ended or not, in seconds."""
    return time.process_time() + ended_children() + sum(sum(c.cpu_times()[:2]) for c in psutil.Process().children())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=6_000)
    parser.add_argument("--share", type=float, default=0.002, help="of the pages with an editor's tag (%(default)s)")
    parser.add_argument("--postgres", metavar="URL", help="measure in a new database on this server")
    chosen = parser.parse_args()
    with laboratory_on(chosen.postgres) as folder:
        from annotation.models import Wiki

        wiki = Wiki.objects.create(api_url="https://en.wikipedia.org/w/api.php", name="Wikipedia", language="en")
        path = written(folder / "dump.xml.bz2", with_facts(pages(chosen.pages, chosen.share)))
        print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores", flush=True)
        for name, work in (("harvest", harvested), ("search", searched)):
            end_children()
            begun, cpu = time.perf_counter(), cpu_of_all()
            found = work(wiki, path)
            took, cpu = time.perf_counter() - begun, cpu_of_all() - cpu
            tell(name, took, seen=chosen.pages)
            print(f"  {found}; {cpu:.2f} s of CPU, {chosen.pages / cpu:.0f} pages per second of CPU", flush=True)
            if name == "harvest":
                forget()


if __name__ == "__main__":
    main()
