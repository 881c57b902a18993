"""Background work of the clock."""

from celery import shared_task

from ..health.signs import last_sign
from ..models import SignKind


@shared_task(ignore_result=True)
def seal_log() -> None:
    """Seal new entries of the log. Called by the clock."""
    from .sealing import seal_new_entries

    seal_new_entries()
    # On a new site, and on one that has just been upgraded, nobody waits for the night.
    if last_sign(SignKind.LOG) is None:
        verify_log_nightly()


@shared_task(ignore_result=True)
def verify_log_nightly() -> None:
    """Verify the whole log, and record the result for `doctor`. Called by the clock."""
    from .verifying import verify_log

    verify_log()


@shared_task(ignore_result=True)
def copy_log() -> None:
    """Copy new entries of the log to syslog, if it is set. Called by the clock."""
    from .copying import copy_to_syslog

    copy_to_syslog()
