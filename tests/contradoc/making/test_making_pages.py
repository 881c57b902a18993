"""The pages on which admins make documents that contradict themselves."""

import json
import re
from io import BytesIO, StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from benchmarks.contradoc.maker.pattern import PATTERN_LABEL
from benchmarks.contradoc.models import (
    Candidate,
    CandidateState,
    CheckSettings,
    ContradocAction,
    Document,
    Statement,
    StatementReply,
)
from core.models import Event
from judging.models import RunState
from tests.contradoc.making.replies import CONTRADICTION, INSERTED, ORIGINAL, REPLACED, started_generation, writes
from tests.factories.contradoc import ROME as TEXT
from tests.factories.contradoc import make_documents
from tests.factories.judging import work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def pages(sign_in, admin):
    return sign_in(admin)


def open_(pages, name, *args, **query):
    answer = pages.get(reverse(name, args=args), query)
    assert answer.status_code == 200
    return answer.text


def test_documents_come_in_by_a_page(pages):
    file = BytesIO(json.dumps({"id": "n1", "doc_type": "news", "text": "One. <script>"}).encode())
    file.name = "documents.jsonl"
    sent = {"file": file, "benchmark": "contradoc", "action": "import"}
    assert "1 document imported" in pages.post(reverse("documents_import"), sent).text
    assert "n1" in open_(pages, "documents")
    assert "n1" in open_(pages, "documents", q="n1")
    assert "No document has this name" in open_(pages, "documents", q="zzz")
    assert "One. &lt;script&gt;" in open_(pages, "document", Document.objects.get().key)


def test_a_run_is_planned_started_and_shows_what_came_of_it(pages, server, writer):
    make_documents()
    server.answer = writes([INSERTED, INSERTED | {"statement": "Nothing of it."}, INSERTED | {"contradiction": ""}])
    sent = {"method": "content_insert", "language_models": [writer.pk], "name": "Facts"}
    planned = pages.post(reverse("generation_new"), sent)
    assert planned.status_code == 302
    plan = pages.get(planned.url).text
    assert "<strong>1 call</strong>" in plan
    assert "<dd>Facts, with a contradiction of each</dd>" in plan
    pages.post(planned.url + "start/")
    work()
    run = StatementReply.objects.get().run
    assert run.state == RunState.FINISHED
    assert "Unreadable and refused" in pages.get(planned.url).text
    refused = open_(pages, "run_statements", run.pk, show="refused")
    assert "original sentence is not in the document" in refused
    assert "neither a contradiction" in refused
    assert Statement.objects.count() == 3
    assert "Every reply could be read" in open_(pages, "run_statements", run.pk)
    page = " ".join(re.sub("<[^>]+>", " ", open_(pages, "run", run.pk)).split())
    assert "1 replies read 0 unreadable replies 3 statements 2 ▲ refused statements 4 candidates" in page
    out = StringIO()
    call_command("run_status", run.pk, stdout=out)
    assert "0 unreadable replies, 3 statements, 2 refused statements, 4 candidates" in out.getvalue()
    call = run.calls.get()
    assert "3 statements read" in open_(pages, "call", call.key)


def test_what_cannot_be_read_is_listed_asked_again_and_read_again(pages, server, writer):
    make_documents()
    server.answer = lambda request: "Sorry & <b>no</b>."
    run = started_generation(writer)
    work(run)
    listed = open_(pages, "run_statements", run.pk)
    assert "holds no list" in listed
    assert "Sorry &amp; &lt;b&gt;no&lt;/b&gt;." in listed
    pages.post(reverse("run_read_again", args=[run.pk]))
    assert len(server.calls) == 1
    server.answer = writes()
    pages.post(reverse("run_ask_again", args=[run.pk]))
    work(run)
    assert Candidate.objects.exists()


def test_a_candidate_shows_its_edit_and_its_checks(pages, server, writer):
    make_documents()
    work(started_generation(writer))
    first = Candidate.objects.order_by("rank").first()
    assert "Not checked yet" in open_(pages, "candidate", first.key)
    shown = open_(pages, "candidate", first.key)
    assert f'<span class="mark-name">Introduced</span> {CONTRADICTION}</mark>' in shown
    assert f'<span class="mark-name">Original</span> {ORIGINAL}</mark>' in shown
    plan = open_(pages, "checks", plan="yes", nli="Writer", next_sentence="Writer")
    assert "Writer (prompt 1)" in plan
    assert "not checked" in plan
    started = pages.post(reverse("checks"), {"nli": "Writer", "next_sentence": "Writer"})
    work()
    assert "Checks" in pages.get(started.url).text
    shown = open_(pages, "candidate", first.key)
    assert "● Passed" in shown
    assert "▲ Not checked" in shown
    assert "There is no component for: perplexity." in shown
    measured = first.checks.get(name="contradiction").measurements.get()
    assert "Candidate" in open_(pages, "call", measured.attempt.call.key)
    listed = open_(pages, "candidates", state="chosen")
    assert listed.count("data-row") == 1
    assert "No candidate is in this state" in open_(pages, "candidates", state="verified")


def test_a_replacement_shows_what_it_replaced(pages, server, writer):
    make_documents()
    server.answer = writes([REPLACED])
    run = started_generation(writer, method="content_replace")
    work(run)
    shown = open_(pages, "candidate", Candidate.objects.first().key)
    assert f'<span class="mark-name">Original, replaced</span> {ORIGINAL}</del>' in shown
    assert open_(pages, "candidates", run=run.pk).count("data-row") == 8
    assert ORIGINAL in open_(pages, "document", Document.objects.get().key)


def test_checks_without_any_component_go_on_to_people(pages, writer):
    make_documents()
    work(started_generation(writer))
    answer = pages.post(reverse("checks"), {}, follow=True)
    assert "no calls are needed" in answer.text
    assert Candidate.objects.filter(state=CandidateState.CHOSEN).count() == 1
    listed = pages.get(reverse("candidates"), {"check": "fluency", "outcome": "not_checked"}).text
    assert "Fluency: not checked" in listed
    assert listed.count("<tr data-row") == Candidate.objects.count() > 0
    assert "<tr data-row" not in pages.get(reverse("candidates"), {"outcome": "passed"}).text


def test_thresholds_are_changed_and_logged(pages):
    values = {"contradiction_over": 0.8, "insertion_rise": 0.01, "replacement_rise": 0.03}
    values |= {"next_sentence_over": 0.5, "window": 3}
    pages.post(reverse("checks_settings"), values)
    assert CheckSettings.objects.get().window == 3
    assert Event.objects.filter(action=ContradocAction.CHANGED_CHECKS).count() == 1
    bad = pages.post(reverse("checks_settings"), values | {"contradiction_over": "1.5"}, follow=True)
    assert "Nothing was changed" in bad.text
    assert CheckSettings.objects.get().contradiction_over == 0.8


def test_an_unknown_model_is_refused_beside_its_field(pages):
    assert pages.post(reverse("checks"), {"nli": "Nobody"}).status_code == 400


def test_candidates_of_a_long_list_are_counted_in_few_queries(pages, server, writer, django_assert_max_num_queries):
    make_documents(*(f"{TEXT} It is day {number}." for number in range(4)))
    work(started_generation(writer))
    open_(pages, "candidates")
    with django_assert_max_num_queries(25):
        open_(pages, "candidates")


def test_statements_can_be_asked_of_the_pattern_that_needs_no_model(pages):
    """A person without an endpoint can try the whole path; the same pattern answers no question of a run."""
    make_documents()
    assert PATTERN_LABEL in open_(pages, "generation_new")
    assert PATTERN_LABEL not in open_(pages, "run_new")


def test_a_round_without_candidates_leads_to_where_they_are_made(pages, reviewer, other_reviewer):
    page = open_(pages, "round_new_of", "contradoc-verification")
    assert f'href="{reverse("documents")}">Make more' in page
