"""Drafts that a language model made for an annotator, and what became of them."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from .desk import SuggestionOutcome
from .work import Annotation


class DraftState(models.TextChoices):
    """The last two are what a suggestion can come to: used, or left for words of one's own."""

    ASKED = "asked", "Asked for"
    OFFERED = "offered", "Offered"
    FAILED = "failed", "Not drafted"
    ACCEPTED = SuggestionOutcome.ACCEPTED.value, "Used"
    OWN = SuggestionOutcome.OWN.value, "Left"

    @classmethod
    def open(cls) -> list["DraftState"]:
        """States in which the draft still has its place at the field."""
        return [cls.ASKED, cls.OFFERED]


class MachineDraft(models.Model):
    """One request for a draft of a field, or of a question with its two answers. It never decides anything."""

    # What was asked is kept, and may be paid: an annotation that has drafts is not given up without a trace.
    annotation = models.ForeignKey(Annotation, models.PROTECT, related_name="machine_drafts")
    target = models.CharField(max_length=20, help_text="A or B for a stand-alone version, question1 and so on.")
    model = models.CharField(max_length=100, help_text="The name of the language model.")
    prompt = models.TextField()
    state = models.CharField(max_length=10, choices=DraftState, default=DraftState.ASKED)
    texts = models.JSONField(
        default=dict, help_text="What was drafted, by part: standalone, or question and answers."
    )
    error = models.TextField(blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "target"],
                condition=Q(state__in=["asked", "offered"]),
                name="one_open_machine_draft_per_field",
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(error=""), name="a_failed_draft_says_why"),
            models.CheckConstraint(
                condition=Q(state__in=["accepted", "own"], decided_at__isnull=False)
                | (~Q(state__in=["accepted", "own"]) & Q(decided_at=None)),
                name="exactly_a_decided_draft_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"draft of {self.target} by {self.model}"
