"""Background work of the clock."""

from celery import shared_task


@shared_task(ignore_result=True)
def clear_expired() -> None:
    """Delete expired sessions and expired answers, and what is known of links and tokens that ended long ago."""
    from .expired import clear_expired_rows, forget_old_rows

    clear_expired_rows()
    forget_old_rows()
