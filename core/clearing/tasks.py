"""Background work of the clock."""

from celery import shared_task


@shared_task(ignore_result=True)
def clear_expired() -> None:
    """Delete expired sessions and expired answers."""
    from .expired import clear_expired_rows

    clear_expired_rows()
