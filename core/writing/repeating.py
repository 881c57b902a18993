"""Signs of life beside work that takes long: written by a thread of its own, even while the work says nothing."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection

from ..refusals import Refusal

log = logging.getLogger(__name__)


@contextmanager
def repeated(do: Callable[[], object], *, every: float) -> Iterator[None]:
    """Call `do` every `every` seconds in another thread, until the block ends or `do` raises Refusal. Where the
    database is busy or away, the next call may succeed.
    """
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(every):
            try:
                do()
            except DatabaseError as error:
                log.info("A sign of life could not be written: %s", type(error).__name__)
            except Refusal:
                return
            finally:
                connection.close()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
