"""Readings of responses, and their scores. The response stays unchanged; a better reader adds another row."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.models import VisibleManager, WrittenInBatches

from .responses import Response


class ReadingQuerySet(models.QuerySet["Reading"]):
    def current(self) -> "ReadingQuerySet":
        """The reading that counts, one for each response whose task reads replies."""
        return self.filter(is_current=True)

    def readable(self) -> "ReadingQuerySet":
        return self.filter(problem="")


class Reading(WrittenInBatches):
    """The result of one version of a reader on a response: a value, or the reason why there is none. Never a guess.

    The columns after the value are the score, which reports add up.
    """

    response = models.ForeignKey(Response, models.CASCADE, related_name="readings", db_index=False)
    task = models.CharField(max_length=40)
    reader = models.CharField(max_length=40)
    version = models.PositiveSmallIntegerField()
    is_current = models.BooleanField(default=True)
    value = models.JSONField(null=True, blank=True)
    problem = models.CharField(max_length=100, blank=True, help_text="Why nothing can be read. Empty: it was read.")
    answer = models.CharField(max_length=20, blank=True, help_text="What it answers, in a word: yes or no.")
    hit = models.BooleanField(null=True, help_text="Whether a quote hits the evidence; empty if that is not asked.")
    rank = models.PositiveIntegerField(null=True, help_text="The number of the first quote that hits, from 1.")
    matcher = models.CharField(max_length=40, blank=True, help_text="What says that it hits.")
    strict_hit = models.BooleanField(null=True, help_text="Whether it hits without quotes that are far too long.")
    read_at = models.DateTimeField(default=timezone.now)

    objects = VisibleManager.from_queryset(ReadingQuerySet)()
    everything = models.Manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            # What reports count, without looking at a value; the batch tells whether it is there yet.
            models.Index(
                fields=["task", "response", "problem", "answer", "hit", "rank", "strict_hit", "batch"],
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
                | (
                    ~Q(problem="")
                    & Q(value__isnull=True, answer="", hit=None, rank=None, strict_hit=None, matcher="")
                ),
                name="a_value_or_the_reason_for_no_value",
            ),
            models.CheckConstraint(
                condition=Q(hit=True, rank__gte=1, strict_hit__isnull=False) & ~Q(matcher="")
                | (Q(hit=None) | Q(hit=False)) & Q(rank=None, matcher="") & ~Q(strict_hit=True),
                name="exactly_a_hit_has_rank_and_matcher",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reader} {self.version} on response {self.response_id}"

    @property
    def reader_label(self) -> str:
        return f"{self.reader}, version {self.version}"
