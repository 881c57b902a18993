"""A p-value is never 0, on pages nor in files."""

import pytest

from benchmarks.contradoc.reports.groups import Group
from benchmarks.contradoc.reports.metrics import binomial_p
from review.statistics.comparison import mcnemar
from review.statistics.estimates import Undefined
from review.statistics.p_values import p_number, p_words


@pytest.mark.parametrize("p", [1e-300, 1e-12, 4e-5, 0.0004, 0.000999])
def test_a_small_one_is_printed_as_a_bound_and_is_above_zero_in_files(p):
    assert p_words(p) == "< 0.001"
    assert 0 < p_number(p) < 0.0011


@pytest.mark.parametrize(
    ("p", "words", "number"), [(0.001, "0.001", 0.001), (0.04999, "0.050", 0.05), (1, "1.000", 1)]
)
def test_others_are_rounded(p, words, number):
    assert (p_words(p), p_number(p)) == (words, number)


def test_tests_of_large_differences_do_not_underflow():
    assert 0 < mcnemar(0, 5_000) < 1e-200
    assert 0 < binomial_p(5_000, 5_000, 0.01) < 1e-200
    assert binomial_p(3, 10, 1.0) > 0


def test_the_data_of_a_group_has_no_zero():
    data = Group(100, 100, Undefined("not asked"), 0.1, binomial_p(100, 100, 0.1), 1e-90).as_data
    assert data["p"] > 0
    assert data["p (Holm)"] > 0
