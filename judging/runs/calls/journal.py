"""Keeps, outside the database, which calls were sent and the replies that have landed, for some weeks.

A database that was restored from a backup does not know the calls sent since then. `judging.runs.recovery` tells it:
a call whose reply is here gets it, one that was sent without a known outcome is in doubt, and neither is paid again.

Below VAR_DIR/replies: `sent/DAY.jsonl` has a line for each call before it goes out, and for each that provably cost
nothing; `DAY/` has the replies as they were on disk (`spool.py`).
"""

import json
import logging
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone

from ...models import CallBatch, ModelKind
from . import spool

if TYPE_CHECKING:
    from .calls import TakenCall

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sending:
    """A call that was sent: its key, the number of the attempt, and what the attempt's row had."""

    key: str
    attempt: int
    digest: str
    tokens: int
    cost: str
    at: str
    batch: str = ""


def folder() -> Path:
    return Path(settings.VAR_DIR) / "replies"


def note_sent(taken: "Iterable[TakenCall]", *, batch: CallBatch | None = None) -> None:
    """Write down, on disk, that these calls are sent next. Baselines cost nothing and are left out."""
    _append(
        {
            "key": each.key,
            "attempt": each.attempt,
            "digest": each.request.digest,
            "tokens": each.request.tokens,
            "cost": str(each.request.possible_cost),
            "at": (each.sent_at or timezone.now()).isoformat(),
            "batch": str(batch.key) if batch else "",
        }
        for each in taken
        if each.model.kind != ModelKind.BASELINE
    )


def note_unpaid(ended: Iterable[tuple[str, int]]) -> None:
    """Write down the keys and attempts that provably cost nothing."""
    _append({"unpaid": key, "attempt": attempt} for key, attempt in ended)


def note_batch(batch: CallBatch) -> None:
    """Write down that the provider is asked next to create this batch."""
    _append([{"asked": str(batch.key), "at": timezone.now().isoformat()}])


def _append(lines: Iterable[dict[str, Any]]) -> None:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    if not text:
        return
    path = folder() / "sent" / f"{timezone.now():%Y-%m-%d}.jsonl"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # only a restore from a backup would miss it
        log.exception("Calls could not be written to %s", path)


def keep_landed(key: str, attempt: int) -> None:
    """Move the reply of a call that is in the database from the spool to the replies of today."""
    path, target = spool.reply_path(key, attempt), folder() / f"{timezone.now():%Y-%m-%d}"
    if settings.REPLIES_KEPT_DAYS == 0:
        spool.drop_reply(key, attempt)
        return
    try:
        path.replace(target / path.name)
    except FileNotFoundError:
        if not path.exists():
            return
        target.mkdir(parents=True, exist_ok=True)
        path.replace(target / path.name)


@dataclass(frozen=True, slots=True)
class Journal:
    """Everything in the journal: sendings by key, the attempts that cost nothing, batches asked for with the time,
    and the files of replies by key and attempt.
    """

    sendings: dict[str, dict[int, Sending]]
    unpaid: set[tuple[str, int]]
    asked: dict[str, str]
    replies: dict[tuple[str, int], Path]


def read_journal() -> Journal:
    """Read the journal. Lines that cannot be read are left out: the last one may be cut short."""
    found = Journal({}, set(), {}, {})
    for line in _lines():
        try:
            if "unpaid" in line:
                found.unpaid.add((line["unpaid"], int(line["attempt"])))
            elif "asked" in line:
                found.asked[line["asked"]] = line["at"]
            else:
                sending = Sending(**line)
                found.sendings.setdefault(sending.key, {})[sending.attempt] = sending
        except (KeyError, TypeError, ValueError):
            continue
    for path in folder().glob(f"????-??-??/*{spool.SUFFIX}"):
        key, _, attempt = path.stem.rpartition("-")
        if attempt.isdecimal():
            found.replies[key, int(attempt)] = path
    return found


def _lines() -> Iterator[dict[str, Any]]:
    for path in sorted((folder() / "sent").glob("*.jsonl")):
        with path.open() as file:
            for text in file:
                try:
                    line = json.loads(text)
                except ValueError:
                    continue
                if isinstance(line, dict):
                    yield line


def forget_old() -> None:
    """Delete the journal of days that are over for longer than `REPLIES_KEPT_DAYS`."""
    last = timezone.now().date() - timedelta(days=max(settings.REPLIES_KEPT_DAYS, 1))
    for path in [*folder().glob("????-??-??"), *(folder() / "sent").glob("????-??-??*.jsonl")]:
        try:
            day = date.fromisoformat(path.name[:10])
        except ValueError:
            continue
        if day < last:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
