"""The words of an estimate, and the bootstrap over instances."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review.statistics import estimates
from review.statistics.agreement.agreement import agreement, raw_agreement
from review.statistics.estimates import MAX_CLUSTERS, Estimate, Interval, Undefined, count_tables
from tests.review.statistics.test_agreement_kappa import cohen_kappa

EIGHT = [(1, 0, 0), (1, 0, 1), (2, 1, 1), (2, 1, 1), (3, 0, 0), (4, 2, 2), (5, 2, 1), (9, 1, 1)]


def some_tables(instances, *, seed=1, k=3):
    """Judges who mostly agree, a few responses to each instance, some instances harder than others."""
    random = np.random.default_rng(seed)
    hardness = random.gamma(1.0, 0.4, size=(instances, 1, 1))
    return random.poisson(hardness + np.eye(k), size=(instances, k, k))


def kappa_of(table):
    n, expected = table.sum(), (table.sum(axis=0) * table.sum(axis=1)).sum()
    return (n * np.trace(table) - expected) / (n * n - expected)


def bootstrapped_by_hand(tables, resamples):
    """The bootstrap as a textbook has it: draw instances, add up, compute, 95% between the percentiles."""
    random = np.random.default_rng(99)
    values = [kappa_of(tables[random.integers(0, len(tables), len(tables))].sum(axis=0)) for _ in range(resamples)]
    return np.percentile(values, [2.5, 97.5])


def test_tables_come_from_pairs_and_from_rows_the_database_has_counted():
    instances, first, second = zip(*EIGHT, strict=True)
    tables = count_tables(instances, first, second, shape=(3, 3))
    assert tables.shape == (6, 3, 3)
    assert tables[0].tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 0]]
    grouped = sorted(set(EIGHT))
    instances, first, second = zip(*grouped, strict=True)
    counts = [EIGHT.count(row) for row in grouped]
    assert (count_tables(instances, first, second, shape=(3, 3), counts=counts) == tables).all()


def test_no_rows_give_no_tables_and_an_agreement_that_says_so():
    nothing = agreement(count_tables([], [], [], shape=(3, 3)))
    assert (nothing.n, nothing.instances) == (0, 0)
    assert nothing.raw == nothing.kappa == nothing.ac1 == Undefined("no response has two verdicts")


def test_a_verdict_outside_the_table_is_refused():
    with pytest.raises(ValueError, match="invalid entry"):
        count_tables([1], [2], [0], shape=(2, 2))


def test_the_interval_is_that_of_a_bootstrap_by_hand():
    tables = some_tables(60)
    interval = cohen_kappa(tables).interval
    assert (interval.low, interval.high) == pytest.approx(bootstrapped_by_hand(tables, 2000), abs=0.015)


def test_many_instances_dealt_into_groups_give_nearly_the_same_interval():
    tables = some_tables(3 * MAX_CLUSTERS + 7)
    interval = cohen_kappa(tables).interval
    low, high = bootstrapped_by_hand(tables, 1000)
    assert (interval.high - interval.low) / (high - low) == pytest.approx(1, abs=0.1)
    assert (interval.low + interval.high) / 2 == pytest.approx((low + high) / 2, abs=0.1 * (high - low))


def test_the_same_seed_gives_the_same_interval_and_another_one_nearly_the_same(monkeypatch):
    tables = some_tables(80)
    assert agreement(tables) == agreement(tables)
    one = cohen_kappa(tables).interval
    monkeypatch.setattr(estimates, "SEED", 6)
    other = cohen_kappa(tables).interval
    assert one != other
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.02)


def test_responses_that_hang_together_count_as_one_in_the_bootstrap_only():
    """Each response given four times over: no more is known, though the analytic error thinks it halved."""
    once = cohen_kappa(some_tables(60))
    fourfold = cohen_kappa(4 * some_tables(60))
    assert fourfold.value == once.value
    assert (fourfold.interval.low, fourfold.interval.high) == pytest.approx((once.interval.low, once.interval.high))
    assert fourfold.standard_error == pytest.approx(once.standard_error / 2)


def test_instances_without_a_pair_change_nothing():
    tables = some_tables(60)
    padded = np.concatenate([np.zeros((40, 3, 3)), tables])
    assert agreement(padded) == agreement(tables)


def test_a_sum_alone_gives_the_number_without_an_interval_over_instances():
    tables = some_tables(60)
    alone, whole = cohen_kappa(tables.sum(axis=0)), cohen_kappa(tables)
    assert (alone.value, alone.analytic) == (whole.value, whole.analytic)
    assert "belong to one instance" in alone.interval.reason
    assert agreement(tables.sum(axis=0)).instances is None


def test_a_handful_of_instances_is_too_few_for_an_interval():
    kappa = cohen_kappa(5 * some_tables(4))
    assert kappa.value is not None
    assert "fewer than 5 unrelated instances" in kappa.interval.reason


def test_full_agreement_claims_no_certainty():
    raw = raw_agreement([np.diag([1, 1, 0])] * 20)
    assert raw.value == 1
    assert isinstance(raw.interval, Undefined)
    assert raw.analytic.low < raw.analytic.high == 1


def test_kappa_that_vanishes_in_many_resamples_has_no_interval():
    """One disagreement in 48, else the same verdict: a third of all resamples do not hold it, and are 0 / 0."""
    tables = [[[1, 0], [0, 0]]] * 47 + [[[0, 1], [0, 0]]]
    kappa = cohen_kappa(tables)
    assert kappa.value == 0
    assert "number itself is not defined" in kappa.interval.reason


@settings(max_examples=60)
@given(
    instances=st.integers(0, 12), largest=st.integers(0, 3), k=st.sampled_from([2, 3]), seed=st.integers(0, 10_000)
)
def test_whatever_the_tables_the_export_holds_no_nan_and_no_empty_interval(instances, largest, k, seed):
    tables = np.random.default_rng(seed).integers(0, largest + 1, size=(instances, k, k))
    found = agreement(tables, resamples=200)
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    for estimate in (found.raw, found.kappa, found.ac1):
        for interval in (estimate.interval, estimate.analytic) if estimate else ():
            assert isinstance(interval, Undefined) or -1 <= interval.low < interval.high <= 1


def test_an_estimate_prints_itself_and_what_is_not_defined_says_so():
    estimate = Estimate(0.7964, Interval(0.675, 0.9135), Undefined("why"), None)
    assert str(estimate) == "0.80 (0.68 to 0.91)"
    assert str(Estimate(-0.001, Undefined("why"), Undefined("why"))) == "0.00"
    assert str(Undefined("why")) == "not defined"
    assert not Undefined("why")
    assert dataclasses.asdict(Undefined("why")) == {"reason": "why", "value": None}
