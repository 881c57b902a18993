"""The calls of a run. The row is authoritative: a worker follows its state.

    pending ──taken──> sent ──reply──> done
       ^                │└───outcome not known────────────> in_doubt
       └──not paid──────┘└───refused for good──> failed

Taking a call and writing its attempt is one transaction, committed before the call goes out. `attempts_made` is the
fencing token: a worker's result for a call counts only while that attempt is the call's last. A reply is the
exception: whenever it arrives, it is kept, and the first one answers the call.

A sent call is held by a worker, which renews its lease, or in a batch at the provider, which can be polled again by
its id and needs none.
"""

import uuid
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Instance, ModelSuggestion
from core.languages import say

from .call_batches import CallBatch
from .language_models import LanguageModel
from .runs import MONEY, Run
from .templates import InstanceVariant, PromptTemplate

NO_ANSWER = Q(instance=None, template=None, repetition=None, variant=None)
NO_SUBJECT = Q(subject_number=None, part="")
# Their subjects have columns of their own.
OWN_COLUMNS = ["response", "judgment", "suggestion"]


class CallState(models.TextChoices):
    PENDING = "pending", say("Left")
    SENT = "sent", say("In progress")
    DONE = "done", say("Done")
    IN_DOUBT = "in_doubt", say("In doubt")
    FAILED = "failed", say("Failed")
    CANCELLED = "cancelled", say("Cancelled")

    @classmethod
    def open(cls) -> list["CallState"]:
        """States in which a worker still has work to do."""
        return [cls.PENDING, cls.SENT]

    @classmethod
    def unanswered(cls) -> list["CallState"]:
        """States of calls without a reply, or without one yet."""
        return [state for state in cls if state != cls.DONE]


class IsUnanswered(models.Func):
    """The condition that a call is in one of these states, in the words of the index of such calls: a database does
    not match an index to values that come later.
    """

    output_field = models.BooleanField()
    template = f"%(expressions)s IN ({', '.join(repr(str(state)) for state in CallState.unanswered())})"
    arity = 1


class Call(models.Model):
    """The unit of paid work: one model asked once, for a response, a judgment of a response, or another purpose."""

    # Sent as X-Request-Key and used to name the reply on disk: unlike the primary key, it is unique across databases.
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, models.PROTECT, related_name="calls")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="calls")
    # Its purpose: `judging.catalogue.purposes` defines the request and the use of the reply.
    purpose = models.CharField(max_length=20, default="response")
    # For a response:
    instance = models.ForeignKey(Instance, models.PROTECT, null=True, related_name="+")
    template = models.ForeignKey(PromptTemplate, models.PROTECT, null=True, related_name="calls")
    repetition = models.PositiveSmallIntegerField(null=True)
    # The number of this call, from 1, among those of an answer that takes several.
    answer_part = models.PositiveSmallIntegerField(default=1)
    variant = models.ForeignKey(InstanceVariant, models.PROTECT, null=True, related_name="+")
    # For a judgment:
    judged_response = models.ForeignKey("judging.Response", models.PROTECT, null=True, related_name="judge_calls")
    # For an annotator's desk:
    model_suggestion = models.ForeignKey(ModelSuggestion, models.PROTECT, null=True, related_name="calls")
    # For any other purpose: the primary key of its subject, and the part of the work on that.
    subject_number = models.BigIntegerField(null=True)
    part = models.CharField(max_length=60, blank=True)

    state = models.CharField(max_length=10, choices=CallState, default=CallState.PENDING)
    attempts_made = models.PositiveIntegerField(default=0)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Attempts in a row that were not paid.")
    doubts = models.PositiveSmallIntegerField(default=0, help_text="Attempts of which nobody knows the outcome.")
    not_before = models.DateTimeField(default=timezone.now)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    call_batch = models.ForeignKey(CallBatch, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    reason = models.CharField(max_length=40, blank=True, help_text="A word for the kind of failure.")
    error = models.TextField(blank=True)
    failure_group = models.CharField(
        max_length=12, blank=True, help_text="The same for failures of one model, kind and message."
    )
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["run", "state", "id"], name="call_progress"),
            # Calls without a reply, in their order.
            models.Index(fields=["run", "id"], condition=Q(state__in=CallState.unanswered()), name="call_unanswered"),
            models.Index(fields=["model", "id"], condition=Q(state="pending"), name="call_pending"),
            models.Index(fields=["model", "lease_expires_at"], condition=Q(state="sent"), name="call_sent"),
            # The last minute of a run.
            models.Index(fields=["run", "ended_at"], condition=Q(ended_at__isnull=False), name="call_ended"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "instance", "model", "template", "repetition", "answer_part"],
                condition=Q(purpose="response"),
                name="one_call_per_response",
            ),
            models.UniqueConstraint(
                fields=["run", "judged_response", "model"],
                condition=Q(judged_response__isnull=False),
                name="one_call_per_judgment",
            ),
            models.UniqueConstraint(
                fields=["model_suggestion"],
                condition=Q(model_suggestion__isnull=False),
                name="one_call_per_suggestion",
            ),
            models.UniqueConstraint(
                fields=["run", "purpose", "subject_number", "part", "model"],
                condition=Q(subject_number__isnull=False),
                name="one_call_per_subject_and_part",
            ),
            models.CheckConstraint(
                condition=Q(
                    NO_SUBJECT,
                    purpose="response",
                    instance__isnull=False,
                    template__isnull=False,
                    repetition__gte=1,
                    judged_response=None,
                    model_suggestion=None,
                )
                | Q(NO_ANSWER, NO_SUBJECT, purpose="judgment", judged_response__isnull=False, model_suggestion=None)
                | Q(NO_ANSWER, NO_SUBJECT, purpose="suggestion", judged_response=None, model_suggestion__isnull=False)
                | Q(
                    ~Q(purpose__in=[*OWN_COLUMNS, ""]),
                    NO_ANSWER,
                    judged_response=None,
                    model_suggestion=None,
                    subject_number__isnull=False,
                ),
                name="a_call_refers_to_what_its_purpose_is_about",
            ),
            models.CheckConstraint(
                condition=Q(answer_part=1) | Q(answer_part__gt=1, purpose="response"), name="only_an_answer_has_parts"
            ),
            models.CheckConstraint(
                condition=Q(state="sent", lease_expires_at__isnull=False, call_batch=None, attempts_made__gte=1)
                | Q(state="sent", lease_expires_at=None, call_batch__isnull=False, attempts_made__gte=1)
                | (~Q(state="sent") & Q(lease_expires_at=None, call_batch=None)),
                name="exactly_a_sent_call_has_a_lease_or_a_batch",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "sent"], ended_at=None)
                | Q(state__in=["done", "in_doubt", "failed", "cancelled"], ended_at__isnull=False),
                name="exactly_an_ended_call_has_its_time",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["failed", "in_doubt"]) | (~Q(error="") & ~Q(failure_group="")),
                name="a_failed_call_says_why",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["done", "in_doubt"]) | Q(attempts_made__gte=1),
                name="an_answered_call_was_sent",
            ),
        ]

    def __str__(self) -> str:
        return f"call {self.pk} of run {self.run_id}"

    # The subject of `subject_number`, once `judging.catalogue.purposes.load_subjects` has read it.
    subject: Any = None

    @property
    def is_for_suggestion(self) -> bool:
        """Return whether an annotator is waiting for this on the page: they decide whether to ask again."""
        return self.model_suggestion_id is not None


class AttemptOutcome(models.TextChoices):
    SENT = "sent", say("In progress")
    ANSWERED = "answered", say("Answered")
    UNPAID = "unpaid", say("Not paid")
    IN_DOUBT = "in_doubt", say("In doubt")
    REJECTED = "rejected", say("Refused")
    REUSED = "reused", say("Reused")


class Attempt(models.Model):
    """One sending of a call, written before it is sent. It is never undone.

    Or, with the outcome `reused`, a call that was not sent: `reused_from` has the reply to the same request in an
    earlier run.
    """

    call = models.ForeignKey(Call, models.PROTECT, related_name="attempts")
    number = models.PositiveIntegerField()
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="+")
    request = models.JSONField(help_text="The body sent: model, messages, decoding.")
    # From address, model and request; see judging.runs.calls.reuse.
    request_digest = models.CharField(max_length=64, blank=True)
    reused_from = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    call_batch = models.ForeignKey(
        CallBatch, models.PROTECT, null=True, blank=True, related_name="attempts", db_index=False
    )
    worker = models.CharField(max_length=100, blank=True)
    tokens = models.PositiveIntegerField(default=0, help_text="Tokens counted against the per-minute limit.")
    possible_cost = models.DecimalField(**MONEY, default=0, help_text="The most that it can have cost.")
    cost = models.DecimalField(**MONEY, null=True, blank=True, help_text="Empty where it is not known.")
    sent_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, choices=AttemptOutcome, default=AttemptOutcome.SENT)
    reason = models.CharField(max_length=40, blank=True)
    message = models.TextField(blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    raw = models.BinaryField(null=True, blank=True, help_text="The body of the reply as it arrived.")

    class Meta:
        ordering = ["call_id", "number"]
        indexes = [
            # Calls that count against the limits per minute.
            models.Index(
                fields=["model", "sent_at", "tokens"],
                condition=Q(call_batch=None, reused_from=None),
                name="attempt_in_a_minute",
            ),
            models.Index(
                fields=["request_digest"],
                condition=Q(outcome="answered") & ~Q(request_digest=""),
                name="attempt_answered_request",
            ),
            models.Index(fields=["call"], condition=Q(outcome__in=["sent", "in_doubt"]), name="attempt_not_over"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["call", "number"], name="one_attempt_per_number"),
            models.CheckConstraint(
                condition=Q(outcome="sent", ended_at=None) | (~Q(outcome="sent") & Q(ended_at__isnull=False)),
                name="exactly_an_ended_attempt_has_its_time",
            ),
            models.UniqueConstraint(
                fields=["call_batch", "call"], condition=Q(call_batch__isnull=False), name="a_call_is_in_a_batch_once"
            ),
            models.CheckConstraint(
                condition=~Q(outcome__in=["answered", "reused"]) | Q(raw__isnull=False),
                name="an_answered_attempt_has_its_reply",
            ),
            models.CheckConstraint(
                condition=Q(outcome="reused", reused_from__isnull=False, call_batch=None, cost=0, possible_cost=0)
                | (~Q(outcome="reused") & Q(reused_from=None)),
                name="a_reused_reply_costs_nothing",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} at call {self.call_id}"

    @property
    def raw_text(self) -> str:
        return bytes(self.raw).decode("utf-8", "replace") if self.raw else ""
