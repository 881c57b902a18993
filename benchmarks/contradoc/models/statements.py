"""A model's reply about a document, and the statements read from it."""

from django.db import models
from django.db.models import F, Q

from judging.models.calls import Attempt
from judging.models.language_models import LanguageModel
from judging.models.responses import ModelOutput
from judging.models.runs import Run

from .documents import Document


class StatementReply(ModelOutput):
    """The reply of a model that was asked for statements of a document and their contradictions.

    If its text cannot be read, `problem` says why and it has no statements: it is listed, and its call can be
    repeated.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="statement_replies")
    document = models.ForeignKey(Document, models.PROTECT, related_name="statement_replies")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="+")
    method = models.CharField(
        max_length=40, help_text="The method of making the error, by its code in the benchmark."
    )
    attempt = models.OneToOneField(Attempt, models.PROTECT, related_name="statement_reply")
    reader = models.CharField(max_length=40, help_text="The reader of the reply, with its version.")
    problem = models.TextField(blank=True, help_text="Why the reply cannot be read. Empty: it was read.")

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "statement replies"
        indexes = [models.Index(fields=["run", "id"], condition=~Q(problem=""), name="statement_reply_unread")]
        constraints = [
            models.UniqueConstraint(fields=["run", "document", "model"], name="one_statement_reply_per_call")
        ]

    def __str__(self) -> str:
        return f"statements of {self.document_id} by {self.model_id}"


class Statement(models.Model):
    """A statement of a document with its contradiction, as a model wrote them.

    Its original sentence is in the document from `start` to `end`. If it is not found, the statement is refused:
    `problem` says so, and `near_start` to `near_end` is the nearest sentence, if any.
    """

    reply = models.ForeignKey(StatementReply, models.PROTECT, related_name="statements")
    document = models.ForeignKey(Document, models.PROTECT, related_name="statements")
    number = models.PositiveSmallIntegerField(help_text="Its number in the reply, from 1.")
    original = models.TextField(blank=True, help_text="The sentence that the model says it took.")
    statement = models.TextField(blank=True)
    contradiction = models.TextField(blank=True)
    rewording = models.TextField(blank=True, help_text="The contradiction in other words, or the sentence rewritten.")
    problem = models.TextField(blank=True, help_text="Why it was refused. Empty: it was not.")
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    near_start = models.PositiveIntegerField(null=True, blank=True)
    near_end = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["reply_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["reply", "number"], name="one_statement_per_number"),
            models.CheckConstraint(
                condition=Q(problem="", start__isnull=False, end__gt=F("start"), near_start=None, near_end=None)
                | (~Q(problem="") & Q(start=None, end=None)),
                name="a_statement_stands_in_its_document_or_is_refused",
            ),
            models.CheckConstraint(
                condition=Q(near_start=None, near_end=None)
                | Q(near_start__isnull=False, near_end__gt=F("near_start")),
                name="the_nearest_sentence_has_both_ends",
            ),
        ]

    def __str__(self) -> str:
        return f"statement {self.number} of reply {self.reply_id}"

    @property
    def is_refused(self) -> bool:
        return self.problem != ""
