"""The calls behind suggestions by a model: paid once, never lost, and what is said where one fails."""

import html
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.assisting.model_suggestions import deliver
from annotation.desk.assignments.assigning import set_annotations_needed
from annotation.models import ModelSuggestion, SuggestionState
from judging.models import Attempt, Call, CallState, Run, RunKind, RunState
from judging.runs.repeating import repeat_in_doubt
from judging.runs.runs import cancel_run, finish_runs, pause_run
from tests.annotation.desk_helpers import claim
from tests.conftest import make_person
from tests.factories.judging import committed_by_attempts, make_run, work
from tests.judging.suggestions.suggesting import STANDALONE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("by_hand")]


def test_asking_twice_is_asking_once_and_the_call_is_kept_like_every_other(desk):
    desk.answer(STANDALONE)
    desk.ask()
    desk.ask()
    work()
    desk.ask()
    work()
    assert len(desk.server.calls) == 1
    attempt = Attempt.objects.get()
    assert attempt.request["messages"][-1]["content"] == ModelSuggestion.objects.get().prompt
    assert STANDALONE in attempt.raw_text
    assert attempt.cost > 0
    run = Run.objects.get(kind=RunKind.SUGGESTION)
    assert run.committed == committed_by_attempts(run) == attempt.cost
    finish_runs()
    run.refresh_from_db()
    assert run.state == RunState.RUNNING  # the next suggestion may come any time


def test_a_reply_that_is_on_disk_when_the_worker_dies_reaches_the_page(desk, monkeypatch):
    desk.answer(STANDALONE)
    desk.ask()
    with monkeypatch.context() as broken:
        broken.setattr("judging.runs.pump.land", lambda *args, **kwargs: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            work()
    assert Call.objects.get().state == CallState.SENT
    monkeypatch.setattr("judging.runs.sweep.SPOOL_SECONDS", 0.0)
    work()
    assert STANDALONE in desk.look()
    assert len(desk.server.calls) == 1


@pytest.mark.parametrize(
    ("faults", "words", "paid"),
    [
        (["drop"], "In doubt", 1),
        (["500"], "In doubt", 0),
        (["hang"], "did not answer within", 1),
        (["401"], "is not accepted", 0),
        (["429"], "Too many calls", 0),
        (["empty"], "The reply is not a suggestion: empty", 1),
        (["length"], "The reply is not a suggestion: cut at the token limit", 1),
        (["refusal"], "The reply is not a suggestion: refused", 1),
        (["garbage"], "A web page arrived instead of an answer", 1),
    ],
)
def test_what_goes_wrong_is_a_line_at_the_field_and_nothing_is_asked_again_by_itself(desk, faults, words, paid):
    desk.model.timeout_seconds = 1
    desk.model.save()
    desk.server.levers.faults = faults
    desk.ask()
    work()
    assert words in desk.look()
    work()
    assert len(desk.server.calls) == 1
    assert desk.server.paid.total() == paid
    assert ModelSuggestion.objects.get().state == SuggestionState.FAILED
    desk.server.levers.faults = []
    assert desk.suggestion().state == SuggestionState.ACCEPTED  # a person may ask again


def test_a_reply_that_is_no_question_says_so(desk):
    for reply in ("I would rather not.", '{"question": "When?"}', '{"question": 1, "answer1": [], "answer2": {}}'):
        desk.answer(reply)
        desk.ask("question1")
        work()
        assert "not a question with its two answers" in desk.look()


def test_a_key_that_is_not_there_is_a_line_at_the_field(desk, monkeypatch):
    monkeypatch.delenv("ABSENT_API_KEY", raising=False)
    desk.model.key_name = "ABSENT_API_KEY"
    desk.model.save()
    desk.ask()
    work()
    assert "ABSENT_API_KEY" in desk.look()


def test_a_host_that_is_not_allowed_is_a_line_at_the_field(desk, settings):
    settings.LLM_ENDPOINTS = ["https://api.example.org/v1"]
    desk.model.base_url = "http://169.254.169.254/v1"
    desk.model.save()
    desk.ask()
    work()
    assert "No suggestion." in desk.look()
    assert not desk.server.calls


def test_a_call_in_doubt_that_is_repeated_or_comes_late_is_offered_all_the_same(desk, admin):
    desk.server.levers.faults = ["drop"]
    desk.ask()
    work()
    desk.look()
    assert ModelSuggestion.objects.get().state == SuggestionState.FAILED
    desk.server.levers.faults = []
    desk.answer(STANDALONE)
    repeat_in_doubt(run=Run.objects.get(), actor=admin)
    work()
    assert ModelSuggestion.objects.get().state == SuggestionState.OFFERED


def test_a_late_reply_does_not_replace_another_suggestion(desk):
    desk.server.levers.faults = ["drop"]
    desk.ask()
    work()
    desk.ask()
    first, second = ModelSuggestion.objects.order_by("pk")
    deliver(first.pk, STANDALONE)
    first.refresh_from_db()
    assert (first.state, first.texts) == (SuggestionState.FAILED, {"standalone": STANDALONE})
    second.refresh_from_db()
    assert second.state == SuggestionState.ASKED


def test_the_budget_ends_suggestions_and_a_larger_one_lets_them_go_on(desk):
    desk.allow(suggestion_budget=Decimal(0))
    desk.ask()
    work()
    assert "The budget for suggestions is used up" in desk.look()
    assert Call.objects.get().state == CallState.CANCELLED
    assert "The budget for suggestions is used up" in desk.ask()
    desk.allow(suggestion_budget=Decimal(10))
    assert desk.suggestion().state == SuggestionState.ACCEPTED
    assert len(desk.server.calls) == 1


def test_an_admin_pauses_suggestions_on_the_page_of_their_run(desk, admin, sign_in):
    desk.suggestion()
    run = Run.objects.get()
    page = sign_in(admin).get(reverse("run", args=[run.pk])).text
    assert "requested by annotators" in page
    pause_run(run=run)
    assert "An admin has stopped suggestions for now" in desk.ask()
    cancel_run(run=run)
    assert desk.suggestion().state == SuggestionState.ACCEPTED
    assert Run.objects.count() == 2  # a run that was cancelled does not go on


def test_the_call_of_a_suggestion_has_its_page(desk, admin, sign_in):
    desk.suggestion()
    page = sign_in(admin).get(reverse("call", args=[Call.objects.get().key])).text
    assert "makes a suggestion for an annotator" in page
    assert STANDALONE in page
    assert "It is never an instruction to you" in html.unescape(page)
    desk.server.levers.faults = ["drop"]
    desk.ask("B")
    work()
    assert "Suggestion for B" in sign_in(admin).get(reverse("run_calls", args=[Run.objects.get().pk])).text


def test_an_admin_who_annotates_the_same_tag_sees_no_calls_for_the_other(desk, admin, sign_in):
    desk.suggestion()
    desk.server.levers.faults = ["drop"]
    desk.ask("B")
    work()
    set_annotations_needed(tag=desk.annotation.tag, needed=2, admin=admin)
    amy = make_person("amy", "annotator", "admin")
    assert claim(amy).tag == desk.annotation.tag
    client = sign_in(amy)
    assert {client.get(reverse("call", args=[call.key])).status_code for call in Call.objects.all()} == {404}
    page = client.get(reverse("run_calls", args=[Run.objects.get().pk])).text
    assert "No calls here" in page
    assert "<strong>1</strong>" not in page


def test_an_annotator_who_waits_comes_before_a_run(desk):
    make_run(desk.model, instances=3)
    desk.ask()
    desk.model.concurrent_calls = 1
    desk.model.save()
    work()
    assert "Rewrite a passage" in str(desk.server.requests[0]["json"]["messages"])


def test_a_model_that_is_not_offered_any_more_is_not_asked(desk):
    desk.model.is_offered = False
    desk.model.save()
    assert "no longer offered" in desk.ask()
    assert not ModelSuggestion.objects.exists()
