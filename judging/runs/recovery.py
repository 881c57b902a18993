"""Tells a database that was restored from a backup which calls were sent since then, from the journal on disk.

A call whose reply is there gets it. One that was sent, with an outcome that nobody knows, is treated as if its worker
had died: it is in doubt. So no call is paid twice without a person, and no reply is lost. Nothing is sent.
"""

import logging
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from core.words import plural

from ..catalogue.messages import make_request
from ..catalogue.purposes import load_subjects
from ..models import Attempt, AttemptOutcome, BatchState, Call, CallBatch, CallState, Run
from .calls import spool
from .calls.calls import CALL_PARTS, SHARED_PARTS
from .calls.journal import Journal, Sending, read_journal
from .calls.landing import land_overdue, land_spool

log = logging.getLogger(__name__)

AT_A_TIME = 100
NOT_KNOWN = "Sent after the backup was made; its outcome was not written down. It may have been paid."
UNPAID = "Sent after the backup was made; it cost nothing."


def recover_calls() -> list[str]:
    """Bring calls up to date with the journal of this machine. Returns sentences about it."""
    journal = read_journal()
    told = answered = unknown = 0
    for keys in _pieces(journal.sendings):
        with transaction.atomic():
            calls = _calls(keys)
            unknown += len(keys) - len(calls)
            for call in calls:
                told += _tell(call, journal)
        for call in calls:
            answered += _bring_replies(call, journal)
    _recover_batches(journal)
    land_spool()
    doubtful = 0
    while some := land_overdue():
        doubtful += some
    said = []
    if told:
        said.append(
            f"{plural(told, 'call')} had been sent since the backup: {answered:,} found their replies on disk, and "
            f"{doubtful:,} are in doubt or will be asked again as after the death of a worker."
        )
    if unknown:
        said.append(
            f"{plural(unknown, 'call')} of the journal belong to no run here: it began after the backup, or the "
            "journal is of another database. Their replies stay below replies/ in the folder of data."
        )
    return said


def _pieces(found: Iterable[str]) -> Iterator[list[str]]:
    keys = iter(found)
    while piece := list(islice(keys, AT_A_TIME)):
        yield piece


def _calls(keys: list[str]) -> list[Call]:
    """The calls of these keys that have no answer yet, with everything needed for their requests, locked."""
    runs = Call.objects.filter(key__in=keys).order_by().values("run")
    list(Run.objects.select_for_update().filter(pk__in=runs).order_by("pk").values_list("pk"))
    rows = Call.objects.filter(key__in=keys).select_related("model", *CALL_PARTS).prefetch_related(*SHARED_PARTS)
    calls = list(rows.order_by("pk").select_for_update(of=("self",)))
    load_subjects(calls)
    return calls


def _tell(call: Call, journal: Journal) -> bool:
    """Write the attempts at this call that its row does not know; returns whether there are any."""
    if call.state == CallState.DONE:
        return False
    sendings = journal.sendings[str(call.key)]
    missing = sorted(number for number in sendings if number > call.attempts_made)
    if not missing:
        return False
    reserved = Decimal(0)
    for number in missing:
        sending = sendings[number]
        is_last, has_reply = number == missing[-1], (str(call.key), number) in journal.replies
        outcome = AttemptOutcome.IN_DOUBT
        if (str(call.key), number) in journal.unpaid:
            outcome = AttemptOutcome.UNPAID
        elif is_last or has_reply:
            outcome = AttemptOutcome.SENT
        if outcome != AttemptOutcome.UNPAID:
            reserved += Decimal(sending.cost)
        Attempt.objects.create(**_attempt(call, sending, outcome))
    if reserved:
        Run.objects.filter(pk=call.run_id).update(committed=F("committed") + reserved)
    _move(call, sendings[missing[-1]], outcome, number=missing[-1])
    return True


def _attempt(call: Call, sending: Sending, outcome: AttemptOutcome) -> dict[str, Any]:
    body: dict[str, Any] = {}
    with suppress(ValueError):
        request = make_request(call, in_batch=bool(sending.batch))
        body = request.body if request.digest == sending.digest else {}
    is_over = outcome != AttemptOutcome.SENT
    return {
        "call": call,
        "number": sending.attempt,
        "model": call.model,
        "request": body,
        "request_digest": sending.digest,
        "call_batch": _batch(call, sending),
        "worker": "journal",
        "tokens": sending.tokens,
        "possible_cost": Decimal(sending.cost),
        "cost": Decimal(0) if outcome == AttemptOutcome.UNPAID else None,
        "sent_at": datetime.fromisoformat(sending.at),
        "outcome": outcome,
        "ended_at": timezone.now() if is_over else None,
        "reason": "restored" if is_over else "",
        "message": {AttemptOutcome.UNPAID: UNPAID, AttemptOutcome.IN_DOUBT: NOT_KNOWN}.get(outcome, ""),
    }


def _batch(call: Call, sending: Sending) -> CallBatch | None:
    """The batch in which the call was sent, made anew if it was begun after the backup."""
    if not sending.batch:
        return None
    values = {"run_id": call.run_id, "model_id": call.model_id, "state": BatchState.CLOSED}
    return CallBatch.objects.get_or_create(key=sending.batch, defaults=values)[0]


def _move(call: Call, last: Sending, outcome: AttemptOutcome, *, number: int) -> None:
    rows = Call.objects.filter(pk=call.pk)
    if outcome == AttemptOutcome.UNPAID:
        rows.update(attempts_made=number)
        return
    batch = _batch(call, last)
    rows.update(
        state=CallState.SENT,
        attempts_made=number,
        ended_at=None,
        call_batch=batch,
        # Nobody waits for it: it is landed from the disk, or counts as left by a worker that died.
        lease_expires_at=None if batch else timezone.now() - timedelta(seconds=1),
    )
    if batch:
        CallBatch.objects.filter(pk=batch.pk).update(calls=F("calls") + 1)


def _bring_replies(call: Call, journal: Journal) -> bool:
    """Put the replies to this call back into the spool, unless it has its answer."""
    if call.state == CallState.DONE:
        return False
    found = False
    for number in journal.sendings[str(call.key)]:
        if path := journal.replies.get((str(call.key), number)):
            target = spool.reply_path(str(call.key), number)
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_suffix(".part")
            shutil.copyfile(path, part)
            os.replace(part, target)
            found = True
    return found


def _recover_batches(journal: Journal) -> None:
    """Have batches that may exist at their provider looked up there before they are created."""
    for keys in _pieces(journal.asked):
        for batch in CallBatch.objects.filter(key__in=keys, asked_at=None).exclude(state=BatchState.ENDED):
            state = BatchState.CLOSED if batch.state == BatchState.GATHERING else batch.state
            CallBatch.objects.filter(pk=batch.pk).update(
                state=state, asked_at=datetime.fromisoformat(journal.asked[str(batch.key)])
            )
