"""Frozen, numbered sets of instances. The database refuses to change any of these rows."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.lists.search import Beginning
from core.models.batches import VisibleManager, WrittenInBatches

from .annotations import Annotation
from .articles import Tag


@dataclass(frozen=True, slots=True)
class Listed:
    """An item in lists and reports: its text, its group of items with correlated errors, its category, and the
    subcategory within that.
    """

    question: str
    group: str = ""
    category: str = ""
    subcategory: str = ""


class Instance(WrittenInBatches):
    """An instance: the unit of a benchmark, as released. It has its `content`, which the code in `annotation.kinds`
    reads, and columns for lists and reports to filter by.

    A row is identified by its content (`key`), so that a question that did not change between two releases is the
    same instance in both, and its responses count for both.
    """

    key = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the frozen content.")
    tag = models.ForeignKey(Tag, models.PROTECT, null=True, blank=True, related_name="instances")
    # The primary key of the question it came from: the question itself may be edited and deleted later.
    question_id = models.BigIntegerField(null=True, blank=True)
    question = models.TextField()
    benchmark = models.CharField(max_length=40, help_text="The code of its entry in `annotation.kinds.registry`.")
    group = models.CharField(
        max_length=200,
        blank=True,
        db_index=True,
        help_text="Groups instances with correlated errors: the source, for example.",
    )
    category = models.CharField(
        max_length=200, blank=True, db_index=True, help_text="The category under which reports count it."
    )
    subcategory = models.CharField(max_length=40, blank=True, help_text="A distinction of reports within a category.")
    content = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(Beginning("question"), name="instance_beginning")]
        constraints = [
            models.CheckConstraint(condition=~Q(benchmark="") & ~Q(content={}), name="instances_have_their_content")
        ]

    def __str__(self) -> str:
        return self.question

    @staticmethod
    def columns(benchmark: str, listed: Listed, content: Mapping[str, Any]) -> dict[str, Any]:
        """The columns of an instance with this content and these list entries."""
        return {"benchmark": benchmark, "content": dict(content), **asdict(listed)}


class Release(WrittenInBatches):
    number = models.PositiveIntegerField(unique=True)
    # An instance is released only with others of its benchmark: the database refuses others.
    benchmark = models.CharField(max_length=40)
    name = models.CharField(max_length=100)
    notes = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64)
    # Counted when the release was made, for its datasheet: the annotations may change later.
    how_made = models.JSONField(default=dict, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    instances = models.ManyToManyField(Instance, through="ReleasedInstance", related_name="releases")

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["-number"]
        constraints = [models.CheckConstraint(condition=Q(number__gte=1), name="releases_count_from_one")]

    def __str__(self) -> str:
        return f"Release {self.number}: {self.name}"

    @property
    def sources(self) -> list[dict[str, Any]]:
        """The files from which its items were imported, as recorded when it was made."""
        return self.how_made.get("sources", [])


class ReleasedRecord(WrittenInBatches):
    """A tag's record in a release: the published JSON as text, its keys in their order."""

    release = models.ForeignKey(Release, models.PROTECT, related_name="records")
    position = models.PositiveIntegerField()
    annotation = models.ForeignKey(Annotation, models.PROTECT, related_name="released_records")
    content = models.TextField()

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "position"], name="one_record_per_position"),
            models.UniqueConstraint(fields=["release", "annotation"], name="one_record_per_annotation"),
        ]

    def __str__(self) -> str:
        return f"record {self.position} of {self.release}"


class ReleasedInstance(WrittenInBatches):
    """An instance as part of a release; `number` is the published question_ID."""

    release = models.ForeignKey(Release, models.PROTECT, related_name="released_instances")
    number = models.PositiveIntegerField()
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="released_instances")

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["release", "number"]
        constraints = [
            models.UniqueConstraint(fields=["release", "number"], name="one_instance_per_number"),
            models.UniqueConstraint(fields=["release", "instance"], name="an_instance_once_per_release"),
        ]

    def __str__(self) -> str:
        return f"{self.number} of {self.release}"
