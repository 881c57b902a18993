"""From clean documents to candidates, over a real HTTP server."""

import io
import json
import pkgutil
from collections import Counter
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from benchmarks.contradoc.maker.generation import METHODS
from benchmarks.contradoc.making.generation import create_generation_run, plan_generation, read_again
from benchmarks.contradoc.models import (
    Candidate,
    CandidateState,
    ContradocAction,
    Operation,
    Statement,
    StatementReply,
)
from core.models import Event
from core.refusals import Refusal
from judging.models import RunState
from judging.runs.repeating import retry_unreadable
from tests.contradoc.making.replies import INSERTED, MAKER, ORIGINAL, REPLACED, started_generation, writes
from tests.factories.contradoc import ROME as TEXT
from tests.factories.contradoc import make_documents
from tests.factories.judging import committed_by_attempts, make_model, states, work
from tests.interleaving.pieces import Killed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def test_each_document_is_sent_once_after_the_released_prompt(server, writer):
    texts = [TEXT, "Judgment: yes. {document} [Insert Document here]", "הבית גדול"]
    make_documents(*texts)
    run = started_generation(writer)
    work(run)
    assert run.state == RunState.FINISHED
    sent = [request["json"]["messages"] for request in server.requests]
    prompt = METHODS["content_insert"].prompt
    assert all([message["role"] for message in messages] == ["user"] for messages in sent)
    assert {messages[0]["content"] for messages in sent} == {prompt + text for text in texts}
    assert set(server.paid.values()) == {1}
    assert StatementReply.objects.count() == 3


def test_a_statement_becomes_insertions_away_from_its_sentence(writer):
    make_documents()
    work(started_generation(writer))
    statement = Statement.objects.get()
    assert not statement.is_refused
    assert TEXT[statement.start : statement.end] == ORIGINAL
    candidates = list(Candidate.objects.all())
    assert candidates
    assert [each.operation for each in candidates] == [Operation.INSERT] * 3 + [Operation.REPLACE]
    assert candidates[3].text == TEXT.replace(ORIGINAL, INSERTED["contradiction"])
    for candidate in candidates[:3]:
        assert candidate.sentence == INSERTED["contradiction"]
        assert candidate.text[: candidate.start] + candidate.text[candidate.start + len(candidate.new_text) :] == TEXT
        assert candidate.state == CandidateState.MADE


def test_a_statement_becomes_replacements_with_contradiction_and_rewording(server, writer):
    server.answer = writes([REPLACED])
    make_documents()
    work(started_generation(writer, method="content_replace"))
    replacements = Candidate.objects.filter(operation=Operation.REPLACE)
    assert sorted((each.is_rewording, each.text) for each in replacements) == [
        (False, TEXT.replace(ORIGINAL, "The dog hates bread.")),
        (True, TEXT.replace(ORIGINAL, "The dog never eats bread.")),
    ]
    inserted = Candidate.objects.filter(operation=Operation.INSERT)
    assert Counter((each.is_rewording, each.sentence) for each in inserted) == {
        (False, "The dog hates bread."): 3,
        (True, "The dog never eats bread."): 3,
    }


def test_a_sentence_that_is_not_in_the_document_is_refused_with_the_nearest_one(server, writer):
    server.answer = writes([INSERTED | {"statement": "The old dog likes bread."}, INSERTED])
    make_documents()
    work(started_generation(writer))
    refused, good = Statement.objects.all()
    assert "original sentence is not in the document" in refused.problem
    assert TEXT[refused.near_start : refused.near_end] == ORIGINAL
    assert not good.is_refused
    assert set(Candidate.objects.values_list("statement", flat=True)) == {good.pk}


def test_what_cannot_be_read_is_kept_and_can_be_asked_again(server, writer):
    make_documents(TEXT, "One. Two. Three.")
    server.answer = lambda request: "I am sorry."
    run = started_generation(writer)
    work(run)
    assert {reply.problem for reply in run.statement_replies.all()} == {
        "The reply holds no list in JSON that can be read."
    }
    assert not Candidate.objects.exists()
    server.answer = writes()
    assert retry_unreadable(run=run) == 2
    work(run)
    assert [reply.problem for reply in run.statement_replies.order_by("document")] == ["", ""]
    assert Statement.objects.count() == 2
    assert states(run) == {"done": 2}
    assert len(server.calls) == 4


def test_stored_replies_are_read_again_without_paying(server, writer):
    make_documents()
    run = started_generation(writer)
    work(run)
    reply = run.statement_replies.get()
    Candidate.objects.all().delete()
    reply.statements.all().delete()
    StatementReply.objects.filter(pk=reply.pk).update(problem="An older reader could not read it.", reader="old/0")
    assert read_again(run=run) == (1, 1)
    assert read_again(run=run) == (0, 0)
    reply.refresh_from_db()
    assert (reply.problem, reply.reader) == ("", MAKER.reader)
    assert Candidate.objects.exists()
    assert len(server.calls) == 1
    assert Event.objects.filter(action=ContradocAction.READ_AGAIN).count() == 1


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps([INSERTED] * 10_000),
        json.dumps([[[INSERTED]]] * 3),
        "[" * 20_000,
        json.dumps([{"statement": {"a": []}, "contradiction": 5}]),
        TEXT * 50,
        "Judgment: yes\nEvidence: []",
        json.dumps([{"statement": "x" * 100_000, "contradiction": "y"}]),
        '[{"statement": "\\u0000\\ud800", "contradiction": "\\u0000 b"}]',
    ],
)
def test_a_hostile_reply_is_stored_whole_and_stops_nothing(server, writer, reply):
    make_documents()
    server.answer = lambda request: reply
    run = started_generation(writer)
    work(run)
    assert run.state == RunState.FINISHED
    assert run.statement_replies.get().text == reply


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "step",
    [
        "judging.runs.calls.landing.land_together",
        "judging.runs.calls.landing.store_outputs",
        "benchmarks.contradoc.making.generation.store_reply",
        "benchmarks.contradoc.making.candidates.read_into",
        "benchmarks.contradoc.making.candidates.statement_row",
    ],
)
def test_a_worker_killed_midway_loses_none_and_doubles_none(server, writer, monkeypatch, settings, step, when):
    settings.CALL_LEASE_SECONDS = 0.2
    make_documents(*(f"{TEXT} It is day {number}." for number in range(4)))
    path, _, name = step.rpartition(".")
    owner, dead = pkgutil.resolve_name(path), []
    true = getattr(owner, name)

    def dies_once(*args, **kwargs):
        result = true(*args, **kwargs) if when == "after" or dead else None
        if not dead:
            dead.append(True)
            raise Killed
        return result

    run = started_generation(writer)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, dies_once)
        with pytest.raises(Killed):
            work(run)
    # Replies on disk are landed before the lease of their call ends, as in an installation.
    monkeypatch.setattr("judging.runs.sweep.SPOOL_SECONDS", 0.0)
    work(run)
    assert (run.state, states(run)) == (RunState.FINISHED, {"done": 4})
    assert run.statement_replies.count() == Statement.objects.count() == 4
    each = Counter(Candidate.objects.values_list("document", flat=True))
    assert len(each) == 4
    assert len(set(each.values())) == 1
    assert set(server.paid.values()) == {1}


def test_two_equal_edits_are_one_candidate(server, writer):
    server.answer = writes([REPLACED, REPLACED])
    make_documents()
    work(started_generation(writer, method="content_replace"))
    assert Statement.objects.count() == 2
    assert Candidate.objects.count() == 8


def test_a_run_stops_at_its_budget_and_the_plan_says_what_it_costs(server):
    make_documents(*(f"{TEXT} {number}" for number in range(6)))
    server.answer = writes()
    model = make_model(server.base_url, price_in=1_000, price_out=1_000, decoding={"max_tokens": 500})
    model.refresh_from_db()
    plan = plan_generation(maker=MAKER, method="content_insert", language_models=[model])
    assert plan.calls == 6
    assert plan.most_money
    run = started_generation(model, budget=plan.most_money / 3)
    work(run)
    assert run.state == RunState.STOPPED
    assert 0 < len(server.calls) < 6
    assert run.committed <= (run.budget or Decimal(0))
    assert run.committed == committed_by_attempts(run)


def test_only_what_is_missing_is_asked_again(server, writer):
    make_documents()
    work(started_generation(writer))
    make_documents("Another one. It is short.")
    run = started_generation(writer, only_missing=True)
    work(run)
    assert len(server.calls) == 2
    assert run.calls.count() == 1


def test_there_is_nothing_to_ask_without_documents_or_with_another_method(writer):
    with pytest.raises(Refusal, match="no documents"):
        create_generation_run(maker=MAKER, method="content_insert", language_models=[writer])
    make_documents()
    with pytest.raises(Refusal, match="no method"):
        create_generation_run(maker=MAKER, method="poetry", language_models=[writer])


def test_the_command_shows_the_plan_and_follows_the_run(server, writer):
    make_documents()
    out = io.StringIO()
    asked = ["start_generation", "--benchmark", "contradoc", "--models", writer.name, "--method", "content_replace"]
    call_command(*asked, "--plan", stdout=out)
    assert "1 call; " in out.getvalue()
    assert "Nothing was started" in out.getvalue()
    server.answer = writes([REPLACED])
    call_command(*asked, "--yes", "--here", stdout=out, stderr=io.StringIO())
    assert "finished: 1 of 1 done" in out.getvalue()
    assert Candidate.objects.count() == 8


def test_the_command_warns_of_a_token_limit_that_cuts_the_reply(server):
    make_documents()
    model = make_model(server.base_url)
    out = io.StringIO()
    asked = ["--benchmark", "contradoc", "--models", model.name, "--method", "content_replace"]
    call_command("start_generation", *asked, "--plan", stdout=out)
    assert "not be enough for 10 statements" in out.getvalue()


def test_a_statement_stands_in_its_document_or_is_refused(writer):
    make_documents()
    work(started_generation(writer))
    for wrong in ({"start": None}, {"problem": "x"}, {"end": 0}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Statement.objects.update(**wrong)
    with pytest.raises(IntegrityError), transaction.atomic():
        Candidate.objects.update(operation=Operation.REPLACE)
