"""What readings of ContraDoc come to: rates, evidence hit rates, chance, significance. Counts in, numbers out.

Every number is a ratio of sums over readings, so that its interval comes of resampling source documents: documents of
one source hang together. Formulas are those of the paper (section 4.1.3) and of the released scorer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from ...statistics.estimates import (
    Estimate,
    Interval,
    Undefined,
    percentile_interval,
    resampled_totals,
    wilson_interval,
)
from ...statistics.rounding import half_up
from ...statistics.shares import share_difference

NOT_DEFINED = Undefined("its denominator is 0")
NO_WILSON = Undefined("it is no share of independent readings")

# What is counted of a judgment, and of five quotes; `strict` are hits without quotes over five times the evidence.
JUDGED = ("TP", "FP", "TN", "FN", "hits", "strict")
FOUND = ("n", "hits", "strict", "ranks")

Weights = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Ratio:
    """A sum of counts over another, defined where the other and each of `needs` are above 0. `decimals` are those of
    the tables, in percent unless it is a `mean`."""

    above: Weights
    below: Weights
    needs: tuple[Weights, ...] = ()
    is_mean: bool = False
    # Whether it is a share of readings, for which there is Wilson's interval.
    is_share: bool = True

    @property
    def decimals(self) -> int:
        return 2 if self.is_mean else 1

    def of(self, counts: Mapping[str, int]) -> Decimal | None:
        """The number as tables print it, by exact arithmetic; None where it is not defined."""
        above, below = (_total(weights, counts) for weights in (self.above, self.below))
        if not below or not all(_total(need, counts) for need in self.needs):
            return None
        scale = 1 if self.is_mean else 100
        return half_up(Decimal(scale * above) / Decimal(below), self.decimals)

    def among(self, totals: np.ndarray, columns: Sequence[str]) -> np.ndarray:
        """The ratio for each row of totals, nan where it is not defined."""
        above, below = (totals @ _vector(weights, columns) for weights in (self.above, self.below))
        defined = below > 0
        for need in self.needs:
            defined &= totals @ _vector(need, columns) > 0
        return np.divide(above, below, out=np.full(below.shape, np.nan), where=defined)

    def estimate(
        self, clusters: np.ndarray, totals: np.ndarray | Undefined, columns: Sequence[str]
    ) -> Estimate | Undefined:
        """The ratio over all clusters (clusters, columns), with its interval from their resampled totals."""
        sums = clusters.sum(axis=0)
        value = float(self.among(sums[None], columns)[0])
        if np.isnan(value):
            return NOT_DEFINED
        interval: Interval | Undefined = (
            totals if isinstance(totals, Undefined) else percentile_interval(self.among(totals, columns))
        )
        above, below = (round(float(sums @ _vector(each, columns))) for each in (self.above, self.below))
        return Estimate(value, interval, wilson_interval(above, below) if self.is_share else NO_WILSON)


def _total(weights: Weights, counts: Mapping[str, int]) -> int:
    return sum(weight * counts[name] for name, weight in weights.items())


def _vector(weights: Weights, columns: Sequence[str]) -> np.ndarray:
    return np.array([weights.get(column, 0) for column in columns], dtype=float)


_ALL = {"TP": 1, "FP": 1, "TN": 1, "FN": 1}
_TRUE = {"TP": 1}
ACCURACY = Ratio({"TP": 1, "TN": 1}, _ALL)
PRECISION = Ratio(_TRUE, {"TP": 1, "FP": 1})
RECALL = Ratio(_TRUE, {"TP": 1, "FN": 1})
# The harmonic mean of both; where both are 0, it has no denominator.
F1 = Ratio({"TP": 2}, {"TP": 2, "FP": 1, "FN": 1}, needs=(_TRUE,), is_share=False)
RATES = {f"{name} rate": Ratio({name: 1}, _ALL) for name in ("TP", "FP", "TN", "FN")}

BINARY: dict[str, Ratio] = {"accuracy": ACCURACY, "precision": PRECISION, "recall": RECALL, "F1": F1, **RATES}
EHR_OF_TRUE = Ratio({"hits": 1}, _TRUE)
JUDGE_THEN_FIND: dict[str, Ratio] = {
    **BINARY,
    "EHR": EHR_OF_TRUE,
    "R-acc": Ratio({"hits": 1}, {"TP": 1, "FN": 1}),
    "EHR without long quotes": Ratio({"strict": 1}, _TRUE),
}
TOP_K: dict[str, Ratio] = {
    "EHR": Ratio({"hits": 1}, {"n": 1}),
    "average index": Ratio({"ranks": 1}, {"hits": 1}, is_mean=True, is_share=False),
    "EHR without long quotes": Ratio({"strict": 1}, {"n": 1}),
}


@dataclass(frozen=True, slots=True)
class Tally:
    """So many readable readings that came to the same, of documents of one source."""

    group: str
    is_positive: bool
    # "yes", "no", or "" where the task does not ask.
    answer: str
    hit: bool
    rank: int
    strict: bool
    count: int = 1

    def judged(self) -> list[int]:
        """The counts of `JUDGED`. After "no" no evidence counts, and in a negative document there is none."""
        said_yes, count = self.answer == "yes", self.count
        is_true = said_yes and self.is_positive
        kinds = (is_true, said_yes and not self.is_positive, not said_yes and not self.is_positive)
        false_negative = self.is_positive and not said_yes
        return [count * each for each in (*kinds, false_negative, is_true and self.hit, is_true and self.strict)]

    def found(self) -> list[int]:
        """The counts of `FOUND`."""
        return [self.count * each for each in (1, self.hit, self.strict, self.rank if self.hit else 0)]


@dataclass(frozen=True, slots=True)
class Scores:
    """The counts of some readings, all and by source document, under the names of `columns`."""

    columns: tuple[str, ...]
    clusters: np.ndarray

    @classmethod
    def judged(cls, tallies: Iterable[Tally]) -> "Scores":
        return cls(JUDGED, _by_group(((each.group, each.judged()) for each in tallies), len(JUDGED)))

    @classmethod
    def found(cls, tallies: Iterable[Tally]) -> "Scores":
        return cls(FOUND, _by_group(((each.group, each.found()) for each in tallies), len(FOUND)))

    @property
    def counts(self) -> dict[str, int]:
        sums = self.clusters.sum(axis=0)
        return {name: int(value) for name, value in zip(self.columns, sums, strict=True)}

    @property
    def n(self) -> int:
        counts = self.counts
        return counts["n"] if "n" in counts else sum(counts[name] for name in _ALL)

    def estimates(self, ratios: Mapping[str, Ratio]) -> dict[str, Estimate | Undefined]:
        """Each ratio with its interval; all are resampled over the same draws of source documents."""
        totals = resampled_totals(self.clusters)
        return {name: ratio.estimate(self.clusters, totals, self.columns) for name, ratio in ratios.items()}


def _by_group(rows: Iterable[tuple[str, list[int]]], width: int) -> np.ndarray:
    numbers: dict[str, int] = {}
    added: list[list[int]] = []
    for group, counts in rows:
        at = numbers.setdefault(group, len(numbers))
        if at == len(added):
            added.append(list(counts))
        else:
            added[at] = [one + other for one, other in zip(added[at], counts, strict=True)]
    return np.array(added, dtype=float).reshape(len(added), width)


def difference(
    first: Sequence[Tally], second: Sequence[Tally], ratio: Ratio, columns: Sequence[str]
) -> Estimate | Undefined:
    """A share in the first readings minus that in the second, both over the same draws of source documents."""
    numbers = {name: at for at, name in enumerate(dict.fromkeys(each.group for each in (*first, *second)))}
    return share_difference(*(_share_by_group(each, ratio, columns, numbers) for each in (first, second)))


def _share_by_group(
    tallies: Sequence[Tally], ratio: Ratio, columns: Sequence[str], numbers: Mapping[str, int]
) -> np.ndarray:
    """For each group, what the share counts and what else it is a share of, shape (groups, 2)."""
    counts = np.array([each.judged() if columns == JUDGED else each.found() for each in tallies], dtype=float)
    above, below = (counts.reshape(-1, len(columns)) @ _vector(each, columns) for each in (ratio.above, ratio.below))
    parts = np.zeros((len(numbers), 2))
    np.add.at(parts, [numbers[each.group] for each in tallies], np.column_stack([above, below - above]))
    return parts


# --- Chance ---------------------------------------------------------------------------------------------------------


def chance(sentences: Mapping[int, int], *, k: int) -> float | None:
    """The mean over documents of min(1, k / sentences), from how many documents have so many sentences; None of none.

    A document without a sentence is found by any quote.
    """
    documents = sum(sentences.values())
    if not documents:
        return None
    return sum(count * min(1.0, k / max(1, number)) for number, count in sentences.items()) / documents


def binomial_p(hits: int, n: int, p: float) -> float | None:
    """How likely so many hits of n or less likely ones are by chance p: the exact two-sided binomial test; None of
    none.

    The probabilities of all outcomes that are no more likely than this one, added up (as R's binom.test).
    """
    if not n:
        return None
    from scipy.special import gammaln, xlog1py, xlogy  # takes 30 MB, so only processes that make a report import it

    outcomes = np.arange(n + 1)
    logs = gammaln(n + 1) - gammaln(outcomes + 1) - gammaln(n - outcomes + 1)
    logs = logs + xlogy(outcomes, p) + xlog1py(n - outcomes, -p)
    likelihoods = np.exp(logs)
    return float(min(1.0, likelihoods[likelihoods <= likelihoods[hits] * (1 + 1e-7)].sum()))


def holm(values: Sequence[float]) -> list[float]:
    """The p-values corrected for being so many (Holm 1979): the k-th smallest of m times m - k + 1, at most 1, and
    none below a smaller one's."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    corrected, least = [0.0] * len(values), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, values[at] * (len(values) - rank)))
        corrected[at] = least
    return corrected
