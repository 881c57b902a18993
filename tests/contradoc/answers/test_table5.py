"""Table 5: people and models on the same documents, and what a reader who judges is not shown."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.kinds.registry import benchmark
from annotation.reading.sentences import sentences
from annotation.releases.items.releasing import release_contents
from judging.models import LanguageModel, ModelKind, PromptTemplate, Reading, Response, Run
from review.models import Judgment
from review.reports.registry import make_report
from review.reports.scope import Scope
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from tests.factories.contradoc import CONTRADICTION, content, make_questionnaire_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def release():
    labels = ["pos"] * 4 + ["neg"] * 4
    contents = [content(number, label) for number, label in enumerate(labels, start=1)]
    return release_contents(benchmark=benchmark("contradoc"), name="Eight", contents=contents)


@pytest.fixture
def round(release, admin, reviewer):
    """Eight documents: of the four positive ones two are found, one of them by its evidence; one false yes."""
    round = make_questionnaire_round("contradoc-find", admin, [reviewer], release=release, undo_minutes=0)
    for slot in Judgment.objects.filter(round=round).select_related("item__instance", "round"):
        record_judgment(slot=slot, reviewer=reviewer, answers=answers(slot.item.instance.content))
    complete_pairs(round=round)
    return round


def answers(document):
    number = int(document["unique id"].split("_")[0])
    if number not in (1, 2, 5):
        return {"judgment": "no"}
    whole = [span.of(document["text"]) for span in sentences(document["text"])]
    return {"judgment": "yes", "evidence": [whole.index(CONTRADICTION) if number == 1 else 0]}


@pytest.fixture
def model(release):
    """A model that finds all it is asked about: two of the positive documents."""
    model = LanguageModel.objects.create(name="Mist", kind=ModelKind.IMPORTED)
    run = Run.objects.create(name="find", kind="import", state="finished", release=release, started_at=timezone.now())
    template = PromptTemplate.objects.filter(task="contradoc-find").first()
    for instance in release.instances.filter(category="positive").order_by("pk")[:2]:
        response = Response.objects.create(
            run=run, instance=instance, model=model, template=template, text="yes", imported={}
        )
        Reading.objects.create(
            response=response,
            task="contradoc-find",
            reader="judgment-and-list",
            version=1,
            value={"yes": True, "quotes": [CONTRADICTION]},
            scores={"answer": "yes", "hit": True, "rank": 1, "matcher": "containment", "strict_hit": True},
        )
    unread = Response.objects.create(
        run=run, instance=release.instances.last(), model=model, template=template, text="?", imported={}
    )
    reader = {"task": "contradoc-find", "reader": "judgment-and-list", "version": 1}
    Reading.objects.create(response=unread, problem="there is no judgment", **reader)
    return model


def test_people_and_models_stand_side_by_side(round, model):
    found = make_report("contradoc-table5", Scope()).data
    assert found["documents"] == 8
    human = found["judge_then_find"]["Human"]
    assert {name: human[name] for name in ("n", "TP", "FP", "TN", "FN", "hits")} == {
        "n": 8,
        "TP": 2,
        "FP": 1,
        "TN": 3,
        "FN": 2,
        "hits": 1,
    }
    assert (human["TP rate"], human["EHR"], human["R-acc"]) == (25.0, 50.0, 25.0)
    assert found["judge_then_find"]["Mist"]["R-acc"] == 100.0
    assert found["judge_then_find"]["Mist"]["unreadable"] == 1
    assert make_report("contradoc-table5", Scope(round=round)).data["documents"] == 8


def test_a_reader_who_judges_is_shown_nothing_of_the_round(round, model):
    hidden = Scope(hidden=(round,))
    assert not make_report("contradoc-table5", hidden).lead
    # The round has no responses; those of models are shown all the same.
    assert make_report("contradoc-table4", hidden).data["judge_then_find"]["Mist"]["n"] == 2


def test_the_page_says_what_people_find(round, model, client, admin):
    client.force_login(admin)
    page = client.get(reverse("report", args=["contradoc-table5"]), {"printed": "1"}).content.decode()
    assert "People judged 8 documents, and find the contradiction of 25.0%" in page
    assert "Of the models, Mist finds most there" not in page
    assert "makes 151 documents" in page
