"""Calls that go to the provider together, as one file: a batch. The row determines the next step.

    gathering ──> closed ──uploaded──> creating ──> under_way ──> ended
                                          │  ^
                                          └──┘ asked for, and not known whether it exists: looked up first

`asked_at` is written before the provider is asked to create the batch, and `key` goes with it as metadata. So after
any crash at any time, the batch can be found again, and no second one is created.
"""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say

from .language_models import LanguageModel
from .runs import Run


class BatchState(models.TextChoices):
    GATHERING = "gathering", say("Being put together")
    CLOSED = "closed", say("To be uploaded")
    CREATING = "creating", say("Uploaded")
    UNDER_WAY = "under_way", say("At the provider")
    ENDED = "ended", say("Ended")


class CallBatch(models.Model):
    """Some calls of one run to one model: those whose attempts have this batch."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, models.PROTECT, related_name="call_batches")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="+", db_index=False)
    state = models.CharField(max_length=10, choices=BatchState, default=BatchState.GATHERING)
    calls = models.PositiveIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0, help_text="Of the file that is uploaded.")
    file_id = models.CharField(max_length=500, blank=True, help_text="The provider's id of the uploaded file.")
    provider_id = models.CharField(max_length=500, blank=True, help_text="The provider's id of the batch.")
    provider_status = models.CharField(max_length=40, blank=True, help_text="The provider's last status.")
    message = models.TextField(blank=True, help_text="The last error, or the outcome.")
    # Lines of the results that are no answer to a call of this batch. They are kept on disk and stored nowhere.
    foreign_lines = models.PositiveIntegerField(default=0)
    doubled_lines = models.PositiveIntegerField(default=0)
    unreadable_lines = models.PositiveIntegerField(default=0)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Failed requests about it, in a row.")
    not_before = models.DateTimeField(default=timezone.now)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    asked_at = models.DateTimeField(null=True, blank=True, help_text="When the provider was asked to create it.")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When it was known to exist there.")
    cancelled_at = models.DateTimeField(null=True, blank=True, help_text="When the provider was asked to cancel it.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["not_before"], condition=~Q(state="ended"), name="batch_not_over")]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "model"], condition=Q(state="gathering"), name="one_batch_is_put_together_at_a_time"
            ),
            models.CheckConstraint(
                condition=(Q(state="ended", ended_at__isnull=False, lease_expires_at=None))
                | (~Q(state="ended") & Q(ended_at=None)),
                name="exactly_an_ended_batch_has_its_time",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["creating", "under_way"]) | ~Q(file_id=""), name="a_created_batch_has_a_file"
            ),
            models.CheckConstraint(
                condition=~Q(state="under_way")
                | Q(asked_at__isnull=False, sent_at__isnull=False) & ~Q(provider_id=""),
                name="a_batch_under_way_has_an_id",
            ),
        ]

    def __str__(self) -> str:
        return f"batch {self.pk} of run {self.run_id}"

    @property
    def set_aside_lines(self) -> int:
        return self.foreign_lines + self.doubled_lines + self.unreadable_lines
