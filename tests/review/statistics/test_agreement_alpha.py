"""Krippendorff's alpha against its author's examples and the package krippendorff."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.statistics.agreement.agreement import agreement
from review.statistics.agreement.alpha import krippendorff_alpha
from review.statistics.estimates import Undefined

# Fleiss 1971, Psychol Bull 76:378, table 1: 30 patients, six psychiatrists each, five diagnoses.
ROWS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
FLEISS = [[int(digit) for digit in row] for row in ROWS.split()]

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, example C: observers A to D, units 1 to 12.
OBSERVERS = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]


def counted(*observers):
    """Values of several observers, "." where one gave none, as counts per unit."""
    rows = [observer.split() for observer in observers]
    values = sorted({value for row in rows for value in row} - {"."})
    return [[unit.count(value) for value in values] for unit in zip(*rows, strict=True)]


counts_of_units = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=12)


def test_alpha_of_two_observers_with_two_values():
    """Krippendorff 2011, example A. 0 fourteen times, 1 six times, 4 of 10 units differ, D_u = 2 * 1 * 1 / 1 = 2:

    1 - 19 * 8 / (20² - 14² - 6²) = 1 - 152 / 168 = .095.
    """
    meg, owen = "0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"
    assert krippendorff_alpha(counted(meg, owen)).value == pytest.approx(1 - 152 / 168)


def test_alpha_of_two_observers_with_many_values():
    """Example B. a 4, b 6, c 6, d 6, e 2 of 24 values, 3 of 12 units differ: 1 - 23 * 6 / (576 - 128) = .692."""
    ben, gerry = "a a b b d c c c e d d a", "b a b b b c c c e d d d"
    assert round(krippendorff_alpha(counted(ben, gerry)).value, 3) == 0.692


def test_alpha_of_four_observers_with_gaps():
    """Example C. N_c = 9, 13, 10, 5, 3 of 40 (unit 12 has one value and drops out); Σ D_u = 2 + 4 + 2 of units 2,

    6 and 8: 1 - 39 * 8 / (1600 - 384) = 1 - 312 / 1216 = .743. Gwet's vignette prints 0.74342 for the same data.
    """
    alpha = krippendorff_alpha(counted(*OBSERVERS))
    assert alpha.value == pytest.approx(1 - 312 / 1216)
    assert round(alpha.value, 5) == 0.74342


def test_alpha_of_six_psychiatrists_as_in_gwets_vignette():
    """Vignette "overview", data set distrib.6raters: 0.4204384."""
    assert krippendorff_alpha(FLEISS[:15]).value == pytest.approx(0.4204384, abs=5e-8)


def test_alpha_of_two_judges_who_are_counted():
    """Vignette, data set cont3x3abstractors: 0.7972585."""
    rows = np.repeat([[2, 0, 0], [0, 2, 0], [0, 0, 2], [0, 1, 1]], [13, 20, 56, 7 + 4], axis=0)
    assert krippendorff_alpha(rows).value == pytest.approx(0.7972585, abs=5e-8)


@given(counts=counts_of_units)
def test_alpha_is_that_of_the_package(counts):
    alpha = krippendorff_alpha(counts)
    if alpha:
        expected = krippendorff.alpha(value_counts=np.array(counts), level_of_measurement="nominal")
        assert alpha.value == pytest.approx(expected, abs=1e-9)
        assert -1 <= alpha.value <= 1


@given(counts=counts_of_units, data=st.data())
def test_neither_the_order_of_verdicts_nor_that_of_responses_matters(counts, data):
    verdicts = data.draw(st.permutations(range(3)))
    shuffled = data.draw(st.permutations(counts))
    renamed = [[row[verdict] for verdict in verdicts] for row in shuffled]
    before, after = krippendorff_alpha(counts), krippendorff_alpha(renamed)
    assert type(before) is type(after)
    assert before.value == pytest.approx(after.value, abs=1e-9)


@given(counts=st.lists(st.sampled_from([[3, 0, 0], [0, 2, 0], [0, 0, 4], [1, 0, 0]]), min_size=1))
def test_people_who_always_agree_have_an_alpha_of_exactly_one_or_none(counts):
    alpha = krippendorff_alpha(counts)
    kinds = {tuple(row) for row in counts if sum(row) > 1}
    assert alpha.value == (1 if len(kinds) > 1 else None)


@given(tables=st.lists(st.lists(st.integers(0, 3), min_size=9, max_size=9), min_size=5, max_size=8))
def test_of_two_verdicts_each_the_table_gives_the_same_alpha_as_the_rows(tables):
    tables = np.reshape(tables, (-1, 3, 3))
    rows, instances = [], []
    for instance, one, other in np.argwhere(tables):
        for _ in range(tables[instance, one, other]):
            rows.append((np.arange(3) == one) + (np.arange(3) == other).astype(int))
            instances.append(instance)
    assert agreement(tables, resamples=50).alpha == krippendorff_alpha(rows, clusters=instances or None, resamples=50)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ([], "no response has two verdicts"),
        ([[1, 0], [0, 1], [0, 0]], "no response has two verdicts"),
        ([[1, 1], [0, 1]], "only one response"),
        ([[2, 0], [3, 0]], "one and the same verdict"),
    ],
)
def test_alpha_is_not_defined_where_nothing_can_show(counts, reason):
    alpha = krippendorff_alpha(counts)
    assert isinstance(alpha, Undefined)
    assert reason in alpha.reason


def test_alpha_has_an_interval_over_instances_when_they_are_named():
    instances = np.arange(30) // 3
    whole, again = krippendorff_alpha(FLEISS, clusters=instances), krippendorff_alpha(FLEISS, clusters=instances)
    assert whole == again
    assert whole.interval.low < whole.value < whole.interval.high
    assert isinstance(krippendorff_alpha(FLEISS).interval, Undefined)
    assert isinstance(whole.analytic, Undefined)


@pytest.mark.parametrize(
    "arguments",
    [{"counts": [[1, -1]]}, {"counts": [[0.5, 1]]}, {"counts": [1, 2]}, {"counts": [[1, 1]], "clusters": [1, 2]}],
)
def test_what_is_no_list_of_counts_is_refused(arguments):
    with pytest.raises(ValueError, match="row"):
        krippendorff_alpha(**arguments)
