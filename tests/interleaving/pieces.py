"""Work that is written in pieces: small ones, with another person's write after each, and ended between two."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from core.engine.writing import pieces

PIECE = 10


class Killed(BaseException):
    """The process ends here: no `except Exception` of the work may see it."""


class Pauses:
    """A hook after each piece. `rows` counts rows that the work wrote so far, from a connection of its own."""

    def __init__(self, write_one: Callable[[], object]):
        self.write_one = write_one
        self.count: Callable[[], int] = lambda: 0
        self.counts: list[int] = []
        self.kill_at: int | None = None
        self.look: Callable[[], object] = lambda: None

    def pause(self) -> None:
        if connection.in_atomic_block:
            raise AssertionError("a pause within a transaction lets nobody in")
        elsewhere(self.visit)
        if self.kill_at is not None and len(self.counts) >= self.kill_at:
            raise Killed

    def visit(self) -> None:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA busy_timeout = 1000")
        with transaction.atomic():
            self.write_one()
        self.counts.append(self.count())
        self.look()

    def grew_by(self) -> list[int]:
        """The number of rows that came with each piece."""
        return [after - before for before, after in zip([0, *self.counts], self.counts, strict=False)]


def elsewhere(do: Callable[[], object]) -> None:
    """Do it in a thread, with a connection of its own; what it raises is raised here."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            do()
        except BaseException as error:
            raised.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


@pytest.fixture
def pauses(transactional_db, monkeypatch) -> Pauses:
    """Pieces of at most `PIECE` rows; after each another person writes a row."""
    from core.models import User

    person = User.objects.create_user("percy")
    found = Pauses(lambda: User.objects.filter(pk=person.pk).update(first_name="Percy"))
    monkeypatch.setattr(pieces, "FIRST", PIECE)
    monkeypatch.setattr(pieces, "MOST", PIECE)
    monkeypatch.setattr(pieces, "PIECE_SECONDS", 60.0)  # on a busy machine, too, each piece is a full one
    real = pieces.next_size

    def next_size(*args: int | float, **kwargs: int) -> int:
        found.pause()
        return real(*args, **kwargs)

    monkeypatch.setattr(pieces, "next_size", next_size)
    return found
