"""Classifiers of conflicts, trained on people's answers: numbers and how they came about, never a pickled object."""

import math
from collections.abc import Sequence
from typing import Any

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say

FEWEST_LABELS = 200


class TrainingState(models.TextChoices):
    WAITING = "waiting", say("Waiting for the worker")
    TRAINED = "trained", say("Trained")
    FAILED = "failed", say("Failed")


class ConflictClassifier(models.Model):
    """A logistic regression over the absolute differences of two embeddings: of default and of conflict evidence. It
    tells whether people would say that the two clearly contradict each other.
    """

    state = models.CharField(max_length=8, choices=TrainingState, default=TrainingState.WAITING)
    seed = models.BigIntegerField(help_text="Assigns the labels to the folds of the cross-validation.")
    encoder = models.CharField(max_length=120, help_text="The folder of the sentence encoder, and its version.")
    labels = models.JSONField(help_text="The labels used for training: the number of each evidence, and 1 or 0.")
    label_count = models.PositiveIntegerField(validators=[MinValueValidator(FEWEST_LABELS)])
    contradicting = models.PositiveIntegerField(help_text="Labels with the answer “clearly”.")
    embedded = models.PositiveIntegerField(default=0, help_text="Texts embedded so far.")
    coefficients = models.JSONField(null=True, blank=True)
    intercept = models.FloatField(null=True, blank=True)
    accuracy = models.FloatField(null=True, blank=True, help_text="The share of correct predictions in `held_out`.")
    held_out = models.JSONField(
        null=True,
        blank=True,
        help_text="The probability predicted for each label by a classifier trained without its conflict.",
    )
    library = models.CharField(max_length=60, blank=True)
    said = models.CharField(max_length=300, blank=True, help_text="The reason why the training failed.")
    created_at = models.DateTimeField(default=timezone.now)
    trained_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(label_count__gte=FEWEST_LABELS, contradicting__lte=models.F("label_count")),
                name="a_classifier_of_conflicts_has_enough_labels",
            ),
            models.CheckConstraint(
                condition=Q(
                    state=TrainingState.TRAINED,
                    coefficients__isnull=False,
                    intercept__isnull=False,
                    held_out__isnull=False,
                    trained_at__isnull=False,
                    accuracy__gte=0,
                    accuracy__lte=1,
                )
                | (
                    ~Q(state=TrainingState.TRAINED)
                    & Q(
                        coefficients__isnull=True,
                        held_out__isnull=True,
                        intercept=None,
                        accuracy=None,
                        trained_at=None,
                    )
                ),
                name="exactly_a_trained_classifier_has_numbers",
            ),
        ]

    def __str__(self) -> str:
        return f"Classifier {self.pk}"

    @property
    def component(self) -> str:
        """The name of this component."""
        return f"classifier {self.pk}, trained on {self.label_count:,} labels by people (encoder {self.encoder})"

    @property
    def majority(self) -> float:
        """The accuracy of always saying the more frequent label."""
        return max(self.contradicting, self.label_count - self.contradicting) / self.label_count

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of its training."""
        return {
            "seed": self.seed,
            "labels": self.label_count,
            "contradicting": self.contradicting,
            "accuracy": self.accuracy,
            "majority": self.majority,
            "encoder": self.encoder,
            "library": self.library,
        }

    def probability(self, default: Sequence[float], conflict: Sequence[float]) -> float:
        """The probability that evidence contradicts the default evidence, from their embeddings. Raises ValueError if
        these do not have the length of the embeddings it was trained with.
        """
        if self.coefficients is None or self.intercept is None:
            raise ValueError("it is not trained")
        pairs = zip(self.coefficients, default, conflict, strict=True)
        score = self.intercept + math.fsum(weight * abs(one - other) for weight, one, other in pairs)
        return 1 / (1 + math.exp(-score)) if score >= 0 else math.exp(score) / (1 + math.exp(score))
