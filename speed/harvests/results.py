"""The rows that a harvest left, compared with one reader's."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from speed.large.dumps import SITE, article, forget, packed, requested

if TYPE_CHECKING:
    from annotation.models import Harvest
    from tests.mediawiki.dumpfile import Page

COUNTERS = ("articles_seen", "articles_new", "tags_found", "tags_new", "tags_gone")
TAG = ("article__title", "article__revision_id", "raw", "section", "paragraph", "placement", "occurrence", "gone_at")
EVERY_NTH_EMPTY = 83  # so that there are problems, too
EMPTY, LACKING = '<text xml:space="preserve"></text>', '<text bytes="70" />'


def make_dump(path: Path, count: int, share: float) -> Path:
    """A multistream dump of small articles, of which this share have a tag and some lack their text."""
    from tests.mediawiki.dumpfile import dump

    return packed(path, (piece.replace(EMPTY, LACKING) for piece in dump(_pages(count, share), siteinfo=SITE)))


def _pages(count: int, share: float) -> "Iterator[Page]":
    from tests.mediawiki.dumpfile import Page

    drawn = random.Random(11)
    words = ["".join(drawn.choice("etaoinshrdlucmfwyp") for _ in range(drawn.randint(2, 11))) for _ in range(5_000)]
    for number in range(count):
        size = drawn.randint(500, 6_000)
        text = article(drawn, words, size, number, is_tagged=drawn.random() < share)
        yield Page.of(f"Bridge {number}", "" if number % EVERY_NTH_EMPTY == 5 else text)


def by_one_reader(path: Path) -> dict[str, Any]:
    """The result of one process for this dump; its rows are deleted again."""
    from annotation.harvesting.steps import run_harvest

    harvest = requested(path)
    run_harvest(harvest.pk, processes=1)
    found = left_by(harvest)
    forget()
    return found


def left_by(harvest: "Harvest") -> dict[str, Any]:
    """State, counts, checkpoint and rows of a harvest that has ended, the rows in the order in which they came."""
    from annotation.models import Article, Assignment, DumpRange, Tag

    harvest.refresh_from_db()
    checkpoint = harvest.cursor["checkpoint"]
    tags = Tag.objects.filter(harvest=harvest).order_by("pk")
    return {
        "state": (harvest.state, harvest.error, harvest.lease_expires_at),
        "counts": {name: getattr(harvest, name) for name in COUNTERS},
        "checkpoint": {name: checkpoint[name] for name in ("read", "whole", "last", "last_title")},
        "problems": list(harvest.problems.values_list("title", "reason")),
        "tags": list(tags.values_list(*TAG)),
        "articles": list(Article.objects.order_by("pk").values_list("title", "page_id", "revision_id", "wikitext")),
        "assignments": Assignment.objects.filter(tag__in=tags).count(),
        "ranges left": DumpRange.objects.filter(harvest=harvest).count(),
    }


def differences(found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """A line for each part that differs, and one if a tag is stored twice."""
    lines = [_told(name, found[name], expected[name]) for name in expected if found[name] != expected[name]]
    twice = [tag[0] for tag, number in Counter(found["tags"]).items() if number > 1]
    return lines + ([f"twice: {len(twice)} tags, such as {twice[0]}"] if twice else [])


def _told(name: str, found: Any, expected: Any) -> str:
    if not isinstance(expected, list):
        return f"{name}: {found}, by one reader {expected}"
    at = next((at for at, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), None)
    return f"{name}: {len(found)}, by one reader {len(expected)}; they differ from number {at} on"
