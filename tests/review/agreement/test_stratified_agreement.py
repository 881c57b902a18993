"""Agreement within strata, weighted by n, and weighted kappa: against other libraries and by hand."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from review.reports.agreement.strata import strata_of
from review.statistics.agreement.agreement import agreement, ordinal
from review.statistics.agreement.stratified import stratified_agreement
from review.statistics.estimates import Undefined
from tests.review.second_opinions import cohen_kappa_score
from tests.review.statistics.test_agreement_kappa import COHEN, tables

# Two people who agree beyond chance in neither stratum: in the first nearly all is correct, in the second hardly any.
EASY = [[81, 0, 9], [0, 0, 0], [9, 0, 1]]
HARD = [[1, 0, 9], [0, 0, 0], [9, 0, 81]]


def by_stratum(*strata):
    """As if each response were to an instance of its own."""
    clusters = []
    for number, table in enumerate(strata):
        for row, column in zip(*np.nonzero(table), strict=True):
            for _ in range(table[row][column]):
                one = np.zeros((len(strata), len(table), len(table)))
                one[number, row, column] = 1
                clusters.append(one)
    return np.array(clusters).reshape(-1, len(strata), 3, 3)


def test_one_table_takes_for_skill_what_the_stratum_alone_tells():
    """In each stratum p_o = .82 = p_e = .9² + .1², so kappa is 0. In one table p_e = .5² + .5² = .5, p_o = .82:
    kappa = .32 / .5 = .64."""
    found = stratified_agreement(by_stratum(EASY, HARD), [3, 3])
    assert found.kappa.value == pytest.approx(0)
    assert found.chance == pytest.approx(0.82)
    pooled = agreement(np.add(EASY, HARD))
    assert pooled.kappa.value == pytest.approx(0.64)
    assert pooled.chance == pytest.approx(0.5)
    assert found.kappa.interval.low < 0 < found.kappa.interval.high
    assert found.strata == 2


@settings(max_examples=25)
@given(strata=st.lists(tables(sizes=(3,), largest=8), min_size=2, max_size=3))
def test_it_is_the_mean_of_the_strata_weighted_by_n(strata):
    found = stratified_agreement(by_stratum(*(table.tolist() for table in strata)), [3] * len(strata), resamples=5)
    alone = [agreement(table, resamples=5) for table in strata]
    for name in ("kappa", "weighted_kappa", "ac1", "alpha"):
        known = [(each.n, getattr(each, name)) for each in alone if getattr(each, name)]
        number = getattr(found, name)
        if not known:
            assert isinstance(number, Undefined)
            continue
        n = sum(count for count, _ in known)
        assert number.value == pytest.approx(sum(count * each.value for count, each in known) / n)
        if name != "alpha":
            variances = [(count / n) ** 2 * (each.standard_error or 0) ** 2 for count, each in known]
            assert (number.standard_error or 0) == pytest.approx(np.sqrt(sum(variances)))


def test_of_one_stratum_it_is_the_coefficient_itself_with_its_interval():
    clusters = by_stratum([[9, 2, 1], [1, 8, 2], [3, 1, 9]])
    found, alone = stratified_agreement(clusters, [3]), agreement(clusters[:, 0])
    for name in ("kappa", "weighted_kappa", "ac1", "alpha"):
        number, expected = getattr(found, name), getattr(alone, name)
        assert number.value == pytest.approx(expected.value)
        assert (number.interval.low, number.interval.high) == pytest.approx(
            (expected.interval.low, expected.interval.high)
        )
    assert found.kappa.standard_error == pytest.approx(alone.kappa.standard_error)


def test_ac1_counts_in_each_stratum_what_was_offered_there():
    """Two verdicts, all but one of ten alike: π = .55, p_e = 2 * .55 * .45 = .495, AC1 = .405 / .505. Of three
    offered, the sum over (q - 1) = 2: p_e = .2475, AC1 = .6525 / .7525."""
    table = [[5, 0, 1], [0, 0, 0], [0, 0, 4]]
    found = stratified_agreement(by_stratum(table, table), [2, 3])
    assert found.ac1.value == pytest.approx((0.405 / 0.505 + 0.6525 / 0.7525) / 2)
    pooled = agreement(np.multiply(table, 2), one_choice=False)
    assert not pooled.ac1
    assert "two verdicts" in pooled.ac1.reason
    assert not stratified_agreement(by_stratum(table), [2]).weighted_kappa


def test_a_stratum_with_one_verdict_has_no_kappa_and_no_weight():
    alike = [[20, 0, 0], [0, 0, 0], [0, 0, 0]]
    found = stratified_agreement(by_stratum(HARD, alike), [3, 3], resamples=50)
    assert found.kappa.value == pytest.approx(0)
    assert (found.strata, found.left_out) == (2, 20)
    nothing = stratified_agreement(by_stratum(alike), [3])
    assert not nothing.kappa
    assert "strata" in nothing.kappa.reason
    assert not stratified_agreement(np.zeros((0, 0, 3, 3)), []).kappa


@settings(max_examples=50)
@given(table=tables(sizes=(3, 5), largest=10))
def test_weighted_kappa_is_that_of_scikit_learn(table):
    found = agreement(table).weighted_kappa
    assume(found)
    first, second = np.nonzero(table)
    options = {"labels": range(len(table)), "weights": "linear", "sample_weight": table[first, second]}
    assert found.value == pytest.approx(cohen_kappa_score(first, second, **options))


def test_weighted_kappa_of_cohens_patients():
    """Distances 0, 1/2, 1: Σ v p = (14 + 10 + 10 + 6) / 400 + (18 + 2) / 200 = .2. By chance, of rows .6, .3, .1 and
    columns .5, .3, .2: ((.18 + .15) + (.06 + .03)) / 2 + .12 + .05 = .38. 1 - .2 / .38."""
    assert agreement(COHEN).weighted_kappa.value == pytest.approx(1 - 0.2 / 0.38)
    assert ordinal(3).tolist() == [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]


def test_the_standard_error_of_ac1_is_that_of_irrcac():
    """IRRCAC has what version 0.4.4 prints of two raters and categories 0 to 2: `se` of table.CAC(...).gwet(), and of
    raw.CAC(...).gwet() from the same responses one by one, which divides by n - 1."""
    for table, from_table, from_ratings in IRRCAC:
        n = np.sum(table)
        error = agreement(table).ac1.standard_error
        assert error == pytest.approx(from_table, abs=5e-7)
        assert error * np.sqrt(n / (n - 1)) == pytest.approx(from_ratings, abs=5e-7)


IRRCAC = [
    ([[0, 0, 1], [1, 0, 0], [0, 0, 1]], 0.457857, 0.560758),
    ([[4, 1, 0], [0, 2, 1], [0, 1, 1]], 0.219378, 0.231245),
]


FACETS = st.lists(
    st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(1, 3), st.integers(1, 30)), min_size=1, max_size=20
)


@given(rows=FACETS)
def test_strata_are_as_fine_as_ten_responses_allow(rows):
    facets = np.array([(template, model, person, 9) for template, model, person, _ in rows])
    counts = np.array([count for *_, count in rows])
    stratum, first = strata_of(facets, counts)
    assert set(stratum) == set(range(len(first))), "each row has one, and none is empty"
    for number, row in enumerate(first):
        held = facets[stratum == number]
        assert set(held[:, 0]) == {facets[row, 0]}, "never two templates in one"
    for template, model, person in {tuple(row[:3]) for row in facets.tolist()}:
        same = (facets[:, :3] == (template, model, person)).all(axis=1)
        assert len(set(stratum[same])) == 1, "those of one pair stay together"
        if counts[same].sum() >= 10:
            assert (facets[stratum == stratum[same][0], :3] == (template, model, person)).all()
