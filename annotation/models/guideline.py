"""The versions of the guideline that people annotate by, and who has read which."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

GUIDED_STEPS = range(1, 7)


class GuidelineVersion(models.Model):
    """The guideline's text for each of the six steps. A new version is a new row; the database refuses to change or
    delete one. Version 1 is the published text.
    """

    number = models.PositiveIntegerField(primary_key=True)
    step_1 = models.TextField()
    step_2 = models.TextField()
    step_3 = models.TextField()
    step_4 = models.TextField()
    step_5 = models.TextField()
    step_6 = models.TextField()
    note = models.TextField(blank=True, help_text="What changed since the version before.")
    # Empty for version 1, which comes with the program.
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    published_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.CheckConstraint(condition=Q(number__gte=1), name="guidelines_count_from_one"),
            *(
                models.CheckConstraint(condition=~Q(**{f"step_{step}": ""}), name=f"guideline_has_step_{step}")
                for step in GUIDED_STEPS
            ),
            models.CheckConstraint(
                condition=Q(number=1) | (~Q(note="") & Q(published_by__isnull=False)),
                name="a_new_guideline_has_a_note_and_a_person",
            ),
        ]

    def __str__(self) -> str:
        return f"guideline version {self.number}"

    @property
    def texts(self) -> dict[int, str]:
        """The text of each step."""
        return {step: getattr(self, f"step_{step}") for step in GUIDED_STEPS}


class GuidelineRead(models.Model):
    """Records that a person has seen a version, so that they are no longer told that it is new."""

    version = models.ForeignKey(GuidelineVersion, models.PROTECT, related_name="read_by")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "version"], name="one_reading_per_person_and_version")
        ]

    def __str__(self) -> str:
        return f"guideline version {self.version_id} read by {self.person_id}"
