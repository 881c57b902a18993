"""What a run would ask before it asks: how many calls, what is left out and why, tokens and money by model."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from django.db.models import Avg, Count, QuerySet

from annotation.models import Instance
from judging import costs
from judging.judge import judge_messages
from judging.models import (
    Call,
    LanguageModel,
    Mark,
    ModelJudgment,
    ModelKind,
    PromptTemplate,
    ResolvedPassages,
    Response,
    Run,
    RunKind,
)
from judging.prompts import DIFFERENT_PASSAGES, RESOLVED_PASSAGES, MissingValue
from judging.requests import MOST_ANSWER_TOKENS, Messages, answer_messages, correct_answers

# With so many replies of a model, their mean length says what to expect of the next.
ENOUGH_REPLIES = 20


@dataclass
class ModelPlan:
    """What one model would be asked. `money` is to be expected, `most_money` cannot be exceeded; None: no price."""

    model: LanguageModel
    calls: int = 0
    already_there: int = 0
    answered_before: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: Decimal | None = None
    most_money: Decimal | None = None


@dataclass
class Plan:
    """Calls to make, by model; what is left out, by template and reason."""

    run: Run
    models: list[ModelPlan] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        return sum(each.calls for each in self.models)

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
    """The sum, None where there is nothing with a price."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if known else None


@dataclass(frozen=True)
class Item:
    """One thing to ask of a model, and how long it is."""

    call: Call
    tokens: int
    most_tokens: int


class Planner:
    """Goes through what a run asks; `items` are the calls that are not there yet."""

    def __init__(self, run: Run):
        self.run = run
        self.language_models = list(run.language_models.all())
        self.left_out: Counter[tuple[str, str]] = Counter()
        self.by_model = {model.pk: ModelPlan(model) for model in self.language_models}

    def items(self) -> Iterator[Item]:
        yield from self.judgments() if self.run.kind == RunKind.JUDGE else self.responses()

    # --- Models answer ----------------------------------------------------------------------------------------

    def responses(self) -> Iterator[Item]:
        """Instance by instance, so that a run that stops early is complete for the instances it came to."""
        there = set(self.run.calls.values_list("instance_id", "template_id", "model_id", "repetition"))
        before = self.answered_before()
        templates = list(self.run.templates.order_by("code", "version"))
        for instance in instances_of(self.run):
            resolved = self.resolved.get(instance.pk)
            for template in templates:
                used = resolved if template.applies_to == RESOLVED_PASSAGES else None
                try:
                    messages = self.messages_for(instance, template, used)
                except MissingValue as reason:
                    self.left_out[template.label, str(reason)] += self.run.repetitions * len(self.language_models)
                    continue
                for model in self.language_models:
                    known = (instance.pk, template.pk, model.pk) in before
                    for repetition in range(1, self.run.repetitions + 1):
                        plan = self.by_model[model.pk]
                        if (instance.pk, template.pk, model.pk, repetition) in there:
                            plan.already_there += 1
                            continue
                        plan.answered_before += known
                        if known and self.run.only_missing:
                            continue
                        call = Call(
                            run=self.run,
                            model=model,
                            instance=instance,
                            template=template,
                            repetition=repetition,
                            resolved=used,
                        )
                        yield item_of(call, messages)

    @cached_property
    def resolved(self) -> dict[int, ResolvedPassages]:
        instances = instances_of(self.run).values("pk")
        current = ResolvedPassages.objects.current().filter(instance__in=instances)
        return {each.instance_id: each for each in current}

    def answered_before(self) -> set[tuple[int, int, int]]:
        """What these models have answered in other runs. Decoding and wording are frozen: it was asked the same."""
        others = Response.objects.filter(
            model__in=self.language_models,
            template__in=self.run.templates.all(),
            instance__in=instances_of(self.run).values("pk"),
        ).exclude(run=self.run)
        return set(others.values_list("instance_id", "template_id", "model_id"))

    def messages_for(
        self, instance: Instance, template: PromptTemplate, resolved: ResolvedPassages | None
    ) -> Messages:
        """What the template asks of the instance. Raises MissingValue, with the reason, where it is not asked."""
        if template.applies_to == DIFFERENT_PASSAGES and instance.same_passage and not self.run.include_same_passage:
            raise MissingValue("the two passages are the same")
        if template.applies_to == RESOLVED_PASSAGES and resolved is None:
            raise MissingValue("the conflict is not resolved yet")
        try:
            return answer_messages(instance, template, resolved)
        except MissingValue:
            raise MissingValue("the instance lacks a passage") from None

    # --- Models judge -----------------------------------------------------------------------------------------

    def judgments(self) -> Iterator[Item]:
        there = set(self.run.calls.values_list("judged_response_id", "model_id"))
        for response in responses_to_judge(self.run).select_related("instance", "template", "resolved"):
            label = response.template.label
            answers = correct_answers(response)
            if response.mark != Mark.COMPLETE and not self.run.include_marked:
                reason = f"the response was {Mark(response.mark).label.lower()}"
                self.left_out[label, reason] += len(self.language_models)
                continue
            if not answers:
                self.left_out[label, "the instance has no answer to compare with"] += len(self.language_models)
                continue
            messages = judge_messages(response.instance.question, answers, response.text)
            for model in self.language_models:
                if (response.pk, model.pk) in there:
                    self.by_model[model.pk].already_there += 1
                else:
                    yield item_of(Call(run=self.run, model=model, judged_response=response), messages)


def item_of(call: Call, messages: Messages) -> Item:
    return Item(call, costs.estimate_tokens(messages), costs.most_tokens(messages))


def instances_of(run: Run) -> QuerySet[Instance]:
    """The instances that a run asks about, in the order of the release."""
    return Instance.objects.filter(released_instances__release=run.release_id).order_by("released_instances__number")


def responses_to_judge(run: Run) -> QuerySet[Response]:
    """The responses that a judge run is about, marked ones included."""
    if run.selection is not None:
        return Response.objects.filter(pk__in=run.selection).order_by("pk")
    return Response.objects.filter(run__in=run.source_runs.all()).order_by("pk")


def plan_run(run: Run) -> Plan:
    """What starting (or continuing) the run would ask, without asking it."""
    planner = Planner(run)
    usual = {model.pk: usual_answer_tokens(model, run.kind) for model in planner.language_models}
    most: Counter[int] = Counter()
    for item in planner.items():
        each = planner.by_model[item.call.model_id]
        each.calls += 1
        each.tokens_in += item.tokens
        each.tokens_out += usual[each.model.pk]
        most[each.model.pk] += item.most_tokens
    for each in planner.by_model.values():
        if each.model.is_priced:
            each.money = each.model.cost(each.tokens_in, each.tokens_out)
            longest = each.model.max_tokens or MOST_ANSWER_TOKENS
            each.most_money = each.model.cost(most[each.model.pk], each.calls * longest)
    return Plan(run, list(planner.by_model.values()), planner.left_out)


def usual_answer_tokens(model: LanguageModel, kind: str) -> int:
    """Tokens of a reply to expect: the mean so far, or half of what the model may say."""
    if model.kind == ModelKind.BASELINE:
        return 0
    outputs = ModelJudgment.objects if kind == RunKind.JUDGE else Response.objects
    said = outputs.filter(model=model, completion_tokens__isnull=False).aggregate(
        mean=Avg("completion_tokens"), n=Count("pk")
    )
    if said["n"] >= ENOUGH_REPLIES:
        return round(said["mean"])
    return (model.max_tokens or MOST_ANSWER_TOKENS) // 2
