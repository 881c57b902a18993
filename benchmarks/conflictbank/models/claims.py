"""Claims: of each fact the true one, and one for each cause of conflict, in which another object replaces it."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say

from .facts import Entity, Fact, RelationTemplate


class Cause(models.TextChoices):
    """The kind of a claim: true, or the cause of its conflict."""

    DEFAULT = "default", say("Default")
    MISINFORMATION = "misinformation", say("Misinformation")
    TEMPORAL = "temporal", say("Temporal")
    SEMANTIC = "semantic", say("Semantic")

    @classmethod
    def of_conflict(cls) -> list["Cause"]:
        return [cls.MISINFORMATION, cls.TEMPORAL, cls.SEMANTIC]


class Style(models.TextChoices):
    """The style in which evidence is written."""

    WIKIPEDIA = "wikipedia", say("Wikipedia")
    BOOK = "book", say("Book")
    NEWS = "news", say("News")


class ClaimSet(models.Model):
    """The claims made with one seed. The same seed and facts give the same claims."""

    seed = models.BigIntegerField(unique=True)
    made_on = models.DateField(help_text="The date of the claims: times in them are later.")
    first_year = models.PositiveSmallIntegerField(help_text="The first year of times in claims.")
    leaves_out_living = models.BooleanField(default=False)
    twins_of = models.OneToOneField(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="twins",
        help_text="The claims whose twins these are.",
    )
    counts = models.JSONField(default=dict, blank=True, help_text="Facts without claims, by reason.")
    created_at = models.DateTimeField(default=timezone.now)
    facts = models.PositiveIntegerField(default=0, help_text="Facts with claims in this set.")
    of_facts = models.PositiveIntegerField(
        default=0, help_text="Facts that could get claims when this set was begun."
    )
    # A worker, or a command, that makes the claims renews it; once it has lapsed, the next one goes on.
    making_until = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True, help_text="Empty while claims are being made.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(finished_at=None) | Q(making_until=None), name="finished_claims_are_not_being_made"
            )
        ]

    def __str__(self) -> str:
        return say("claims with seed {seed}", seed=self.seed)

    @property
    def is_finished(self) -> bool:
        return self.finished_at is not None


class Conflict(models.Model):
    """A fact with the object that replaces the true one, in one set of claims; the claims of all causes share it."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    claim_set = models.ForeignKey(ClaimSet, models.PROTECT, related_name="conflicts")
    fact = models.ForeignKey(Fact, models.PROTECT, related_name="conflicts")
    template = models.ForeignKey(RelationTemplate, models.PROTECT, related_name="conflicts")
    # A copy from the time when the claims were made.
    object = models.ForeignKey(Entity, models.PROTECT, related_name="+")
    replacement = models.ForeignKey(Entity, models.PROTECT, related_name="replaces")
    span = models.JSONField(help_text="The time of the temporal claim: a point, or a start and an end.")
    semantic_description = models.TextField(
        blank=True, help_text="Another description of the subject, written by a model. Empty until it is requested."
    )
    set_aside = models.TextField(
        blank=True, help_text="The reason to leave it out of reports and new releases. Empty: it is included."
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["claim_set", "fact"], name="a_fact_once_per_set_of_claims"),
            models.CheckConstraint(condition=~Q(object=models.F("replacement")), name="a_replacement_is_another"),
        ]

    def __str__(self) -> str:
        return f"conflict {self.pk}"


class Claim(models.Model):
    """One sentence: the fact, or a claim that conflicts with it."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    conflict = models.ForeignKey(Conflict, models.PROTECT, related_name="claims")
    cause = models.CharField(max_length=20, choices=Cause)
    text = models.TextField()
    style = models.CharField(max_length=10, choices=Style, help_text="The style of its evidence.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["conflict", "cause"], name="one_claim_per_cause"),
            models.CheckConstraint(condition=~Q(text=""), name="a_claim_has_a_text"),
        ]

    def __str__(self) -> str:
        return f"claim {self.pk}"

    @property
    def is_true(self) -> bool:
        return self.cause == Cause.DEFAULT
