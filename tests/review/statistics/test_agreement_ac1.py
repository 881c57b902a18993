"""Gwet's AC1 against his published example and his formulas."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import numpy as np
import pytest
from hypothesis import assume, given

from tests.review.statistics.test_agreement_kappa import ABSTRACTORS, BALANCED, LOPSIDED, gwet_ac1, tables


def test_ac1_of_gwets_vignette_with_its_standard_error_and_interval():
    """π = .13, (.27 + .24) / 2 = .255, (.60 + .63) / 2 = .615; p_e = (.1131 + .189975 + .236775) / 2 = .269925;

    (.89 - .269925) / .730075 = .8493. The vignette prints 0.8493305, 0.04321747 and (0.764, 0.935).
    """
    ac1 = gwet_ac1(ABSTRACTORS)
    assert ac1.value == pytest.approx(0.8493305, abs=5e-8)
    assert ac1.standard_error == pytest.approx(0.04321747, abs=5e-9)
    assert (ac1.analytic.low, ac1.analytic.high) == pytest.approx((0.764, 0.935), abs=5e-4)


@pytest.mark.parametrize(("table", "share"), [(BALANCED, 0.475), (LOPSIDED, 0.875)])
def test_ac1_holds_its_ground_where_kappa_falls(table, share):
    """p_e = 2 π (1 - π) for two verdicts: (.85 - .49875) / .50125 = .70 and (.85 - .21875) / .78125 = .81."""
    chance = 2 * share * (1 - share)
    assert gwet_ac1(table).value == pytest.approx((0.85 - chance) / (1 - chance))


def test_ac1_heeds_how_many_verdicts_were_offered():
    """A third verdict that nobody gave halves p_e: (.85 - .249375) / .750625."""
    offered = np.zeros((3, 3))
    offered[:2, :2] = BALANCED
    assert gwet_ac1(offered).value == pytest.approx((0.85 - 0.249375) / 0.750625)


@given(table=tables())
def test_the_standard_error_is_that_of_gwet(table):
    """n (1 - p_e)² var = Σ p_kl (δ_kl - 2 (1 - γ)(1 - (π_k + π_l) / 2) / (q - 1))² - (p_o - 2 (1 - γ) p_e)²."""
    ac1 = gwet_ac1(table)
    assume(ac1 and ac1.standard_error is not None)
    n, p, q = table.sum(), table / table.sum(), len(table)
    share = (p.sum(axis=0) + p.sum(axis=1)) / 2
    po, pe = np.trace(p), (share * (1 - share)).sum() / (q - 1)
    gamma = (po - pe) / (1 - pe)
    terms = np.eye(q) - 2 * (1 - gamma) * (1 - np.add.outer(share, share) / 2) / (q - 1)
    variance = ((p * terms**2).sum() - (po - 2 * (1 - gamma) * pe) ** 2) / (n * (1 - pe) ** 2)
    assert ac1.value == pytest.approx(gamma, abs=1e-9)
    assert ac1.standard_error**2 == pytest.approx(variance, rel=1e-6, abs=1e-12)
