"""Models, templates, runs and responses for programs."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.kinds.registry import benchmark_codes
from core.api.serializers import OneOf, Username

from ..models import (
    Mark,
    ModelKind,
    OptionLabels,
    Response,
    Run,
    RunKind,
    RunState,
    TokenProbabilities,
)
from ..protocol.tasks import all_applies_to, task_codes
from ..protocol.verdicts import Verdict

PRICE = f"Per million tokens, in {settings.CURRENCY}."
EXPECTED = f"The expected cost, in {settings.CURRENCY}."
MOST = f"The maximum cost, in {settings.CURRENCY}."
SPENT = f"The cost of answered calls, in {settings.CURRENCY}."
PERHAPS = f"The possible cost of calls in doubt, in {settings.CURRENCY}."


class ModelOut(serializers.Serializer):
    """A language model, with only the name of the variable that holds its key."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    kind = serializers.ChoiceField(ModelKind.choices)
    endpoint_name = serializers.CharField()
    base_url = serializers.CharField()
    key_name = serializers.CharField()
    decoding = serializers.JSONField()
    token_probabilities = serializers.ChoiceField(TokenProbabilities.choices, allow_blank=True)
    option_labels = serializers.ChoiceField(
        OptionLabels.choices, allow_blank=True, help_text="How it writes the label of an option."
    )
    price_in = serializers.DecimalField(max_digits=12, decimal_places=4, allow_null=True, help_text=PRICE)
    price_out = serializers.DecimalField(max_digits=12, decimal_places=4, allow_null=True, help_text=PRICE)
    context_window = serializers.IntegerField(allow_null=True)
    is_offered = serializers.BooleanField()


class TemplateOut(serializers.Serializer):
    """A version of a prompt template, and its task."""

    id = serializers.IntegerField(source="pk")
    code = serializers.CharField()
    version = serializers.IntegerField()
    task = OneOf(task_codes)
    benchmark = OneOf(benchmark_codes)
    name = serializers.CharField()
    system = serializers.CharField()
    text = serializers.CharField()
    applies_to = serializers.ChoiceField(all_applies_to())
    verdicts = serializers.ListField(child=serializers.ChoiceField(Verdict.choices))
    correct_answers = serializers.ListField(child=serializers.CharField())


class RunOut(serializers.Serializer):
    """A run."""

    id = serializers.IntegerField(source="pk")
    key = serializers.UUIDField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(RunKind.choices)
    state = serializers.ChoiceField(RunState.choices)
    release = serializers.SerializerMethodField()
    models = serializers.SerializerMethodField()
    budget = serializers.DecimalField(max_digits=20, decimal_places=10, allow_null=True)
    created_by = Username()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_release(self, run: Run) -> int | None:
        return run.release.number if run.release else None

    def get_models(self, run: Run) -> list[str]:
        return [model.name for model in run.language_models.all()]


class PlanOut(serializers.Serializer):
    """The calls of a planned run. Amounts are null without a price."""

    calls = serializers.IntegerField()
    already_there = serializers.IntegerField()
    money = serializers.DecimalField(max_digits=30, decimal_places=10, allow_null=True, help_text=EXPECTED)
    most_money = serializers.DecimalField(max_digits=30, decimal_places=10, allow_null=True, help_text=MOST)
    left_out = serializers.SerializerMethodField()

    def get_left_out(self, plan: Any) -> list[dict[str, Any]]:
        found = sorted(plan.left_out.items())
        return [{"template": template, "reason": reason, "calls": n} for (template, reason), n in found]


class CountsOut(serializers.Serializer):
    """The numbers of calls by outcome."""

    done = serializers.IntegerField()
    in_doubt = serializers.IntegerField()
    failed = serializers.IntegerField()
    sent = serializers.IntegerField()
    left = serializers.IntegerField()
    cancelled = serializers.IntegerField()


class ProgressOut(serializers.Serializer):
    """The progress of a started run, from the calls that you may know of."""

    calls = CountsOut(source="counts")
    replies = serializers.DictField(source="marks", child=serializers.IntegerField())
    spent = serializers.DecimalField(max_digits=30, decimal_places=10, help_text=SPENT)
    perhaps_spent = serializers.DecimalField(max_digits=30, decimal_places=10, help_text=PERHAPS)
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()


class WholeRunOut(RunOut):
    """A run with its plan, before it is started, or its progress; that is null while you judge in an unfinished
    round."""

    plan = PlanOut(allow_null=True)
    progress = ProgressOut(allow_null=True)


class VerdictOut(serializers.Serializer):
    """A judge model's verdict."""

    model = serializers.CharField(source="model.name")
    verdict = serializers.ChoiceField(Verdict.choices, allow_blank=True)


class ResponseOut(serializers.Serializer):
    """A response in the list, with the verdicts of judge models."""

    key = serializers.UUIDField()
    instance = serializers.IntegerField(source="instance_id")
    question = serializers.CharField(source="instance.question")
    model = serializers.CharField(source="model.name")
    template = serializers.CharField(source="template.code")
    repetition = serializers.IntegerField()
    answer_part = serializers.IntegerField(help_text="Its number among the responses that form one answer.")
    mark = serializers.ChoiceField(Mark.choices)
    text = serializers.CharField()
    marks_left = serializers.CharField(
        allow_blank=True, help_text="Marks in the text that may be unknown marks of thoughts."
    )
    composition = serializers.DictField(
        allow_null=True, help_text="How the prompt was composed, such as the order of its texts."
    )
    judgments = serializers.SerializerMethodField()

    @extend_schema_field(VerdictOut(many=True))
    def get_judgments(self, response: Response) -> list[dict[str, Any]]:
        return VerdictOut(response.said, many=True).data  # type: ignore[attr-defined]  # set by the view for all rows
