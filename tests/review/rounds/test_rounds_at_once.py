"""A person judges or adjudicates while an admin closes the round or resets a judgment: one of the two comes first,
the other gets a sentence, and the round's rules hold."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event as Signal

import pytest
from django.db import connection

from core.models import Event
from core.refusals import Refusal
from review.models import Adjudication, FinalVerdict, Judgment, ReviewAction
from review.rounds.adjudication import adjudicate
from review.rounds.judgments import find_slot, record_judgment, reset_judgment
from review.rounds.rounds import close_round
from tests.contradoc.making.test_verification import YES
from tests.factories.contradoc import make_candidate, make_questionnaire_round
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db(transaction=True)


def said_of(act: Callable[[], object]) -> str:
    try:
        act()
    except Refusal as refusal:
        return refusal.message
    return "done"


def test_nothing_is_recorded_once_the_round_is_closed(admin, reviewer, other_reviewer):
    """The page was read while the round was open."""
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)))
    slot = find_slot(person=reviewer, key=Judgment.objects.get(reviewer=reviewer).key)
    close_round(round=round, admin=admin)
    said = said_of(lambda: record_judgment(slot=slot, reviewer=reviewer, verdict="correct"))
    assert said == "This round is closed, so nothing was recorded. An admin can reopen it."
    assert not Judgment.objects.given().exists()


def test_a_decision_that_is_sent_twice_is_made_once(admin, reviewer, other_reviewer, adjudicator):
    """As a second click on the button does, whose answer is the one that the person sees."""
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)))
    give_all(round.items.get(), "correct", "incorrect")
    found = Adjudication.objects.get()

    def decide(verdict: str = "correct", reason: str = "so"):
        return said_of(lambda: adjudicate(adjudication=found, person=adjudicator, verdict=verdict, reason=reason))

    assert [decide(), decide()] == ["done", "done"]
    assert Event.objects.about(found).filter(action=ReviewAction.ADJUDICATED).count() == 1
    kept = "You have already decided this one. That is kept; to change it, reopen it first."
    assert decide(verdict="incorrect") == decide(reason="looked again") == kept


def test_of_a_reset_and_a_decision_at_once_none_waits_forever(admin, reviewer, other_reviewer, adjudicator):
    """On PostgreSQL each once held what the other wanted next, and the database ended one of them."""
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)))
    give_all(round.items.get(), "correct", "incorrect")
    found, given = Adjudication.objects.get(), Judgment.objects.get(reviewer=reviewer)
    decided, resetting = Signal(), Signal()

    def decide() -> str:
        def notice(execute, sql, params, many, context):
            # Its next statement comes when the reset has begun, or waits for it.
            if 'INSERT INTO "review_finalverdict"' in sql and connection.vendor == "postgresql":
                decided.set()
                resetting.wait(2)
            return execute(sql, params, many, context)

        try:
            with connection.execute_wrapper(notice):
                return said_of(
                    lambda: adjudicate(adjudication=found, person=adjudicator, verdict="correct", reason="so")
                )
        finally:
            decided.set()
            connection.close()

    def notice_lock(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if '"review_round"' in sql and "FOR NO KEY UPDATE" in sql:
            resetting.set()
        return result

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(decide)
        assert decided.wait(60)
        with connection.execute_wrapper(notice_lock):
            reset = said_of(lambda: reset_judgment(judgment=given, admin=admin, reason="a slip"))
        assert first.result(60) == "done"
    assert reset == "This response was adjudicated. Reopen the adjudication first. Nothing was reset."
    assert FinalVerdict.objects.get().verdict == "correct"


def test_no_answers_are_recorded_once_the_round_is_closed(admin, reviewer, other_reviewer):
    make_candidate()
    round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer])
    slot = find_slot(person=reviewer, key=Judgment.objects.get(reviewer=reviewer).key)
    close_round(round=round, admin=admin)
    said = said_of(lambda: record_judgment(slot=slot, reviewer=reviewer, answers=YES))
    assert said == "This round is closed, so nothing was recorded. An admin can reopen it."
    assert not Judgment.objects.given().exists()
