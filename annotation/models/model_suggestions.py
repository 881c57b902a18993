"""Suggestions that a language model made for an annotator, counterparts that were suggested, and their outcomes."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say

from .annotations import Annotation
from .articles import Tag
from .desk import SuggestionOutcome
from .evidence import Evidence


class SuggestionState(models.TextChoices):
    """The states of a suggestion. The last two are its possible ends: used, or rejected in favour of the annotator's
    own words.
    """

    ASKED = "asked", say("Asked for")
    OFFERED = "offered", say("Offered")
    FAILED = "failed", say("Not suggested")
    ACCEPTED = SuggestionOutcome.ACCEPTED.value, say("Used")
    OWN = SuggestionOutcome.OWN.value, say("Not used")

    @classmethod
    def open(cls) -> list["SuggestionState"]:
        """States in which the suggestion is still shown at its field."""
        return [cls.ASKED, cls.OFFERED]


class ModelSuggestion(models.Model):
    """One request for a suggestion for a field, or for a question with its two answers. It never decides anything."""

    # Requests are kept, and may have cost money: an annotation with suggestions is not deleted without a trace.
    annotation = models.ForeignKey(Annotation, models.PROTECT, related_name="model_suggestions")
    target = models.CharField(max_length=20, help_text="A or B for a stand-alone version, question1 and so on.")
    model = models.CharField(max_length=100, help_text="The name of the language model.")
    prompt = models.TextField()
    state = models.CharField(max_length=10, choices=SuggestionState, default=SuggestionState.ASKED)
    texts = models.JSONField(
        default=dict, help_text="The suggested texts by part: standalone, or question and answers."
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
                name="one_open_model_suggestion_per_field",
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(error=""), name="a_failed_suggestion_says_why"),
            models.CheckConstraint(
                condition=Q(state__in=["accepted", "own"], decided_at__isnull=False)
                | (~Q(state__in=["accepted", "own"]) & Q(decided_at=None)),
                name="exactly_a_decided_suggestion_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"suggestion of {self.target} by {self.model}"


class TakenWith(models.TextChoices):
    """The way in which a suggested counterpart was taken."""

    KEY = "key", say("With the key for the best one")
    LIST = "list", say("From the list")


class CounterpartOffer(models.Model):
    """The counterparts suggested for one annotation when its desk was first opened, and which of them was taken."""

    annotation = models.OneToOneField(Annotation, models.CASCADE, related_name="counterpart_offer")
    # False where the setting is off, or the tag is one of those drawn to go without: then nothing is in `shown`.
    is_on = models.BooleanField()
    # In the order shown: evidence, start, end, text, heading, chance, reason.
    shown = models.JSONField(default=list, blank=True)
    model = models.CharField(
        max_length=120, blank=True, help_text="The local model that ranked them, with its version. Empty: none did."
    )
    at = models.DateTimeField(default=timezone.now)
    taken = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The number of the one taken, from 0.")
    taken_with = models.CharField(max_length=10, choices=TakenWith, blank=True)
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(is_on=True) | Q(taken=None), name="only_shown_counterparts_are_taken"),
            models.CheckConstraint(
                condition=Q(taken=None, taken_at=None, taken_with="")
                | (Q(taken__isnull=False, taken_at__isnull=False) & ~Q(taken_with="")),
                name="a_taken_counterpart_has_its_time_and_way",
            ),
        ]

    def __str__(self) -> str:
        return f"{len(self.shown)} counterparts for annotation {self.annotation_id}"

    @property
    def ranked_by(self) -> str:
        """The name of the local model that ranked them, without its version; "" without one."""
        return self.model.rpartition(", ")[0]


class CounterpartRanking(models.Model):
    """The counterparts of a tag as a local model ranked them, ahead of its desks. It holds for these pages only."""

    tag = models.OneToOneField(Tag, models.CASCADE, related_name="counterpart_ranking")
    model = models.CharField(max_length=120, help_text="Its name, with the version of its files.")
    article = models.ForeignKey(Evidence, models.CASCADE, related_name="+")
    other = models.ForeignKey(Evidence, models.CASCADE, null=True, blank=True, related_name="+")
    # As in an offer; empty where the model failed.
    shown: Any = models.JSONField(null=True, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"counterparts of tag {self.tag_id}, ranked by {self.model}"
