"""Stores replies on disk: a paid reply is safe there from its arrival on, even if process or database fail.

One file per reply below VAR_DIR/spool, named after the call's key and the attempt: a line of JSON, then the body as
it arrived. A file gets its name once it is complete. It is deleted once the reply is in the database.
"""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

SUFFIX = ".reply"
# Seconds: a partial file older than this belongs to a process that died while writing it.
PART_SECONDS = 3600.0


@dataclass(frozen=True)
class SpooledReply:
    key: str
    attempt: int
    seconds: float
    raw: bytes


def folder() -> Path:
    return Path(settings.VAR_DIR) / "spool"


def reply_path(key: str, attempt: int) -> Path:
    return folder() / f"{key}-{attempt}{SUFFIX}"


def keep_reply(key: str, attempt: int, raw: bytes, *, seconds: float) -> None:
    """Put a reply on disk; once this returns, it survives a power cut. `seconds` is the call's duration. Raises
    OSError if it cannot be written.
    """
    path = reply_path(key, attempt)
    part = path.with_suffix(".part")
    try:
        write(part, json.dumps({"seconds": seconds}).encode() + b"\n" + raw)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(part, json.dumps({"seconds": seconds}).encode() + b"\n" + raw)
    os.rename(part, path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def kept_replies(*, older_than: float = 0.0) -> Iterator[SpooledReply]:
    """The replies on disk that nobody has landed within `older_than` seconds."""
    now = time.time()
    for path in sorted(folder().glob(f"*{SUFFIX}")) if folder().is_dir() else []:
        try:
            if now - path.stat().st_mtime < older_than:
                continue
            head, _, raw = path.read_bytes().partition(b"\n")
            key, _, attempt = path.stem.rpartition("-")
            yield SpooledReply(key, int(attempt), float(json.loads(head)["seconds"]), raw)
        except FileNotFoundError:  # another process has landed it in the meantime
            continue
        except (ValueError, KeyError, TypeError):
            set_apart(path)


def drop_reply(key: str, attempt: int) -> None:
    """Remove a reply that is in the database."""
    reply_path(key, attempt).unlink(missing_ok=True)


def set_apart(path: Path) -> None:
    """Move a file of no call in this database out of the way; nothing is deleted."""
    target = folder() / "unknown"
    target.mkdir(exist_ok=True)
    path.rename(target / path.name)


def sweep_parts() -> None:
    """Remove partial files left by killed processes."""
    for path in folder().glob("*.part"):
        try:
            if time.time() - path.stat().st_mtime > PART_SECONDS:
                path.unlink()
        except FileNotFoundError:
            continue
