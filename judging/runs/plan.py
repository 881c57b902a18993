"""Plans a run before it asks: the number of calls, omissions with their reasons, tokens and money by model."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import islice, product
from typing import Any

from django.db.models import Avg, Count, QuerySet, Sum

from annotation.models import Instance
from core.engine.writing.pieces import few_at_a_time

from ..catalogue.language_models import answers_to
from ..catalogue.messages import (
    MOST_ANSWER_TOKENS,
    Messages,
    answer_messages,
    content_of,
    digest_of,
    judgment_messages,
    request_body,
)
from ..catalogue.purposes import PlannedCall, purpose_of_run
from ..endpoints import costs
from ..endpoints.requests import MEGABYTE, call_line
from ..models import (
    Call,
    InstanceVariant,
    LanguageModel,
    Mark,
    ModelJudgment,
    ModelKind,
    PromptTemplate,
    Response,
    Run,
    RunKind,
)
from ..protocol.prompts import MissingValue
from .calls.reuse import AT_A_TIME, Asked, can_reuse, earlier_replies

# With this many replies from a model, their mean length predicts the next.
ENOUGH_REPLIES = 20
# The size of a call's line in a batch besides the messages: its key, the model's name, the decoding.
BYTES_OF_THE_REST = 150


@dataclass
class ModelPlan:
    """One model's calls. `money` is the expected cost, `most_money` cannot be exceeded; None means no price."""

    model: LanguageModel
    calls: int = 0
    already_there: int = 0
    answered_before: int = 0
    # Replies to be reused from earlier runs, at no cost; they are not among the calls.
    reused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    # The maximum of the answers' tokens in total.
    most_tokens_out: int = 0
    money: Decimal | None = None
    most_money: Decimal | None = None
    # Calls whose prompt and longest answer exceed the model's window, and the longest of them in tokens.
    too_long: int = 0
    longest: int = 0
    # About the size of the calls as lines of batches.
    bytes: int = 0

    @property
    def batches(self) -> int:
        """The approximate number of batches for the calls."""
        by_size = self.bytes / (self.model.batch_megabytes * MEGABYTE)
        return math.ceil(max(self.calls / self.model.batch_calls, by_size))


@dataclass
class Plan:
    """Calls to make, by model; omissions, by template and reason."""

    run: Run
    models: list[ModelPlan] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        return sum(each.calls for each in self.models)

    @property
    def reused(self) -> int:
        return sum(each.reused for each in self.models)

    @property
    def is_empty(self) -> bool:
        """Return whether a run with this plan would have no calls, so that it could not be started."""
        return not self.calls and not self.reused

    @property
    def always_asked(self) -> list[LanguageModel]:
        """The models whose replies are not reused although the run reuses replies: not asked at temperature 0."""
        models = [each.model for each in self.models if each.model.kind == ModelKind.ENDPOINT]
        return [model for model in models if self.run.reuses_replies and not can_reuse(self.run, model)]

    @property
    def already_there(self) -> int:
        return sum(each.already_there for each in self.models)

    @property
    def money(self) -> Decimal | None:
        return total(each.money for each in self.models)

    @property
    def most_money(self) -> Decimal | None:
        return total(each.most_money for each in self.models)


def total(amounts) -> Decimal | None:
    """The sum; None if nothing has a price."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if known else None


def bytes_of(planned: PlannedCall) -> int:
    """About the size of the call as a line of a batch."""
    return len(call_line("", {"messages": planned.messages})) + BYTES_OF_THE_REST


def asked_by(planned: PlannedCall, run: Run, model: LanguageModel) -> Asked:
    """The question that earlier runs may have asked, too."""
    messages = planned.messages
    if not model.empty_system_message and messages[0] == {"role": "system", "content": ""}:
        messages = messages[1:]
    schema_for = planned.judged if run.as_json_schema else None
    body = request_body(model, messages, schema_for=schema_for, spec=planned.spec)
    return Asked(digest_of(model, body), planned.columns.get("repetition"), planned.columns.get("answer_part", 1))


class Planner:
    """Goes through the questions of a run; `planned` yields the calls that do not exist yet."""

    def __init__(
        self,
        run: Run,
        *,
        language_models: Collection[LanguageModel] = (),
        templates: Collection[PromptTemplate] = (),
        source_runs: Collection[Run] = (),
    ):
        """`language_models` and the arguments after it give the questions of an unsaved run, which has no related
        rows.
        """
        self.run = run
        if run._state.adding:
            self.language_models, self.templates = list(language_models), list(templates)
            self.responses_to_judge = responses_of(source_runs)
            self.calls = Call.objects.none()
        else:
            self.language_models = list(run.language_models.all())
            self.templates = list(run.templates.order_by("code", "version"))
            self.responses_to_judge = responses_to_judge(run)
            self.calls = run.calls.all()
        self.left_out: Counter[tuple[str, str]] = Counter()
        self.by_model = {model.pk: ModelPlan(model) for model in self.language_models}

    def planned(self) -> Iterator[PlannedCall]:
        if purpose := purpose_of_run(self.run):
            yield from purpose.planned(self)

    def columns(self, purpose: str, model: int | None, **about: Any) -> dict[str, Any]:
        """The columns of a call to a model; `about` are those of its subject."""
        return {"run_id": self.run.pk, "model_id": model, "purpose": purpose, **about}

    # --- Models answer ----------------------------------------------------------------------------------------

    def responses(self) -> Iterator[PlannedCall]:
        """Plan responses instance by instance, so that a run that stops early is complete for the instances it
        reached."""
        there = set(self.calls.values_list("instance_id", "template_id", "model_id", "repetition", "answer_part"))
        before = self.answered_before()
        for instance in few_at_a_time(instances_of(self.run)):
            variant = self.variants.get(instance.pk)
            for template in self.templates:
                used = variant if template.takes_variant else None
                parts = template.what.parts(instance.content)
                try:
                    messages = [self.messages_for(instance, template, used, part) for part in range(1, parts + 1)]
                except MissingValue as reason:
                    count = parts * self.run.repetitions * len(self.language_models)
                    self.left_out[template.label, str(reason)] += count
                    continue
                for model in self.language_models:
                    if not answers_to(model, template):
                        count = parts * self.run.repetitions
                        self.left_out[template.label, f"{model} is no baseline for this task"] += count
                        continue
                    known = before.get((instance.pk, template.pk, model.pk), 0) >= parts
                    for repetition, part in product(range(1, self.run.repetitions + 1), range(1, parts + 1)):
                        plan = self.by_model[model.pk]
                        if (instance.pk, template.pk, model.pk, repetition, part) in there:
                            plan.already_there += 1
                            continue
                        plan.answered_before += known
                        if known and self.run.only_missing:
                            continue
                        columns = self.columns(
                            "response",
                            model.pk,
                            instance_id=instance.pk,
                            template_id=template.pk,
                            repetition=repetition,
                            answer_part=part,
                            variant_id=used.pk if used else None,
                        )
                        yield PlannedCall(columns, messages[part - 1], spec=template.what.reply_spec)

    @cached_property
    def variants(self) -> dict[int, InstanceVariant]:
        instances = instances_of(self.run).values("pk")
        current = InstanceVariant.objects.current().filter(instance__in=instances)
        return {each.instance_id: each for each in current}

    def answered_before(self) -> dict[tuple[int, int, int], int]:
        """The questions that these models have answered completely in other runs, each with the largest number of
        parts in one answer: an answer counts as a whole only. Decoding and wording are frozen, so they were asked the
        same.
        """
        answers = Response.objects.filter(
            mark=Mark.COMPLETE,
            model__in=self.language_models,
            template__in=self.templates,
            instance__in=instances_of(self.run).values("pk"),
        ).exclude(run_id=self.run.pk)
        asked = ("instance_id", "template_id", "model_id")
        found = dict.fromkeys(answers.values_list(*asked), 1)
        if answers.filter(answer_part__gt=1).exists():
            of_one = answers.order_by().values_list(*asked, "run", "repetition").annotate(count=Count("pk"))
            for *question, _, _, count in of_one:
                found[tuple(question)] = max(found[tuple(question)], count)
        return found

    def messages_for(
        self, instance: Instance, template: PromptTemplate, variant: InstanceVariant | None, part: int
    ) -> Messages:
        """The template's messages for a part of the answer about the instance. Raises MissingValue, with the reason,
        if it cannot be asked.
        """
        template.what.check_can_be_asked(
            instance, template.as_template(), content_of(variant), include_left_out=self.run.include_left_out
        )
        try:
            return answer_messages(instance, template, variant, part=part)
        except MissingValue:
            raise MissingValue("the instance lacks a passage") from None

    # --- Models judge -----------------------------------------------------------------------------------------

    def judgments(self) -> Iterator[PlannedCall]:
        there = set(self.calls.values_list("judged_response_id", "model_id"))
        judged = self.responses_to_judge.select_related("instance", "template", "variant").defer("imported")
        for response in few_at_a_time(judged):
            label = response.template.label
            if response.mark != Mark.COMPLETE and not self.run.include_marked:
                reason = f"the response was {Mark(response.mark).label.lower()}"
                self.left_out[label, reason] += len(self.language_models)
                continue
            try:
                messages = judgment_messages(response)
            except MissingValue:
                self.left_out[label, "the instance has no answer to compare with"] += len(self.language_models)
                continue
            for model in self.language_models:
                if (response.pk, model.pk) in there:
                    self.by_model[model.pk].already_there += 1
                else:
                    columns = self.columns("judgment", model.pk, judged_response_id=response.pk)
                    yield PlannedCall(columns, messages, response)


def instances_of(run: Run) -> QuerySet[Instance]:
    """The instances that a run asks about, in the order of the release."""
    return Instance.objects.filter(released_instances__release=run.release_id).order_by("released_instances__number")


def responses_to_judge(run: Run) -> QuerySet[Response]:
    """The responses that a judge run judges, marked ones included."""
    if run.source_runs.exists():
        return responses_of(run.source_runs.all())
    return run.selected_responses.order_by("pk")


def responses_of(runs: Iterable[Run]) -> QuerySet[Response]:
    return Response.objects.filter(run__in=runs).order_by("pk")


def plan_run(run: Run) -> Plan:
    """The plan for starting (or continuing) the run, without starting it."""
    return plan_with(Planner(run))


def plan_with(planner: Planner) -> Plan:
    run = planner.run
    usual = {model.pk: usual_answer_tokens(model, run.kind) for model in planner.language_models}
    most: Counter[int] = Counter()
    for planned, is_reused in with_reuse(planner):
        each = planner.by_model[planned.columns["model_id"]]
        if is_reused:
            each.reused += 1
            continue
        each.calls += 1
        tokens, limit = costs.estimate_tokens(planned.messages), planned.spec.limit(each.model.max_tokens)
        each.tokens_in += tokens
        each.tokens_out += min(usual[each.model.pk], planned.spec.most_tokens or usual[each.model.pk])
        each.most_tokens_out += limit or MOST_ANSWER_TOKENS
        most[each.model.pk] += costs.most_tokens(planned.messages)
        if run.in_batches:
            each.bytes += bytes_of(planned)
        needed = tokens + (limit or 0)
        if each.model.context_window and needed > each.model.context_window:
            each.too_long += 1
            each.longest = max(each.longest, needed)
    for each in planner.by_model.values():
        if each.model.is_priced:
            cached = int(each.tokens_in * usual_cached_share(each.model, run.kind))
            batched = run.in_batches
            each.money = each.model.cost(each.tokens_in, each.tokens_out, cached_tokens=cached, in_batch=batched)
            each.most_money = each.model.cost(most[each.model.pk], each.most_tokens_out, in_batch=batched)
    return Plan(run, list(planner.by_model.values()), planner.left_out)


def with_reuse(planner: Planner) -> Iterator[tuple[PlannedCall, bool]]:
    """The planned calls, each with whether it would reuse an earlier run's reply."""
    run, source = planner.run, planner.planned()
    models = {model.pk: model for model in planner.language_models if can_reuse(run, model)}
    while some := list(islice(source, AT_A_TIME)):
        numbers = [number for number, each in enumerate(some) if each.columns["model_id"] in models]
        asked = {number: asked_by(some[number], run, models[some[number].columns["model_id"]]) for number in numbers}
        found = earlier_replies(run, asked.values()) if asked else {}
        yield from ((each, asked.get(number) in found) for number, each in enumerate(some))


def usual_answer_tokens(model: LanguageModel, kind: str) -> int:
    """The expected tokens of a reply: the mean so far, or half of the model's limit."""
    if model.kind == ModelKind.BASELINE:
        return 0
    outputs = ModelJudgment.objects if kind == RunKind.JUDGE else Response.objects
    said = outputs.filter(model=model, completion_tokens__isnull=False).aggregate(
        mean=Avg("completion_tokens"), n=Count("pk")
    )
    if said["n"] >= ENOUGH_REPLIES:
        return round(said["mean"])
    return (model.max_tokens or MOST_ANSWER_TOKENS) // 2


def usual_cached_share(model: LanguageModel, kind: str) -> float:
    """The share of prompt tokens, from 0 to 1, that comes from the provider's cache, based on the replies so far."""
    outputs = ModelJudgment.objects if kind == RunKind.JUDGE else Response.objects
    told = outputs.filter(model=model, prompt_tokens__isnull=False).aggregate(
        cached=Sum("cached_tokens"), prompt=Sum("prompt_tokens"), n=Count("pk")
    )
    if told["n"] < ENOUGH_REPLIES or not told["prompt"]:
        return 0.0
    return min((told["cached"] or 0) / told["prompt"], 1.0)
