"""Holds everything that goes out while a folder of data and the database do not belong together: after a restore, and
in a copy of the site. An admin says when it goes on.
"""

import fcntl
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from ..languages import say
from ..models import CoreAction, DataFolder, Event
from .folder_file import FolderFile, new_folder_file, read_folder_file, write_folder_file

log = logging.getLogger(__name__)

OLDER = say("The database is older than this machine's folder of data: it was restored from a backup.")
OTHER = say(
    "This machine's folder of data has worked with another database, or with this one before it was restored."
)
NEW = say(
    "This machine's folder of data is new, while the database has been at work with another one: this is a further "
    "machine, a copy of the site, or a restored site."
)


class Recovery(Protocol):
    def __call__(self) -> list[str]:
        """Bring the database up to date with what is in this machine's folder of data, and return sentences about
        it. It must send nothing, and may be called again at any time.
        """


_recoveries: list[Recovery] = []


def register_recovery(recovery: Recovery) -> None:
    _recoveries.append(recovery)


def known_folder() -> DataFolder:
    """The row of this machine's folder of data, which is held if the two do not belong together. Raises OSError if
    the folder cannot be written to.
    """
    kept = read_folder_file()
    with transaction.atomic():
        row = DataFolder.objects.select_for_update().filter(token=kept.token).first() if kept else None
        if kept and row and kept.step <= row.step:
            return row
        if kept and row:
            return _hold(row, OLDER, step=kept.step)
        is_first = not DataFolder.objects.exists()
    made = kept or new_folder_file()
    with transaction.atomic():
        row, is_new = DataFolder.objects.get_or_create(
            token=made.token, defaults={"host": socket.gethostname()[:200]}
        )
        if not is_new:
            return row
        if is_first and made.step == 0:
            row.recovered_at = timezone.now()
            row.save(update_fields=["recovered_at"])
            return row
        return _hold(row, OTHER if made.step else NEW, step=made.step)


def _hold(row: DataFolder, because: str, *, step: int) -> DataFolder:
    row.held_at, row.held_because, row.recovered_at = timezone.now(), because, None
    row.step = max(row.step, step)
    row.save(update_fields=["held_at", "held_because", "recovered_at", "step"])
    Event.record(CoreAction.HELD_SENDING, row, message=because)
    log.warning("Nothing is sent from %s: %s", row, because)
    return row


def hold_all(because: str) -> None:
    """Hold every folder of data that the database knows, and this machine's: after a restore."""
    this = known_folder()
    kept = read_folder_file()
    with transaction.atomic():
        for row in DataFolder.objects.select_for_update().order_by("pk"):
            _hold(row, because, step=kept.step if kept and row.pk == this.pk else row.step)


def advance() -> None:
    """Let this machine's folder of data and its row take a step, unless it is held. Called by the clock while a
    worker runs.
    """
    row = known_folder()
    if not DataFolder.objects.filter(pk=row.pk, held_at=None).update(step=F("step") + 1, seen_at=timezone.now()):
        return
    row.refresh_from_db(fields=["step"])
    write_folder_file(FolderFile(str(row.token), row.step))


def recover(row: DataFolder) -> None:
    """Compare this machine's folder of data with the database, once after a restore."""
    with _alone():
        row.refresh_from_db()
        if row.recovered_at is not None:
            return
        said = [sentence for recovery in _recoveries for sentence in recovery()]
        DataFolder.objects.filter(pk=row.pk).update(recovered_at=timezone.now(), recovered=said)
        for sentence in said:
            log.warning("%s", sentence)


@contextmanager
def _alone() -> Iterator[None]:
    """Let other processes of this machine wait."""
    with (Path(settings.VAR_DIR) / "recovery.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
