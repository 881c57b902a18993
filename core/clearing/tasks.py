"""Background work of the clock."""

from celery import shared_task


@shared_task(ignore_result=True)
def clear_expired() -> None:
    """Delete expired sessions and expired answers, what is known of links and tokens that ended long ago, and what is
    left of uploads whose process died.
    """
    from ..files.uploads import clear_unfinished_uploads
    from .expired import clear_expired_rows, forget_old_rows

    clear_expired_rows()
    forget_old_rows()
    clear_unfinished_uploads()
