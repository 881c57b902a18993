"""The numbers of Tables 2 and 3: counts and shares of verdicts, their intervals, and what is too close to call."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from annotation.content.instances import SAME_PASSAGE
from judging.protocol.verdicts import Verdict
from review.models import CATEGORY_NUMBERS
from review.reports.clusters import K
from review.reports.counting.columns import VerdictColumns, numbered
from review.reports.kinds import CATEGORIES, SUBSETS, headline, ranked, subsets_of
from review.statistics.estimates import Estimate, Undefined
from review.statistics.rounding import percent
from review.statistics.shares import (
    FEW,
    NOTHING_COUNTED,
    is_too_close,
    share_difference,
    share_differences,
    share_estimates,
)

from .query import Answered, Found, Model, Prompt

# (template, model, kind of conflict)
Key = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class VerdictShare:
    """Responses with a verdict: their number, their percentage of n (None without any), and the estimate of it."""

    verdict: Verdict
    count: int
    percent: Decimal | None
    estimate: Estimate | Undefined


NONE = tuple(VerdictShare(verdict, 0, None, NOTHING_COUNTED) for verdict in Verdict)
NO_UNITS = np.zeros((0, K))


@dataclass(frozen=True, slots=True)
class Counts:
    """Responses by verdict, in the order of the verdicts; n are those with one, `unlabelled` those without, and
    `no_answer` those of them that were cut, empty, refused or filtered. `units` are the counts of the verdicts in
    each unit that intervals draw, shape (units, verdicts).
    """

    n: int
    responses: int
    unlabelled: int
    no_answer: int
    units: np.ndarray
    shares: Sequence[VerdictShare]
    # The first of them.
    correct: VerdictShare


@dataclass(frozen=True, slots=True)
class Row:
    """A model's responses to a template: all, and by kind of conflict."""

    prompt: Prompt
    model: Model
    counts: Mapping[str, Counts]
    # All of them.
    all: Counts


@dataclass(frozen=True, slots=True)
class Best:
    """The first and the last of the models with the template that the report mentions first."""

    first: Row
    last: Row
    models: int
    # Whether the first is more than a coin toss ahead: of three models or more, with enough responses and no tie.
    is_ahead: bool
    # The names of the models of which the data do not show that they are worse than the first.
    close: Sequence[str]
    # Percentages of correct responses over all models, where the conflict is explicit and implicit; None if there are
    # no responses to one of them.
    explicit: Decimal | None
    implicit: Decimal | None
    is_close: bool


@dataclass(frozen=True, slots=True)
class Numbers:
    """The rows in the order of the tables, and the numbers beside them. `best` is None without a final verdict."""

    rows: Sequence[Row]
    # The models that have a row, in their order.
    models: Sequence[Model]
    best: Best | None
    responses: int
    unlabelled: int
    # Responses to templates for different passages whose instance has one passage only.
    same_passage: int
    # Whether a model answered a template in more than one run.
    several_runs: bool


def numbers_of(found: Found) -> Numbers:
    """The numbers of the responses and verdicts found."""
    left_out = [each for each in found.responses if _is_left_out(found, each)]
    runs: dict[tuple[int, int], set[int]] = defaultdict(set)
    for each in found.responses:
        runs[each.template, each.model].add(each.run)
    rows = list(_rows(found))
    total = sum(row.all.responses for row in rows)
    return Numbers(
        rows=rows,
        models=[model for model in found.models.values() if any(row.model == model for row in rows)],
        best=_best(rows) if any(row.all.n for row in rows) else None,
        responses=total,
        unlabelled=max(total - sum(row.all.n for row in rows), 0),
        same_passage=sum(each.responses for each in left_out),
        several_runs=any(len(of) > 1 for of in runs.values()),
    )


def _is_left_out(found: Found, each: Answered) -> bool:
    return each.subcategory == SAME_PASSAGE and found.prompts[each.template].wants_different_passages


def _rows(found: Found) -> Iterator[Row]:
    """A row for each template and model that has responses in it."""
    responses, no_answer = _added_up(found, found.responses), _added_up(found, found.unanswered)
    labelled = dict(_labelled(found.verdicts))
    for prompt in found.prompts.values():
        for model in found.models.values():
            keys = {subset: (prompt.pk, model.pk, subset) for subset in SUBSETS}
            if keys["all"] in responses or keys["all"] in labelled:
                counts = {
                    subset: _counts(labelled.get(key), responses[key], no_answer[key]) for subset, key in keys.items()
                }
                yield Row(prompt, model, counts, counts["all"])


def _added_up(found: Found, responses: Iterable[Answered]) -> Counter[Key]:
    total: Counter[Key] = Counter()
    for each in responses:
        if not _is_left_out(found, each):
            for subset in subsets_of(each.category):
                total[each.template, each.model, subset] += each.responses
    return total


Labelled = tuple[np.ndarray, list[Estimate | Undefined]]


def _labelled(columns: VerdictColumns) -> Iterator[tuple[Key, Labelled]]:
    """The verdicts of each template, model and kind of conflict that has any: by unit, and their shares."""
    if not len(columns.verdict):
        return
    templates, template = numbered(columns.template)
    models, model = numbered(columns.model)
    units, unit = numbered(columns.instance)
    shape = (len(units), len(templates) * len(models), K)
    where = np.ravel_multi_index((unit, template * len(models) + model, columns.verdict), shape)
    for subset in SUBSETS:
        of_subset = where
        if subset != "all":
            of_subset = where[columns.category == CATEGORY_NUMBERS[CATEGORIES[subset]]]
        found = np.bincount(of_subset, minlength=int(np.prod(shape))).astype(float).reshape(shape)
        for number, estimates in enumerate(share_estimates(found)):
            own = found[:, number]
            if own.any():
                yield (
                    (int(templates[number // len(models)]), int(models[number % len(models)]), subset),
                    (own, estimates),
                )


def _counts(labelled: Labelled | None, responses: int, no_answer: int) -> Counts:
    if labelled is None:
        return Counts(0, responses, responses, no_answer, NO_UNITS, NONE, NONE[0])
    units, estimates = labelled
    counts = units.sum(axis=0).astype(int).tolist()
    n = sum(counts)
    shares = [
        VerdictShare(verdict, count, percent(count, n), estimate)
        for verdict, count, estimate in zip(Verdict, counts, estimates, strict=True)
    ]
    return Counts(n, responses, max(responses - n, 0), no_answer, units, shares, shares[0])


def _best(rows: Sequence[Row]) -> Best:
    """The best and the worst model at one template, and the effect of implicit conflicts."""
    final: Counter[Prompt] = Counter()
    for row in rows:
        final[row.prompt] += row.all.n
    template = headline(final)
    own = [row for row in rows if row.prompt == template]
    rated = ranked(own, lambda row: row.all.n)
    rated.sort(key=lambda row: (-_rate(row), row.model.name))
    units = {kind: _units(row.counts[kind] for row in own) for kind in CATEGORIES}
    explicit, implicit = (_percent_correct(units[kind]) for kind in ("exp", "imp"))
    return Best(
        first=rated[0],
        last=rated[-1],
        models=len(rated),
        is_ahead=len(rated) > 2 and rated[0].all.n >= FEW and _rate(rated[0]) > _rate(rated[1]),
        close=_too_close(rated[0], rated[1:]),
        explicit=explicit,
        implicit=implicit,
        is_close=None not in (explicit, implicit) and is_too_close(share_difference(units["exp"], units["imp"])),
    )


def _rate(row: Row) -> float:
    return row.all.correct.count / row.all.n


def _too_close(best: Row, others: Sequence[Row]) -> list[str]:
    if not others:
        return []
    differences = share_differences(best.all.units, np.stack([row.all.units for row in others], axis=1))
    return [row.model.name for row, each in zip(others, differences, strict=True) if is_too_close(each)]


def _units(parts: Iterable[Counts]) -> np.ndarray:
    """Their counts together; the units are the same in all, in the same order."""
    return sum((each.units for each in parts if len(each.units)), np.zeros((1, K)))


def _percent_correct(units: np.ndarray) -> Decimal | None:
    correct, *others = units.sum(axis=0).astype(int).tolist()
    return percent(correct, correct + sum(others))
