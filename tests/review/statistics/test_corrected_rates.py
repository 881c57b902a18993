"""Rates of a judge model corrected by the responses with a final verdict."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review.statistics.corrected_rates import corrected_rates
from review.statistics.estimates import Undefined


def two_verdicts(*, both, people_only, judge_only, neither, judge_unlabelled, other_unlabelled):
    return np.array([[both, people_only], [judge_only, neither], [judge_unlabelled, other_unlabelled]])


def drawn(random, total, labelled, *, rate=0.5, misses=0.1, false_alarms=0.4):
    """One answerer: the truth, a judge with errors of both kinds, and people on a random part of it."""
    truth = random.random(total) < rate
    judge = np.where(truth, random.random(total) >= misses, random.random(total) < false_alarms)
    table = np.zeros((3, 2))
    for person, verdict in zip(truth[:labelled], judge[:labelled], strict=True):
        table[0 if person else 1, 0 if verdict else 1] += 1
    table[2] = judge[labelled:].sum(), (~judge[labelled:]).sum()
    return table


def test_the_judges_error_on_final_verdicts_is_taken_off():
    """N = 100, the judge says correct 70 times. n = 20 decided: both 10, judge only 4, people only 1, neither 5.

    0.70 + (11 - 14) / 20 = 0.55. Variance: over these y - f + 0.2 f is 0.2 ten times, -0.8 four times, 1 once,
    0 five times: mean -0.01, sum of squares 3.96, s² = (3.96 - 0.002) / 19 = 0.208316, / 20 = 0.0104158; over the
    others s²(f) = 0.21 * 100 / 99 = 0.212121, * 80 / 100² = 0.0016970. Together 0.0121128, standard error 0.110058,
    times t(19) = 2.09302: 0.55 +- 0.23035.
    """
    table = two_verdicts(both=10, people_only=1, judge_only=4, neither=5, judge_unlabelled=56, other_unlabelled=24)
    correct, other = corrected_rates(table)
    assert (correct.judged, correct.judge_count, correct.labelled, correct.human_count) == (100, 70, 20, 11)
    assert correct.corrected.value == correct.unclipped == pytest.approx(0.55)
    assert correct.corrected.standard_error == pytest.approx(0.110058, abs=5e-7)
    interval = correct.corrected.analytic
    assert (interval.low, interval.high) == pytest.approx((0.31965, 0.78035), abs=5e-6)
    assert other.corrected.value == pytest.approx(0.45)
    assert other.corrected.standard_error == pytest.approx(correct.corrected.standard_error)


def test_a_judge_that_flatters_one_answerer_no_longer_ranks_it_first():
    """Raw 70 against 60 of 100; on 20 decided each the judge is 5 too kind to the first, and right on the second."""
    flattered = two_verdicts(both=9, people_only=0, judge_only=5, neither=6, judge_unlabelled=56, other_unlabelled=24)
    plain = two_verdicts(both=12, people_only=0, judge_only=0, neither=8, judge_unlabelled=48, other_unlabelled=32)
    first, second = corrected_rates(flattered)[0], corrected_rates(plain)[0]
    assert first.judge_count > second.judge_count
    assert first.corrected.value == pytest.approx(0.45)
    assert second.corrected.value == pytest.approx(0.60)


def test_with_final_verdicts_on_all_it_is_peoples_own_rate_with_its_own_error():
    """30 of 40: s² / n = 0.75 * 0.25 / 39."""
    table = two_verdicts(both=20, people_only=10, judge_only=6, neither=4, judge_unlabelled=0, other_unlabelled=0)
    rate = corrected_rates(table)[0]
    assert rate.corrected.value == pytest.approx(0.75)
    assert rate.corrected.standard_error == pytest.approx((0.75 * 0.25 / 39) ** 0.5)


def test_without_final_verdicts_it_is_not_defined_and_the_raw_counts_stay():
    rate = corrected_rates([[0, 0], [0, 0], [70, 30]])[0]
    assert isinstance(rate.corrected, Undefined)
    assert rate.unclipped is None
    assert (rate.judged, rate.judge_count, rate.labelled) == (100, 70, 0)


def test_without_any_response_it_is_not_defined():
    assert isinstance(corrected_rates(np.zeros((0, 4, 3)))[0].corrected, Undefined)


def test_one_final_verdict_gives_a_rate_without_an_interval():
    rate = corrected_rates([[1, 0], [0, 0], [6, 3]])[0].corrected
    assert rate.value == pytest.approx(0.7)
    assert isinstance(rate.interval, Undefined)
    assert isinstance(rate.analytic, Undefined)


def test_a_rate_below_nothing_is_cut_to_nothing_and_says_what_it_was():
    """The judge says correct 1 time in 100, once too often among 10 final verdicts: 0.01 - 0.1."""
    table = two_verdicts(both=0, people_only=0, judge_only=1, neither=9, judge_unlabelled=0, other_unlabelled=90)
    rate = corrected_rates(table)[0]
    assert rate.corrected.value == 0
    assert rate.unclipped == pytest.approx(-0.09)
    assert rate.corrected.analytic.low == 0


def test_final_verdicts_on_a_few_instances_only_give_no_interval_over_instances():
    tables = [[[1, 0], [0, 1], [0, 0]]] * 4 + [[[0, 0], [0, 0], [3, 2]]] * 50
    rate = corrected_rates(tables)[0].corrected
    assert "fewer than 5 instances" in rate.interval.reason
    assert rate.analytic


def test_the_interval_over_instances_is_that_of_a_bootstrap_by_hand():
    random = np.random.default_rng(3)
    tables = np.array([drawn(random, 3, 1 if instance < 48 else 0) for instance in range(120)])
    interval = corrected_rates(tables)[0].corrected.interval
    values = []
    for _ in range(2000):
        table = tables[random.integers(0, 120, 120)].sum(axis=0)
        labelled = table[:2].sum()
        values.append(table[:, 0].sum() / table.sum() + (table[0, 1] - table[1, 0]) / labelled)
    assert (interval.low, interval.high) == pytest.approx(np.percentile(values, [2.5, 97.5]), abs=0.02)


def test_on_average_it_is_right_and_its_interval_holds_the_truth_as_often_as_it_says():
    """The judge is 15 points too kind; 1,000 draws of 253 responses with 48 final verdicts, true rate 0.5."""
    random = np.random.default_rng(11)
    rates = [corrected_rates(drawn(random, 253, 48))[0] for _ in range(1000)]
    values = np.array([rate.unclipped for rate in rates])
    assert np.mean([rate.judge_count / rate.judged for rate in rates]) > 0.64
    assert values.mean() == pytest.approx(0.5, abs=3 * values.std() / 1000**0.5)
    assert np.mean([rate.corrected.standard_error for rate in rates]) == pytest.approx(values.std(), rel=0.1)
    held = np.mean([rate.corrected.analytic.low <= 0.5 <= rate.corrected.analytic.high for rate in rates])
    assert 0.93 <= held <= 0.975


tables_of_three = st.lists(st.integers(0, 12), min_size=12, max_size=12).map(lambda cells: np.reshape(cells, (4, 3)))


@given(table=tables_of_three)
def test_the_rates_of_all_verdicts_add_up_to_one_before_they_are_cut(table):
    rates = corrected_rates(table)
    if table[:3].sum():
        assert sum(rate.unclipped for rate in rates) == pytest.approx(1)


@given(
    diagonal=st.lists(st.integers(0, 9), min_size=3, max_size=3),
    rest=st.lists(st.integers(0, 9), min_size=3, max_size=3),
)
def test_a_faultless_judge_is_left_as_it_is(diagonal, rest):
    for rate in corrected_rates(np.vstack([np.diag(diagonal), rest])):
        if rate.labelled:
            assert rate.corrected.value == pytest.approx(rate.judge_count / rate.judged)


@settings(max_examples=60)
@given(instances=st.integers(0, 12), largest=st.integers(0, 2), seed=st.integers(0, 10_000))
def test_whatever_the_tables_the_export_holds_no_nan_and_all_lies_within_a_share(instances, largest, seed):
    tables = np.random.default_rng(seed).integers(0, largest + 1, size=(instances, 4, 3))
    for rate in corrected_rates(tables):
        json.dumps(dataclasses.asdict(rate), allow_nan=False)
        estimate = rate.corrected
        if estimate:
            assert 0 <= estimate.value <= 1
            for interval in (estimate.interval, estimate.analytic):
                assert isinstance(interval, Undefined) or 0 <= interval.low < interval.high <= 1


def test_a_table_without_the_row_of_responses_without_one_is_refused():
    with pytest.raises(ValueError, match="table"):
        corrected_rates(np.eye(3))
