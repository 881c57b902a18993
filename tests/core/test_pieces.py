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


def test_the_pause_is_now_and_then_one_that_no_waiting_writer_misses(monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr(pieces, "MOST", 1)
    monkeypatch.setattr(pieces.connection, "vendor", "sqlite", raising=False)
    monkeypatch.setattr(pieces.time, "sleep", lambda seconds: slept.append(seconds))
    clock = [0.0]
    monkeypatch.setattr(pieces.time, "perf_counter", lambda: clock[0])

    def write(piece: list[int]) -> None:
        clock[0] += 0.05

    in_pieces(range(20), write)
    longest = 0
    for is_long, run in itertools.groupby(slept, lambda seconds: seconds >= 0.1):
        longest = max(longest, 0 if is_long else len(list(run)))
    assert max(slept) == pieces.LONG_PAUSE_SECONDS
    assert min(slept) == pieces.PAUSE_SECONDS
    assert longest * (0.05 + pieces.PAUSE_SECONDS) < 0.4


def test_while_the_next_rows_are_read_others_can_write_and_no_more_pause_is_needed(monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr(pieces, "MOST", 1)
    monkeypatch.setattr(pieces.connection, "vendor", "sqlite", raising=False)
    monkeypatch.setattr(pieces.time, "sleep", lambda seconds: slept.append(seconds))
    clock = [0.0]
    monkeypatch.setattr(pieces.time, "perf_counter", lambda: clock[0])

    def rows():
        for number in range(20):
            clock[0] += pieces.LONG_PAUSE_SECONDS
            yield number

    in_pieces(rows(), lambda piece: None)
    assert len(slept) == 19
    assert max(slept) < 0.001
