"""Work that is written in pieces: small ones, with another person's write in each pause, and ended between two."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from core.writing import pieces

PIECE = 10


class Killed(BaseException):
    """The process ends here: no `except Exception` of the work may see it."""


class Pauses:
    """What happens between pieces. `rows` counts rows that the work wrote so far, from a connection of its own."""

    def __init__(self, write_one: Callable[[], object]):
        self.write_one = write_one
        self.count: Callable[[], int] = lambda: 0
        self.counts: list[int] = []
        self.kill_at: int | None = None
        self.look: Callable[[], object] = lambda: None

    def pause(self, busy: float = 0.0, free_for: float = 0.0) -> None:
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
        """How many rows came with each piece but the last."""
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
    """Pieces of at most `PIECE` rows; in each pause another person writes a row."""
    from core.models import User

    person = User.objects.create_user("percy")
    found = Pauses(lambda: User.objects.filter(pk=person.pk).update(first_name="Percy"))
    monkeypatch.setattr(pieces, "FIRST", PIECE)
    monkeypatch.setattr(pieces, "MOST", PIECE)
    monkeypatch.setattr(pieces, "PIECE_SECONDS", 60.0)  # on a busy machine, too, each piece is a full one
    monkeypatch.setattr(pieces, "let_others_write", found.pause)
    return found
