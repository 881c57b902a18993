"""Writing in pieces holds the lock for the pieces alone."""

import gc

import pytest
from django.db import connection

from core.engine.writing import pieces
from core.engine.writing.pieces import in_pieces
from core.models import User

pytestmark = pytest.mark.django_db(transaction=True)


def test_no_garbage_is_collected_while_the_lock_is_held():
    collected: list[bool] = []

    def note(phase: str, info: dict) -> None:
        if phase == "start":
            collected.append(connection.in_atomic_block)

    def write(piece: list[int]) -> None:
        # Enough new objects for several collections.
        kept = [[number] for number in range(20_000)]
        User.objects.filter(pk__in=piece).update(first_name=str(len(kept)))

    gc.callbacks.append(note)
    try:
        in_pieces(range(40), write)
    finally:
        gc.callbacks.remove(note)
    assert True not in collected
    assert gc.isenabled()


def test_garbage_is_collected_again_after_a_piece_that_fails():
    def write(piece: list[int]) -> None:
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        in_pieces(range(3), write)
    assert gc.isenabled()


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """The time that the test sets."""
    clock = [0.0]
    monkeypatch.setattr(pieces.time, "perf_counter", lambda: clock[0])
    return clock


def test_pieces_that_take_longer_and_longer_shrink_and_all_rows_are_written_once(clock, monkeypatch):
    monkeypatch.setattr(pieces, "MOST", 100)
    written: list[int] = []

    def write(piece: list[int]) -> None:
        clock[0] += 0.0001 * len(written)
        written.extend(piece)

    assert in_pieces(range(3_000), write) == 3_000
    assert written == list(range(3_000))
