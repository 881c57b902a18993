"""Readings of responses, and their scores. The response stays unchanged; a better reader adds another row."""

from collections.abc import Sequence
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.models import VisibleManager, WrittenInBatches

from ..protocol.scores import Chip, score_from
from ..protocol.tasks import task_of
from .responses import Response


class ReadingQuerySet(models.QuerySet["Reading"]):
    def current(self) -> "ReadingQuerySet":
        """The reading that counts, one for each response whose task reads replies."""
        return self.filter(is_current=True)

    def readable(self) -> "ReadingQuerySet":
        return self.filter(problem="")


class Reading(WrittenInBatches):
    """The result of one version of a reader on a response: a value, or the reason why there is none. Never a guess.

    `scores` has the fields of the task's score that differ from their defaults; reports add them up.
    """

    response = models.ForeignKey(Response, models.CASCADE, related_name="readings", db_index=False)
    task = models.CharField(max_length=40)
    reader = models.CharField(max_length=40)
    version = models.PositiveSmallIntegerField()
    is_current = models.BooleanField(default=True)
    value = models.JSONField(null=True, blank=True)
    problem = models.CharField(max_length=100, blank=True, help_text="Why nothing can be read. Empty: it was read.")
    scores = models.JSONField(null=True, blank=True, help_text="The score of the value, in the shape of its task.")
    read_at = models.DateTimeField(default=timezone.now)

    objects = VisibleManager.from_queryset(ReadingQuerySet)()
    everything = models.Manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            # Counted by reports without reading a value; the batch tells whether it is visible yet.
            models.Index(
                fields=["task", "response", "problem", "batch"],
                condition=Q(is_current=True),
                name="reading_of_task",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["response", "reader", "version"], name="one_reading_per_version"),
            models.UniqueConstraint(
                fields=["response"], condition=Q(is_current=True), name="one_reading_of_a_response_counts"
            ),
            models.CheckConstraint(
                condition=Q(problem="", value__isnull=False)
                | (~Q(problem="") & Q(value__isnull=True, scores__isnull=True)),
                name="a_value_or_the_reason_for_no_value",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reader} {self.version} on response {self.response_id}"

    @property
    def score(self) -> Any:
        """Its score, in the shape of its task; None without one."""
        return score_from(self.scores, task_of(self.task).score_shape)

    @property
    def chips(self) -> Sequence[Chip]:
        """Its score on pages."""
        return () if self.score is None else task_of(self.task).chips(self.score)

    @property
    def in_a_word(self) -> str:
        return "" if self.score is None else task_of(self.task).in_a_word(self.score)

    @property
    def reader_label(self) -> str:
        return f"{self.reader}, version {self.version}"
