"""What every coefficient of agreement takes from its tables, added up once for all of them."""

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
    def of(cls, tables: np.ndarray) -> "Margins":
        rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
        return cls(tables, rows.sum(axis=-1), np.einsum("...ii->...", tables), rows, columns, rows + columns)
