"""Writes and reads signs of life: rows for the pages, and files for health checks that load no database."""

import os
import socket
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from ..models import Sign, SignKind

# In seconds. A sign is given this often; a part whose last one is older than `SILENT_AFTER` counts as silent.
SIGN_EVERY = 15.0
SILENT_AFTER = timedelta(seconds=90)
# Rows of processes that ended are kept for this long.
KEPT = timedelta(days=2)


_looks: list[Callable[[], None]] = []


def register_look(look: Callable[[], None]) -> None:
    """Have this called whenever a worker or a clock gives a sign, to look after the other one. It must not wait."""
    _looks.append(look)


def look_after_others() -> None:
    for look in _looks:
        look()


def process_name() -> str:
    """Machine and process, such as "web-1:4711"."""
    return f"{socket.gethostname()}:{os.getpid()}"[:200]


def give_sign(kind: SignKind, name: str = "", **facts: object) -> None:
    """Record a sign of life now. Raises what the database raises."""
    Sign.objects.update_or_create(kind=kind, name=name, defaults={"at": timezone.now(), "facts": facts})


def give_sign_and_hang_up(kind: SignKind, name: str, **facts: object) -> None:
    """Like `give_sign`, for a thread that asks the database for nothing else: it keeps no connection."""
    try:
        give_sign(kind, name, **facts)
    finally:
        connection.close()


def last_sign(kind: SignKind) -> Sign | None:
    """The newest sign of this kind."""
    return Sign.objects.filter(kind=kind).order_by("-at").first()


def recent_signs(kind: SignKind, *, now: datetime | None = None) -> list[Sign]:
    """The signs of parts that are not silent, newest first."""
    since = (now or timezone.now()) - SILENT_AFTER
    return list(Sign.objects.filter(kind=kind, at__gt=since).order_by("-at"))


def other_machines() -> set[str]:
    """The names of the machines with a worker that is not silent, without this one."""
    return {sign.name.rpartition(":")[0] for sign in recent_signs(SignKind.WORKER)} - {socket.gethostname()}


def forget_old_signs() -> int:
    """Delete the signs of processes that ended long ago. Returns their number."""
    of_processes = Sign.objects.filter(kind__in=[SignKind.WORKER, SignKind.CLOCK])
    return of_processes.filter(at__lt=timezone.now() - KEPT).delete()[0]


def touch(kind: SignKind) -> None:
    """Renew this machine's file of the kind, which `python -m config.alive` looks at. An existing file takes no
    space on the disk."""
    path = sign_file(Path(settings.VAR_DIR), str(kind))
    try:
        os.utime(path)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def sign_file(var_dir: Path, kind: str) -> Path:
    """The file whose time is the last sign of this kind on this machine."""
    return var_dir / "alive" / f"{kind}-{socket.gethostname()}"
