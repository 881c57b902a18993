"""What is written in pieces holds the lock for the pieces alone."""

import gc
import itertools

import pytest
from django.db import connection

from core.models import User
from core.writing import pieces
from core.writing.pieces import in_pieces

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
    """What the time is; sleeping takes as long as it should."""
    clock = [0.0]
    monkeypatch.setattr(pieces, "MOST", 1)
    monkeypatch.setattr(pieces.connection, "vendor", "sqlite", raising=False)
    monkeypatch.setattr(pieces.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(pieces.time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    return clock


@pytest.mark.parametrize("reading", [0.0, 0.004, 0.03])
def test_the_lock_is_free_now_and_then_for_longer_than_any_waiting_writer_sleeps(clock, reading):
    held: list[tuple[float, float]] = []

    def rows():
        for number in range(200):
            clock[0] += reading
            yield number

    def write(piece: list[int]) -> None:
        clock[0] += 0.04
        held.append((clock[0] - 0.04, clock[0]))

    in_pieces(rows(), write)
    free = [(end, start) for (_, end), (start, _) in itertools.pairwise(held)]
    long_ones = [end for end, start in free if start - end > 0.1]
    without = [later - earlier for earlier, later in itertools.pairwise([0.0, *long_ones, clock[0]])]
    assert max(without) < 0.45


def test_while_the_next_rows_are_read_others_can_write_and_no_more_rest_is_needed(clock):
    def rows():
        for number in range(20):
            clock[0] += pieces.REST_SECONDS
            yield number

    in_pieces(rows(), lambda piece: None)
    assert clock[0] == pytest.approx(20 * pieces.REST_SECONDS)


def test_a_rest_is_spent_on_preparing_the_next_rows(clock):
    def rows():
        for number in range(100):
            clock[0] += 0.02
            yield number

    def write(piece: list[int]) -> None:
        clock[0] += 0.05

    in_pieces(rows(), write)
    # A rest after every second piece is long enough to prepare the rows of both.
    assert clock[0] <= 100 * 0.05 + 50 * pieces.REST_SECONDS


def test_pieces_that_take_longer_and_longer_shrink_and_all_rows_are_written_once(clock, monkeypatch):
    monkeypatch.setattr(pieces, "MOST", 100)
    written: list[int] = []

    def write(piece: list[int]) -> None:
        clock[0] += 0.0001 * len(written)
        written.extend(piece)

    assert in_pieces(range(3_000), write) == 3_000
    assert written == list(range(3_000))
