"""A judge model against people: accuracy, precision, recall, F and macro-F."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import assume, given

from review.statistics.estimates import Undefined
from review.statistics.scores import scores
from tests.review.statistics.test_agreement_kappa import tables


def test_scikit_learns_own_example():
    """User guide and reference of precision_recall_fscore_support: people cat dog pig cat dog pig, judge cat pig dog

    cat cat dog; macro (0.22, 0.33, 0.26). cat: 2 of 3 and 2 of 2, F 2 * 2 / 5 = 0.8; dog and pig: nothing right.
    """
    found = scores([[2, 0, 0], [1, 0, 1], [0, 2, 0]])
    cat, dog, pig = found.verdicts
    assert (cat.precision, cat.recall, cat.f) == pytest.approx((2 / 3, 1, 0.8))
    assert (dog.precision, dog.recall, dog.f) == (pig.precision, pig.recall, pig.f) == (0, 0, 0)
    assert found.macro_f == pytest.approx(0.8 / 3)
    assert found.accuracy.value == pytest.approx(2 / 6)
    assert (cat.people, cat.judge, cat.both) == (2, 3, 2)


@given(table=tables(sizes=(2, 3)))
def test_scores_are_those_of_scikit_learn_and_of_the_counts(table):
    from sklearn.metrics import (  # only here: it takes a second
        accuracy_score,
        f1_score,
        precision_score,
        recall_score,
    )

    found = scores(table)
    json.dumps(dataclasses.asdict(found), allow_nan=False)
    assume(found.n)
    people, judge = np.nonzero(table)
    kept = {"sample_weight": table[people, judge], "zero_division": np.nan}
    assert found.accuracy.value == pytest.approx(accuracy_score(people, judge, sample_weight=kept["sample_weight"]))
    assert found.macro_f == pytest.approx(f1_score(people, judge, average="macro", **kept))
    labels = range(len(table))
    for metric, name in ((precision_score, "precision"), (recall_score, "recall"), (f1_score, "f")):
        expected = metric(people, judge, labels=labels, average=None, **kept)
        for verdict, value in zip(found.verdicts, expected, strict=True):
            score = getattr(verdict, name)
            assert (np.nan if isinstance(score, Undefined) else score) == pytest.approx(value, nan_ok=True)
    for verdict in found.verdicts:
        if verdict.judge:
            assert verdict.precision == pytest.approx(verdict.both / verdict.judge)
        if verdict.people:
            assert verdict.recall == pytest.approx(verdict.both / verdict.people)
            assert verdict.f == pytest.approx(2 * verdict.both / (verdict.people + verdict.judge))


def test_a_verdict_that_one_side_never_gave_says_which():
    correct, partial, incorrect = scores([[5, 0, 0], [3, 0, 0], [0, 0, 0]]).verdicts
    assert "judge model never" in partial.precision.reason
    assert (partial.recall, partial.f) == (0, 0)
    assert "people never" in incorrect.recall.reason
    assert "neither" in incorrect.f.reason
    assert correct.precision == pytest.approx(5 / 8)


def test_no_response_with_both_verdicts_has_no_scores():
    found = scores(np.zeros((0, 3, 3)))
    assert found.n == 0
    assert isinstance(found.accuracy, Undefined)
    assert isinstance(found.macro_f, Undefined)


def test_accuracy_has_its_interval_over_instances():
    accuracy = scores([[[3, 1], [0, 2]], [[1, 0], [0, 1]], [[0, 2], [1, 2]]] * 10).accuracy
    assert accuracy.interval.low < accuracy.value < accuracy.interval.high
