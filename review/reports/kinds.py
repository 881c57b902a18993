"""The dimensions of the tables: prompt templates in their order, subsets by category, verdicts and their letters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from annotation.taxonomy import REASONING_TYPE
from core.languages import say
from judging.models import PromptTemplate
from judging.protocol.tasks import first_reported, reported_without
from judging.protocol.verdicts import Verdict

from ..statistics.estimates import Estimate, Undefined
from ..statistics.rounding import percent
from ..statistics.shares import FEW
from .drawing.plots import LETTERS
from .layout import Column, Value, as_number, share_data, share_record

Group = TypeVar("Group")


class HasCode(Protocol):
    """A prompt template, or its values in a report."""

    @property
    def code(self) -> str: ...


Coded = TypeVar("Coded", bound=HasCode)

# The subsets by category. An instance without one counts in "all" only, as in the paper.
SUBSETS = {"all": say("All"), "exp": say("Explicit"), "imp": say("Implicit")}
CATEGORIES = {option.code.lower(): option.code for option in REASONING_TYPE.options}
# As the paper's tables have them, in files for programs; pages have LETTERS.
SHORT = {Verdict.CORRECT: "C", Verdict.PARTIALLY_CORRECT: "PC", Verdict.INCORRECT: "IC"}
# The maximum number of groups on a page of a report: each is resampled separately.
GROUPS_ON_A_PAGE = 20
LABELS: dict[str, str] = {
    Verdict.CORRECT.value: say("Correct"),
    Verdict.PARTIALLY_CORRECT.value: say("Partially correct"),
    Verdict.INCORRECT.value: say("Incorrect"),
}


def verdict_column(verdict: Verdict, group: str, title: str = "") -> Column:
    """A column of numbers about one verdict: named as the paper names it, with the verdict's letter on pages."""
    letter, title = LETTERS[verdict.value], title or LABELS[verdict.value]
    return Column(SHORT[verdict], group, title=title, verdict=verdict.value, letter=letter)


def ranked(groups: Iterable[Group], n_of: Callable[[Group], int]) -> list[Group]:
    """The groups with enough responses for a ranking; if none has, all non-empty ones."""
    held = [group for group in groups if n_of(group)]
    return [group for group in held if n_of(group) >= FEW] or held


def of_page(groups: Sequence[Group], page: int | None) -> tuple[Sequence[Group], int]:
    """The groups on a page, all of them if it is None; and the number of pages."""
    pages = max(1, -(-len(groups) // GROUPS_ON_A_PAGE))
    shown = groups if page is None else groups[(page - 1) * GROUPS_ON_A_PAGE : page * GROUPS_ON_A_PAGE]
    return shown, pages


def in_order(templates: Iterable[PromptTemplate]) -> list[PromptTemplate]:
    """Sorts 1, 2, ..., 5, 5.1, ..., 10, and other names after the numbers."""

    def key(template: PromptTemplate) -> tuple:
        parts = template.code.split(".")
        numbers = [int(part) for part in parts] if all(part.isdecimal() for part in parts) else [10**9]
        return (numbers, template.code, template.version)

    return sorted(templates, key=key)


def headline(responses: Mapping[Coded, int]) -> Coded:
    """The template that a report mentions first, given the number of responses of each: that of a task's choice,
    otherwise the one with the most.
    """
    chosen = first_reported()
    return max(
        responses, key=lambda template: (template.code in chosen and responses[template] > 0, responses[template])
    )


def template_key(template: PromptTemplate) -> str:
    return "template_" + template.label.replace(" ", "_")


def leaves_out(template: PromptTemplate) -> str:
    """The subcategory of instances over which responses to this template are not reported; "" if there is none."""
    return reported_without().get(template.applies_to, "")


def subsets_of(category: str) -> list[str]:
    return ["all", *(name for name, code in CATEGORIES.items() if code == category)]


def nested(found: Iterable[tuple[Sequence[str], Any]]) -> dict[str, Any]:
    """Values for JSON, each under the names that lead to it."""
    tree: dict[str, Any] = {}
    for names, value in found:
        branch = tree
        for name in names[:-1]:
            branch = branch.setdefault(name, {})
        branch[names[-1]] = value
    return tree


def shares(counts: Iterable[int]) -> dict[str, dict[str, object]]:
    """Counts of the verdicts, in their order, and their percentages, for JSON."""
    each = [int(count) for count in counts]
    return {
        SHORT[verdict]: {"count": count, "pct": as_number(percent(count, sum(each)))}
        for verdict, count in zip(Verdict, each, strict=True)
    }


def share_intervals(found: Iterable[Estimate | Undefined]) -> dict[str, dict[str, object]]:
    """The intervals of the verdicts' shares, in their order, for JSON."""
    return {SHORT[verdict]: share_data(number) for verdict, number in zip(Verdict, found, strict=True)}


def share_records(found: Iterable[Estimate | Undefined], name: str = "{}") -> dict[str, Value]:
    """The same for CSV. The braces in `name` stand for the verdict."""
    return {
        key: value
        for verdict, number in zip(Verdict, found, strict=True)
        for key, value in share_record(name.format(verdict.value), number).items()
    }
