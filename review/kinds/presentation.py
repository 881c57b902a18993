"""The published site of a benchmark's releases. The defaults show any content, and the benchmark's own numbers of a
release; a benchmark's own additions are registered in `review/site/entries.py`.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from annotation.kinds.registry import benchmark as kind_of
from annotation.kinds.signatures import Content, Counts
from annotation.models import Instance, Release
from annotation.releases.datasheets.datasheet import Section, Table, identity, provenance
from judging.protocol.tasks import tasks


@dataclass(frozen=True, slots=True)
class Category:
    """A category for listing instances: an option of a dimension, for instance."""

    group: str
    label: str
    # The beginning of the names of its pages.
    name: str

    def address(self, page: int) -> str:
        return f"{self.name}-{page}.html"


@dataclass(frozen=True, slots=True)
class Shown:
    """An instance for its card and the lists. `about` is the value for the card's template."""

    title: str
    beside: str
    about: Mapping[str, object]


class ShowInstances(Protocol):
    def __call__(self, instances: Sequence[Instance], /) -> list[Shown]:
        """Return how each instance of a page is shown, in the same order."""


class CategoriesOf(Protocol):
    def __call__(self, content: Content, label: str, /) -> list[Category]:
        """Return the categories in which an instance is listed.

        Args:
            content: the instance's content.
            label: its category in lists; "" if it has none.
        """


class CountsOf(Protocol):
    def __call__(self, release: Release, /) -> Counts:
        """Return a few whole numbers for the first page, each with its label. It may read every instance."""


class SheetOf(Protocol):
    def __call__(self, release: Release, /) -> list[Section]:
        """Return the sections of the datasheet. They hold public data only: nothing of people by name."""


class PromptsOf(Protocol):
    def __call__(self, benchmark: str, /) -> object:
        """Return the prompts of a benchmark as a value of JSON, for the file that the site offers."""


def _shown(instances: Sequence[Instance]) -> list[Shown]:
    return [Shown(each.question, "", _about(each)) for each in instances]


def _categories_of(content: Content, label: str) -> list[Category]:
    """The one that lists name."""
    if not label:
        return []
    return [Category("Category", label, f"category-{hashlib.sha256(label.encode()).hexdigest()[:12]}")]


def _about(instance: Instance) -> Mapping[str, object]:
    kind = kind_of(instance.benchmark)
    return {"template": kind.template, "about": kind.about(instance), "instance": instance}


def statistics_of(release: Release) -> Counts:
    return kind_of(release.benchmark).statistics(release) or [("Instances", release.released_instances.count())]


def data_card(
    release: Release, motivation: Sequence[str] = (), *further: Section, heading: str = "Data card"
) -> list[Section]:
    """The card of an imported release: a description, and numbers."""
    numbers = [
        (label, f"{count:,}" if isinstance(count, int) else str(count)) for label, count in statistics_of(release)
    ]
    return [
        identity(release, heading),
        *([Section("Motivation", list(motivation))] if motivation else []),
        Section("Composition", [], [Table(("Statistic", "Count"), numbers)]),
        *provenance(release),
        *further,
    ]


def _wordings(benchmark: str) -> list[dict[str, object]]:
    """The wordings of the tasks' prompts that ship with the program."""
    return [
        {"template": code, "version": version, "task": task.code, "name": each.name, "source": each.source}
        | {"system": each.system, "text": each.text}
        for task in tasks()
        if task.benchmark == benchmark
        for code, wordings in task.wordings.items()
        for version, each in enumerate(wordings, start=1)
    ]


@dataclass(frozen=True, slots=True)
class Presentation:
    """The site of a benchmark's releases, where it differs from the default."""

    # The first text, and the text of a page of categories.
    motivation: tuple[str, ...] = ()
    each_is: str = ""
    # In BibTeX.
    paper: str = ""
    # The note on the source of the texts, at the foot of every page.
    texts: str = ""
    # Instances as they are shown, and the template of one.
    shown: ShowInstances = _shown
    card: str = "review/site/_content.html"
    on_a_page: int | None = None
    categories_of: CategoriesOf = _categories_of
    # All categories in the order in which they are listed; where there are none, in that of the alphabet.
    categories: Sequence[Category] = ()
    counts: CountsOf = statistics_of
    sheet: SheetOf = data_card
    sheet_name: str = "Data card"
    # The reports, by their names, and how they are made: those that name no person. None are all of the benchmark's
    # own that a release narrows.
    reports: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    # The file of prompts: what it is, and its content.
    prompts: PromptsOf = _wordings
    prompts_are: str = "the prompts of its tasks"
    # How to have a model answer, as a template, and the code of a template that a line names.
    asking: str = "review/site/_asking.html"
    template: str = ""

    def ordered(self, found: Iterable[Category]) -> list[Category]:
        """These categories, in their order."""
        there = set(found)
        return [each for each in self.categories if each in there] or sorted(there, key=lambda each: each.label)
