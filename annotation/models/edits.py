"""Reviewers' suggested edits for the text of a field, and the annotator's decision."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from .annotations import Annotation


class EditState(models.TextChoices):
    OPEN = "open", "Open"
    TAKEN = "taken", "Taken"
    DECLINED = "declined", "Declined"


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
