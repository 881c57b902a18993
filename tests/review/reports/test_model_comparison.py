"""Model against model: the tests and intervals of two models over the same instances, and the report of all pairs."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import csv
import io
from itertools import product

import numpy as np
import pytest
from django.urls import reverse

from annotation.models import Instance
from judging.models import LanguageModel, Run
from review.reports.links import ResponseFilter
from review.statistics.comparison import (
    ALWAYS_ALIKE,
    REPEATED,
    SAME_VERDICTS,
    compare,
    holm,
    instances_needed,
    mcnemar,
    newcombe_interval,
    swap_test,
)
from review.statistics.estimates import Undefined
from tests.factories.judging import make_instance
from tests.factories.review import make_imported_run, make_response
from tests.review.second_opinions import binomtest, permutation_test
from tests.wikicontradict.test_table2 import IC, C, P, adjudicate, numbers, report


def one_hot(verdicts):
    return np.eye(3)[np.asarray(verdicts)]


def stuart_maxwell(table):
    """As textbooks have it, from the table: d' S⁻¹ d with s_ii = n_i. + n_.i - 2 n_ii, s_ij = -(n_ij + n_ji)."""
    d = (table.sum(axis=1) - table.sum(axis=0))[:-1]
    s = -(table + table.T)
    np.fill_diagonal(s, table.sum(axis=1) + table.sum(axis=0) - 2 * np.diagonal(table))
    return d @ np.linalg.solve(s[:-1, :-1], d)


@pytest.mark.parametrize(("one", "other"), [(5, 0), (3, 9), (7, 7), (1, 0), (40, 61)])
def test_mcnemar_is_the_exact_binomial_test(one, other):
    assert mcnemar(one, other) == pytest.approx(binomtest(one, one + other, 0.5).pvalue)


def test_without_discordant_instances_nothing_is_tested():
    assert mcnemar(0, 0) is ALWAYS_ALIKE
    assert swap_test(np.zeros((5, 1, 3))) == [SAME_VERDICTS]


def test_holm_by_hand():
    """0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1 are 0.04, 0.06, 0.06, 0.04, the last raised to the one before it."""
    missing = Undefined("nothing to test")
    assert holm([0.03, 0.01, missing, 0.04, 0.02]) == [
        pytest.approx(0.06),
        pytest.approx(0.04),
        missing,
        pytest.approx(0.06),
        pytest.approx(0.06),
    ]
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_newcombes_interval_by_hand():
    """[[36, 12], [2, 0]]: shares 48/50 and 38/50, difference 0.2. Wilson: 0.8654 to 0.9890 and 0.6259 to 0.8570.

    φ: cross product 36 * 0 - 12 * 2 = -24, below 0 and so as it is; φ = -24 / sqrt(48 * 38 * 2 * 12) = -0.1147.
    Low: 0.0946² + 2 * 0.1147 * 0.0946 * 0.0970 + 0.0970² = 0.02046, its root 0.1430: 0.0570.
    High: 0.1341² + 2 * 0.1147 * 0.1341 * 0.0290 + 0.0290² = 0.01972, its root 0.1404: 0.3404.
    """
    found = newcombe_interval(np.array([[36, 12], [2, 0]]))
    assert (found.low, found.high) == pytest.approx((0.0570, 0.3404), abs=1e-3)


def test_newcombes_interval_of_independent_shares_squares_and_adds():
    """Without correlation it is his interval of two independent shares."""
    one = binomtest(24, 48).proportion_ci(method="wilson")
    found = newcombe_interval(np.array([[12, 12], [12, 12]]))
    reach = np.hypot(0.5 - one.low, one.high - 0.5)
    assert (found.low, found.high) == pytest.approx((-reach, reach))


def test_the_swap_test_of_few_instances_is_that_of_all_swaps():
    random = np.random.default_rng(8)
    first, second = one_hot(random.integers(0, 3, 9)), one_hot(random.integers(0, 2, 9))
    differences = (first - second)[:, None]
    table = first.T @ second
    seen = stuart_maxwell(table)
    reached = []
    for swapped in product([False, True], repeat=9):
        mask = np.array(swapped)[:, None]
        one, other = np.where(mask, second, first), np.where(mask, first, second)
        reached.append(stuart_maxwell(one.T @ other) >= seen - 1e-9)
    [p] = swap_test(differences, shuffles=20_000)
    assert p == pytest.approx(np.mean(reached), abs=0.015)


def test_the_swap_test_agrees_with_scipys_permutation_test():
    random = np.random.default_rng(4)
    first, second = random.integers(0, 3, 40), np.minimum(random.integers(0, 4, 40), 2)
    inverse = np.linalg.pinv(sum(np.outer(d, d) for d in (one_hot(first) - one_hot(second))[:, :2]), hermitian=True)

    def statistic(one, other):
        d = (one_hot(one.astype(int)) - one_hot(other.astype(int)))[:, :2].sum(axis=0)
        return d @ inverse @ d

    expected = permutation_test(
        (first, second), statistic, permutation_type="samples", n_resamples=4_000, alternative="greater", rng=1
    ).pvalue
    [p] = swap_test((one_hot(first) - one_hot(second))[:, None])
    assert p == pytest.approx(expected, abs=0.02)


def test_many_instances_are_swapped_in_groups():
    random = np.random.default_rng(5)
    first, second = random.integers(0, 3, 3_000), random.integers(0, 3, 3_000)
    alike, apart = swap_test(
        np.stack([one_hot(first) - one_hot(second), one_hot(first) - one_hot(np.maximum(second, 1))], axis=1)
    )
    assert alike > 0.05
    assert apart == 1 / 10_000


def test_two_models_over_the_same_instances_by_hand():
    """Instances 1 to 6, one unit each: the first correct on 1 to 4, the second on 1 and 5; both lack the seventh."""
    verdicts = np.full((7, 2, 3), np.nan)
    verdicts[:6, 0] = one_hot([0, 0, 0, 0, 2, 1])
    verdicts[:6, 1] = one_hot([0, 2, 2, 2, 0, 1])
    verdicts[6, 0] = one_hot(0)
    [found] = compare(verdicts, np.arange(7), [(0, 1)], shuffles=99)
    assert (found.units, found.instances, found.first_only, found.second_only) == (6, 6, 3, 1)
    assert (found.first, found.second, found.difference.value) == pytest.approx((4 / 6, 2 / 6, 2 / 6))
    assert found.mcnemar == pytest.approx(binomtest(3, 4, 0.5).pvalue)
    assert found.difference.analytic == newcombe_interval(np.array([[1, 3], [1, 1]]))
    low, high = resampled_difference(np.array([0, 1, 1, 1, -1, 0]))
    assert (found.difference.interval.low, found.difference.interval.high) == pytest.approx((low, high), abs=0.05)


def resampled_difference(of_instances):
    random = np.random.default_rng(1)
    means = of_instances[random.integers(0, len(of_instances), (4_000, len(of_instances)))].mean(axis=1)
    return np.percentile(means, [2.5, 97.5])


def test_what_few_pairs_share_is_the_same_however_many_pairs_there_are():
    """Each model lacks an instance of its own, so every pair has other instances."""
    random = np.random.default_rng(6)
    shares = np.eye(3)[random.integers(0, 3, (60, 8))]
    for model in range(8):
        shares[model, model] = np.nan
    pairs = [(one, other) for one in range(8) for other in range(one)]
    together = compare(shares, np.arange(60), pairs, shuffles=99)
    [alone] = compare(shares, np.arange(60), [pairs[5]], shuffles=99)
    assert (alone.units, alone.first_only, alone.second_only) == (58, together[5].first_only, together[5].second_only)
    assert alone.difference.value == together[5].difference.value
    assert together[5].difference.interval.low == pytest.approx(alone.difference.interval.low, abs=0.03)
    assert together[5].difference.interval.high == pytest.approx(alone.difference.interval.high, abs=0.03)


def test_an_instance_with_several_units_counts_once():
    """Two templates, of which the first model is correct in both on instance 1 and in one on instance 2."""
    verdicts = np.stack([one_hot([0, 0, 0, 2, 2, 2]), one_hot([2, 2, 2, 2, 0, 2])], axis=1)
    [found] = compare(verdicts, np.array([1, 1, 2, 2, 3, 3]), [(0, 1)], shuffles=99)
    assert (found.units, found.instances, found.first_only, found.second_only) == (6, 3, 2, 1)


def test_a_model_that_answered_twice_counts_with_its_share():
    verdicts = np.stack([one_hot([0, 0, 2]), one_hot([2, 2, 2])], axis=1)
    verdicts[0, 1] = [0.5, 0, 0.5]
    [found] = compare(verdicts, np.arange(3), [(0, 1)], shuffles=99)
    assert found.difference.value == pytest.approx(0.5)
    assert found.difference.analytic is REPEATED
    assert (found.first_only, found.second_only) == (2, 0)


def test_models_that_answered_nothing_in_common_have_no_difference():
    verdicts = np.full((4, 2, 3), np.nan)
    verdicts[:2, 0] = one_hot([0, 0])
    verdicts[2:, 1] = one_hot([0, 0])
    [found] = compare(verdicts, np.arange(4), [(0, 1)], shuffles=99)
    assert found.units == 0
    assert not found.difference
    assert not found.mcnemar
    [nothing] = compare(np.zeros((0, 2, 3)), np.zeros(0), [(0, 1)])
    assert nothing == found


def test_instances_needed_by_hand():
    """δ 0.05, ψ 0.2: (1.959964 * 0.447214 + 0.841621 * 0.444410)² / 0.0025 = 1.250548² / 0.0025 = 625.5."""
    assert instances_needed(0.05, 0.2) == 626
    assert instances_needed(0.05, 0.2, level=0.05 / 45) > 626
    for difference, discordant in [(0, 0.2), (0.3, 0.2), (0.1, 1.1), (-0.1, 0.5)]:
        assert not isinstance(instances_needed(difference, discordant), int)


@pytest.fixture
def two_models(db):
    run = make_imported_run(instances=0)
    for number in range(16):
        instance = make_instance(number + 1)
        for model, verdict in (("Mist", C if number < 12 else P), ("Llam", C if number < 2 else IC)):
            adjudicate(make_response(run, instance, model=model), verdict)
    adjudicate(make_response(run, make_instance(99), model="Mist"), C)


def test_the_report_compares_over_what_both_answered(two_models):
    [row, pooled] = csv.DictReader(io.StringIO(report("comparison", format="csv")))
    assert (row["first"], row["second"], row["template"], pooled["template"]) == ("Llam", "Mist", "4", "all")
    assert (row["instances"], row["first_only"], row["second_only"]) == ("16", "0", "10")
    assert float(row["mcnemar_p"]) == pytest.approx(2 / 2**10)
    assert float(row["difference"]) == -0.625
    found = numbers("comparison")["comparison"]
    assert found["template"][0]["difference"]["value"] == found["pooled"][0]["difference"]["value"] == -0.625
    assert found["template"][0]["told_apart"] is True
    text = report("comparison")
    assert "Mist is correct more often than Llam by 62.5 percentage points" in text
    assert "Mist ahead" in text


def test_it_says_why_not_all_instances_are_compared(two_models):
    """Mist has 17 instances and Llam 16 of them; then Llam gets the 17th question with another passage."""
    [row, _] = csv.DictReader(io.StringIO(report("comparison", format="csv")))
    why = "Compared are the instances with a final verdict of both (Llam: 16 of 16; Mist: 16 of 17)."
    assert (row["instances_of_first"], row["instances_of_second"], row["why_not_all"]) == ("16", "17", why)
    assert why in report("comparison")
    question = Instance.objects.get(question__contains="99").question
    other = make_instance(100, question=question)
    adjudicate(make_response(Run.objects.get(), other, model="Llam"), C)
    why = "1 question of the others were given to both models, but with other passages or answers."
    found = numbers("comparison")
    assert why.replace("were", "was") in found["comparison"]["template"][0]["counterparts"]["reason"]
    assert any("not all instances" in note["text"] for note in found["notes"])


def test_what_may_be_chance_is_too_close_to_call(db):
    run = make_imported_run(instances=0)
    for number in range(8):
        instance = make_instance(number + 1)
        for model, right in (("Mist", number < 4), ("Llam", number < 2)):
            adjudicate(make_response(run, instance, model=model), C if right else IC)
    assert "the two models are too close to call" in report("comparison")


def test_discordant_instances_lead_to_their_responses(two_models, admin, sign_in):
    client = sign_in(admin)
    shown = client.get(reverse("report", args=["comparison"])).content.decode()
    assert "counterpart=other" in shown
    found = ResponseFilter.of({"verdict": "correct", "counterpart": "other", "against": str(model_key("Llam"))})
    assert found.responses().count() == 10
    listed = client.get(f"{reverse('report_responses')}?against={model_key('Llam')}&counterpart=other")
    assert "also answered by Llam" in listed.content.decode()
    assert "the other model: not correct" in listed.content.decode()


def model_key(name):
    return LanguageModel.objects.get(name=name).pk
