"""Records of people who were shown others' judgments: after seeing one of a response, they no longer judge that
response.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say
from judging.models import Response

from .rounds import Item, Round


class Saw(models.TextChoices):
    JUDGMENTS = "judgments", say("Single judgments, even if others were not in")
    VERDICTS = "verdicts", say("Outcomes of judgments once all were in")
    FILE = "file", say("A file of judgments that this person brought")
    COMMENTS = "comments", say("What others say of the response in comments")
    DOCUMENT = "document", say("The document in another round, where its error was marked")


class SeenJudgments(models.Model):
    """Records that a person was shown judgments: of one response or item, or all of a round that counted until `at`.

    A row for a round, and not one for each of its responses: an export of 100,000 judgments is then noted by as many
    rows as there are rounds. `review.rounds.turns.seen` reads and writes these rows.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    what = models.CharField(max_length=10, choices=Saw)
    round = models.ForeignKey(Round, models.CASCADE, null=True, blank=True, related_name="seen_by")
    response = models.ForeignKey(Response, models.CASCADE, null=True, blank=True, related_name="+")
    # For candidates and instances, which have no response: the item in its round.
    item = models.ForeignKey(Item, models.CASCADE, null=True, blank=True, related_name="+")
    at = models.DateTimeField(default=timezone.now, help_text="When last, of a round; when first, of a response.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            # NULL differs from NULL here, so each of the two applies to its own kind of row only.
            models.UniqueConstraint(fields=["person", "round", "what"], name="seen_once_per_round"),
            models.UniqueConstraint(fields=["person", "response", "what"], name="seen_once_per_response"),
            models.UniqueConstraint(fields=["person", "item", "what"], name="seen_once_per_item"),
            models.CheckConstraint(
                condition=Q(round=None, response__isnull=False, item=None)
                | Q(round__isnull=False, response=None, item=None)
                | Q(round=None, response=None, item__isnull=False),
                name="seen_is_of_a_round_a_response_or_an_item",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person_id} saw {self.what}"
