"""Intervals and tests resample whole tags, whose questions are related, and whole sources of documents; single
instances only where that is asked for."""

from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from annotation.models import Instance
from judging.models import Run
from review.reports.clusters import Units
from review.reports.counting.judged import judged_responses
from review.reports.registry import all_reports, make_report
from review.reports.scope import Scope
from review.statistics.estimates import MAX_CLUSTERS
from tests.factories.judge_models import say
from tests.factories.judging import make_instance, unsaved_instance
from tests.factories.review import give_all, make_imported_run, make_response, make_round
from tests.wikicontradict.test_table2 import adjudicate, report

pytestmark = pytest.mark.django_db


def related_questions(tags: int = 12, each: int = 4) -> list[Instance]:
    """Questions whose article and passages are those of their tag."""
    return [
        make_instance(
            number * 10 + question,
            passage_1=f"The bridge {number} opened in 1903.",
            passage_2=f"The bridge {number} opened in 1899.",
            article_title=f"Bridge {number}",
            url=f"https://en.wikipedia.org/wiki/Bridge_{number}",
        )
        for number in range(tags)
        for question in range(each)
    ]


def answered(instances: list[Instance], *, ahead: bool = False) -> Run:
    """All questions of a tag have the same verdict. One model is right on every second tag and the other on the rest;
    or, if it is to be `ahead`, on six of ten on which the other one is not, and both are wrong on the rest."""
    run = make_imported_run(0)
    tags = list(dict.fromkeys(instance.group for instance in instances))
    for instance in instances:
        tag = tags.index(instance.group)
        right = (tag < 6, False) if ahead else (tag % 2 == 0, tag % 2 == 1)
        for model, is_right in zip(("Llam", "Mist"), right, strict=True):
            adjudicate(make_response(run, instance, model=model), "correct" if is_right else "incorrect")
    return run


def width(found: dict[str, Any]) -> float:
    ends = found["interval"]
    return ends["high"] - ends["low"] if isinstance(ends, dict) else ends[1] - ends[0]


def test_questions_of_one_tag_are_one_unit_and_others_are_not():
    instances = [*related_questions(3, 2), make_instance(99)]
    keys = np.array([instance.pk for instance in instances])
    assert Units.of(by_instance=False).unit(keys).tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert Units.of(by_instance=True).unit(keys).tolist() == keys.tolist()


def test_table_2_resamples_tags_and_says_so():
    answered(related_questions())
    by_tag, by_instance = (make_report("table2", Scope(by_instance=each)) for each in (False, True))
    wide, narrow = (width(each.data["intervals"]["template_4"]["Mist"]["all"]["C"]) for each in (by_tag, by_instance))
    # Four questions that always agree are worth one: the interval is about twice as wide.
    assert 1.6 < wide / narrow < 2.4
    assert (by_tag.data["resampled_by"], by_instance.data["resampled_by"]) == ("tag", "instance")
    assert "Intervals and tests resample whole tags, as questions of one are related." in [
        note.text for note in by_tag.notes
    ]
    numbers = [each.data["table2"] for each in (by_tag, by_instance)]
    assert numbers[0] == numbers[1]


def test_models_are_compared_over_tags_and_instances_are_counted():
    instances = related_questions(10, 4)
    answered(instances, ahead=True)
    by_tag, by_instance = (
        make_report("comparison", Scope(by_instance=each)).data["comparison"]["template"][0] for each in (False, True)
    )
    assert by_tag["instances"] == by_instance["instances"] == 40
    # Six tags of ten, on which the first is always ahead: 2 / 2^6; 24 questions would be certain of it.
    assert by_tag["mcnemar"] == pytest.approx(2 / 2**6)
    assert by_instance["mcnemar"] == pytest.approx(2 / 2**24)


def test_agreement_resamples_tags_and_counts_instances(admin, reviewer, other_reviewer):
    run = make_imported_run(0)
    for instance in related_questions(12, 4):
        make_response(run, instance)
    round = make_round(admin, [reviewer, other_reviewer], run)
    for item in round.items.select_related("instance"):
        differ = int(item.instance.content["article_title"].split()[1]) % 2
        give_all(item, "correct", "incorrect" if differ else "correct")
    wide, narrow = (make_report("agreement", Scope(by_instance=each)).data["overall"] for each in (False, True))
    assert wide["instances"] == narrow["instances"] == 48
    assert width(wide["raw"]) > 1.6 * width(narrow["raw"])


def test_the_page_the_command_and_the_api_give_both(client, admin):
    answered(related_questions())
    client.force_login(admin)
    for name, entry in all_reports().items():
        address = reverse("report", args=[name])
        chips = dict(client.get(address).context["chips"])
        assert ("Intervals" in chips) == bool(entry.related_by)
    address = reverse("report", args=["table2"])
    page = client.get(address, {"intervals": "instance"})
    assert "resample single questions" in page.text
    assert "intervals=instance" in page.text
    assert client.get(address, {"intervals": "nothing"}).status_code == 404
    assert "resample single questions" in report("table2", intervals="instance")
    assert "resample whole tags" in report("table2")
    found = client.get(reverse("api:report", args=["table2"]), {"intervals": "instance"}).json()
    assert found["resampled_by"] == "instance"


def test_contradoc_resamples_sources(free_replies):
    found = make_report("contradoc-table2", Scope())
    assert found.data["resampled_by"] == "source"
    assert make_report("contradoc-table2", Scope(by_instance=True)).data["resampled_by"] == "instance"


@pytest.mark.parametrize("many", [False, True])
def test_judge_models_rates_resample_the_same_units_at_every_size(many):
    run = make_imported_run(0)
    for instance in related_questions(12, 4):
        tag = int(instance.content["article_title"].split()[1])
        say(make_response(run, instance), "correct" if tag % 2 else "incorrect")
    if many:
        rest = (unsaved_instance(1_000 + number) for number in range(MAX_CLUSTERS))
        Instance.objects.bulk_create(rest)
    wide, narrow = (judged_responses(Scope(by_instance=each)) for each in (False, True))
    for found, units in ((wide, 12), (narrow, 48)):
        (judged,) = [each for key, each in found.counts.items() if key[3] == "all"]
        assert len(judged.clusters) == units
        assert judged.tables().sum() == 48
    reports = (make_report("table6", Scope(by_instance=each)).data["table6"] for each in (False, True))
    wide, narrow = (next(iter(each["Judge"]["template_4"].values())) for each in reports)
    assert 1.6 < width(wide["intervals"]["all"]["C"]) / width(narrow["intervals"]["all"]["C"]) < 2.4
