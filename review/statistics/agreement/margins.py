"""The common inputs of all coefficients of agreement from tables, added up once."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Margins:
    """Tables (..., k, k) of counts with, shape (...), their ``n`` and how many of these are the ``same``; and, shape
    (..., k), the sums of their ``rows``, of their ``columns``, and of ``both``."""

    tables: np.ndarray
    n: np.ndarray
    same: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    both: np.ndarray

    @classmethod
    def of(cls, tables: np.ndarray, *, either_way: np.ndarray | bool = False) -> "Margins":
        """The margins of the tables. `either_way`, of shape (...), says which hold pairs of different people: these
        count half each way, as nothing says who of two people comes first. Kappa then is Scott's pi (Scott 1955,
        Public Opin Q 19:321), for which all people share one distribution of verdicts."""
        if np.any(either_way):
            turned = (tables + np.swapaxes(tables, -1, -2)) / 2
            tables = np.where(np.asarray(either_way)[..., None, None], turned, tables)
        rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
        return cls(tables, rows.sum(axis=-1), np.einsum("...ii->...", tables), rows, columns, rows + columns)
