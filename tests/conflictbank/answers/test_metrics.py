"""The numbers of answers: by hand, and equal to the expected figures of the sample."""

import json
import random
from collections import defaultdict
from decimal import Decimal

import numpy as np
import pytest

from benchmarks.conflictbank import items as item
from benchmarks.conflictbank.conditions import CONDITIONS, CONFLICT_FIRST, DEFAULT_FIRST, drawn_order
from benchmarks.conflictbank.readers import read_option, read_text
from benchmarks.conflictbank.reports import metrics
from benchmarks.conflictbank.reports.metrics import Answers, Choice
from review.statistics.estimates import Undefined
from tests.conflictbank.items.samples import ANSWERS, EXPECTED, ITEMS, lines, needs_samples


def answers(*rows, bits=None):
    """Answers from pairs of an item and a choice."""
    items, choices = (np.array(each, dtype=int) for each in zip(*rows, strict=True)) if rows else (np.array([]),) * 2
    return Answers(items, choices.astype(int), np.full(len(items), np.nan) if bits is None else np.array(bits))


def test_an_item_is_known_if_it_was_right_without_evidence_and_with_default_evidence():
    by_condition = {
        "default": answers((1, Choice.DEFAULT), (2, Choice.DEFAULT), (3, Choice.UNREADABLE), (4, Choice.DEFAULT)),
        "correct": answers((1, Choice.DEFAULT), (2, Choice.REPLACED), (3, Choice.DEFAULT)),
    }
    assert metrics.known_items(by_condition).tolist() == [1]
    assert metrics.asked_items(by_condition) == 4


def test_nothing_is_known_of_a_model_that_was_not_asked_under_both():
    assert metrics.known_items({"default": answers((1, Choice.DEFAULT))}).tolist() == []


def test_an_item_asked_twice_is_known_only_if_both_answers_are_right():
    asked = {
        "default": answers((1, Choice.DEFAULT), (1, Choice.OTHER), (2, Choice.DEFAULT)),
        "correct": answers((1, Choice.DEFAULT), (2, Choice.DEFAULT)),
    }
    assert metrics.known_items(asked).tolist() == [2]


def test_the_memorisation_ratio_comes_from_counts_not_from_rounded_shares():
    # Shares of 1.00 and 2.01 percent would give 33.22; counts of 2 and 4 give a third.
    counts = metrics.Counts(2, 4, 100, 93, 0, None)
    assert counts.share(2) == Decimal("1.01")
    assert counts.ratio == Decimal("33.33")


def test_percentages_are_rounded_half_up():
    assert metrics.percent(1, 800) == Decimal("0.13")
    assert metrics.percent(9, 16) == Decimal("56.25")
    assert metrics.percent(0, 0) is None


def test_the_ratio_is_not_defined_without_default_and_replaced_options():
    counts = metrics.counts_of(answers((1, Choice.UNCERTAIN), (2, Choice.UNREADABLE)))
    assert (counts.n, counts.unreadable, counts.ratio) == (1, 1, None)
    found = metrics.estimates(answers((1, Choice.UNCERTAIN)))
    assert isinstance(found["M_R"], Undefined)
    assert found["uncertain"].value == 1


def test_no_answer_has_no_number():
    counts = metrics.counts_of(answers())
    assert (counts.n, counts.share(0), counts.ratio, counts.entropy) == (0, None, None, None)
    assert all(isinstance(each, Undefined) for each in metrics.estimates(answers()).values())


def test_bits_are_the_mean_over_readable_answers():
    counts = metrics.counts_of(answers((1, 0), (2, 1), (3, Choice.UNREADABLE), bits=[0.5, 0.25, np.nan]))
    assert counts.entropy == Decimal("0.38")  # 0.375


@pytest.mark.parametrize("seed", range(20))
def test_shares_of_readable_answers_sum_to_one(seed):
    chance = np.random.default_rng(seed)
    found = answers(*((number, int(chance.integers(0, len(Choice)))) for number in range(300)))
    counts = metrics.counts_of(found)
    assert counts.n + counts.unreadable == 300
    measured = metrics.estimates(found)
    assert np.isclose(sum(measured[name].value for name in ("OAR", "CAR", "uncertain", "other")), 1)
    expected = measured["OAR"].value / (measured["OAR"].value + measured["CAR"].value)
    assert np.isclose(measured["M_R"].value, expected)
    assert measured["M_R"].interval.low < expected < measured["M_R"].interval.high


def test_two_conditions_are_compared_over_the_items_readable_under_both():
    one = answers(*((number, Choice.DEFAULT) for number in range(10)), (10, Choice.REPLACED))
    other = answers(*((number, Choice.REPLACED if number < 5 else Choice.DEFAULT) for number in range(10)))
    found = metrics.difference(one, other)
    assert found.items == 10
    assert found.measures["OAR"].value == 0.5
    assert found.measures["OAR"].interval.low > 0
    assert metrics.difference(one, answers()).items == 0


def test_an_answerer_that_ignores_the_order_has_the_same_numbers_in_both():
    chance = random.Random(2)
    by_order = defaultdict(list)
    for number in range(20_000):
        order = drawn_order(f"item {number}", "temporal")
        by_order[order].append((number, Choice.DEFAULT if chance.random() < 0.3 else Choice.REPLACED))
    first, last = (metrics.estimates(answers(*by_order[each])) for each in (DEFAULT_FIRST, CONFLICT_FIRST))
    assert abs(len(by_order[DEFAULT_FIRST]) - 10_000) < 300
    assert first["M_R"].interval.low < last["M_R"].value < first["M_R"].interval.high


def test_the_order_of_an_item_is_always_the_same():
    orders = [drawn_order("key", cause) for cause in item.CAUSES]
    assert orders == [drawn_order("key", cause) for cause in item.CAUSES]
    assert {drawn_order("key", "semantic", seed=seed) for seed in range(20)} == {DEFAULT_FIRST, CONFLICT_FIRST}


def test_there_are_twelve_conditions():
    assert len(CONDITIONS) == 12
    assert sum(each.has_order for each in CONDITIONS.values()) == 5


def _choice(content, letter):
    letters = [content[name] for name in (item.CORRECT_OPTION, item.REPLACE_OPTION, item.UNCERTAIN_OPTION)]
    return Choice(letters.index(letter)) if letter in letters else Choice.OTHER


def _read(content, line):
    read = read_option(line["logprobs"]) if "logprobs" in line else read_text(line["text"], content["options"])
    if read.problem:
        return Choice.UNREADABLE, np.nan
    return _choice(content, read.value["letter"]), read.value.get("bits", np.nan)


@needs_samples
def test_the_figures_of_the_sample_are_as_expected():
    contents = lines(ITEMS)
    rows = defaultdict(lambda: defaultdict(list))
    for line in lines(ANSWERS):
        row = (line["item"], *_read(contents[line["item"]], line))
        rows[line["model"]][line["condition"]].append(row)
        if "order" in line:
            rows[line["model"]][f"{line['condition']} / {line['order']}"].append(row)
    for model, expected in json.loads(EXPECTED.read_text()).items():
        found = {name: Answers(*map(np.array, zip(*some, strict=True))) for name, some in rows[model].items()}
        known = metrics.known_items(found)
        assert (len(known), metrics.asked_items(found)) == (expected["known"], expected["of"])
        for name, cell in expected["cells"].items():
            counts = metrics.counts_of(metrics.among(found[name], known))
            shares = [counts.share(each) for each in (counts.default, counts.replaced, counts.uncertain)]
            numbers = [None if each is None else float(each) for each in (*shares, counts.ratio, counts.entropy)]
            assert [counts.n, counts.unreadable, *numbers] == list(cell.values()), name
