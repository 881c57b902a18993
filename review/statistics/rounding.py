"""Numbers for the tables: rounded half up, by decimal arithmetic."""

from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache


def half_up(value: float | Decimal, decimals: int) -> Decimal:
    """The value with this number of decimals, halves rounded away from zero; never "-0.00".

    A float is taken at its shortest decimal form, so 0.125 is a half and 0.1249999 is none.
    """
    exact = value if isinstance(value, Decimal) else Decimal(str(float(value)))
    rounded = exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    return rounded if rounded else abs(rounded)


@lru_cache(maxsize=10_000)  # the same share stands in a cell, a plot and the files
def percent(count: int, n: int) -> Decimal | None:
    """100 * count / n, half up to one decimal, as in Table 2 of the paper (39 of 48 is 81.3); None where n is 0.

    Takes counts, since a fraction that has been through a float may have lost its half.
    """
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is not a share")
    return half_up(Decimal(100 * count) / Decimal(n), 1) if n else None
