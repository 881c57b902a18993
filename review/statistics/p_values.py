"""P-values for reports and files: never 0."""

from core.languages import figure

from .rounding import half_up

# Tables print smaller ones as "< 0.001".
PRINTED = 0.001
# Smaller ones cannot be told from 0 in a float, or were rounded to it on the way.
SMALLEST = 1e-300


def above_zero(p: float) -> float:
    """A p-value between the smallest distinguishable from 0, and 1."""
    return min(1.0, max(SMALLEST, p))


def p_words(p: float) -> str:
    """A p-value for tables, to three decimals."""
    return figure(f"< {PRINTED}" if p < PRINTED else str(half_up(p, 3)))


def p_number(p: float) -> float:
    """A p-value for files, to four decimals; to two significant digits if these would be 0."""
    return float(half_up(p, 4)) or float(f"{above_zero(p):.1e}")
