"""The purposes of calls in every benchmark: a response, a judge model's judgment, a suggestion for an annotator."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.assisting import model_suggestions
from annotation.models import Instance, ModelSuggestion
from core.engine.writing.inserts import Insert, insert
from core.languages import say

from ..catalogue.messages import (
    answer_messages,
    content_of,
    correct_answers,
    judge_of,
    judged_of,
    judgment_messages,
    subject,
)
from ..catalogue.purposes import Answered, Messages, PlannedCall, Planning, Purpose
from ..catalogue.readings import store_readings
from ..endpoints.replies import ChatReply
from ..models import Attempt, Call, CallState, Mark, ModelJudgment, PromptTemplate, Response, Run, RunKind
from ..protocol.prompts import chat_messages
from ..protocol.replies import Reply, ReplySpec, stored_tokens
from ..protocol.thoughts import named_marks
from .calls.outputs import ASKED, judgments_of, output_values


class ForResponse(Purpose):
    """The purpose of asking one model with one template about one instance."""

    code, kind = "response", RunKind.ANSWER
    template = "judging/_call_instance.html"

    def planned(self, planner: Planning) -> Iterator[PlannedCall]:
        return planner.responses()

    def messages(self, call: Call) -> Messages:
        how: dict[str, Any] = {"part": call.answer_part, "empty_system": call.model.empty_system_message}
        return answer_messages(*subject(call), call.variant, **how)

    def reply_spec(self, call: Call) -> ReplySpec:
        return subject(call)[1].what.reply_spec

    def baseline_reply(self, call: Call) -> Reply | str:
        instance, template = subject(call)
        name = call.model.endpoint_name
        asked = (name, instance.content, template.as_template(), content_of(call.variant))
        return template.what.part_baseline(*asked, call.answer_part)

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        templates = PromptTemplate.objects.in_bulk({call.template_id for call, _, _ in answered if call.template_id})
        composed = compositions([call for call, _, _ in answered], templates)
        insert(
            Insert.of(
                Response,
                **{name: getattr(call, name) for name in ASKED},
                attempt_id=attempt.pk,
                marks_left=named_marks(reply.text),
                composition=composed.get(call.pk),
                **response_values(call, attempt, reply, templates[call.template_id].what.reply_spec, now),
            )
            for call, attempt, reply in answered
        )
        stored = Response.objects.filter(attempt__in=[attempt.pk for _, attempt, _ in answered])
        store_readings(stored, templates=templates)

    def outputs(self, run: Run) -> QuerySet:
        return run.responses.all()

    def title(self, call: Call) -> str:
        return say("{model} on prompt {label}", model=call.model, label=subject(call)[1].label)

    def listed(self, call: Call) -> str:
        return subject(call)[0].question

    def about(self, call: Call) -> Mapping[str, object]:
        return {"subject": call}


def compositions(calls: Sequence[Call], templates: Mapping[int, PromptTemplate]) -> dict[int, Mapping[str, Any]]:
    """The compositions of the prompts of these calls, by call, where their tasks record it."""
    recorded = [call for call in calls if templates[call.template_id or 0].what.has_composition]
    contents = Instance.objects.in_bulk({call.instance_id for call in recorded if call.instance_id})
    found = {}
    for call in recorded:
        template = templates[call.template_id or 0]
        found[call.pk] = template.what.composition(contents[call.instance_id or 0].content, template.code)
    return {number: composition for number, composition in found.items() if composition}


class ForJudgment(Purpose):
    """The purpose of asking a judge model about a response."""

    code, kind = "judgment", RunKind.JUDGE
    template = "judging/_call_judged.html"

    def planned(self, planner: Planning) -> Iterator[PlannedCall]:
        return planner.judgments()

    def messages(self, call: Call) -> Messages:
        return judgment_messages(judged(call))

    def schema_for(self, call: Call) -> Response | None:
        return judged(call) if call.run.as_json_schema else None

    def baseline_reply(self, call: Call) -> str:
        response = judged(call)
        return judge_of(response).baseline_reply(call.model.endpoint_name, judged_of(response))

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        # A judge that was asked again because its first reply had no verdict: that reply is kept with its attempt.
        for call, _, _ in answered:
            if call.attempts_made > 1:
                ModelJudgment.objects.filter(
                    run=call.run_id, response=call.judged_response_id, model=call.model_id, verdict=""
                ).delete()
        ModelJudgment.objects.bulk_create(judgments_of(answered, now))

    def outputs(self, run: Run) -> QuerySet:
        return run.judgments.all()

    def unreadable(self, run: Run) -> QuerySet[Call]:
        unreadable = ModelJudgment.objects.filter(
            run=run, response=OuterRef("judged_response"), model=OuterRef("model"), verdict=""
        )
        return run.calls.filter(Exists(unreadable), state=CallState.DONE)

    def title(self, call: Call) -> str:
        return say("{model} judges a response", model=call.model)

    def listed(self, call: Call) -> str:
        return judged(call).instance.question

    def about(self, call: Call) -> Mapping[str, object]:
        return {"subject": judged(call), "answers": correct_answers(judged(call))}


class ForSuggestion(Purpose):
    """The purpose of asking a model for a suggestion at an annotator's desk."""

    code, kind = "suggestion", RunKind.SUGGESTION
    is_waited_for = True
    template = "judging/_call_suggestion.html"

    def messages(self, call: Call) -> Messages:
        return chat_messages(asked_for(call).prompt, empty_system=call.model.empty_system_message)

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        for call, _, reply in answered:
            outcome = Mark(reply.outcome)
            problem = "" if outcome == Mark.COMPLETE else f"The reply is not a suggestion: {outcome.label.lower()}."
            model_suggestions.deliver(asked_for(call).pk, reply.text, problem=problem)

    def title(self, call: Call) -> str:
        return say("{model} makes a suggestion for an annotator", model=call.model)

    def listed(self, call: Call) -> str:
        return say("Suggestion for {target}", target=asked_for(call).target)

    def about(self, call: Call) -> Mapping[str, object]:
        return {"suggestion": call.model_suggestion}


def response_values(
    call: Call, attempt: Attempt, reply: ChatReply, spec: ReplySpec, now: datetime
) -> dict[str, object]:
    """The columns of a response from its reply, with the log-probabilities if its task requests them."""
    values = output_values(attempt, reply, now)
    if values["mark"] == Mark.CUT and spec.ends_at_limit(call.model.max_tokens):
        values["mark"] = Mark.COMPLETE
    return values | {"logprobs": stored_tokens(reply.tokens) if spec.top_logprobs else None}


def asked_for(call: Call) -> ModelSuggestion:
    """The suggestion of a call."""
    if call.model_suggestion is None:
        raise TypeError("only a call for a suggestion has one")
    return call.model_suggestion


def judged(call: Call) -> Response:
    """The response of a call for a judgment."""
    if call.judged_response is None:
        raise TypeError("only a call for a judgment has a response under judgment")
    return call.judged_response
