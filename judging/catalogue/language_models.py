"""Adds and changes the models that answer and judge; tries one with a single call."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from core.languages import say
from core.models import Event, User
from core.refusals import Refusal

from ..endpoints.failures import CallFailed
from ..endpoints.reasons import reason_in_words
from ..endpoints.replies import ChatReply
from ..endpoints.requests import path_of
from ..models import Call, JudgingAction, LanguageModel, ModelKind, PromptTemplate, Response
from ..protocol.prompts import chat_messages
from ..protocol.replies import ReplySpec
from ..protocol.tasks import judge_baselines, task_baselines
from .messages import request_body

# The settings that determine a model's answers: the database refuses to change them once a call has been made.
ANSWERING = ("endpoint_name", "decoding", "max_tokens_name", "empty_system_message")
# Seconds: an admin is waiting for a test call; a run can wait longer.
TRIAL_SECONDS = 30.0
# The maximum number of alternatives of a token that tasks request: some endpoints refuse more.
TRIAL_TOP = 20
TRIAL_PROMPT = "Reply with the one word: ready"
_ENDPOINTS_FIRST = ("-kind", "name")


def answerers() -> QuerySet[LanguageModel]:
    """Models that a new run may ask for answers: those at endpoints, then baselines of tasks."""
    answering = ~Q(kind=ModelKind.BASELINE) | Q(endpoint_name__in=task_baselines())
    return LanguageModel.objects.callable().filter(answering).order_by(*_ENDPOINTS_FIRST)


def judges() -> QuerySet[LanguageModel]:
    """Models that a new run may ask to judge, in the same order."""
    judging = ~Q(kind=ModelKind.BASELINE) | Q(endpoint_name__in=judge_baselines())
    return LanguageModel.objects.callable().filter(judging).order_by(*_ENDPOINTS_FIRST)


def answers_to(model: LanguageModel, template: PromptTemplate) -> bool:
    """Return whether the model can be asked with the template: a baseline supports certain tasks."""
    return model.kind != ModelKind.BASELINE or model.endpoint_name in template.what.baselines


def is_used(model: LanguageModel) -> bool:
    return Call.objects.filter(model=model).exists() or Response.objects.filter(model=model).exists()


@transaction.atomic
def add_model(*, actor: User | None, **values: object) -> LanguageModel:
    """Add a model at an endpoint. Raises Refusal if the name is taken."""
    try:
        with transaction.atomic():
            model = LanguageModel.objects.create(kind=ModelKind.ENDPOINT, created_by=actor, **values)
    except IntegrityError as error:
        raise Refusal(
            say("There is already a model called {name}. Nothing was saved.", name=values.get("name"))
        ) from error
    Event.record(JudgingAction.ADDED, model, actor=actor, after={name: in_log(values[name]) for name in values})
    return model


@transaction.atomic
def change_model(*, model: LanguageModel, actor: User | None, **values: object) -> LanguageModel:
    """Change the changeable settings. Raises Refusal if the change would make a used model answer differently."""
    # No call that starts in the meantime sees half of the change.
    model = LanguageModel.objects.select_for_update().get(pk=model.pk)
    before = {name: getattr(model, name) for name in values if getattr(model, name) != values[name]}
    if not before:
        return model
    answering = [name.replace("_", " ") for name in ANSWERING if name in before]
    if answering and is_used(model):
        raise Refusal(
            say(
                "{model} has been called with its present {answering}, so that cannot change: its "
                "responses would no longer match this page. Nothing was saved. Make a copy under "
                "another name instead.",
                model=model,
                answering=", ".join(answering),
            )
        )
    for name in before:
        setattr(model, name, values[name])
    try:
        with transaction.atomic():
            model.save(update_fields=list(before))
    except IntegrityError as error:
        raise Refusal(say("There is already a model called {name}. Nothing was saved.", name=model.name)) from error
    Event.record(
        JudgingAction.CHANGED,
        model,
        actor=actor,
        before={name: in_log(value) for name, value in before.items()},
        after={name: in_log(values[name]) for name in before},
    )
    return model


def in_log(value: object) -> Any:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, dict):
        return str(value) if value else ""
    return value


def offer_model(*, model: LanguageModel, is_offered: bool, actor: User | None) -> LanguageModel:
    """Offer a model for new runs, or stop offering it. Runs that use it continue."""
    return change_model(model=model, actor=actor, is_offered=is_offered)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a test call: a reply, or a title and a sentence about the problem."""

    title: str
    message: str = ""
    reply: ChatReply | None = None
    cost: Decimal | None = None


# Messages for a single call that differ from those for a run.
TITLES = {
    "endpoint": say("This address or key may not be used here"),
    "rate": say("Too many calls at the moment"),
    "broken off": say("The connection was interrupted"),
    "unreadable": say("The address does not answer as a chat API"),
    "web page": say("The address does not answer as a chat API"),
    "filtered": say("The message was filtered"),
}


def try_model(*, model: LanguageModel, actor: User | None) -> Trial:
    """Ask the model for one word, now, with its own decoding. The call belongs to no run; a priced model charges for
    it."""
    from ..endpoints.client import complete_chat  # uses 40 MB: only in a process that sends calls

    if model.kind != ModelKind.ENDPOINT:
        raise Refusal(say("{model} has no endpoint to call. Nothing was sent.", model=model), status=400)
    messages = chat_messages(TRIAL_PROMPT, empty_system=model.empty_system_message)
    endpoint = replace(model.endpoint, timeout=min(model.endpoint.timeout, TRIAL_SECONDS))
    try:
        request = request_body(
            model, messages, spec=ReplySpec(top_logprobs=TRIAL_TOP if model.token_probabilities else 0)
        )
        reply = complete_chat(endpoint, request, path=path_of(request))
    except CallFailed as failure:
        trial = Trial(TITLES.get(failure.reason) or reason_in_words(failure.reason), failure.message)
    except ValueError as error:
        trial = Trial(say("The decoding cannot be sent"), str(error))
    else:
        known = reply.prompt_tokens is not None and reply.completion_tokens is not None
        cached = reply.cached_tokens or 0
        told = (reply.prompt_tokens or 0, reply.completion_tokens or 0)
        cost = model.cost(*told, cached_tokens=cached) if known else None
        lacks = model.token_probabilities and reply.tokens is None
        trial = Trial(
            say("It answered without log-probabilities") if lacks else say("It answered"), reply=reply, cost=cost
        )
    Event.record(JudgingAction.MADE_TEST_CALL, model, actor=actor, message=trial.title)
    return trial
