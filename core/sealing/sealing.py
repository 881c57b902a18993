"""Seals new entries of the log, in the background: a save waits for no lock of a chain.

On PostgreSQL an entry may become visible after one with a higher number, and those of an import become visible all
together. So the chain has the entries in the order in which sealing finds them, and sealing begins at a number up to
which no more can come.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone

from ..engine.writing.pieces import in_chunks, in_pieces
from ..health.signs import give_sign, last_sign
from ..models import Batch, Event, Seal, SignKind
from .digests import COLUMNS, START, digest_of

# No transaction is open for longer; the nightly verification looks for entries of one that was.
LONGEST_TRANSACTION = timedelta(hours=1)
READ_AT_ONCE = 500


def seal_new_entries(*, all_of_them: bool = False) -> int:
    """Seal the visible entries that have no seal, in pieces; returns their number. If another process does so at the
    same time, one of them stops. With `all_of_them`, the whole log is searched for such entries.
    """
    began, sign = timezone.now(), last_sign(SignKind.SEALED)
    facts = sign.facts if sign else {}
    last = Event.everything.aggregate(last=Max("pk"))["last"] or 0
    is_quiet = not Batch.objects.filter(is_open=True).exists()
    try:
        count = in_pieces(_entries(0 if all_of_them else facts.get("complete_to", 0)), _seal, most=READ_AT_ONCE)
    except IntegrityError:  # another process has given out the same position
        return 0
    give_sign(SignKind.SEALED, **_progress(facts, began, last, is_quiet=is_quiet))
    return count


def unsealed(since: int) -> QuerySet[Event]:
    """The visible entries above this number without a seal, in order."""
    sealed = Exists(Seal.objects.filter(event=OuterRef("pk")))
    return Event.objects.filter(~sealed, pk__gt=since).order_by("pk")


def _entries(since: int) -> Iterator[tuple[Any, ...]]:
    keys = list(unsealed(since).values_list("pk", flat=True))
    for chunk in in_chunks(keys, READ_AT_ONCE):
        yield from Event.objects.filter(pk__in=chunk).order_by("pk").values_list(*COLUMNS)


def _seal(entries: list[tuple[Any, ...]]) -> None:
    last = Seal.objects.order_by("-position").first()
    position, digest = (last.position, last.digest) if last else (0, START)
    seals = []
    for entry in entries:
        position, digest = position + 1, digest_of(digest, position + 1, entry)
        seals.append(Seal(position=position, event_id=entry[0], digest=digest))
    Seal.objects.bulk_create(seals)


def _progress(facts: dict[str, Any], began: datetime, last: int, *, is_quiet: bool) -> dict[str, Any]:
    """The number up to which all entries are sealed. It rises to what was the last entry long enough ago, unless an
    import is open, whose entries have numbers already.
    """
    complete_to, coming, since = facts.get("complete_to", 0), facts.get("coming", 0), facts.get("since")
    if is_quiet and (since is None or began - datetime.fromisoformat(since) > LONGEST_TRANSACTION):
        complete_to, coming, since = coming, last, began.isoformat()
    return {"complete_to": complete_to, "coming": coming, "since": since}
