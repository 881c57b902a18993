"""Percentages and coefficients as the tables print them."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.reports.layout import in_cell
from review.statistics.rounding import half_up, percent


@pytest.mark.parametrize(
    ("count", "n", "printed"),
    [
        (39, 48, "81.3"),
        (1, 48, "2.1"),
        (25, 48, "52.1"),
        (0, 7, "0.0"),
        (7, 7, "100.0"),
        (1, 16, "6.3"),
        (3, 80, "3.8"),
    ],
)
def test_percentages_are_half_up_with_one_decimal(count, n, printed):
    """39 of 48 is 81.25, which the paper's Table 2 prints as 81.3 (and a float format as 81.2)."""
    assert str(percent(count, n)) == printed


def test_equal_numbers_keep_their_own_decimals_in_cells():
    assert [in_cell(value) for value in (0, Decimal("0.0"), Decimal("0.00"), 1234)] == ["0", "0.0", "0.00", "1,234"]


def test_a_percentage_of_nothing_is_none():
    assert percent(0, 0) is None


@pytest.mark.parametrize(("count", "n"), [(-1, 4), (5, 4), (1, 0)])
def test_what_is_no_share_is_refused(count, n):
    with pytest.raises(ValueError, match="not a share"):
        percent(count, n)


@given(n=st.integers(1, 10**6), data=st.data())
def test_a_percentage_is_off_by_half_a_tenth_at_most_and_upwards_at_a_half(n, data):
    count = data.draw(st.integers(0, n))
    error = Fraction(percent(count, n)) - Fraction(100 * count, n)
    assert -Fraction(1, 20) < error <= Fraction(1, 20)


@pytest.mark.parametrize(
    ("value", "printed"),
    [(0.125, "0.13"), (-0.125, "-0.13"), (-0.001, "0.00"), (1e-9, "0.00"), (Decimal("0.345"), "0.35")],
)
def test_coefficients_are_rounded_half_away_from_zero_and_never_minus_zero(value, printed):
    assert str(half_up(value, 2)) == printed
