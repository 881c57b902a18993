"""The backup of each night, by the settings; `doctor` shows its outcome."""

import logging
from pathlib import Path

from django.conf import settings

from ...health.signs import give_sign
from ...models import SignKind
from ...refusals import Refusal
from .making import make_backup
from .rotation import rotate

log = logging.getLogger(__name__)


def make_and_rotate(folder: Path, *, encrypt_to: str = "") -> Path | None:
    """Make a backup, record it, and delete the archives in the folder that are no longer kept. Returns None if it
    failed: the reason is in the log and in the sign.
    """
    try:
        made = backup_and_record(folder, encrypt_to=encrypt_to or settings.BACKUP_ENCRYPT_TO)
    except Refusal as refusal:
        log.error("%s", refusal.message)
        return None
    for gone in rotate(folder, days=settings.BACKUP_KEEP_DAYS, weeks=settings.BACKUP_KEEP_WEEKS):
        log.info("Deleted the old backup %s", gone)
    return made


def backup_and_record(folder: Path, *, encrypt_to: str = "") -> Path:
    """Make a backup and record whether it succeeded. Raises Refusal as `make_backup` does."""
    try:
        made = make_backup(folder, encrypt_to=encrypt_to)
    except Refusal as refusal:
        give_sign(SignKind.BACKUP, error=refusal.message)
        raise
    give_sign(SignKind.BACKUP, file=made.name, bytes=made.stat().st_size)
    return made
