"""Cohen's kappa, raw agreement and the indices of prevalence and bias, against published examples."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from review.statistics.agreement.agreement import agreement, raw_agreement
from review.statistics.estimates import Undefined
from tests.review.second_opinions import cohen_kappa_score

# Gwet's package irrCAC, vignette "overview", data set cont3x3abstractors: two abstractors, 100 pregnant women.
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]

# Cohen 1968, Psychol Bull 70:213, tables 1 and 2 (the table of Cohen 1960 as counts): two judges, 200 patients.
COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]

# Feinstein & Cicchetti 1990, J Clin Epidemiol 43:543: 85% raw agreement in both.
BALANCED = [[40, 9], [6, 45]]
LOPSIDED = [[80, 10], [5, 5]]


@st.composite
def tables(draw, sizes=(2, 3, 4), largest=30):
    k = draw(st.sampled_from(sizes))
    cells = draw(st.lists(st.integers(0, largest), min_size=k * k, max_size=k * k))
    return np.array(cells).reshape(k, k)


def cohen_kappa(tables, **drawn):
    return agreement(tables, **drawn).kappa


def gwet_ac1(tables):
    return agreement(tables).ac1


def numbers(found):
    return found.value, getattr(found, "standard_error", None)


def test_kappa_of_cohens_own_example():
    """p_o = (88 + 40 + 12) / 200 = .70; p_e = .60 * .50 + .30 * .30 + .10 * .20 = .41; (.70 - .41) / .59 = .492."""
    assert cohen_kappa(COHEN).value == pytest.approx(0.29 / 0.59)


def test_kappa_of_gwets_vignette_with_its_standard_error_and_interval():
    """p_o = 89/100; p_e = (13 * 13 + 27 * 24 + 60 * 63) / 10,000 = .4597; (.89 - .4597) / .5403 = .7964.

    The vignette prints 0.7964094, standard error 0.05891072, interval (0.68, 0.913).
    """
    kappa = cohen_kappa(ABSTRACTORS)
    assert kappa.value == pytest.approx(0.7964094, abs=5e-8)
    assert kappa.standard_error == pytest.approx(0.05891072, abs=5e-9)
    assert (kappa.analytic.low, kappa.analytic.high) == pytest.approx((0.68, 0.913), abs=5e-4)


@pytest.mark.parametrize(("table", "chance", "kappa"), [(BALANCED, 0.5008, 0.70), (LOPSIDED, 0.78, 0.32)])
def test_equal_raw_agreement_gives_feinstein_and_cicchettis_two_kappas(table, chance, kappa):
    """.49 * .46 + .51 * .54 = .5008 and .90 * .85 + .10 * .15 = .78; (.85 - chance) / (1 - chance)."""
    assert raw_agreement(table).value == 0.85
    assert cohen_kappa(table).value == pytest.approx((0.85 - chance) / (1 - chance))
    assert round(cohen_kappa(table).value, 2) == kappa


@given(table=tables())
def test_kappa_is_that_of_scikit_learn(table):
    kappa = cohen_kappa(table)
    assume(kappa)
    first, second = np.nonzero(table)
    expected = cohen_kappa_score(first, second, labels=range(len(table)), sample_weight=table[first, second])
    assert kappa.value == pytest.approx(expected, abs=1e-9)


@given(table=tables())
def test_the_standard_error_is_that_of_fleiss_cohen_and_everitt(table):
    """Their formula 10 as printed: with weights of agreement w, p_o = Σ w p, p_e = Σ w p_i. p_.j, κ,

    n (1 - p_e)^4 var = Σ p_ij (w_ij (1 - p_e) - (w_i. + w_.j)(1 - p_o))² - (p_o p_e - 2 p_e + p_o)².
    """
    kappa = cohen_kappa(table)
    assume(kappa and not isinstance(kappa.standard_error, Undefined))
    w = np.eye(len(table))
    n, p = table.sum(), table / table.sum()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    po, pe = (w * p).sum(), rows @ w @ columns
    by_row, by_column = w @ columns, rows @ w
    spread = (p * (w * (1 - pe) - np.add.outer(by_row, by_column) * (1 - po)) ** 2).sum()
    variance = (spread - (po * pe - 2 * pe + po) ** 2) / (n * (1 - pe) ** 4)
    assert kappa.standard_error**2 == pytest.approx(variance, rel=1e-6, abs=1e-12)


@given(table=tables())
def test_who_comes_first_does_not_matter(table):
    for coefficient in (raw_agreement, cohen_kappa, gwet_ac1):
        assert numbers(coefficient(table)) == pytest.approx(numbers(coefficient(table.T)), abs=1e-9)


@given(table=tables(), data=st.data())
def test_the_order_of_the_verdicts_does_not_matter(table, data):
    order = data.draw(st.permutations(range(len(table))))
    renamed = table[np.ix_(order, order)]
    for coefficient in (raw_agreement, cohen_kappa, gwet_ac1):
        assert numbers(coefficient(table)) == pytest.approx(numbers(coefficient(renamed)), abs=1e-9)


@given(table=tables())
def test_coefficients_stay_within_minus_one_and_one(table):
    for coefficient in (raw_agreement, cohen_kappa, gwet_ac1):
        found = coefficient(table)
        if found:
            assert -1 <= found.value <= 1
            if found.analytic:
                assert -1 <= found.analytic.low < found.analytic.high <= 1
                assert found.analytic.low <= found.value <= found.analytic.high


@given(counts=st.lists(st.integers(1, 50), min_size=2, max_size=4))
def test_judges_who_always_agree_have_a_kappa_of_exactly_one_and_no_interval_to_claim(counts):
    table = np.diag(counts)
    for coefficient in (cohen_kappa, gwet_ac1):
        found = coefficient(table)
        assert found.value == 1
        assert isinstance(found.analytic, Undefined)
        assert isinstance(found.standard_error, Undefined)
    assert raw_agreement(table).analytic.low < 1


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[0, 0], [0, 0]], "no response has two verdicts"),
        ([[1, 0], [0, 0]], "only one response"),
        ([[0, 1], [0, 0]], "only one response"),
        ([[48, 0, 0], [0, 0, 0], [0, 0, 0]], "one and the same verdict"),
    ],
)
def test_coefficients_beyond_chance_are_not_defined_where_nothing_can_show(table, reason):
    for coefficient in (cohen_kappa, gwet_ac1):
        found = coefficient(table)
        assert isinstance(found, Undefined)
        assert found.value is None
        assert reason in found.reason


def test_raw_agreement_is_defined_from_one_response_on():
    assert raw_agreement([[0, 0], [0, 0]]).value is None
    assert raw_agreement([[1, 0], [0, 0]]).value == 1
    assert raw_agreement([[5, 0], [0, 0]]).value == 1


def test_wilsons_interval_of_raw_agreement():
    """Newcombe 1998, Stat Med 17:857, table I, method 3: 81/263 gives .2553 to .3662, 0/20 gives 0 to .1611."""
    share = raw_agreement([[81, 100], [82, 0]]).analytic
    assert (share.low, share.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    none = raw_agreement([[0, 10], [10, 0]]).analytic
    assert (none.low, none.high) == pytest.approx((0, 0.1611), abs=5e-5)


def test_prevalence_and_bias_of_the_two_verdicts():
    """LOPSIDED: prevalence (80 - 5) / 100, bias (10 - 5) / 100; seen from the other verdict both turn round."""
    first, second = agreement(LOPSIDED).indices
    assert (first.prevalence, first.bias) == pytest.approx((0.75, 0.05))
    assert (second.prevalence, second.bias) == pytest.approx((-0.75, -0.05))


def test_each_of_three_verdicts_is_set_against_the_others():
    """COHEN, verdict 2: both 40, first only 10 + 10, second only 14 + 6, neither 88 + 18 + 2 + 12 = 120."""
    second = agreement(COHEN).indices[1]
    assert (second.prevalence, second.bias) == pytest.approx(((40 - 120) / 200, 0))


@given(table=tables(sizes=(2,)))
def test_kappa_follows_from_the_indices_as_byrt_bishop_and_carlin_show(table):
    """κ = (PABAK - PI² + BI²) / (1 - PI² + BI²), PABAK = 2 p_o - 1. Byrt et al. 1993, J Clin Epidemiol 46:423."""
    found = agreement(table)
    assume(found.kappa)
    index = found.indices[0]
    shift = index.bias**2 - index.prevalence**2
    assert found.kappa.value == pytest.approx((2 * found.raw.value - 1 + shift) / (1 + shift), abs=1e-9)


def test_bias_is_not_defined_where_pairs_of_different_people_are_put_together():
    index = agreement(LOPSIDED, ordered=False).indices[0]
    assert index.prevalence == 0.75
    assert isinstance(index.bias, Undefined)


@pytest.mark.parametrize("table", [[[1, 2, 3], [4, 5, 6]], [[1, -1], [0, 3]], [[0.5, 0], [0, 1]], [[7]], [1, 2]])
def test_what_is_no_table_of_counts_is_refused(table):
    with pytest.raises(ValueError, match="table"):
        agreement(table)
