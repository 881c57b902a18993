"""The estimate of Dawid and Skene against their own example, another library's figures, and one in plain loops."""

import random
from math import prod

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from review.statistics.dawid_skene import APART, NO_OVERLAP, DawidSkene, dawid_skene
from review.statistics.estimates import ONE_VERDICT

# Table 1 of the paper: 45 patients, the grades that five anaesthetists gave, the first of them three times.
TABLE_1 = """
111 1 1 1 1|333 4 3 3 4|112 2 1 2 2|222 3 1 2 1|222 3 2 2 2|222 3 3 2 2|122 2 1 1 1|333 3 4 3 3|222 2 2 2 3
232 2 2 2 3|444 4 4 4 4|222 3 3 4 3|111 1 1 1 1|222 3 2 1 2|121 1 1 1 1|111 2 1 1 1|111 1 1 1 1|111 1 1 1 1
222 2 2 2 1|222 1 3 2 2|222 2 2 2 2|222 2 2 2 1|222 3 2 2 2|221 2 2 2 2|111 1 1 1 1|111 1 1 1 1|232 2 2 2 2
111 1 1 1 1|111 1 1 1 1|112 1 1 2 1|111 1 1 1 1|333 3 2 3 3|111 1 1 1 1|222 2 2 2 2|222 3 2 3 2|433 4 3 4 3
221 2 2 3 2|232 3 2 3 3|333 3 4 3 2|111 1 1 1 1|111 1 1 1 1|121 2 1 1 1|232 2 2 2 2|121 1 1 1 1|222 2 2 2 2
"""
ROWS = [
    (patient, doctor, int(grade) - 1)
    for patient, line in enumerate(TABLE_1.strip().replace("\n", "|").split("|"))
    for doctor, grades in enumerate(line.split())
    for grade in grades
]
# The results of crowd-kit 1.4.2 after 400 rounds, to the decimals written here.
PRIOR = [0.399555, 0.421983, 0.111795, 0.066667]
CONFUSION = [
    [[0.8895, 0.1105, 0, 0], [0.0706, 0.8764, 0.0530, 0], [0, 0.3388, 0.6612, 0], [0, 0, 0.5556, 0.4444]],
    [[0.8342, 0.1658, 0, 0], [0.0527, 0.6329, 0.3143, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    [[1, 0, 0, 0], [0.1064, 0.7883, 0.1053, 0], [0, 0.4037, 0.1988, 0.3976], [0, 0, 0.6667, 0.3333]],
    [[0.9444, 0.0556, 0, 0], [0.0537, 0.8426, 0.1037, 0], [0, 0, 0.8012, 0.1988], [0, 0, 0.3333, 0.6667]],
    [[1, 0, 0, 0], [0.1590, 0.7345, 0.1064, 0], [0, 0.2091, 0.7909, 0], [0, 0, 0.3333, 0.6667]],
]
UNSURE = {6: [0.981020, 0.018980, 0, 0], 34: [0, 0.947995, 0.052005, 0], 37: [0, 0.021200, 0.978800, 0]}


def estimate(rows, k) -> DawidSkene:
    found = dawid_skene(*zip(*rows, strict=True), k=k)
    assert isinstance(found, DawidSkene)
    return found


def test_the_papers_own_example_and_another_librarys_figures():
    found = estimate(ROWS, 4)
    # The paper prints .40 .42 .11 .07.
    assert found.prior.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert found.prior == pytest.approx(PRIOR, abs=1e-6)
    assert found.confusion == pytest.approx(np.array(CONFUSION), abs=5e-5)
    for patient, shares in UNSURE.items():
        assert found.posterior[patient] == pytest.approx(shares, abs=1e-5)
    assert (found.posterior.max(axis=1) < 0.999).sum() == len(UNSURE)


def in_plain_loops(rows, k, rounds):
    """Equations 2.3 to 2.5 of the paper, a number at a time."""
    patients, doctors = sorted({row[0] for row in rows}), sorted({row[1] for row in rows})
    counts = {(i, a, verdict): 0 for i in patients for a in doctors for verdict in range(k)}
    for row in rows:
        counts[row] += 1
    given = {i: sum(counts[i, a, j] for a in doctors for j in range(k)) for i in patients}
    truth = {(i, j): sum(counts[i, a, j] for a in doctors) / given[i] for i in patients for j in range(k)}
    for _ in range(rounds):
        prior = [sum(truth[i, j] for i in patients) / len(patients) for j in range(k)]
        said = {
            (a, j, v): sum(truth[i, j] * counts[i, a, v] for i in patients)
            for a in doctors
            for j in range(k)
            for v in range(k)
        }
        rates = {(a, j, v): said[a, j, v] / (sum(said[a, j, other] for other in range(k)) or 1) for (a, j, v) in said}
        for i in patients:
            joint = [
                prior[j] * prod(rates[a, j, v] ** counts[i, a, v] for a in doctors for v in range(k))
                for j in range(k)
            ]
            for j in range(k):
                truth[i, j] = joint[j] / sum(joint)
    return truth


judgments = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=10, max_size=14)


@settings(max_examples=20, deadline=None)
@given(triples=judgments)
def test_plain_loops_say_the_same(triples):
    rows = [(i, a, verdict) for i, triple in enumerate(triples) for a, verdict in enumerate(triple)]
    assume(len({verdict for _, _, verdict in rows}) > 1)
    found = dawid_skene(*zip(*rows, strict=True), k=3)
    truth = in_plain_loops(rows, 3, found.rounds)
    expected = [[truth[i, j] for j in range(3)] for i in range(len(triples))]
    assert found.posterior == pytest.approx(np.array(expected), abs=1e-6)


# With 0 and 1 exchanged, these are the same judgments: neither may come out ahead.
UNDECIDED = [
    *((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 1), (0, 1, 1), (0, 1, 2), (0, 1, 2)),
    *((1, 0, 0), (1, 0, 0), (1, 0, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)),
]


@settings(max_examples=20, deadline=None)
@given(triples=judgments, order=st.permutations(range(3)), chance=st.randoms())
@example(triples=UNDECIDED, order=[0, 1, 2], chance=random.Random(0))
def test_neither_the_order_of_people_nor_that_of_judgments_matters(triples, order, chance):
    rows = [(i, a, verdict) for i, triple in enumerate(triples) for a, verdict in enumerate(triple)]
    other = [(i, order[a], verdict) for i, a, verdict in rows]
    chance.shuffle(other)
    one, same = (dawid_skene(*zip(*each, strict=True), k=3) for each in (rows, other))
    if isinstance(one, DawidSkene) and isinstance(same, DawidSkene):
        assert one.prior == pytest.approx(same.prior, abs=1e-4)
        assert one.posterior == pytest.approx(same.posterior, abs=1e-4)
    else:
        assert one == same


def test_it_finds_who_errs_and_trusts_them_less():
    """Three people are right nine times of ten, a fourth says the next verdict every other time."""
    chance = np.random.default_rng(5)
    truth = chance.integers(0, 3, 400)
    rows = []
    for i, verdict in enumerate(truth):
        for a in range(4):
            wrong = chance.random() < (0.5 if a == 3 else 0.1)
            rows.append((i, a, int((verdict + wrong) % 3)))
    found = estimate(rows, 3)
    diagonals = np.diagonal(found.confusion, axis1=1, axis2=2).mean(axis=1)
    assert diagonals == pytest.approx([0.9, 0.9, 0.9, 0.5], abs=0.06)
    right = (found.posterior.argmax(axis=1) == truth).mean()
    counts = np.zeros((400, 3))
    for i, _, verdict in rows:
        counts[i, verdict] += 1
    assert right > (counts.argmax(axis=1) == truth).mean()


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], NO_OVERLAP),
        ([(i, a, i % 2) for i in range(40) for a in range(2)], NO_OVERLAP),
        ([(i, a, i % 2) for i in range(9) for a in range(3)], NO_OVERLAP),
        ([(i, i % 4, i % 2) for i in range(40)], NO_OVERLAP),
        ([(i, 0, 1) for i in range(40) for _ in range(3)], NO_OVERLAP),  # one person three times is no three people
        ([(i, a, 1) for i in range(40) for a in range(3)], ONE_VERDICT),
        ([(i, a + 3 * (i % 2), (i + a) % 3) for i in range(40) for a in range(3)], APART),
    ],
)
def test_without_overlap_or_with_one_verdict_it_is_not_defined_and_says_why(rows, why):
    columns: list = list(zip(*rows, strict=True)) or [[], [], []]
    assert dawid_skene(*columns, k=3) == why


def test_perfect_agreement_leaves_no_doubt_and_a_verdict_that_nobody_gave_has_no_rates():
    found = estimate([(i, a, i % 2) for i in range(12) for a in range(3)], 3)
    assert found.posterior.tolist() == [[1 - i % 2, i % 2, 0] for i in range(12)]
    assert np.isnan(found.confusion[:, 2]).all()
    assert found.expected[:, 2].tolist() == [0, 0, 0]


@pytest.mark.parametrize("rows", [[(0, 0, 3)], [(0, -1, 0)], [(-1, 0, 0)]])
def test_numbers_that_are_none_are_refused(rows):
    with pytest.raises(ValueError, match="from 0 to 2"):
        dawid_skene(*zip(*rows, strict=True), k=3)
