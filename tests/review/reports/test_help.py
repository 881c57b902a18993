"""The report "Does help help?": its intervals hold the truth as often as they say, and it counts what is recorded."""

import json

import numpy as np
import pytest
from django.urls import reverse

from annotation.models import CounterpartOffer, StepTime
from review.reports.formats import FORMATS
from review.reports.people.help import help_report
from review.reports.scope import Scope
from review.statistics.arms import difference_of_means, ratio_of_means
from review.statistics.estimates import Estimate, Interval, Undefined
from tests.factories import AnnotationFactory


def simulated(random, *, ratio: float, tags: int) -> list[float]:
    """Minutes of simulated annotators: tags differ in difficulty, people in speed, and times are skewed."""
    return list(ratio * random.lognormal(1.5, 0.6, tags) * random.lognormal(0, 0.3, tags))


@pytest.mark.parametrize("true_ratio", [0.7, 1.0])
def test_the_interval_of_the_ratio_holds_the_truth_in_95_of_100(true_ratio):
    random = np.random.default_rng(5)
    held = 0
    for _ in range(1_000):
        found = ratio_of_means(simulated(random, ratio=true_ratio, tags=60), simulated(random, ratio=1.0, tags=40))
        held += found.interval.low <= true_ratio <= found.interval.high
    assert 930 <= held <= 970, held


def test_the_interval_of_a_difference_of_shares_holds_the_truth():
    random = np.random.default_rng(5)
    held = 0
    for _ in range(1_000):
        first, second = random.binomial(1, 0.8, 80).astype(float), random.binomial(1, 0.7, 50).astype(float)
        found = difference_of_means(list(first), list(second))
        held += found.interval.low <= 0.1 <= found.interval.high
    assert 925 <= held <= 970, held


def test_few_tags_have_no_difference_and_equal_ones_no_interval():
    assert isinstance(difference_of_means([1.0] * 4, [2.0] * 9), Undefined)
    equal = difference_of_means([1.0] * 5, [2.0] * 5)
    assert isinstance(equal, Estimate)
    assert equal.value == -1
    assert not isinstance(equal.interval, Interval)


def annotated(*, is_on: bool, seconds: int, taken: int | None = None, state: str = "accepted", **moves: int):
    annotation = AnnotationFactory(state=state, version=1, validity="Valid")
    StepTime.objects.create(annotation=annotation, page="a", step=1, seconds=seconds, **moves)
    CounterpartOffer.objects.create(
        annotation=annotation,
        is_on=is_on,
        shown=[{"text": "It opened in 1903."}] if is_on else [],
        taken=taken,
        taken_with="key" if taken is not None else "",
        taken_at=annotation.created_at if taken is not None else None,
    )
    return annotation


@pytest.mark.django_db
def test_it_compares_tags_with_and_without():
    for at in range(6):
        annotated(is_on=True, seconds=60 + at, taken=0 if at < 3 else None)
        annotated(is_on=False, seconds=120 + at)
    annotated(is_on=True, seconds=9_000, state="draft")
    AnnotationFactory(state="accepted", version=1)
    report = json.loads(FORMATS["json"](help_report(Scope())))
    assert (report["with"]["annotations"], report["with"]["listed"], report["with"]["taken"]) == (6, 6, 3)
    assert (report["without"]["annotations"], report["without"]["listed"]) == (6, 0)
    assert report["minutes_ratio"]["value"] == pytest.approx(0.51, abs=0.01)
    assert report["minutes_ratio"]["value_low"] < 0.51 < report["minutes_ratio"]["value_high"]
    assert report["agreeing_difference"]["value"]["value"] is None


@pytest.mark.django_db
def test_it_compares_actions_where_they_were_always_counted():
    for at in range(6):
        annotated(is_on=True, seconds=60, actions=10 + at, typed=2 * at)
        annotated(is_on=False, seconds=60, actions=20 + at, typed=64 + at)
    half = annotated(is_on=False, seconds=60, actions=900, typed=900)
    StepTime.objects.create(annotation=half, page="before the upgrade", step=1, seconds=9)
    report = json.loads(FORMATS["json"](help_report(Scope())))
    assert (report["with"]["median_actions"], report["without"]["median_actions"]) == (12.5, 22.5)
    assert report["actions_ratio"]["value"] == pytest.approx(0.55, abs=0.01)
    assert report["actions_ratio"]["value_low"] < 0.55 < report["actions_ratio"]["value_high"] < 1
    assert report["typed_difference"]["value"] == pytest.approx(-61.5)
    assert (report["with"]["annotations"], report["without"]["annotations"]) == (6, 7)


@pytest.mark.django_db
def test_the_page_says_how_to_fill_it_and_what_there_is_to_compare(admin, sign_in):
    client = sign_in(admin)
    address = reverse("report", args=["help"])
    assert "No annotation with suggested counterparts was submitted yet." in client.get(address).text
    annotated(is_on=True, seconds=60, taken=0)
    shown = client.get(address).text
    assert "No tag went without" in shown
    assert "one was taken in 100.0% of them" in shown


@pytest.mark.django_db
@pytest.mark.parametrize("kind", FORMATS)
def test_it_can_be_downloaded_while_empty_and_filled(kind, admin, sign_in):
    client, address = sign_in(admin), reverse("report_download", args=["help", kind])
    assert client.get(address).status_code == 200
    annotated(is_on=True, seconds=60, taken=0)
    assert client.get(address).status_code == 200
