"""Reviewers' own changes: suggested edits of a field with the annotator's decision, and merges of annotations."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from core.languages import say

from .annotations import Annotation


class EditState(models.TextChoices):
    OPEN = "open", say("Open")
    TAKEN = "taken", say("Taken")
    DECLINED = "declined", say("Declined")


class SuggestedEdit(models.Model):
    """A new text suggested for one field of an annotation. It changes nothing until the annotation's writer takes or
    declines it.
    """

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="suggested_edits")
    field = models.CharField(max_length=60)
    # The field as the reviewer saw it.
    before = models.TextField(blank=True)
    text = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=EditState, default=EditState.OPEN)
    suggested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    suggested_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", decided_at=None)
                | Q(state__in=["taken", "declined"], decided_at__isnull=False),
                name="an_edit_is_open_taken_or_declined",
            ),
            models.CheckConstraint(condition=~Q(text=F("before")), name="an_edit_changes_something"),
            models.UniqueConstraint(
                fields=["annotation", "field", "suggested_by"],
                condition=Q(state="open"),
                name="one_open_edit_per_field_and_reviewer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.field}: {self.text[:60]}"


class Contribution(models.Model):
    """A field of a merge, and one annotation that it was taken from, in the version that the reviewer saw. A field
    with the same value in several annotations has a row for each; one without `original` was written by the reviewer.
    """

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="contributions")
    field = models.CharField(max_length=60)
    original = models.ForeignKey(Annotation, models.PROTECT, null=True, blank=True, related_name="contributed")
    version = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "field", "original"], name="one_contribution_per_original"),
            models.UniqueConstraint(
                fields=["annotation", "field"], condition=Q(original=None), name="a_field_is_written_once"
            ),
            models.CheckConstraint(
                condition=Q(original=None, version=None) | Q(original__isnull=False, version__isnull=False),
                name="a_contribution_names_a_version",
            ),
            models.CheckConstraint(
                condition=Q(original=None) | ~Q(original=F("annotation")), name="a_merge_is_not_made_of_itself"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.field} of annotation {self.annotation_id}"
