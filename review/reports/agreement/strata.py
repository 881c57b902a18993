"""Decides which responses are comparable enough to share a table of verdicts: those of one stratum."""

import numpy as np

from ..counting.columns import numbered

# A stratum with fewer responses is merged with its neighbours, and there are at most this many strata, as each of
# them is resampled.
FEWEST, MOST = 10, 100


def strata_of(facets: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """The stratum of each row, numbered from 0, and the first row of each stratum.

    `facets` has a row for each group of responses: template, model and, if they are known, the two people; `counts`
    is its number of responses. A stratum is one prompt, one model and one pair of people if that makes FEWEST
    responses; the others of a template and model are one stratum if there are as many of them; the rest of a template
    is one.
    """
    stratum = np.full(len(counts), -1)
    first_rows: list[int] = []
    for width in sorted({facets.shape[1], 2, 1}, reverse=True):
        left = stratum < 0
        names, group = numbered(_joined(facets[:, :width]))
        first = np.zeros(len(names), dtype=int)
        # Of equal rows, the first one is written last and stays.
        first[group[::-1]] = np.arange(len(group))[::-1]
        n = np.bincount(group, weights=np.where(left, counts, 0))
        taken = np.flatnonzero(n >= FEWEST if width > 1 else n > 0)
        if width > 1 and len(first_rows) + len(taken) > MOST:
            continue
        number = np.full(len(n), -1)
        number[taken] = np.arange(len(first_rows), len(first_rows) + len(taken))
        stratum = np.where(left, number[group], stratum)
        first_rows += [int(row) for row in first[taken]]
    return stratum, first_rows


def _joined(columns: np.ndarray) -> np.ndarray:
    """One whole number for each row, equal for equal rows."""
    joined = np.zeros(len(columns), dtype=np.int64)
    for column in columns.T:
        names, number = numbered(column)
        joined = joined * len(names) + number
    return joined
