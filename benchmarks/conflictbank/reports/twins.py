"""Items beside their counterfactual twins: whether a model believes texts, or likes one of the two objects.

In a twin, the two objects of an item change their roles for another subject. A model that chooses the replaced option
both times believes both texts; one that chooses the same object both times likes this object.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.languages import say
from core.words import plural
from review.reports.drawing.plots import SHARES, Intervals, Point, intervals
from review.reports.layout import Cell, Column, Report, Section, Table, Value, interval_words
from review.reports.scope import Scope
from review.statistics.estimates import Estimate, Undefined
from review.statistics.shares import share_estimates

from ..conditions import Condition
from .facts import twins_among
from .metrics import Answers, Choice, percent
from .readings import Asking, askings_of
from .tables import EMPTY, MISLEADING, heading_of

BOTH_TEXTS, MEMORY, SAME_OBJECT, OTHERWISE = "believes both texts", "keeps to memory", "same object", "otherwise"
OUTCOMES = (BOTH_TEXTS, MEMORY, SAME_OBJECT, OTHERWISE)
TITLES = {
    BOTH_TEXTS: say("The replaced option of both items, in percent of the pairs"),
    MEMORY: say("The default option of both items"),
    SAME_OBJECT: say("The default option of one item and the replaced one of the other: the same object both times"),
    OTHERWISE: say("Another option, or “uncertain”, of at least one item"),
}
SAID = (BOTH_TEXTS, SAME_OBJECT)
NO_TWINS = say(
    "No two items here are twins: items of one relation, about different subjects, whose object and replaced object "
    "are exchanged."
)


@dataclass(frozen=True, slots=True)
class Paired:
    """The outcomes of a model's pairs under a condition: a count of each, and its share with its interval."""

    condition: Condition
    counts: Mapping[str, int]
    shares: Mapping[str, Estimate | Undefined]

    @property
    def pairs(self) -> int:
        return sum(self.counts.values())


def twins(scope: Scope) -> Report:
    """The outcomes of items and their twins by model and condition."""
    askings = askings_of(scope)
    pairs = twins_among(np.unique(np.concatenate([each.known for each in askings]))) if askings else np.zeros((0, 2))
    found = [(asking, list(paired_of(asking, pairs))) for asking in askings]
    found = [(asking, some) for asking, some in found if some]
    of_scope = scope.notes()
    return Report(
        title=say("Items and their twins"),
        lead=[_in_words(asking, some) for asking, some in found],
        sections=[_section(asking, some) for asking, some in found],
        data={
            asking.name: {
                "protocol": asking.protocol,
                "conditions": {each.condition.code: data_of(each) for each in some},
            }
            for asking, some in found
        },
        records=[record_of(asking, each) for asking, some in found for each in some],
        notes=[MISLEADING, *of_scope],
        empty=NO_TWINS if askings else EMPTY,
        about=say(
            "A pair counts if the model knows both items and both answers are readable. Intervals resample pairs. "
            "An item whose answers differ from order to order counts as “otherwise”."
        ),
    )


def paired_of(asking: Asking, pairs: np.ndarray) -> list[Paired]:
    """The outcomes under each condition that shows conflict evidence, if any pair counts."""
    found = []
    for condition in asking.asked():
        answers = asking.known_answers(condition.code) if condition.cause else None
        if answers is not None and len(outcomes := outcomes_of(answers, pairs)):
            found.append(_counted(condition, outcomes))
    return found


def outcomes_of(answers: Answers, pairs: np.ndarray) -> np.ndarray:
    """The number of the outcome in `OUTCOMES` for each pair with two readable answers.

    Args: pairs: primary keys of an item and its twin, shape (pairs, 2).
    """
    items, at = np.unique(answers.items, return_inverse=True)
    lowest, highest = np.full(len(items), len(Choice)), np.full(len(items), -1)
    np.minimum.at(lowest, at, answers.choices)
    np.maximum.at(highest, at, answers.choices)
    # An answer that depends on the order counts for neither object; an unreadable one has the highest number.
    agrees = (lowest == highest) | (highest == Choice.UNREADABLE)
    choices = np.where(agrees, highest, Choice.OTHER)
    there = np.isin(pairs, items).all(axis=1)
    both = choices[np.searchsorted(items, pairs[there])] if len(items) else np.zeros((0, 2), dtype=int)
    both = both[(both != Choice.UNREADABLE).all(axis=1)]
    outcomes = np.full(len(both), OUTCOMES.index(OTHERWISE))
    outcomes[(both == Choice.REPLACED).all(axis=1)] = OUTCOMES.index(BOTH_TEXTS)
    outcomes[(both == Choice.DEFAULT).all(axis=1)] = OUTCOMES.index(MEMORY)
    one_each = (both == Choice.DEFAULT).any(axis=1) & (both == Choice.REPLACED).any(axis=1)
    outcomes[one_each] = OUTCOMES.index(SAME_OBJECT)
    return outcomes


def _counted(condition: Condition, outcomes: np.ndarray) -> Paired:
    table = np.eye(len(OUTCOMES))[outcomes][:, None, :]
    counts = np.bincount(outcomes, minlength=len(OUTCOMES)).tolist()
    (shares,) = share_estimates(table)
    return Paired(condition, dict(zip(OUTCOMES, counts, strict=True)), dict(zip(OUTCOMES, shares, strict=True)))


# --- Shown ----------------------------------------------------------------------------------------------------------


def _in_words(asking: Asking, found: Sequence[Paired]) -> str:
    pairs, texts, same = (
        sum(counted) for counted in ([each.pairs for each in found], *(_counts(found, name) for name in SAID))
    )
    return say(
        "{name}: of {pairs} over all conditions, it believes both texts of {texts:,} and chooses the "
        "same object twice in {same:,}.",
        name=asking.name,
        pairs=plural(pairs, "pair"),
        texts=texts,
        same=same,
    )


def _counts(found: Sequence[Paired], name: str) -> list[int]:
    return [each.counts[name] for each in found]


def _section(asking: Asking, found: Sequence[Paired]) -> Section:
    heading = heading_of(asking)
    columns = [Column(say("Condition"), words=True), Column(say("Pairs"))]
    columns += [Column(name[:1].upper() + name[1:], title=TITLES[name]) for name in OUTCOMES]
    rows = [
        [Cell(each.condition.label), Cell(each.pairs), *(_cell(each, name) for name in OUTCOMES)] for each in found
    ]
    return Section(heading, plots=[_plot(asking, found)], table=Table(heading, columns, rows))


def _cell(each: Paired, name: str) -> Cell:
    share = each.shares[name]
    words = say("{count:,} of {n:,}", count=each.counts[name], n=each.pairs)
    ends = "" if isinstance(share, Undefined) else interval_words(share.interval)
    return Cell(percent(each.counts[name], each.pairs), words, "", ends)


def _plot(asking: Asking, found: Sequence[Paired]) -> Intervals:
    kinds = {BOTH_TEXTS: "circle", SAME_OBJECT: "diamond"}
    rows = []
    for each in found:
        points = [point for name, kind in kinds.items() for point in _points(each, name, kind)]
        rows.append(("", each.condition.label, points, f"n {each.pairs:,}"))
    legend = [(kind, name) for name, kind in kinds.items()]
    return intervals(say("Pairs of {name}", name=asking.name), rows, ticks=SHARES, as_percent=True, legend=legend)


def _points(each: Paired, name: str, kind: str) -> list[Point]:
    share = each.shares[name]
    if isinstance(share, Undefined):
        return []
    words = f"{each.condition.label}: {name} {percent(each.counts[name], each.pairs)}%"
    return [Point(share.value, share.interval.low, share.interval.high, words, kind)]


def data_of(each: Paired) -> dict[str, object]:
    shares = {name: percent(count, each.pairs) for name, count in each.counts.items()}
    return {"pairs": each.pairs, "counts": dict(each.counts), "percent": shares}


def record_of(asking: Asking, each: Paired) -> dict[str, Value]:
    return {
        "model": asking.model.name,
        "protocol": asking.protocol,
        "condition": each.condition.code,
        "pairs": each.pairs,
        **each.counts,
    }
