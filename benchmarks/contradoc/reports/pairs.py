"""Compares models pairwise on the documents where both have readable replies: difference, interval and tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.languages import say
from review.reports.layout import (
    Cell,
    Column,
    Section,
    Table,
    estimate_cells,
    share_data,
    shown,
    undefined_cell,
    with_interval,
)
from review.statistics.comparison import LEVEL_OF_TESTS, Comparison, compare, holm
from review.statistics.estimates import Undefined
from review.statistics.p_values import p_number, p_words
from review.statistics.shares import FEW

from .metrics import Tallies
from .readings import Row

# Of a reading, whether it counts for a rate, and whether it is a success.
Outcome = Callable[[Tallies], tuple[np.ndarray, np.ndarray]]
OUTCOMES: dict[str, Outcome] = {
    "accuracy": lambda each: (np.ones(len(each), dtype=bool), each.said_yes == each.is_positive),
    "R-acc": lambda each: (each.is_positive, each.said_yes & each.hit),
    "EHR": lambda each: (np.ones(len(each), dtype=bool), each.hit),
}
# With more there are more pairs than a table has room for.
MOST_ROWS = 10


@dataclass(frozen=True, slots=True)
class RowPair:
    """Two models; `p` is that of the exact test, adjusted for all pairs of the table."""

    first: str
    second: str
    found: Comparison
    p: float | Undefined

    @property
    def is_told(self) -> bool:
        return not isinstance(self.p, Undefined) and self.p < LEVEL_OF_TESTS and self.found.units >= FEW


def compare_rows(rate: str, rows: Sequence[Row]) -> list[RowPair]:
    """Every pair of these models by a rate in which each document is a success or not; with many models the ten with
    the most readings.
    """
    kept = {id(row) for row in sorted(rows, key=lambda row: -len(row.tallies))[:MOST_ROWS]}
    rows = [row for row in rows if id(row) in kept and len(row.tallies)]
    if len(rows) < 2:
        return []
    documents, source = np.unique(np.concatenate([row.tallies.document for row in rows]), return_index=True)
    source = np.concatenate([row.tallies.source for row in rows])[source]
    shares = np.full((len(documents), len(rows), 2), np.nan)
    for number, row in enumerate(rows):
        counts, succeeds = OUTCOMES[rate](row.tallies)
        at = np.searchsorted(documents, row.tallies.document)
        n = np.bincount(at, counts, len(documents))
        hits = np.bincount(at, counts & succeeds, len(documents))
        share = np.divide(hits, n, out=np.full(len(n), np.nan), where=n > 0)
        shares[:, number] = np.stack([share, 1 - share], axis=1)
    pairs = list(combinations(range(len(rows)), 2))
    found = compare(shares, documents, pairs, unit_of=lambda these: source[np.searchsorted(documents, these)])
    adjusted = holm([each.mcnemar for each in found])
    return [
        RowPair(rows[one].name, rows[other].name, each, p)
        for (one, other), each, p in zip(pairs, found, adjusted, strict=True)
        if each.units
    ]


def pair_sections(rate: str, pairs: Sequence[RowPair]) -> list[Section]:
    """A section with the pairs; none for fewer than two models."""
    if not pairs:
        return []
    columns = [
        Column(say("First"), words=True),
        Column(say("Second"), words=True),
        Column(say("Documents"), title=say("With readable replies of both")),
        *with_interval(Column(say("Difference"), title=say("In percentage points; by resampling"))),
        Column(say("First only"), title=say("Documents on which the first succeeds and the second does not")),
        Column(say("Second only")),
        Column("p", title=say("McNemar's exact test; documents of one source count once")),
        Column("Holm", title=say("p adjusted for all pairs of this table")),
        Column("", words=True),
    ]
    lines = [
        [
            Cell(each.first),
            Cell(each.second),
            Cell(each.found.instances),
            *estimate_cells(each.found.difference, title=say("of {n}", n=each.found.instances), as_percent=True),
            Cell(each.found.first_only),
            Cell(each.found.second_only),
            _p_cell(each.found.mcnemar),
            _p_cell(each.p),
            Cell(_verdict(each)),
        ]
        for each in pairs
    ]
    about = say(
        "By {rate}, on the documents that both have readable replies on. Pairs with an adjusted p of "
        "{level:.2f} or more, or fewer than {few} documents, are too close to call.",
        rate=rate,
        level=LEVEL_OF_TESTS,
        few=FEW,
    )
    return [
        Section(
            say("Model against model"),
            table=Table(say("Model against model by {rate}", rate=rate), columns, lines),
            about=about,
        )
    ]


def _verdict(each: RowPair) -> str:
    if each.is_told:
        return say("told apart")
    return say("too few documents") if each.found.units < FEW else say("too close to call")


def _p_cell(p: float | Undefined) -> Cell:
    return undefined_cell(p) if isinstance(p, Undefined) else Cell(p_words(p))


def _p_data(p: float | Undefined) -> float | Undefined:
    return p if isinstance(p, Undefined) else p_number(p)


def pair_data(pairs: Sequence[RowPair]) -> list[dict[str, object]]:
    """The pairs for JSON: differences in percentage points."""
    return [
        {
            "first": each.first,
            "second": each.second,
            "documents": each.found.instances,
            "difference": float(shown(each.found.difference.value, as_percent=True)),
            "interval": share_data(each.found.difference)["interval"],
            "first_only": each.found.first_only,
            "second_only": each.found.second_only,
            "p": _p_data(each.found.mcnemar),
            "p (Holm)": _p_data(each.p),
            "told_apart": each.is_told,
        }
        for each in pairs
        if not isinstance(each.found.difference, Undefined)
    ]
