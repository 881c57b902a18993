"""Judgments: always a person's, of one item, made independently of the others.

A `Judgment` row is the slot and, once given, the judgment. One row, so that a slot is reassigned and filled by one
conditional UPDATE, and a judgment always belongs to the person whose turn it was. Code says *slot* while it is open
(`find_slot`, `next_slots`) and a *judgment* once given (`record_judgment`, `judgments.given()`).
"""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say
from core.models.batches import open_batches
from judging.protocol.verdicts import Verdict

from .rounds import MOST_EACH, Item, Round

# A judgment that was taken back is not shown to the next person.
NOTHING_WRITTEN = {"comment": "", "seconds": None}


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def open(self) -> "JudgmentQuerySet":
        """Slots without a judgment yet."""
        return self.filter(judged_at=None)

    def given(self) -> "JudgmentQuerySet":
        return self.filter(judged_at__isnull=False)

    def ordinary(self) -> "JudgmentQuerySet":
        """Judgments that count: not those of training or check items."""
        return self.filter(number__isnull=False)

    def fixed(self, *, at: datetime | None = None) -> "JudgmentQuerySet":
        """Judgments that are given and can no longer be taken back. Only these may be shown, counted or compared."""
        return self.filter(undo_until__lte=at or timezone.now())

    def shown(self) -> "JudgmentQuerySet":
        """The judgments without those of an unfinished import."""
        if not open_batches().exists():
            return self
        return self.exclude(item__in=Item.everything.filter(batch__in=open_batches()))

    def to_be_had(self, *, at: datetime | None = None) -> "JudgmentQuerySet":
        """Open slots that any reviewer may take: nobody's, or left open beyond their lease."""
        return self.open().filter(Q(reviewer=None) | Q(lease_expires_at__lte=at or timezone.now()))


class Judgment(models.Model):
    """A slot for one person's judgment of an item, and the judgment once it is given.

    All slots of an item, two to five, are dealt when the round starts, each to another person. A slot that is shown
    has a lease; one that was dealt and not yet shown has none and stays with its reviewer. A slot always is one row,
    and is reassigned by a conditional UPDATE: with the constraints, this ensures that no interleaving gives more
    judgments than the round asks for, or two by one person.

    A judgment that is given can be taken back until `undo_until`. From then on it is fixed, and counts.
    """

    # Its address. Each slot of an item has one of its own, so an address reveals nothing about the others.
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    round = models.ForeignKey(Round, models.CASCADE, related_name="judgments", db_index=False)
    item = models.ForeignKey(Item, models.CASCADE, related_name="judgments", db_index=False)
    # From 1 up; empty where the item's verdict is known and everybody judges it.
    number = models.PositiveSmallIntegerField(null=True)
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="judgments"
    )
    position = models.PositiveIntegerField(help_text="Its position in its reviewer's own order.")
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    verdict = models.CharField(max_length=20, choices=Verdict, blank=True)
    # Of rounds with another questionnaire than the three verdicts: the answers by the names of its fields.
    answers = models.JSONField(null=True, blank=True)
    cannot_judge = models.TextField(blank=True, help_text="Why no verdict was possible.")
    comment = models.TextField(blank=True)
    seconds = models.PositiveIntegerField(
        null=True, blank=True, help_text="Seconds that the reviewer spent on the page."
    )
    judged_at = models.DateTimeField(null=True, blank=True)
    undo_until = models.DateTimeField(null=True, blank=True)
    # The time of the check whether all judgments of the item are in. Bookkeeping only; `undo_until` decides.
    paired_at = models.DateTimeField(null=True, blank=True)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            # The next of a reviewer; what is free; progress and minutes; what has just become fixed.
            models.Index(fields=["round", "reviewer", "position"], condition=Q(judged_at=None), name="judgment_next"),
            models.Index(
                fields=["round", "lease_expires_at"],
                condition=Q(judged_at=None) & (Q(reviewer=None) | Q(lease_expires_at__isnull=False)),
                name="judgment_free",
            ),
            models.Index(
                # With the seconds, so that they are summed without reading each row.
                fields=["round", "reviewer", "judged_at", "id", "seconds"],
                condition=Q(judged_at__isnull=False),
                name="judgment_given",
            ),
            models.Index(
                fields=["undo_until"], condition=Q(judged_at__isnull=False, paired_at=None), name="judgment_unpaired"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="one_judgment_per_slot"),
            models.UniqueConstraint(
                fields=["item", "reviewer"],
                condition=Q(reviewer__isnull=False),
                name="one_judgment_per_person_and_item",
            ),
            models.CheckConstraint(
                condition=Q(number=None) | Q(number__range=(1, MOST_EACH)), name="judgments_are_numbered_from_1_to_5"
            ),
            models.CheckConstraint(
                condition=Q(
                    judged_at=None, undo_until=None, paired_at=None, verdict="", cannot_judge="", answers__isnull=True
                )
                | (
                    Q(judged_at__isnull=False, reviewer__isnull=False, undo_until__isnull=False)
                    & (
                        (~Q(verdict="") & Q(cannot_judge="", answers__isnull=True))
                        | (Q(verdict="", answers__isnull=True) & ~Q(cannot_judge=""))
                        | Q(verdict="", cannot_judge="", answers__isnull=False)
                    )
                ),
                name="a_judgment_has_person_time_and_verdict_or_reason",
            ),
            models.CheckConstraint(
                condition=Q(lease_expires_at=None) | Q(reviewer__isnull=False), name="a_lease_has_a_reviewer"
            ),
        ]

    def __str__(self) -> str:
        return f"judgment {self.pk}"

    @property
    def is_given(self) -> bool:
        return self.judged_at is not None

    def can_be_taken_back(self) -> bool:
        return self.undo_until is not None and timezone.now() < self.undo_until


class TakenBackWhy(models.TextChoices):
    UNDO = "undo", say("Taken back by the reviewer")
    RESET = "reset", say("Reset by an admin")


class TakenBack(models.Model):
    """A judgment's content before it was taken back. Kept out of the log, which admins who review may read."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="taken_back")
    # None once the slot is withdrawn; the content stays.
    judgment = models.ForeignKey(Judgment, models.SET_NULL, null=True, related_name="taken_back")
    why = models.CharField(max_length=10, choices=TakenBackWhy)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=20, choices=Verdict, blank=True)
    answers = models.JSONField(null=True, blank=True)
    cannot_judge = models.TextField(blank=True)
    comment = models.TextField(blank=True)
    judged_at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [models.CheckConstraint(condition=~Q(why="reset") | ~Q(reason=""), name="a_reset_has_a_reason")]

    def __str__(self) -> str:
        return f"a judgment of {self.item_id} as it was"
