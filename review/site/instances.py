"""The instances of a release for the pages, a page at a time, and their categories."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from annotation.models import Release, ReleasedInstance
from annotation.releases.canonical import released_instances

from ..kinds.presentation import Category, Presentation, Shown
from .entries import presentation_of

ON_A_PAGE = 50
LISTED_ON_A_PAGE = 200


def counts_of(release: Release) -> Counter[Category]:
    """The number of instances of the release in each category."""
    categories_of = presentation_of(release.benchmark).categories_of
    counts: Counter[Category] = Counter()
    rows = release.released_instances.order_by().values_list("instance__content", "instance__category")
    for content, category in rows.iterator(chunk_size=500):
        counts.update(categories_of(content, category))
    return counts


@dataclass(frozen=True, slots=True)
class Card:
    """An instance as a page shows it."""

    number: int
    shown: Shown
    categories: list[Category]
    page: int

    @property
    def anchor(self) -> str:
        return f"q{self.number}"

    @property
    def address(self) -> str:
        """Its address among the pages of instances."""
        return f"{self.page}.html#{self.anchor}"


def on_a_page(presentation: Presentation) -> int:
    return presentation.on_a_page or ON_A_PAGE


def cards(release: Release, *, first: int = 0) -> Iterator[list[Card]]:
    """The cards of each page in turn; with `first`, only this number of instances, for the front page."""
    presentation = presentation_of(release.benchmark)
    rows: Iterable[ReleasedInstance] = released_instances(release)
    if first:
        rows = release.released_instances.select_related("instance").order_by("number")[:first]
    rows, page = iter(rows), 1
    while chunk := list(islice(rows, on_a_page(presentation))):
        shown = presentation.shown([released.instance for released in chunk])
        yield [
            Card(each.number, how, presentation.categories_of(each.instance.content, each.instance.category), page)
            for each, how in zip(chunk, shown, strict=True)
        ]
        page += 1
