"""Models' responses, and judge models' judgments of them. A row exists once there is a reply."""

import uuid
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Comment, Instance
from core.languages import say
from core.models import VisibleManager, WrittenInBatches

from ..protocol.thoughts import joined, split_thoughts
from ..protocol.verdicts import Unreadable, Verdict
from .calls import Attempt
from .language_models import LanguageModel
from .runs import MONEY, Run
from .templates import InstanceVariant, PromptTemplate


class Mark(models.TextChoices):
    """Says whether a reply is an answer: the values of `judging.endpoints.replies.ChatReply.outcome`."""

    COMPLETE = "complete", say("Complete")
    CUT = "cut", say("Cut at the token limit")
    REFUSED = "refused", say("Refused")
    FILTERED = "filtered", say("Filtered")
    EMPTY = "empty", say("Empty")
    FAILED = "failed", say("Interrupted by an error")
    UNKNOWN = "unknown", say("Ended for an unknown reason")


class ModelOutput(models.Model):
    """The data of a reply. The attempt has its body as it was received."""

    text = models.TextField(blank=True)
    mark = models.CharField(max_length=10, choices=Mark, default=Mark.COMPLETE)
    finish_reason = models.CharField(max_length=40, blank=True)
    refusal = models.TextField(blank=True)
    reasoning = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cached_tokens = models.PositiveIntegerField(
        null=True, blank=True, help_text="Tokens of the prompt that were in the provider's cache."
    )
    seconds = models.FloatField(null=True, blank=True)
    cost = models.DecimalField(**MONEY, null=True, blank=True)
    provider_id = models.CharField(max_length=200, blank=True)
    served_model = models.CharField(max_length=200, blank=True)
    reused = models.BooleanField(default=False, help_text="Copied from an earlier run that made the same request.")
    answered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    @property
    def answer(self) -> str:
        """The text without thoughts, which imported texts may still contain."""
        return split_thoughts(self.text).answer

    @property
    def thoughts(self) -> str:
        """The model's thoughts before or during its answer, from either column."""
        return joined(self.reasoning, split_thoughts(self.text).thoughts)


class Response(ModelOutput, WrittenInBatches):
    """A model's answer to one prompt: to a run's call, or imported."""

    # For addresses on pages: it reveals neither order nor number.
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, models.PROTECT, related_name="responses")
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="responses")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="responses", db_index=False)
    template = models.ForeignKey(PromptTemplate, models.PROTECT, related_name="responses", db_index=False)
    repetition = models.PositiveSmallIntegerField(default=1)
    # Its number, from 1, among the responses that form one answer. The first one has their reading.
    answer_part = models.PositiveSmallIntegerField(default=1)
    variant = models.ForeignKey(InstanceVariant, models.PROTECT, null=True, blank=True, related_name="+")
    attempt = models.OneToOneField(Attempt, models.PROTECT, null=True, blank=True, related_name="response")
    # Extra fields of an imported record, so that they can be exported unchanged.
    imported = models.JSONField(null=True, blank=True)
    logprobs = models.JSONField(
        null=True,
        blank=True,
        help_text="The log-probabilities of the text's tokens, where the task requested them.",
    )
    composition = models.JSONField(
        null=True,
        blank=True,
        help_text="How its prompt was composed, such as the order of texts, if its task says so.",
    )
    marks_left = models.CharField(
        max_length=200,
        blank=True,
        help_text="Marks in the answer that resemble those around thoughts but have no known form.",
    )

    objects = VisibleManager()
    everything = models.Manager()  # noqa: DJ012 - it takes this for a field

    class Meta:
        ordering = ["pk"]
        indexes = [
            # The orders in which the list of responses is read.
            models.Index(fields=["instance", "model", "template", "id"], name="response_asked"),
            models.Index(fields=["mark", "instance", "model", "template", "id"], name="response_marked"),
            models.Index(fields=["model", "instance", "template", "id", "batch"], name="response_by_model"),
            # Reports count responses in these two alone, without reading every text.
            models.Index(fields=["template", "instance", "model", "id", "run", "batch"], name="response_by_template"),
            # For responses that are rare: counting them must not read every text.
            models.Index(fields=["instance"], condition=~Q(mark=Mark.COMPLETE), name="response_no_answer"),
            models.Index(fields=["run"], condition=~Q(marks_left=""), name="response_marks_left"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "instance", "model", "template", "repetition", "answer_part"],
                name="one_response_per_call",
            ),
            models.CheckConstraint(condition=Q(repetition__gte=1), name="repetitions_count_from_one"),
            models.CheckConstraint(condition=Q(answer_part__gte=1), name="parts_count_from_one"),
            models.CheckConstraint(
                condition=Q(attempt__isnull=False) | Q(imported__isnull=False),
                name="a_response_was_asked_for_or_imported",
            ),
        ]

    def __str__(self) -> str:
        return f"response {self.pk}"

    @property
    def parts(self) -> int:
        """The number of responses that form one answer, by its task."""
        return self.template.what.parts(self.instance.content)

    @property
    def composed(self) -> str:
        """The composition of its prompt in words; "" if nothing is recorded."""
        return self.template.what.composed_words(self.composition) if self.composition else ""

    @property
    def is_answer(self) -> bool:
        return self.mark == Mark.COMPLETE

    @property
    def messages(self) -> list[dict[str, Any]]:
        return messages_of(self)


class ModelJudgmentQuerySet(models.QuerySet["ModelJudgment"]):
    def readable(self) -> "ModelJudgmentQuerySet":
        return self.exclude(verdict="")

    def unreadable(self) -> "ModelJudgmentQuerySet":
        """Replies without a verdict. They are left out of rates and counted separately."""
        return self.filter(verdict="")


class ModelJudgment(ModelOutput, WrittenInBatches):
    """A judge model's judgment of a response: a verdict, or the reason why none can be read. Never a guess."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="judgments")
    response = models.ForeignKey(Response, models.PROTECT, related_name="model_judgments")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="judgments")
    attempt = models.OneToOneField(Attempt, models.PROTECT, null=True, blank=True, related_name="judgment")
    verdict = models.CharField(max_length=20, choices=Verdict, blank=True)
    unreadable_reason = models.CharField(max_length=20, choices=Unreadable, blank=True)
    comment = models.TextField(blank=True)
    hint = models.CharField(
        max_length=20, choices=Verdict, blank=True, help_text="A verdict that the reply only mentions."
    )
    assembly = models.CharField(max_length=200, help_text="The assembly of the judge's message.")
    reader = models.CharField(max_length=40, help_text="The reader of the reply, and its version.")
    # The parts of an imported judgment's record without a column.
    imported = models.JSONField(null=True, blank=True)

    objects = VisibleManager.from_queryset(ModelJudgmentQuerySet)()
    everything = ModelJudgmentQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["response", "model"], name="judgment_of_response")]
        constraints = [
            models.UniqueConstraint(fields=["run", "response", "model"], name="one_judgment_per_run_and_model"),
            models.CheckConstraint(
                condition=(Q(verdict="") & ~Q(unreadable_reason="")) | (~Q(verdict="") & Q(unreadable_reason="")),
                name="a_verdict_or_the_reason_for_none",
            ),
            models.CheckConstraint(
                condition=Q(attempt__isnull=False) | Q(imported__isnull=False),
                name="a_judgment_was_asked_for_or_imported",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} on {self.response}"

    @property
    def messages(self) -> list[dict[str, Any]]:
        return messages_of(self)


def messages_of(output: Response | ModelJudgment) -> list[dict[str, Any]]:
    """The exact messages sent; empty if an import lacks them."""
    if output.attempt:
        return output.attempt.request.get("messages", [])
    return (output.imported or {}).get("messages") or []


class ResponseComment(models.Model):
    """Links a comment to a response, with whether its writer could know which model wrote it: people who must not
    know the model never read such a comment (`judging.responses.comments`).
    """

    comment = models.OneToOneField(Comment, models.CASCADE, primary_key=True, related_name="on_response")
    response = models.ForeignKey(Response, models.CASCADE, related_name="comments")
    knows_model = models.BooleanField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return str(self.comment)
