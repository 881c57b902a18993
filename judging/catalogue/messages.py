"""The content of a call: the messages for an instance and a template, or for a judge and a response."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.models import Instance

from ..endpoints import costs
from ..endpoints.requests import (
    CHAT_PATH,
    COMPLETIONS_PATH,
    chat_request,
    completion_request,
    path_of,
    probabilities_request,
    request_digest,
)
from ..models import Call, InstanceVariant, LanguageModel, PromptTemplate, Response, TokenProbabilities
from ..models.language_models import TOKEN_LIMITS
from ..protocol.judges import Judge, Judged
from ..protocol.prompts import MissingValue, chat_messages
from ..protocol.replies import ORDINARY, ReplySpec
from ..protocol.tasks import Content
from ..protocol.verdicts import Verdict
from .purposes import Messages, purpose_of

# Tokens reserved from a budget for an answer if the model has no token limit.
MOST_ANSWER_TOKENS = 4096


@dataclass(frozen=True)
class Request:
    """A call's request, and its maximum of tokens and money."""

    body: dict[str, Any]
    tokens: int
    possible_cost: Decimal
    digest: str = ""
    # Its path below the address of the endpoint.
    path: str = CHAT_PATH


def content_of(variant: InstanceVariant | None) -> Content | None:
    return variant.content if variant else None


def answer_messages(
    instance: Instance,
    template: PromptTemplate,
    variant: InstanceVariant | None,
    *,
    part: int = 1,
    empty_system: bool = True,
) -> Messages:
    """The messages that request a response, or a part of an answer. Raises MissingValue if the instance lacks a value
    that the template uses.
    """
    prompt = template.what.part_prompt(instance, template.as_template(), content_of(variant), part)
    return chat_messages(prompt, system=template.system, empty_system=empty_system)


def correct_answers(response: Response) -> list[str]:
    """The gold answers that count for a response, depending on its template. Blank ones are left out."""
    template = response.template
    return template.what.correct_answers(response.instance, template.as_template(), content_of(response.variant))


def judged_of(response: Response) -> Judged:
    """A response as its judge gets it. Raises MissingValue if there is no gold answer to compare."""
    answers = correct_answers(response)
    if not answers:
        raise MissingValue("The instance has no answer to compare a response with.")
    template = response.template
    asked = (response.instance.question, answers, response.text)
    return Judged(*asked, expects=template.expects, offered=template.offered_verdicts)


def judge_of(response: Response) -> Judge:
    """The judge of a response's task. Raises MissingValue if responses to it get no verdicts."""
    task = response.template.what
    if task.judge is None:
        raise MissingValue(f"Responses to the task “{task.name}” get no verdicts.")
    return task.judge


def judgment_messages(response: Response) -> Messages:
    """The messages that ask a judge about a response. Raises MissingValue if there is no gold answer to compare."""
    return judge_of(response).messages(judged_of(response))


def offered_by(response: Response) -> tuple[Verdict, ...]:
    """The verdicts that a judge may give on a response."""
    return response.template.offered_verdicts or tuple(Verdict)


def call_messages(call: Call) -> Messages:
    """The messages of a call. Raises MissingValue if its subject lacks a value that they need."""
    return purpose_of(call).messages(call)


def subject(call: Call) -> tuple[Instance, PromptTemplate]:
    """The subject of a call for a response."""
    if call.instance is None or call.template is None:
        raise TypeError("only a call for a response has instance and template")
    return call.instance, call.template


def make_request(call: Call, *, in_batch: bool = False) -> Request:
    """The request for a call sent separately or in a batch. Raises MissingValue as `call_messages` does, and
    ValueError if a decoding parameter is not valid.
    """
    model, messages = call.model, call_messages(call)
    purpose = purpose_of(call)
    if (text := purpose.text_of_tokens(call)) is not None:
        return probabilities_of(model, text)
    schema_for, spec = purpose.schema_for(call), purpose.reply_spec(call)
    store_as = str(call.key) if model.keeps_completions else ""
    body = request_body(model, messages, schema_for=schema_for, store_as=store_as, spec=spec)
    answer_tokens = spec.limit(model.max_tokens) or MOST_ANSWER_TOKENS
    return Request(
        body=body,
        tokens=costs.estimate_tokens(messages) + answer_tokens,
        possible_cost=most_cost(model, messages, answer_tokens, in_batch=in_batch),
        digest=digest_of(model, body),
        path=path_of(body),
    )


def probabilities_of(model: LanguageModel, text: str) -> Request:
    """The request for the probabilities of a text's tokens, as a call."""
    said, body = [{"role": "user", "content": text}], probabilities_request(model.endpoint_name, text)
    return Request(
        body=body,
        tokens=costs.estimate_tokens(said),
        possible_cost=most_cost(model, said, 1),
        digest=digest_of(model, body),
        path=COMPLETIONS_PATH,
    )


def request_body(
    model: LanguageModel,
    messages: Messages,
    *,
    schema_for: Response | None = None,
    store_as: str = "",
    spec: ReplySpec = ORDINARY,
) -> dict[str, Any]:
    """The JSON of a call. `schema_for` is the response whose verdict is requested as JSON by a schema, `spec` the
    requested properties of the reply. Raises ValueError if a decoding parameter is not valid.
    """
    decoding, name = decoding_for(model, spec), model.max_tokens_name
    if spec.top_logprobs and model.token_probabilities == TokenProbabilities.COMPLETIONS:
        asked: dict[str, Any] = {"max_tokens_name": name, "top_logprobs": spec.top_logprobs}
        return completion_request(model.endpoint_name, messages, decoding, **asked)
    asked = {"max_tokens_name": name, "store_as": store_as, "top_logprobs": spec.top_logprobs}
    body = chat_request(model.endpoint_name, messages, decoding, **asked)
    if schema_for is not None:
        body["response_format"] = judge_of(schema_for).schema(offered_by(schema_for))
    return body


def decoding_for(model: LanguageModel, spec: ReplySpec) -> dict[str, object]:
    """The model's decoding, with the token limit of `spec` if that is lower."""
    if spec.limit(model.max_tokens) == model.max_tokens:
        return model.decoding
    without = {name: value for name, value in model.decoding.items() if name not in TOKEN_LIMITS}
    return without | {"max_tokens": spec.most_tokens}


def digest_of(model: LanguageModel, body: dict[str, Any]) -> str:
    return request_digest(model.base_url, model.query, body)


def most_cost(model: LanguageModel, messages: Messages, answer_tokens: int, *, in_batch: bool = False) -> Decimal:
    """The maximum cost of a call, in the currency of the model's prices."""
    if not model.is_priced:
        return Decimal(0)
    return model.cost(costs.most_tokens(messages), answer_tokens, in_batch=in_batch)
