"""The instances of a release as the pages show them, a page at a time, and the categories that they are listed in."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from annotation import taxonomy
from annotation.content.choices import in_words
from annotation.content.instances import Conflict
from annotation.content.marking import Piece, mark_spans
from annotation.models import Instance, Release, ReleasedInstance
from annotation.releases.canonical import released_instances
from annotation.releases.spans import Spans, spans_of
from core.outside import web_address

ON_A_PAGE = 50
LISTED_ON_A_PAGE = 200


@dataclass(frozen=True, slots=True)
class Category:
    """What instances can be listed by: an option of a dimension, or what their passages are."""

    group: str
    label: str
    # The beginning of the names of its pages.
    name: str

    def address(self, page: int) -> str:
        return f"{self.name}-{page}.html"


def _categories() -> Iterator[tuple[tuple[str, str], Category]]:
    for dimension in taxonomy.DIMENSIONS:
        slug = dimension.code.replace("_", "-")
        for option in dimension.options:
            yield (
                (dimension.code, option.code),
                Category(dimension.name, in_words(option), f"{slug}-{option.code.lower()}"),
            )
        yield (dimension.code, ""), Category(dimension.name, "Not set", f"{slug}-not-set")
    yield ("passages", "same"), Category("Passages", "The two passages are the same", "passages-same")
    yield ("passages", "different"), Category("Passages", "The two passages differ", "passages-different")


# In the order of the paper's dimensions; by dimension and option.
CATEGORIES = dict(_categories())


def categories_of(conflict: Conflict) -> list[Category]:
    """The categories of an instance."""
    found = [("passages", "same" if conflict.same_passage else "different")]
    for dimension, codes in (
        (taxonomy.SEMANTIC_TYPE, conflict.semantic_types),
        (taxonomy.MODALITY, conflict.modalities),
        (taxonomy.ORIGIN, [conflict.origin]),
        (taxonomy.REASONING_TYPE, [conflict.reasoning_type]),
    ):
        known = [code for code in codes if (dimension.code, code) in CATEGORIES]
        found += [(dimension.code, code) for code in known or [""]]
    return [CATEGORIES[key] for key in dict.fromkeys(found)]


def counts_of(release: Release) -> Counter[Category]:
    """How many instances of the release each category has."""
    counts: Counter[Category] = Counter()
    contents = release.released_instances.order_by().values_list("instance__content", flat=True)
    for content in contents.iterator(chunk_size=2_000):
        counts.update(categories_of(Conflict(**content)))
    return counts


@dataclass(frozen=True)
class Card:
    """An instance as a page shows it."""

    number: int
    instance: Instance
    spans: Spans
    page: int

    @property
    def anchor(self) -> str:
        return f"q{self.number}"

    @property
    def address(self) -> str:
        """Where it is shown, among the pages of instances."""
        return f"{self.page}.html#{self.anchor}"

    @cached_property
    def conflict(self) -> Conflict:
        return Conflict.of(self.instance)

    @cached_property
    def passages(self) -> list[tuple[int, list[Piece], str]]:
        """(number, text with the contradicted spans marked, answer) of each passage."""
        conflict = self.conflict
        texts = ((1, conflict.passage_1, conflict.answer_1), (2, conflict.passage_2, conflict.answer_2))
        if conflict.same_passage:  # each span may stand in either text
            return [(number, mark_spans(text, self.spans), answer) for number, text, answer in texts]
        return [
            (number, mark_spans(text, {of: span for of, span in self.spans.items() if of == number}), answer)
            for number, text, answer in texts
        ]

    @property
    def article(self) -> str:
        """The address of the article, if it is safe to link to."""
        return web_address(self.conflict.url)

    @cached_property
    def categories(self) -> list[Category]:
        return categories_of(self.conflict)


def cards(release: Release, *, first: int = 0) -> Iterator[list[Card]]:
    """The cards of each page in turn; with `first`, of that many instances only, for the front page."""
    rows: Iterable[ReleasedInstance] = released_instances(release)
    if first:
        rows = release.released_instances.select_related("instance").order_by("number")[:first]
    rows, page = iter(rows), 1
    while chunk := list(islice(rows, ON_A_PAGE)):
        spans = spans_of(released.instance for released in chunk)
        yield [Card(each.number, each.instance, spans[each.instance_id], page) for each in chunk]
        page += 1
