"""A judge model measured against people: accuracy, and precision, recall and F of each verdict."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .agreement import raw_agreement
from .estimates import RESAMPLES, SEED, Estimate, Undefined, read_tables, whole_table

NEVER_BY_JUDGE = Undefined("the judge model never gave this verdict")
NEVER_BY_PEOPLE = Undefined("people never gave this verdict")
NEVER_BY_EITHER = Undefined("neither people nor the judge model gave this verdict")
NO_RESPONSE = Undefined("no response has a verdict of both")


@dataclass(frozen=True, slots=True)
class VerdictScores:
    """One verdict: how often people gave it, the judge model gave it, and both did on the same response.

    The counts are there for exact percentages: precision is both / judge, recall both / people, and F
    2 both / (judge + people).
    """

    people: int
    judge: int
    both: int
    precision: float | Undefined
    recall: float | Undefined
    f: float | Undefined


@dataclass(frozen=True, slots=True)
class Scores:
    """A judge model over ``n`` responses that have both verdicts; ``verdicts`` in the order of the table."""

    n: int
    table: tuple[tuple[int, ...], ...]
    accuracy: Estimate | Undefined
    macro_f: float | Undefined
    verdicts: tuple[VerdictScores, ...]


def scores(tables: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED) -> Scores:
    """Tables 4 and 5 of the paper, from a table with people's final verdicts as rows, the judge's as columns.

    Takes one table (k, k) or one per instance (instances, k, k). Macro-F is the plain mean of F over the verdicts
    that occur on either side, as scikit-learn has it; one that nobody gave has no F and does not pull the mean.
    """
    table, _ = read_tables(tables)
    verdicts = _verdict_scores(table)
    fs = [verdict.f for verdict in verdicts if not isinstance(verdict.f, Undefined)]
    accuracy = raw_agreement(tables, resamples=resamples, seed=seed)
    return Scores(
        n=int(table.sum()),
        table=whole_table(table),
        accuracy=accuracy or NO_RESPONSE,
        macro_f=sum(fs) / len(fs) if fs else NO_RESPONSE,
        verdicts=verdicts,
    )


def _verdict_scores(table: np.ndarray) -> tuple[VerdictScores, ...]:
    people, judge = table.sum(axis=1), table.sum(axis=0)
    precision, recall, f = _precision_recall_f(table)
    return tuple(
        VerdictScores(
            people=int(people[verdict]),
            judge=int(judge[verdict]),
            both=int(table[verdict, verdict]),
            precision=float(precision[verdict]) if judge[verdict] else NEVER_BY_JUDGE,
            recall=float(recall[verdict]) if people[verdict] else NEVER_BY_PEOPLE,
            f=float(f[verdict]) if people[verdict] or judge[verdict] else NEVER_BY_EITHER,
        )
        for verdict in range(len(table))
    )


def _precision_recall_f(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision, recall and F of each verdict, each between 0 and 1 and 0 where it is not defined.

    For verdict v, precision is table[v, v] / sum(table[:, v]), recall table[v, v] / sum(table[v, :]), and F, their
    harmonic mean, 2 table[v, v] / (sum(table[:, v]) + sum(table[v, :])).
    """
    both, people, judge = np.diagonal(table), table.sum(axis=1), table.sum(axis=0)

    def share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
        return np.divide(part, whole, out=np.zeros(len(table)), where=whole > 0)

    return share(both, judge), share(both, people), share(2 * both, people + judge)
