"""Queues in which one person's next tag is hard to find, compared with a person for whom it is easy.

In this process, as in speed/requests.py: CPU of the thread, queries, and time as seen, which on PostgreSQL has
the server's share.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from speed.laboratory import analyse
from speed.large.queue import fill, first
from speed.requests import Browser, Cost, Desk

SKIPPED = 100_000
TIMES = 5


def skip_tags(person: Any, count: int) -> None:
    """One person skips the first `count` tags of the queue."""
    from annotation.models import Skip, Tag

    fill(Skip, count, tag_id=f"{first(Tag)} + i", annotator_id=str(person.pk), reason="'Not mine'")


def all_of_one_article() -> None:
    from annotation.models import Tag

    article = Tag.objects.order_by("pk")[0].article_id
    Tag.objects.update(article=article, last_seen_in=article)
    analyse()


def doors(person: Any) -> dict[str, Cost]:
    """Measure this person's claim, opening and submission of a tag, and the display of the remaining work."""
    desk, browser = Desk(person), Browser(person)
    found = {"start": [], "claim": [], "page": [], "submit": []}
    for _ in range(TIMES):
        found["start"].append(browser.ask("GET", "/annotation/work/")[1])
        found["claim"].append(desk.claim())
        if desk.address == "/annotation/desk/":
            continue
        desk.open()  # the first look asks for evidence
        found["page"].append(desk.open())
        found["submit"].append(desk.submit())
    return {door: middle(costs) for door, costs in found.items() if costs}


def middle(costs: list[Cost]) -> Cost:
    return Cost(*map(statistics.median, zip(*map(astuple, costs), strict=True)))


def play_bad_input(tags: int, say: Callable[[str], None]) -> None:
    """Print a row for each person and request, relative to the ordinary person."""
    from annotation.models import Tag
    from core.models import User

    ordinary, skipper, left_out, of_one_article = User.objects.filter(username__startswith="person").order_by("pk")[
        960:964
    ]
    skipped = min(SKIPPED, tags * 9 // 10)
    skip_tags(skipper, skipped)
    skip_tags(left_out, Tag.objects.count())
    analyse()
    doors(ordinary)  # loads what is loaded once
    measure = doors(ordinary)
    say("| who asks | door | CPU ms, queries, ms seen | times the ordinary person's |\n|---|---|---:|---:|")
    tell("nobody has skipped anything", measure, measure, say)
    tell(f"{skipped:,} tags skipped by this person", doors(skipper), measure, say)
    tell(f"all {tags:,} tags skipped by this person", doors(left_out), measure, say)
    started = time.perf_counter()
    all_of_one_article()
    say(f"(all tags given to one article in {time.perf_counter() - started:.0f} s)")
    tell(f"all {tags:,} tags in one article", doors(of_one_article), measure, say)


def tell(who: str, costs: dict[str, Cost], measure: dict[str, Cost], say: Callable[[str], None]) -> None:
    for door, cost in costs.items():
        times = cost.seen / measure[door].seen
        say(f"| {who} | {door} | {cost.cpu:.1f}, {cost.queries:.0f}, {cost.seen:.1f} | {times:.1f} |")
