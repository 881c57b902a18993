"""The source of each field of a merge: the annotations with the same value, or the reviewer who wrote it."""

from django.db import models
from django.db.models import F, Q

from .annotations import Annotation


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
