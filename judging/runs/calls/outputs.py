"""Turns replies into the rows that people read: a response, a judge model's judgment, a suggestion for an annotator,
or the output of another purpose.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from ...catalogue.messages import judge_of, offered_by
from ...catalogue.purposes import Answered, by_purpose
from ...endpoints.replies import ChatReply
from ...models import Attempt, Mark, ModelJudgment, Response, Run
from ...protocol.tasks import verdict_readers

# The columns that an output takes from its reply, and those that a response takes from its call.
OF_REPLY = (
    *("text", "finish_reason", "refusal", "reasoning", "provider_id", "served_model"),
    *("prompt_tokens", "completion_tokens", "cached_tokens", "seconds"),
)
ASKED = ("run_id", "instance_id", "model_id", "template_id", "repetition", "answer_part", "variant_id")


def store_outputs(answered: list[Answered], *, now: datetime) -> None:
    """Store the outputs of calls that have just got their reply. Call it inside the transaction that marks them
    done."""
    for purpose, some in by_purpose(answered):
        purpose.store(some, now=now)


def judgments_of(answered: Sequence[Answered], now: datetime) -> Iterator[ModelJudgment]:
    """The judgments in the replies to these calls."""
    judged = Response.objects.select_related("template").in_bulk([call.judged_response_id for call, _, _ in answered])
    runs = Run.objects.only("reader", "as_json_schema").in_bulk({call.run_id for call, _, _ in answered})
    for call, attempt, reply in answered:
        response, run = judged[call.judged_response_id], runs[call.run_id]
        judge = judge_of(response)
        yield ModelJudgment(
            run_id=call.run_id,
            response=response,
            model_id=call.model_id,
            attempt=attempt,
            assembly=judge.assembly_as_json if run.as_json_schema else judge.assembly,
            **judgment_values(response, reply, run.reader),
            **output_values(attempt, reply, now),
        )


def output_values(attempt: Attempt, reply: ChatReply, now: datetime) -> dict[str, Any]:
    return {
        **{name: getattr(reply, name) for name in OF_REPLY},
        "mark": Mark(reply.outcome),
        "cost": attempt.cost,
        "reused": attempt.reused_from_id is not None,
        "answered_at": now,
    }


def judgment_values(judged: Response, reply: ChatReply, reader: str) -> dict[str, Any]:
    """The verdict in a judge's reply, or why there is none."""
    by = verdict_readers()[reader]
    parsed = by.read(reply.text, allowed=offered_by(judged), finish_word=reply.finish_reason)
    return {
        "reader": by.version,
        "verdict": parsed.verdict or "",
        "unreadable_reason": parsed.reason or "",
        "comment": parsed.comment,
        "hint": parsed.hint or "",
    }
