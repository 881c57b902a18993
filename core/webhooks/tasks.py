"""Background work. The rows define the work to do."""

from celery import shared_task

from ..waking import wake_now


@shared_task(ignore_result=True)
def deliver(delivery_id: int) -> None:
    # Imported only here: a worker at rest needs no client.
    from .sending import deliver_one

    deliver_one(delivery_id)


@shared_task(ignore_result=True)
def deliver_waiting() -> None:
    """Send due messages, and delete old ones. Called by the clock."""
    from .waiting import due, forget_old

    for pk in due():
        wake_now(deliver, pk, expires=60)
    forget_old()
