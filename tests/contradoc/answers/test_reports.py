"""ContraDoc's tables: the published figures of the sample, and numbers that follow from a few documents."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.contradoc.reports.entries import REPORTS
from benchmarks.contradoc.reports.metrics import (
    BINARY,
    JUDGE_THEN_FIND,
    TOP_K,
    Scores,
    Tallies,
    binomial_p,
    chance,
    differences,
    estimates_of,
)
from benchmarks.contradoc.reports.printed import with_printed
from review.reports.layout import Report
from review.statistics.shares import is_too_close
from tests.review.second_opinions import binomtest

pytestmark = pytest.mark.django_db


def report(name: str, *arguments: str) -> dict:
    output = io.StringIO()
    call_command("report", name, "--format", "json", *arguments, stdout=output)
    return json.loads(output.getvalue())


def held(expected, found, above=""):
    """Everything expected is found, at the same location."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert name in found, f"{above}/{name}"
            held(value, found[name], f"{above}/{name}")
    else:
        assert found == expected, above


# --- Numbers alone --------------------------------------------------------------------------------------------------


def judged(*found: tuple[bool, str, bool]) -> Tallies:
    return Tallies.of(
        [
            (number, str(number), positive, answer == "yes", hit, 1 if hit else 0, hit)
            for number, (positive, answer, hit) in enumerate(found)
        ]
    )


def numbers(scores, ratios):
    return {name: ratio.of(scores.counts) for name, ratio in ratios.items()}


def test_rates_are_those_of_the_formulas():
    scores = Scores.judged(
        judged(
            (True, "yes", True), (True, "yes", False), (True, "no", True), (False, "yes", True), (False, "no", False)
        )
    )
    counted = {"TP": 2, "FP": 1, "TN": 1, "FN": 1, "hits": 1, "strict": 1, "hits at 2": 1, "quotes": 0}
    assert scores.counts == counted | {"unread lists": 0}
    found = {name: str(value) for name, value in numbers(scores, JUDGE_THEN_FIND).items()}
    assert found == {
        "accuracy": "60.0",
        "precision": "66.7",
        "recall": "66.7",
        "F1": "66.7",
        "TP rate": "40.0",
        "FP rate": "20.0",
        "TN rate": "20.0",
        "FN rate": "20.0",
        "EHR at k = 2": "50.0",
        "quotes per reply": "0.00",
        "EHR": "50.0",
        "R-acc": "33.3",
        "EHR without long quotes": "50.0",
    }


def test_what_has_no_denominator_is_not_defined():
    nothing = Scores.judged(judged())
    assert set(numbers(nothing, BINARY).values()) == {None}
    assert not any(estimates_of([nothing], BINARY)[0].values())
    never_yes = numbers(Scores.judged(judged((True, "no", False))), JUDGE_THEN_FIND)
    assert (never_yes["precision"], never_yes["recall"], never_yes["F1"], never_yes["EHR"]) == (None, 0, None, None)
    assert numbers(Scores.found(judged()), TOP_K) == dict.fromkeys(TOP_K)
    missed = numbers(Scores.found(judged((True, "", False))), TOP_K)
    assert (missed["EHR"], missed["average index"]) == (0, None)


tallies = st.lists(
    st.tuples(
        st.integers(0, 20),
        st.sampled_from("abcdefgh"),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.integers(1, 5),
        st.booleans(),
    ),
    max_size=30,
)


@given(tallies)
def test_counts_add_up_and_r_acc_is_recall_times_ehr(found):
    scores = Scores.judged(Tallies.of(found))
    counts = scores.counts
    assert scores.n == len(found)
    positives = counts["TP"] + counts["FN"]
    assert positives == sum(is_positive for _, _, is_positive, *_ in found)
    assert counts["hits"] <= counts["TP"]
    if counts["TP"]:
        exact = counts["TP"] / positives * (counts["hits"] / counts["TP"])
        assert float(numbers(scores, JUDGE_THEN_FIND)["R-acc"]) == pytest.approx(100 * exact, abs=0.0501)


@given(tallies, st.randoms(use_true_random=False))
def test_the_order_of_readings_changes_no_number(found, chance):
    shuffled = list(found)
    chance.shuffle(shuffled)
    one, other = (Scores.found(Tallies.of(each)) for each in (found, shuffled))
    assert numbers(one, TOP_K) == numbers(other, TOP_K)


def top_five(*hits: bool, sources: int = 400) -> Scores:
    """A reading of each of this number of documents, which are of these sources in turn."""
    found = [(number, f"{number % sources:03}", True, False, hit, 1, False) for number, hit in enumerate(hits)]
    return Scores.found(Tallies.of(found))


def test_a_difference_is_taken_over_the_same_sources_and_may_be_too_close_to_call():
    def hits(count: int, *, last: bool = False) -> Scores:
        return top_five(*((number >= 60 - count) if last else (number < count) for number in range(60)))

    ratio = TOP_K["EHR"]
    apart, close = differences(hits(50), [hits(20), hits(45, last=True)], ratio)
    assert apart.value == 0.5
    assert not is_too_close(apart)
    assert is_too_close(close)
    assert differences(hits(50), [hits(20)], ratio) == [apart]


def test_numbers_of_several_models_are_those_of_each_alone():
    some = [top_five(*(number % step == 0 for number in range(60))) for step in (2, 3, 60)]
    assert estimates_of(some, TOP_K) == [estimates_of([each], TOP_K)[0] for each in some]


def test_intervals_resample_whole_sources():
    hits = [number % 2 == 0 for number in range(400)]
    together = estimates_of([top_five(*hits, sources=50)], TOP_K)[0]["EHR"]
    apart = estimates_of([top_five(*hits)], TOP_K)[0]["EHR"]
    assert together.value == apart.value == 0.5
    assert together.interval.high - together.interval.low > 1.5 * (apart.interval.high - apart.interval.low)


def test_chance_is_the_mean_over_documents():
    assert chance({10: 1, 4: 1, 0: 1}, k=5) == pytest.approx((0.5 + 1 + 1) / 3)
    assert chance({}, k=5) is None


@pytest.mark.parametrize(
    ("hits", "n", "p"), [(25, 86, 0.16), (25, 86, 0.2), (0, 5, 0.3), (5, 5, 1.0), (0, 9, 0.0), (300, 449, 0.166)]
)
def test_the_binomial_test_is_that_of_others(hits, n, p):
    assert binomial_p(hits, n, p) == pytest.approx(binomtest(hits, n, p).pvalue, rel=1e-9, abs=1e-12)


# --- What is printed ------------------------------------------------------------------------------------------------


def compared(name: str, data: dict) -> dict[tuple, dict]:
    cells = with_printed(name, Report("", [], [], data, [])).data["printed"]["cells"]
    return {tuple(each["cell"]): each for each in cells}


def test_each_printed_cell_is_compared_and_a_slip_is_named():
    """GPT4's printed precision, recall, TP and FP rates are those of 175, 24 and 891; its other rates are not."""
    ours = {"n": 891, "precision": 87.9, "recall": 39.0, "TP rate": 19.6, "FP rate": 2.7, "TN rate": 46.9}
    cells = compared("table4", {"judge_then_find": {"openai/gpt-4-0613, contradoc-find v1": ours}})
    same = {where[1] for where, each in cells.items() if where[0] == "GPT4" and each["here"] and not each["reason"]}
    assert same == {"precision", "recall", "TP rate", "FP rate"}
    assert cells["GPT4", "TN rate"]["reason"] == "Printed, it does not fit 449 and 442 documents."
    assert cells["GPT3.5", "precision"]["here"] is None
    few = compared("table4", {"judge_then_find": {"GPT3.5": {"n": 83, "recall": 41.0, "EHR": 40.0}}})
    assert few["GPT3.5", "recall"]["reason"].startswith("Of 83 here, and of 891 in the paper. Printed one column")
    assert few["GPT3.5", "EHR"]["reason"] == "Of 83 here, and of 891 in the paper."


def test_groups_counts_and_findings_are_compared():
    group = {"n": 158, "hits": 104, "EHR": 65.8}
    overall = {"n": 449, "hits": 315, "EHR": 70.2}
    cells = compared("table6", {"topk": {"GPT4": {**overall, "by doc_type": {"news": group}}}})
    assert sum(each["here"] is not None and not each["reason"] for each in cells.values()) == 6
    counts = compared("statistics", {"positive": 449, "negative": 20, "scope": {"global": 155}})
    assert counts["positive",]["reason"] is counts["scope", "global"]["reason"] is None
    assert "other documents" in counts["negative",]["reason"]
    free = compared("free-format", {"models": {"GPT3.5": {"n": 72, "no": {"pct": 26.4}, "wrong": {"pct": 50.0}}}})
    assert free["GPT3.5", "no"]["reason"] is None
    assert "not released" in free["GPT3.5", "wrong"]["reason"]


# --- The sample -----------------------------------------------------------------------------------------------------


@pytest.fixture
def sample(released_data):
    call_command("import_contradoc", str(released_data / "contradoc_sample.json"), stdout=io.StringIO())
    return released_data


@pytest.mark.released
@pytest.mark.released
def test_lengths_in_tokens_that_cannot_be_counted_leave_those_in_words(sample, settings):
    said = report("contradoc-statistics")
    assert not any(name.startswith("tokens") for name in said)
    settings.LOCAL_TOKENIZER = "/models/nowhere"
    assert report("contradoc-statistics") == said


def test_the_statistics_hold_the_published_numbers(sample):
    expected = json.loads((sample / "contradoc_sample_expected.json").read_text())
    held(expected, report("contradoc-statistics"))
    held(expected, report("contradoc-statistics", "--release", "1"))


@pytest.mark.released
def test_labels_stand_together_as_they_were_counted(sample):
    found = report("contradoc-figure2")
    assert found["documents"]["Emotion/Mood/Feeling"] == 10
    assert [found["both"][kind]["Emotion/Mood/Feeling"] for kind in ("news", "story", "wiki")] == [4, 3, 3]
    assert found["given"]["story"]["Emotion/Mood/Feeling"] == 18.8
    assert found["given"]["Causal"]["Causal"] == 100.0


@pytest.fixture
def replies(sample):
    path = sample / "contradoc_sample_replies.jsonl"
    call_command("import_contradoc_replies", str(path), "--release", "1", stdout=io.StringIO())
    return json.loads(sample.joinpath("contradoc_sample_replies_expected.json").read_text())


@pytest.mark.released
def test_the_tables_hold_the_published_scores_of_the_sample_s_replies(replies, client, admin):
    held({"binary": replies["binary"]}, report("contradoc-table2"))
    held({"topk": replies["topk"]}, report("contradoc-table3", "--release", "1"))
    held({"judge_then_find": replies["judge_then_find"]}, report("contradoc-table4"))
    by_attribute = report("contradoc-table6")
    held(
        {
            "topk": {
                model: {name: each[name] for name in each if isinstance(each[name], dict)}
                for model, each in replies["topk"].items()
            }
        },
        by_attribute,
    )
    groups = by_attribute["topk"]["careful"]
    for division in ("by doc_type", "by scope", "by words"):
        assert sum(each["n"] for each in groups[division].values()) == groups["n"] == 63
        assert sum(each["hits"] for each in groups[division].values()) == groups["hits"] == 35
    assert groups["by scope"]["global, intra"]["n"] == 1
    client.force_login(admin)
    for name in REPORTS:
        for kind in ("csv", "latex", "json", "text"):
            assert client.get(reverse("report_download", args=[name, kind])).status_code == 200
        page = client.get(reverse("report", args=[name]), {"release": "1", "printed": "1"}).content.decode()
        assert "Printed in the paper" in page
        if name not in ("contradoc-table5", "contradoc-given-sentence"):  # nobody judged, nothing was asked
            assert 'class="lead"' in page


@pytest.mark.parametrize("name", REPORTS)
def test_an_empty_report_says_what_will_be_here(name, client, admin):
    client.force_login(admin)
    page = client.get(reverse("report", args=[name]))
    assert page.status_code == 200
    assert "ContraDoc" in page.content.decode()
    assert 'class="empty"' in page.content.decode()
