"""Every rate in Tables 2 to 6 has an interval: by resampling instances, and Wilson's beside it."""

# Reading a number that is not there fails the test by itself.
# mypy: disable-error-code="union-attr, operator, arg-type, misc"

import csv
import io

import numpy as np
import pytest
from django.urls import reverse

from judging.protocol.verdicts import Verdict
from review.models import CATEGORY_NUMBERS
from review.reports.counting.columns import read_verdicts
from review.reports.scope import Scope
from review.statistics.corrected_rates import corrected_difference, corrected_rates
from review.statistics.estimates import NO_SPREAD, Interval, Undefined
from review.statistics.scores import scores
from review.statistics.shares import NOTHING_COUNTED, is_too_close, share_difference, share_estimates
from tests.factories.judging import make_instance
from tests.factories.review import make_imported_run, make_response
from tests.review.second_opinions import binomtest
from tests.wikicontradict.test_judge_tables import judged
from tests.wikicontradict.test_table2 import IC, C, P, adjudicate, fill, numbers, report


def some_counts(clusters=48, groups=3, k=3, seed=7):
    """Up to three responses to each instance, some instances harder than others."""
    random = np.random.default_rng(seed)
    chances = random.dirichlet(np.ones(k), size=(clusters, groups))
    counts = [[random.multinomial(random.integers(1, 4), chance) for chance in row] for row in chances]
    return np.array(counts, dtype=float)


def resampled_by_hand(clusters, statistic, resamples=4_000):
    """The bootstrap as a textbook has it: draw instances, add up, compute, 95% between the percentiles."""
    random = np.random.default_rng(99)
    values = [statistic(clusters[random.integers(0, len(clusters), len(clusters))]) for _ in range(resamples)]
    return np.nanpercentile(values, [2.5, 97.5])


def test_shares_have_the_textbooks_interval_and_wilsons():
    counts = some_counts()
    found = share_estimates(counts)
    for group, verdict in [(0, 0), (1, 2)]:
        own = counts[:, group]
        count, n = own[:, verdict].sum(), own.sum()
        share = found[group][verdict]
        assert share.value == count / n
        by_hand = resampled_by_hand(own, lambda drawn, v=verdict: drawn[:, v].sum() / drawn.sum())
        assert (share.interval.low, share.interval.high) == pytest.approx(tuple(by_hand), abs=0.02)
        wilson = binomtest(int(count), int(n)).proportion_ci(method="wilson")
        assert (share.analytic.low, share.analytic.high) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_groups_of_other_instances_are_resampled_over_their_own():
    """The interval is what it is when the group stands alone."""
    counts = some_counts()
    counts[10:, 1] = 0
    together, alone = share_estimates(counts), share_estimates(counts[:10, 1:2])
    assert together[1] == alone[0]
    assert together[0] == share_estimates(counts[:, :1])[0]


def test_nothing_counted_has_no_share_and_too_few_instances_no_interval():
    counts = np.zeros((3, 2, 3))
    counts[:, 1, 0] = 1
    nothing, three = share_estimates(counts)
    assert nothing == [NOTHING_COUNTED] * 3
    assert three[0].value == 1
    assert not three[0].interval
    assert three[0].analytic
    assert share_estimates(np.zeros((0, 0, 3))) == []


def test_a_difference_is_resampled_over_the_same_draws():
    counts = some_counts()
    found = share_difference(counts[:, 0], counts[:, 1])

    def difference(drawn):
        return drawn[:, 0, 0].sum() / drawn[:, 0].sum() - drawn[:, 1, 0].sum() / drawn[:, 1].sum()

    assert found.value == pytest.approx(difference(counts))
    by_hand = resampled_by_hand(counts, difference)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(by_hand), abs=0.02)


def test_two_that_differ_on_every_instance_alike_are_told_apart():
    right, wrong = np.tile([1.0, 0, 0], (6, 1)), np.tile([0, 0, 1.0], (6, 1))
    found = share_difference(right, wrong)
    assert found.interval is NO_SPREAD
    assert not is_too_close(found)
    assert is_too_close(share_difference(right, right))
    assert is_too_close(share_difference(right[:3], wrong[:3]))
    assert isinstance(share_difference(right, np.zeros((6, 3))), Undefined)


def test_precision_recall_and_f_have_the_textbooks_intervals():
    random = np.random.default_rng(3)
    tables = (
        random.multinomial(1, np.array([4, 1, 1, 1, 5, 1, 1, 2, 4]) / 20, size=60).reshape(60, 3, 3).astype(float)
    )
    found = scores(tables)

    def f_of(drawn):
        table = drawn.sum(axis=0)
        return 2 * table[0, 0] / (table[0].sum() + table[:, 0].sum())

    verdict = found.verdicts[0]
    assert (verdict.f_interval.low, verdict.f_interval.high) == pytest.approx(
        tuple(resampled_by_hand(tables, f_of)), abs=0.03
    )
    wilson = binomtest(verdict.both, verdict.judge).proportion_ci(method="wilson")
    assert verdict.precision_wilson == Interval(pytest.approx(wilson.low), pytest.approx(wilson.high))
    assert verdict.precision_interval.low < verdict.precision < verdict.precision_interval.high
    assert found.macro_f_interval.low < found.macro_f < found.macro_f_interval.high


def test_the_difference_of_two_corrected_rates_is_that_of_their_values():
    random = np.random.default_rng(2)
    tables = random.multinomial(2, np.ones(12) / 12, size=(40, 2)).reshape(40, 2, 4, 3).astype(float)
    found = corrected_difference(tables[:, 0], tables[:, 1], verdict=0)
    one, other = (corrected_rates(tables[:, number])[0].unclipped for number in (0, 1))
    assert found.value == pytest.approx(one - other)
    assert found.interval.low < found.value < found.interval.high
    assert not corrected_difference(tables[:, 0], np.zeros((40, 4, 3)), verdict=0)


@pytest.mark.django_db
def test_table_2_has_intervals_beside_its_numbers_in_every_file():
    fill(*[C] * 13, *[P] * 2, IC, code="4")
    found = numbers()["intervals"]["template_4"]["Mist"]["all"]["C"]
    # Wilson's for 13 of 16: 57.0 to 93.4.
    assert found["wilson"] == {"low": 57.0, "high": 93.4}
    assert found["interval"]["low"] < 81.3 < found["interval"]["high"]
    row = next(csv.DictReader(io.StringIO(report(format="csv"))))
    assert (row["correct_wilson_low"], row["correct_wilson_high"]) == ("57.0", "93.4")
    assert float(row["correct_low"]) == found["interval"]["low"]
    ends = f"[{found['interval']['low']}, {found['interval']['high']}]"
    assert rf"81.3 {{\scriptsize {ends}}}" in report(format="latex")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["table4", "table5", "table6"])
def test_the_tables_of_judge_models_have_them_too(name):
    judged(*[(C, C)] * 4, *[(P, P)] * 3, (C, P), (P, C), (IC, IC))
    assert r"\scriptsize [" in report(name, format="latex")
    row = next(csv.DictReader(io.StringIO(report(name, format="csv"))))
    low, high = {
        "table4": ("correct_precision_low", "correct_precision_high"),
        "table5": ("judge_correct_low", "judge_correct_high"),
        "table6": ("correct_judge_low", "correct_judge_high"),
    }[name]
    assert float(row[low]) < float(row[high])


@pytest.mark.django_db
def test_a_rate_of_nothing_says_that_it_is_not_defined(admin, sign_in):
    fill("")
    fill(C, model="Llam")
    found = numbers()["intervals"]["template_5"]["Mist"]["all"]["C"]
    why = {"value": None, "reason": "nothing is counted here"}
    assert found == {"interval": why, "wilson": why}
    shown = sign_in(admin).get(reverse("report", args=["table2"])).content.decode()
    assert "0 of 0 with a final verdict; 1 without; not defined: nothing is counted here" in shown


@pytest.mark.django_db
def test_two_models_whose_difference_may_be_chance_are_too_close_to_call():
    run = make_imported_run(instances=0)
    for number in range(12):
        instance = make_instance(number + 1)
        for model, right in (("Mist", number < 8), ("Llam", number < 6), ("Tiny", False)):
            adjudicate(make_response(run, instance, model=model), C if right else IC)
    text = report()
    assert "Mist is correct in 66.7% (95% interval" in text
    assert "Between Mist and Llam it is too close to call." in text


@pytest.mark.django_db
def test_columns_of_verdicts_are_those_of_the_rows():
    fill(C, P, C, code="4")
    fill(IC, code="5", model="Llam")

    def counted():
        found = read_verdicts(Scope().final_verdicts())
        of_instances = (found.instance, found.category, found.is_same)
        columns = (*of_instances, found.template, found.model, found.verdict)
        return sorted(zip(*(column.tolist() for column in columns), strict=True))

    def expected():
        verdicts = list(Verdict)
        return sorted(
            (
                row.instance_id,
                CATEGORY_NUMBERS[row.category],
                row.subcategory == "same",
                row.template_id,
                row.model_id,
                verdicts.index(Verdict(row.verdict)),
            )
            for row in Scope().final_verdicts()
        )

    assert counted() == expected()
