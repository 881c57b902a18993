"""From a reply to the row that people read: a response, a judge model's judgment, a suggestion for an annotator."""

from datetime import datetime
from typing import Any

from annotation.assisting import model_suggestions

from ..endpoints.replies import Reply
from ..models import Attempt, Call, Mark, ModelJudgment, Response, Run
from ..protocol.judge import ASSEMBLY, ASSEMBLY_AS_JSON
from ..protocol.verdict_readers import VERSIONS, Reader, read_verdict
from ..protocol.verdicts import Verdict

# The fields that a response takes from its call.
ASKED = ("run_id", "instance_id", "model_id", "template_id", "repetition", "resolved_id")


def store_outputs(answered: list[tuple[Call, Attempt, Reply]], *, now: datetime) -> None:
    """Store the outputs of calls that have just got their reply. Call it inside the transaction that marks them
    done."""
    for call, _, reply in answered:
        if call.model_suggestion_id is not None:
            outcome = Mark(reply.outcome)
            problem = "" if outcome == Mark.COMPLETE else f"The reply is not a suggestion: {outcome.label.lower()}."
            model_suggestions.deliver(call.model_suggestion_id, reply.text, problem=problem)
    answered = [each for each in answered if not each[0].is_for_suggestion]
    judgments = [each for each in answered if each[0].is_for_judgment]
    judged = Response.objects.select_related("template").in_bulk(
        [call.judged_response_id for call, _, _ in judgments]
    )
    runs = Run.objects.only("reader", "as_json_schema").in_bulk({call.run_id for call, _, _ in judgments})
    Response.objects.bulk_create(
        Response(
            **{name: getattr(call, name) for name in ASKED}, attempt=attempt, **output_values(attempt, reply, now)
        )
        for call, attempt, reply in answered
        if not call.is_for_judgment
    )
    # A judge that was asked again because its first reply had no verdict: that reply is kept with its attempt.
    for call, _, _ in judgments:
        if call.attempts_made > 1:
            ModelJudgment.objects.filter(
                run=call.run_id, response=call.judged_response_id, model=call.model_id, verdict=""
            ).delete()
    ModelJudgment.objects.bulk_create(
        ModelJudgment(
            run_id=call.run_id,
            response=judged[call.judged_response_id],
            model_id=call.model_id,
            attempt=attempt,
            assembly=ASSEMBLY_AS_JSON if runs[call.run_id].as_json_schema else ASSEMBLY,
            **judgment_values(judged[call.judged_response_id], reply, runs[call.run_id].reader),
            **output_values(attempt, reply, now),
        )
        for call, attempt, reply in judgments
    )


def output_values(attempt: Attempt, reply: Reply, now: datetime) -> dict[str, Any]:
    return {
        "text": reply.text,
        "mark": Mark(reply.outcome),
        "finish_reason": reply.finish_reason,
        "refusal": reply.refusal,
        "reasoning": reply.reasoning,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cached_tokens": reply.cached_tokens,
        "seconds": reply.seconds,
        "cost": attempt.cost,
        "provider_id": reply.provider_id,
        "served_model": reply.served_model,
        "reused": attempt.reused_from_id is not None,
        "answered_at": now,
    }


def judgment_values(judged: Response, reply: Reply, reader: str) -> dict[str, Any]:
    """The verdict in a judge's reply, or why there is none."""
    offered = judged.template.offered_verdicts or tuple(Verdict)
    parsed = read_verdict(reply.text, reader=reader, allowed=offered, truncated=reply.outcome == Mark.CUT)
    return {
        "reader": VERSIONS[Reader(reader)],
        "verdict": parsed.verdict or "",
        "unreadable_reason": parsed.reason or "",
        "comment": parsed.comment,
        "hint": parsed.hint or "",
    }
