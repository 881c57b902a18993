"""Background work of the clock."""

from celery import shared_task


@shared_task(ignore_result=True)
def clear_expired() -> None:
    """Delete expired sessions, and answers that are kept no longer."""
    from .expired import clear_expired_rows

    clear_expired_rows()
