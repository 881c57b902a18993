"""Imports of judgments and closing a round: others write meanwhile, and nobody sees half of it."""

import io
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.tasks import clear_dead_batches
from core.models import Batch
from judging.models import Response, Run
from review.files.judgment_exports import judgment_rows
from review.files.judgment_imports import import_judgments
from review.models import FinalVerdict, Item, Judgment, Pair, Round, RoundState
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.rounds import close_round
from review.tasks import finish_closing_rounds
from tests.factories.review import make_imported_run, make_round
from tests.interleaving.pieces import PIECE, Killed

MANY = 25


@pytest.fixture
def run(pauses) -> Run:
    return make_imported_run(MANY, models=("Mist",))


def judged(reviewer, other_reviewer) -> bytes:
    lines = ["response,reviewer,verdict"]
    for key in Response.objects.values_list("key", flat=True):
        lines += [f"{key},{reviewer.username},correct", f"{key},{other_reviewer.username},incorrect"]
    return "\n".join(lines).encode()


def bring_in(file: bytes, **values):
    return import_judgments(io.BytesIO(file), round="Elsewhere", **values)


def shown() -> list[int]:
    counts = [model.objects.count() for model in (Round, Item, Pair, FinalVerdict)]
    return [*counts, Judgment.objects.shown().count(), len(list(judgment_rows()))]


def test_nobody_sees_half_of_an_import_of_judgments(run, pauses, reviewer, other_reviewer):
    seen = []

    def look() -> None:
        if Batch.objects.filter(is_open=True).exists():
            complete_pairs()
            seen.append(shown())

    pauses.look = look
    pauses.count = Item.everything.count
    file = judged(reviewer, other_reviewer)
    assert bring_in(file).new == 2 * MANY
    assert max(pauses.grew_by()) <= PIECE
    assert len(seen) >= 3
    assert seen == [[0] * 6] * len(seen)
    assert shown() == [1, MANY, MANY, 0, 2 * MANY, 2 * MANY]
    assert (bring_in(file).new, bring_in(file).there) == (0, 2 * MANY)


def test_an_import_of_judgments_that_was_killed_leaves_nothing(run, pauses, reviewer, other_reviewer):
    file = judged(reviewer, other_reviewer)
    pauses.kill_at = 2
    with pytest.raises(Killed):
        bring_in(file)
    pauses.kill_at = None
    assert shown() == [0] * 6
    assert Item.everything.exists()
    Batch.objects.update(alive_until=timezone.now() - timedelta(seconds=1))
    clear_dead_batches()
    assert (Item.everything.count(), Round.everything.count(), Judgment.objects.count()) == (0, 0, 0)
    assert bring_in(file).new == 2 * MANY


def test_a_round_whose_closing_was_killed_is_closed_by_the_clock(run, pauses, admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], run)
    now = timezone.now()
    Judgment.objects.filter(round=round).update(
        verdict="correct", judged_at=now, undo_until=now + timedelta(minutes=5)
    )
    pauses.counts.clear()
    pauses.count = Judgment.objects.fixed(at=now + timedelta(minutes=4)).count
    pauses.kill_at = 2
    with pytest.raises(Killed):
        close_round(round=round, admin=admin)
    assert pauses.grew_by() == [PIECE] * 2
    round.refresh_from_db()
    assert (round.state, round.is_open) == (RoundState.CLOSING, False)
    pauses.kill_at = None
    finish_closing_rounds()
    round.refresh_from_db()
    assert (round.state, FinalVerdict.objects.count()) == (RoundState.CLOSED, MANY)
