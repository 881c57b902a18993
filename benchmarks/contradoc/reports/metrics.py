"""Computes the numbers of ContraDoc's readings: rates, evidence hit rates, chance, significance. Counts in, numbers
out.

Every number is a ratio of sums over readings, so its interval comes from resampling source documents: documents of
one source are related. Formulas are those of the paper (section 4.1.3) and of the released scorer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from core.languages import say
from review.statistics.estimates import Estimate, Interval, Undefined, intervals_by_group, wilson_interval
from review.statistics.p_values import above_zero
from review.statistics.rounding import half_up
from review.statistics.shares import share_differences

NOT_DEFINED = Undefined(say("its denominator is 0"))
NO_WILSON = Undefined(say("it is not a share of independent readings"))

# The counts of a judgment, and of five quotes; `strict` are hits without quotes over five times the evidence.
# `hits at 2` are those by the first two quotes; `quotes` and `unread lists` are of true positives.
TWO = 2
JUDGED = ("TP", "FP", "TN", "FN", "hits", "strict", "hits at 2", "quotes", "unread lists")
FOUND = ("n", "hits", "strict", "ranks")

# The mean number of quotes in a reply that says yes where there is a contradiction.
QUOTES = "quotes per reply"

Weights = Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """A sum of counts over another, defined if the other and each of `needs` are above 0. `decimals` are those of the
    tables, in percent unless it is a `mean`.
    """

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
        """The number as tables print it, by exact arithmetic; None if it is not defined."""
        above, below = (_total(weights, counts) for weights in (self.above, self.below))
        if not below or not all(_total(need, counts) for need in self.needs):
            return None
        scale = 1 if self.is_mean else 100
        return half_up(Decimal(scale * above) / Decimal(below), self.decimals)

    def among(self, counts: Mapping[str, np.ndarray]) -> np.ndarray:
        """The ratio of many counts together, nan where it is not defined."""
        above, below = (_total(weights, counts) for weights in (self.above, self.below))
        defined = below > 0
        for need in self.needs:
            defined &= _total(need, counts) > 0
        return np.divide(above, below, out=np.full(np.shape(below), np.nan), where=defined)

    def estimate(
        self, value: float, counts: Mapping[str, int], interval: Interval | Undefined
    ) -> Estimate | Undefined:
        """This value of the ratio of these counts, with its interval from resampling."""
        if np.isnan(value):
            return NOT_DEFINED
        if not self.is_share:
            return Estimate(value, interval, NO_WILSON)
        return Estimate(value, interval, wilson_interval(_total(self.above, counts), _total(self.below, counts)))


def _total(weights: Weights, counts: Mapping[str, Any]) -> Any:
    """The weighted sum of counts, which are all numbers or all arrays."""
    return sum(weight * counts[name] for name, weight in weights.items())


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
    "EHR at k = 2": Ratio({"hits at 2": 1}, _TRUE),
    QUOTES: Ratio({"quotes": 1}, _TRUE, is_mean=True, is_share=False),
}
TOP_K: dict[str, Ratio] = {
    "EHR": Ratio({"hits": 1}, {"n": 1}),
    "average index": Ratio({"ranks": 1}, {"hits": 1}, is_mean=True, is_share=False),
    "EHR without long quotes": Ratio({"strict": 1}, {"n": 1}),
}


@dataclass(frozen=True, slots=True)
class Tallies:
    """Readable readings, one after the other in each array: their document, the number of its source among `sources`,
    whether it has a contradiction, whether the reply said yes, whether and at which rank it hit, its number of
    quotes, and whether its list of evidence cannot be read or was cut off.
    """

    sources: int
    document: np.ndarray
    source: np.ndarray
    is_positive: np.ndarray
    said_yes: np.ndarray
    hit: np.ndarray
    rank: np.ndarray
    strict: np.ndarray
    quotes: np.ndarray
    list_unread: np.ndarray

    @classmethod
    def of(cls, found: Sequence[tuple[int, str, bool, bool, bool, int, bool]]) -> "Tallies":
        """Readings without lists: document, its source by name, is positive, said yes, hit, rank, strict."""
        document, names, *others = zip(*found, strict=True) if found else [()] * 7
        sources, source = np.unique(np.array(names, dtype=str), return_inverse=True)
        is_positive, said_yes, hit, rank, strict = map(np.array, others)
        return cls(
            sources=len(sources),
            document=np.array(document, dtype=int),
            source=source,
            is_positive=is_positive.astype(bool),
            said_yes=said_yes.astype(bool),
            hit=hit.astype(bool),
            rank=rank.astype(int),
            strict=strict.astype(bool),
            quotes=np.zeros(len(found), dtype=int),
            list_unread=np.zeros(len(found), dtype=bool),
        )

    def __len__(self) -> int:
        return len(self.document)

    def where(self, kept: np.ndarray) -> "Tallies":
        """The readings for which `kept` is true, or at these positions."""
        columns = (self.document, self.source, self.is_positive, self.said_yes, self.hit, self.rank, self.strict)
        of_lists = (self.quotes, self.list_unread)
        return Tallies(self.sources, *(column[kept] for column in (*columns, *of_lists)))

    def judged(self) -> np.ndarray:
        """The counts of `JUDGED`. After "no" no evidence counts, and in a negative document there is none."""
        is_true = self.said_yes & self.is_positive
        false = (self.said_yes & ~self.is_positive, ~self.said_yes & ~self.is_positive)
        hit = is_true & self.hit
        with_quotes = (hit & (self.rank <= TWO), np.where(is_true, self.quotes, 0), is_true & self.list_unread)
        return np.stack(
            [is_true, *false, ~self.said_yes & self.is_positive, hit, is_true & self.strict, *with_quotes]
        )

    def found(self) -> np.ndarray:
        """The counts of `FOUND`."""
        return np.stack([np.ones(len(self)), self.hit, self.strict, np.where(self.hit, self.rank, 0)])

    def by_source(self, counts: np.ndarray) -> np.ndarray:
        """Counts of each reading, added up for each source document: shape (sources, counts)."""
        return np.stack([np.bincount(self.source, each, self.sources) for each in counts], axis=1)


@dataclass(frozen=True)
class Scores:
    """The counts of some readings, all and by source document, under the names of `columns`."""

    columns: tuple[str, ...]
    clusters: np.ndarray

    @classmethod
    def judged(cls, tallies: Tallies) -> "Scores":
        return cls(JUDGED, tallies.by_source(tallies.judged()))

    @classmethod
    def found(cls, tallies: Tallies) -> "Scores":
        return cls(FOUND, tallies.by_source(tallies.found()))

    @cached_property
    def counts(self) -> dict[str, int]:
        sums = self.clusters.sum(axis=0)
        return {name: int(value) for name, value in zip(self.columns, sums, strict=True)}

    @cached_property
    def n(self) -> int:
        counts = self.counts
        return counts["n"] if "n" in counts else sum(counts[name] for name in _ALL)

    @cached_property
    def _numbers(self) -> dict[Ratio, Decimal | None]:
        return {}

    def number(self, ratio: Ratio) -> Decimal | None:
        """The ratio of these counts as tables print it, computed once; used in the page and in each file."""
        if ratio not in self._numbers:
            self._numbers[ratio] = ratio.of(self.counts)
        return self._numbers[ratio]

    def n_of(self, ratio: Ratio) -> int:
        """The number of readings in the ratio's denominator."""
        return int(_total(ratio.below, self.counts))

    def parts(self, ratio: Ratio) -> np.ndarray:
        """For each source document, the counted part of a share and the rest, shape (sources, 2)."""
        counts = dict(zip(self.columns, self.clusters.T, strict=True))
        above, below = (_total(each, counts) for each in (ratio.above, ratio.below))
        return np.stack([above, below - above], axis=1)


Estimates = dict[str, Estimate | Undefined]


def estimates_of(scores: Sequence[Scores], ratios: Mapping[str, Ratio]) -> list[Estimates]:
    """Each ratio of each of these, which are of the same source documents, with its interval; all are resampled over
    the same draws."""
    found: list[Estimates] = [dict.fromkeys(ratios, NOT_DEFINED) for _ in scores]
    if not scores:
        return found
    clusters, columns = np.stack([each.clusters for each in scores], axis=1), scores[0].columns
    values = _values(clusters.sum(axis=0), ratios, columns).tolist()
    for number, intervals in intervals_by_group(clusters, lambda totals: _values(totals, ratios, columns)).items():
        found[number] = {
            name: ratio.estimate(value, scores[number].counts, interval)
            for (name, ratio), value, interval in zip(ratios.items(), values[number], intervals, strict=True)
        }
    return found


def _values(totals: np.ndarray, ratios: Mapping[str, Ratio], columns: Sequence[str]) -> np.ndarray:
    """Each ratio of totals, whose last axis has these columns; the last axis of the result has the ratios."""
    # A column after the other in memory, as each is added up by itself.
    counts = dict(zip(columns, np.ascontiguousarray(np.moveaxis(totals, -1, 0)), strict=True))
    return np.stack([ratio.among(counts) for ratio in ratios.values()], axis=-1)


def differences(first: Scores, others: Sequence[Scores], ratio: Ratio) -> list[Estimate | Undefined]:
    """A share in the first readings minus that in each of the others, all over the same draws of source documents."""
    return share_differences(first.parts(ratio), np.stack([each.parts(ratio) for each in others], axis=1))


# --- Chance ---------------------------------------------------------------------------------------------------------


def chance(sentences: Mapping[int, int], *, k: int) -> float | None:
    """The mean over documents of min(1, k / sentences), from the number of documents by number of sentences; None
    without documents.

    A document without a sentence counts as found by any quote.

    A document without a sentence is found by any quote.
    """
    documents = sum(sentences.values())
    if not documents:
        return None
    return sum(count * min(1.0, k / max(1, number)) for number, count in sentences.items()) / documents


def binomial_p(hits: int, n: int, p: float) -> float | None:
    """The probability, under chance p, of this number of hits of n or a less likely one: the exact two-sided binomial
    test; None if n is 0.

    The probabilities of all outcomes that are no more likely than this one, added up (as in R's binom.test).

    The probabilities of all outcomes that are no more likely than this one, added up (as R's binom.test).
    """
    if not n:
        return None
    from scipy.special import xlog1py, xlogy  # takes 30 MB, so only processes that make a report import it

    outcomes, factorials = np.arange(n + 1), _log_factorials(1 << n.bit_length())[: n + 1]
    logs = factorials[n] - factorials - factorials[::-1] + xlogy(outcomes, p) + xlog1py(n - outcomes, -p)
    likelihoods = np.exp(logs)
    return above_zero(float(likelihoods[likelihoods <= likelihoods[hits] * (1 + 1e-7)].sum()))


@lru_cache(maxsize=4)
def _log_factorials(count: int) -> np.ndarray:
    from scipy.special import gammaln  # as above

    return gammaln(np.arange(count) + 1)
