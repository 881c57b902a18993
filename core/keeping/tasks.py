"""Background work of the clock."""

from pathlib import Path

from celery import shared_task
from django.conf import settings


@shared_task(ignore_result=True)
def keep_step() -> None:
    """Let the database and this machine's folder of data take a step together. Called by the clock."""
    from .folders import advance

    advance()


@shared_task(ignore_result=True)
def backup_nightly() -> None:
    """Make a backup in `BACKUP_FOLDER`, and delete old ones there. Called by the clock."""
    if settings.BACKUP_FOLDER:
        from .archive.nightly import make_and_rotate

        make_and_rotate(Path(settings.BACKUP_FOLDER))
