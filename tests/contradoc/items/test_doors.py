"""ContraDoc through the doors that all benchmarks share: messages to programs, the feed, the API, commands."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.models import Release
from core.models import Delivery
from core.webhooks.outbox import registered_events
from core.webhooks.webhooks import add_webhook
from judging.models import PromptTemplate, Run
from judging.runs.runs import cancel_run, create_run
from review.models import Judgment, Round
from review.rounds.adjudication import adjudicate
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from tests.contradoc.making.test_verification import NO, YES
from tests.contradoc.people.test_documents_of_one_source import content, find
from tests.core.api.test_api import program
from tests.factories.contradoc import make_candidate, make_questionnaire_round
from tests.factories.judging import make_model

pytestmark = pytest.mark.django_db


def closed_by_command(round: Round) -> str:
    said = StringIO()
    call_command("close_round", round.pk, stdout=said)
    return said.getvalue()


def answer_all(round: Round, *given: dict) -> None:
    for slot in Judgment.objects.filter(round=round).select_related("round", "item__instance", "item"):
        record_judgment(slot=slot, reviewer=slot.reviewer, answers=given[(slot.number or 1) - 1])
    complete_pairs(round=round)


@pytest.fixture
def walked(admin, reviewer, other_reviewer, adjudicator, tmp_path) -> dict[str, dict]:
    """The output about a release that came in by the command, a run over it, and a round of each kind of subject."""
    add_webhook(admin=admin, url="http://127.0.0.1:9/", events=[event.name for event in registered_events()])
    sides: dict[str, dict] = {"pos": {}, "neg": {}}
    for id, label in (("1_1", "pos"), ("2_1", "pos"), ("news_1", "neg"), ("news_2", "neg")):
        record = content(id, label)
        sides[record.pop("label")][id] = record
    file = tmp_path / "documents.json"
    file.write_text(json.dumps(sides))
    call_command("import_contradoc", str(file), "--name", "Ours", stdout=StringIO())
    release = Release.objects.get()
    asking = PromptTemplate.objects.filter(code="contradoc-binary")[:1]
    cancel_run(run=create_run(release=release, language_models=[make_model()], templates=asking))
    finding = find(admin, [reviewer], release)
    answer_all(finding, {"judgment": "no"})
    closed_by_command(finding)
    make_candidate("9")
    verifying = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer], undo_minutes=0)
    answer_all(verifying, YES, NO)
    said = closed_by_command(verifying)
    assert "1 candidate count" in said
    assert "0 have final answers, 1 have none" in said
    assert "verdict" not in said
    assert "response" not in said
    assert Delivery.objects.filter(event="round.finished").count() == 1, "a disagreement is left"
    adjudicate(adjudication=verifying.items.get().adjudication, person=adjudicator, answers=YES, reason="It does.")
    told = [json.loads(row.body) for row in Delivery.objects.order_by("pk")]
    return {f"{each['type']} {number}": each["data"] for number, each in enumerate(told)}


def test_each_event_tells_what_happened_in_the_words_of_its_benchmark(walked):
    release, run = Release.objects.get(), Run.objects.get(release__isnull=False)
    finding, verifying = Round.objects.order_by("pk")
    assert walked == {
        "release.made 0": {
            "release": 1,
            "benchmark": "contradoc",
            "name": "Ours",
            "content_hash": release.content_hash,
            "tags": 0,
            "instances": 4,
        },
        "run.ended 1": {"run": run.pk, "name": "", "kind": "answer", "state": "cancelled", "calls": {}},
        "round.finished 2": {
            "round": finding.pk,
            "form": "contradoc-find",
            "documents": 4,
            "final_answers": 4,
            "adjudicated": 0,
        },
        "round.finished 3": {
            "round": verifying.pk,
            "form": "contradoc-verification",
            "candidates": 1,
            "final_answers": 1,
            "adjudicated": 1,
        },
    }


def test_the_feed_says_the_same(walked, admin):
    feed = program(admin).get("/api/v1/news/").content.decode()
    assert "4 instances of contradoc, content hash" in feed
    assert "4 documents, 4 with final answers." in feed
    assert "1 candidate, 1 with final answers." in feed
    assert "verdict" not in feed


def test_instances_have_the_fields_of_their_benchmark(walked, admin):
    first = program(admin).get("/api/v1/releases/1/instances/").json()["results"][0]
    assert first["content"] == content("1_1", "pos")
    assert {"benchmark", "group", "category", "question"} < set(first)
    assert not {"passage_1", "answer_1", "same_passage", "reasoning_type"} & set(first)


def test_a_round_page_says_what_its_form_comes_to(walked, admin, sign_in):
    page = sign_in(admin).get(reverse("round", args=[Round.objects.first().pk])).text
    assert "with final answers" in page
    assert "final verdict" not in page
