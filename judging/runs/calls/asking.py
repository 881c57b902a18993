"""Makes one call that was taken: at its endpoint, or with a baseline. Does not use the database, so any thread may do
it."""

import dataclasses
import logging
import time

from ...catalogue.purposes import purpose_of
from ...endpoints.failures import CallFailed, InDoubt, Rejected
from ...endpoints.replies import ChatReply, read_reply
from ...models import Call
from ...protocol.replies import Reply
from . import spool
from .calls import TakenCall
from .landing import Result

log = logging.getLogger(__name__)

LOOKUP_SECONDS = 10.0


def ask_endpoint(taken: TakenCall) -> Result:
    """Send the call once and return its outcome. The reply is on disk before it is parsed."""
    from ...endpoints.client import complete_chat  # takes 40 MB: only in a process that sends a call

    started = time.monotonic()
    is_on_disk = False

    def on_arrival(raw: bytes) -> None:
        nonlocal is_on_disk
        try:
            spool.keep_reply(taken.key, taken.attempt, raw, seconds=time.monotonic() - started)
            is_on_disk = True
        except OSError:
            # The disk is full: the reply is paid and in memory, and goes into the database next.
            log.exception("The reply to call %s could not be put on disk", taken.key)

    reply: ChatReply | None = None
    failure: CallFailed | None = None
    try:
        reply = complete_chat(
            taken.model.endpoint,
            taken.request.body,
            request_key=taken.key,
            on_arrival=on_arrival,
            path=taken.request.path,
        )
    except CallFailed as error:
        failure = error
    except Exception as error:
        # An unexpected error, so nothing proves that the call was not paid.
        log.exception("Call %s ended with an error of this program", taken.key)
        failure = InDoubt(f"This program failed: {type(error).__name__}", reason="program")
    return Result(
        taken.key,
        taken.attempt,
        reply=reply,
        failure=failure,
        model_id=taken.model.pk,
        sent_at=taken.sent_at,
        can_wait=is_on_disk and reply is not None,
        was_probe=taken.is_probe,
    )


def look_up(call: Call) -> Result | None:
    """The reply to a call in doubt, if its provider stored it. Finding none proves nothing."""
    from ...endpoints.client import find_stored  # as above

    endpoint = dataclasses.replace(call.model.endpoint, timeout=LOOKUP_SECONDS, connect_timeout=LOOKUP_SECONDS)
    try:
        for body in find_stored(endpoint, str(call.key)):
            return Result(str(call.key), call.attempts_made, reply=read_reply(body))
    except CallFailed as failure:
        log.info("Call %s cannot be looked up: %s", call.key, failure.reason)
    return None


def ask_baseline(taken: TakenCall) -> Result:
    try:
        said = purpose_of(taken.call).baseline_reply(taken.call)
    except KeyError:
        failure = Rejected(f"There is no baseline “{taken.model.endpoint_name}” for this run.", reason="model")
        return Result(taken.key, taken.attempt, failure=failure)
    said = said if isinstance(said, Reply) else Reply(said)
    reply = ChatReply(
        text=said.text,
        finish_reason=said.finish or "stop",
        prompt_tokens=0,
        completion_tokens=0,
        tokens=said.tokens,
        raw=said.text.encode(),
    )
    return Result(taken.key, taken.attempt, reply=reply, model_id=taken.model.pk, can_wait=True)
