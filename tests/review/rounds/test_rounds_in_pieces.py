"""Handing over, joining, opening again, noting who saw what, known verdicts: others write meanwhile."""

import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Event
from core.refusals import Refusal
from judging.models import Response, Run
from review.files import known_verdicts
from review.files.known_verdicts import import_known
from review.models import Judgment, KnownVerdict, ReviewAction, RoundReviewer, Saw, SeenJudgments
from review.rounds.reviewers.handing_over import hand_over
from review.rounds.rounds import add_reviewer, close_round, reopen_round, skip_training
from review.rounds.turns.seen import record_seen
from tests.conftest import make_person
from tests.factories.review import give, make_imported_run, make_known, make_round, reviewer_in
from tests.interleaving.pieces import PIECE, Killed

MANY = 35


@pytest.fixture
def run(pauses) -> Run:
    return make_imported_run(MANY, models=("Mist",))


@pytest.fixture
def nora(run):
    return make_person("nora", "reviewer")


def slots_of(person):
    return Judgment.objects.ordinary().filter(reviewer=person)


def test_others_write_while_responses_are_handed_over(run, pauses, admin, reviewer, other_reviewer, nora):
    round = make_round(admin, [reviewer, other_reviewer], run)
    add_reviewer(round=round, person=nora, admin=admin)
    pauses.counts.clear()
    pauses.count = slots_of(nora).count
    handed = hand_over(reviewer=reviewer_in(round, reviewer), to=[reviewer_in(round, nora)], admin=admin)
    assert max(pauses.grew_by()) <= PIECE
    assert len(pauses.counts) == 8  # four pieces in giving, four in mixing
    assert (handed.moved, slots_of(nora).count(), slots_of(reviewer).count()) == (MANY, MANY, 0)


def test_what_is_judged_while_it_is_handed_over_stays(run, pauses, admin, reviewer, other_reviewer, nora):
    round = make_round(admin, [reviewer, other_reviewer], run)
    add_reviewer(round=round, person=nora, admin=admin)
    pauses.counts.clear()
    # The last in the order of handing over is the first of the reviewer's.
    first = slots_of(reviewer).order_by("position").first()
    pauses.look = lambda: give(Judgment.objects.get(pk=first.pk)) if len(pauses.counts) == 1 else None
    handed = hand_over(reviewer=reviewer_in(round, reviewer), to=[reviewer_in(round, nora)], admin=admin)
    assert (handed.moved, handed.stayed) == (MANY - 1, 1)
    assert list(slots_of(reviewer)) == [first]


def test_what_the_receiver_sees_while_it_is_handed_over_stays(run, pauses, admin, reviewer, other_reviewer, nora):
    round = make_round(admin, [reviewer, other_reviewer], run)
    add_reviewer(round=round, person=nora, admin=admin)
    pauses.counts.clear()
    first = slots_of(reviewer).order_by("position").first()
    response = first.item.response_id

    def look():
        if len(pauses.counts) == 1:
            SeenJudgments.objects.create(
                person=nora, what=Saw.JUDGMENTS, response_id=response, at=first.item.round.created_at
            )

    pauses.look = look
    handed = hand_over(reviewer=reviewer_in(round, reviewer), to=[reviewer_in(round, nora)], admin=admin)
    assert (handed.moved, handed.stayed) == (MANY - 1, 1)
    assert list(slots_of(reviewer)) == [first]


def test_a_handing_over_that_was_killed_goes_on_when_done_again(run, pauses, admin, reviewer, other_reviewer, nora):
    round = make_round(admin, [reviewer, other_reviewer], run)
    add_reviewer(round=round, person=nora, admin=admin)
    pauses.counts.clear()
    pauses.kill_at = 2
    with pytest.raises(Killed):
        hand_over(reviewer=reviewer_in(round, reviewer), to=[reviewer_in(round, nora)], admin=admin)
    pauses.kill_at = None
    assert (slots_of(nora).count(), slots_of(reviewer).count()) == (2 * PIECE, MANY - 2 * PIECE)
    said = Event.objects.get(action=ReviewAction.HANDED_OVER.value)
    assert (said.actor, said.after) == (admin, {"to": [f"nora: {MANY}"]})
    hand_over(reviewer=reviewer_in(round, reviewer), to=[reviewer_in(round, nora)], admin=admin)
    assert (slots_of(nora).count(), slots_of(reviewer).count()) == (MANY, 0)


def test_others_write_while_a_reviewer_joins_and_leaves_out_the_training(
    run, pauses, admin, reviewer, other_reviewer, nora
):
    for _ in range(MANY):
        make_known(run, use="training")
    round = make_round(admin, [reviewer, other_reviewer], run, training_required=False)
    pauses.counts.clear()
    pauses.count = Judgment.objects.filter(reviewer=nora).count
    pauses.kill_at = 2
    with pytest.raises(Killed):
        add_reviewer(round=round, person=nora, admin=admin)
    pauses.kill_at = None
    assert pauses.grew_by() == [PIECE] * 2
    joined = add_reviewer(round=round, person=nora, admin=admin)
    assert Judgment.objects.filter(reviewer=nora).count() == MANY
    with pytest.raises(Refusal, match="already"):
        add_reviewer(round=round, person=nora, admin=admin)
    pauses.counts.clear()
    pauses.count = lambda: MANY - Judgment.objects.filter(reviewer=nora).count()
    skip_training(reviewer=joined)
    assert pauses.grew_by() == [PIECE, PIECE, PIECE, 5]
    assert not Judgment.objects.filter(reviewer=nora).exists()
    with pytest.raises(Refusal, match="already"):
        add_reviewer(round=round, person=nora, admin=admin)
    assert RoundReviewer.objects.get(person=nora).training_skipped_at


def test_others_write_while_it_is_noted_who_saw_what(run, pauses, nora):
    pauses.count = SeenJudgments.objects.count
    responses = list(Response.objects.values_list("pk", flat=True))
    record_seen(person=nora, what=Saw.FILE, responses=responses)
    assert pauses.grew_by() == [PIECE, PIECE, PIECE, 5]
    pauses.counts.clear()
    record_seen(person=nora, what=Saw.FILE, responses=responses)
    assert (SeenJudgments.objects.count(), pauses.counts) == (MANY, [])


def test_others_write_while_a_round_is_opened_again(run, pauses, admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], run)
    close_round(round=round, admin=admin)
    responses = list(Response.objects.order_by("pk").values_list("pk", flat=True))
    record_seen(person=reviewer, what=Saw.FILE, responses=responses[:-1])
    pauses.counts.clear()
    pauses.count = lambda: MANY - slots_of(reviewer).count()

    def look():
        if len(pauses.counts) == 3:
            record_seen(person=reviewer, what=Saw.FILE, responses=responses[-1:])

    pauses.look = look
    assert reopen_round(round=round, admin=admin).is_open
    assert pauses.grew_by()[:3] == [PIECE] * 3
    assert not slots_of(reviewer).exists()


def known_file(run) -> bytes:
    rows = [f"{key},check,correct," for key in Response.objects.values_list("key", flat=True)]
    return "\n".join(["response,use,verdict,explanation", *rows]).encode()


def test_known_verdicts_are_checked_without_a_lock_and_written_in_few_statements(run, admin):
    with CaptureQueriesContext(connection) as queries:
        result = import_known(io.BytesIO(known_file(run)), admin=admin, check_only=True)
    assert result.new == MANY
    assert [query["sql"] for query in queries if not query["sql"].startswith("SELECT")] == []
    with CaptureQueriesContext(connection) as queries:
        import_known(io.BytesIO(known_file(run)), admin=admin)
    assert KnownVerdict.objects.count() == MANY
    assert len(queries) < 14


def test_more_known_verdicts_than_one_step_holds_are_refused(run, admin, monkeypatch):
    monkeypatch.setattr(known_verdicts, "MOST_ROWS", MANY - 1)
    with pytest.raises(Refusal, match="more than 34 rows"):
        import_known(io.BytesIO(known_file(run)), admin=admin)
    assert not KnownVerdict.objects.exists()
