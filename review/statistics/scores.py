"""A judge model measured against people: accuracy, and precision, recall and F of each verdict."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.languages import say

from .agreement.agreement import raw_agreement
from .estimates import (
    Estimate,
    Interval,
    Undefined,
    percentile_interval,
    read_tables,
    resampled_totals,
    whole_table,
    wilson_interval,
)

NEVER_BY_JUDGE = Undefined(say("the judge model never gave this verdict"))
NEVER_BY_PEOPLE = Undefined(say("people never gave this verdict"))
NEVER_BY_EITHER = Undefined(say("neither people nor the judge model gave this verdict"))
NO_RESPONSE = Undefined(say("no response has a verdict of both"))


@dataclass(frozen=True, slots=True)
class VerdictScores:
    """One verdict: how often people gave it, the judge model gave it, and both did on the same response.

    The counts allow exact percentages: precision is both / judge, recall both / people, and F 2 both / (judge +
    people). The intervals are those of resampled instances; beside those of precision and recall, which are shares of
    one side's verdicts, there is Wilson's.
    """

    people: int
    judge: int
    both: int
    precision: float | Undefined
    recall: float | Undefined
    f: float | Undefined
    precision_interval: Interval | Undefined
    recall_interval: Interval | Undefined
    f_interval: Interval | Undefined
    precision_wilson: Interval | Undefined
    recall_wilson: Interval | Undefined


@dataclass(frozen=True, slots=True)
class Scores:
    """A judge model over ``n`` responses that have both verdicts; ``verdicts`` in the order of the table."""

    n: int
    table: tuple[tuple[int, ...], ...]
    accuracy: Estimate | Undefined
    macro_f: float | Undefined
    macro_f_interval: Interval | Undefined
    verdicts: tuple[VerdictScores, ...]


def scores(tables: npt.ArrayLike) -> Scores:
    """Tables 4 and 5 of the paper, from a table with people's final verdicts as rows, the judge's as columns.

    Takes one table (k, k) or one per instance (instances, k, k). Macro-F is the plain mean of F over the verdicts
    that occur on either side, as in scikit-learn; a verdict that nobody gave has no F and does not affect the mean.
    """
    table, clusters = read_tables(tables)
    resampled = _resampled(resampled_totals(clusters))
    verdicts = _verdict_scores(table, resampled)
    fs = [verdict.f for verdict in verdicts if not isinstance(verdict.f, Undefined)]
    return Scores(
        n=int(table.sum()),
        table=whole_table(table),
        accuracy=raw_agreement(tables) or NO_RESPONSE,
        macro_f=sum(fs) / len(fs) if fs else NO_RESPONSE,
        macro_f_interval=_macro_f_interval(resampled) if fs else NO_RESPONSE,
        verdicts=verdicts,
    )


# Precision, recall and F of each resample and verdict, shape (3, resamples, k), nan where there is none.
Resampled = np.ndarray | Undefined


def _resampled(totals: np.ndarray | Undefined) -> Resampled:
    return totals if isinstance(totals, Undefined) else _precision_recall_f(totals)


def _macro_f_interval(resampled: Resampled) -> Interval | Undefined:
    if isinstance(resampled, Undefined):
        return resampled
    f = resampled[2]
    known = np.isfinite(f)
    # Every resample holds a response, so some verdict occurs in it.
    return percentile_interval(np.where(known, f, 0.0).sum(axis=1) / known.sum(axis=1))


def _verdict_scores(table: np.ndarray, resampled: Resampled) -> tuple[VerdictScores, ...]:
    people, judge = table.sum(axis=1).astype(int), table.sum(axis=0).astype(int)
    precision, recall, f = _precision_recall_f(table)

    def interval(score: int, verdict: int, missing: Undefined | None) -> Interval | Undefined:
        if missing is not None:
            return missing
        if isinstance(resampled, Undefined):
            return resampled
        return percentile_interval(resampled[score][:, verdict])

    found = []
    for verdict in range(len(table)):
        by_people, by_judge, both = int(people[verdict]), int(judge[verdict]), int(table[verdict, verdict])
        no_judge = None if by_judge else NEVER_BY_JUDGE
        no_people = None if by_people else NEVER_BY_PEOPLE
        no_one = None if by_judge or by_people else NEVER_BY_EITHER
        found.append(
            VerdictScores(
                people=by_people,
                judge=by_judge,
                both=both,
                precision=float(precision[verdict]) if no_judge is None else no_judge,
                recall=float(recall[verdict]) if no_people is None else no_people,
                f=float(f[verdict]) if no_one is None else no_one,
                precision_interval=interval(0, verdict, no_judge),
                recall_interval=interval(1, verdict, no_people),
                f_interval=interval(2, verdict, no_one),
                precision_wilson=wilson_interval(both, by_judge) if no_judge is None else no_judge,
                recall_wilson=wilson_interval(both, by_people) if no_people is None else no_people,
            )
        )
    return tuple(found)


def _precision_recall_f(tables: np.ndarray) -> np.ndarray:
    """Precision, recall and F of each verdict, shape (3, ..., k), each from 0 to 1 and nan where it is not defined.

    For verdict v, precision is table[v, v] / sum(table[:, v]), recall table[v, v] / sum(table[v, :]), and F, their
    harmonic mean, 2 table[v, v] / (sum(table[:, v]) + sum(table[v, :])).
    """
    both = np.diagonal(tables, axis1=-2, axis2=-1)
    people, judge = tables.sum(axis=-1), tables.sum(axis=-2)

    def share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
        return np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)

    return np.stack([share(both, judge), share(both, people), share(2 * both, people + judge)])
