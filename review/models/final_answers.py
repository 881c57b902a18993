"""The final answers of other questionnaires than the three verdicts. Pages, releases and reports read this table."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say

from .rounds import Item, Round


class HowMerged(models.TextChoices):
    MERGED = "merged", say("Merged by the rules of the questionnaire")
    ADJUDICATED = "adjudicated", say("Adjudicated")


class FinalAnswers(models.Model):
    """The merged answers of all who judged an item, or those of the adjudicator. `outcome` is the word of the
    questionnaire that lists and reports count by.

    The database refuses to change a row. Reopening an adjudication deletes it, and adjudicating again makes another.
    """

    item = models.OneToOneField(Item, models.PROTECT, related_name="final_answers")
    round = models.ForeignKey(Round, models.PROTECT, related_name="final_answers")
    outcome = models.CharField(max_length=20)
    answers = models.JSONField()
    how = models.CharField(max_length=20, choices=HowMerged)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["round", "outcome"], name="final_answers_outcome")]
        constraints = [models.CheckConstraint(condition=~Q(outcome=""), name="final_answers_have_an_outcome")]

    def __str__(self) -> str:
        return f"{self.outcome}: {self.item_id}"
