"""The turn of the clock: however many clocks run, one of them sends messages.

The turn is a row with its holder and the time of the last renewal. A clock that stops releases it. The turn of one
that was killed is free at once on the same machine, and after `LEASE` on others.
"""

import os
import socket
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from ..models import Sign, SignKind
from .signs import process_name

LEASE = timedelta(seconds=45)  # three times `SIGN_EVERY`, after which it is renewed


def take_turn() -> datetime | None:
    """Take or renew the turn for this process; returns None if another clock has it.

    Returns:
        The time of the renewal before: whatever was due until then, the holder at that time has sent.
    """
    now, me = timezone.now(), _me()
    row, is_new = Sign.objects.get_or_create(kind=SignKind.TURN, name="", defaults={"at": now, "facts": me})
    if is_new:
        return now
    if row.facts != me and row.at > now - LEASE and not _is_over(row.facts):
        return None
    # Two clocks that saw the same row: only the first finds it as it was.
    taken = Sign.objects.filter(pk=row.pk, at=row.at).update(
        at=max(now, row.at + timedelta(microseconds=1)), facts=me
    )
    return row.at if taken else None


def take_turn_and_hang_up() -> datetime | None:
    """Like `take_turn`, for a thread that asks the database for little else: it keeps no connection."""
    try:
        return take_turn()
    finally:
        connection.close()


def release_turn() -> None:
    """Let another clock have the turn at once."""
    try:
        Sign.objects.filter(kind=SignKind.TURN, facts=_me()).update(at=timezone.now(), facts={})
    finally:
        connection.close()


def _me() -> dict[str, Any]:
    # A container may share its machine's name, but not the numbers of its processes.
    return {"holder": process_name(), "numbers": _process_numbers()}


def _process_numbers() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _is_over(facts: dict[str, Any]) -> bool:
    """Return whether the holder released the turn, or was a process of this machine that has ended."""
    machine, _, number = facts.get("holder", "").rpartition(":")
    if not number:
        return True
    if machine != socket.gethostname() or not facts["numbers"] or facts["numbers"] != _process_numbers():
        return False
    return not os.path.exists(f"/proc/{number}")
