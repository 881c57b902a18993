"""The outcome of judgments: pairs, adjudication, and the final verdict. Reports read these tables."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.models import Instance, Release
from core.languages import say
from core.models import VisibleManager, WrittenInBatches
from judging.models import LanguageModel, PromptTemplate, Response, Run
from judging.protocol.verdicts import Verdict

from .numbers import CELLS, computed, kind_number, verdict_number
from .rounds import Item, Round


class Facets(models.Model):
    """The values that reports group by, copied from the response and its instance, neither of which ever changes: a
    report over a million judgments is then one GROUP BY over one table.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    # The index that reports count in begins with the instance.
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="+", db_index=False)
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="+", db_index=False)
    template = models.ForeignKey(PromptTemplate, models.PROTECT, related_name="+", db_index=False)
    category = models.CharField(max_length=200, blank=True)
    subcategory = models.CharField(max_length=40, blank=True)
    # Both as one number.
    kind = computed(kind_number())

    class Meta:
        abstract = True


class Pair(Facets):
    """Two judgments of an item by two people: one pair of an item with two judgments, n (n - 1) / 2 of one with n.
    All are written together, when all judgments of the item are fixed. The person with the smaller primary key comes
    first: the order of dealing is random, and the same two people share one table.

    The database refuses to change a row: agreement is measured before adjudication. A blank verdict means that the
    person could not judge.
    """

    # The index of the constraint below begins with it.
    item = models.ForeignKey(Item, models.PROTECT, related_name="pairs", db_index=False)
    round = models.ForeignKey(Round, models.PROTECT, related_name="pairs")
    response = models.ForeignKey(Response, models.PROTECT, related_name="+")
    reviewer_1 = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reviewer_2 = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    verdict_1 = models.CharField(max_length=20, choices=Verdict, blank=True)
    verdict_2 = models.CharField(max_length=20, choices=Verdict, blank=True)
    # The cell of the table that the pair counts in: row * CELLS + column.
    cell = computed(verdict_number("verdict_1") * CELLS + verdict_number("verdict_2"))
    completed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["item", "reviewer_1", "reviewer_2"], name="two_people_once_per_item"),
            models.CheckConstraint(
                condition=Q(reviewer_1__lt=F("reviewer_2")), name="a_pair_is_two_people_in_their_order"
            ),
        ]
        # All that reports count, so that they read the index alone.
        indexes = [
            models.Index(
                fields=["instance", "template", "model", "kind", "cell", "reviewer_1", "reviewer_2"],
                name="pair_counted",
            )
        ]

    def __str__(self) -> str:
        return f"pair of {self.item_id}"


class AdjudicationCause(models.TextChoices):
    DISAGREE = "disagree", say("The judgments differ")
    CANNOT_JUDGE = "cannot_judge", say("A reviewer could not judge")
    MARKED = "marked", say("A reviewer asked for an expert")


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def open(self) -> "AdjudicationQuerySet":
        return self.filter(adjudicated_at=None)

    def adjudicated(self) -> "AdjudicationQuerySet":
        return self.filter(adjudicated_at__isnull=False)


class Adjudication(models.Model):
    """Another person's decision on an item whose judgments give no final verdict. One per item; reopening it is
    counted."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    item = models.OneToOneField(Item, models.CASCADE, related_name="adjudication")
    round = models.ForeignKey(Round, models.CASCADE, related_name="adjudications")
    cause = models.CharField(max_length=20, choices=AdjudicationCause)
    opened_at = models.DateTimeField(default=timezone.now)
    # The person who has it open, so that two adjudicators are not given the same one.
    held_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    verdict = models.CharField(max_length=20, choices=Verdict, blank=True)
    # Of rounds with another questionnaire than the three verdicts.
    answers = models.JSONField(null=True, blank=True)
    reason = models.TextField(blank=True)
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="adjudications"
    )
    adjudicated_at = models.DateTimeField(null=True, blank=True)
    times_reopened = models.PositiveSmallIntegerField(default=0)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["round", "id"], condition=Q(adjudicated_at=None), name="adjudication_open"),
            models.Index(fields=["opened_at", "id"], condition=Q(adjudicated_at=None), name="adjudication_waiting"),
            models.Index(
                fields=["adjudicated_at", "id"],
                condition=Q(adjudicated_at__isnull=False),
                name="adjudication_decided",
            ),
            # They are rare, and every report mentions them.
            models.Index(fields=["round"], condition=Q(times_reopened__gt=0), name="adjudication_reopened"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(adjudicated_at=None, verdict="", answers__isnull=True, adjudicator=None)
                | (
                    Q(adjudicated_at__isnull=False, adjudicator__isnull=False)
                    & ~Q(reason="")
                    & ((~Q(verdict="") & Q(answers__isnull=True)) | Q(verdict="", answers__isnull=False))
                ),
                name="an_adjudication_has_person_time_and_reason",
            )
        ]

    def __str__(self) -> str:
        return f"adjudication of {self.item_id}"


class How(models.TextChoices):
    AGREED = "agreed", say("All agreed")
    MAJORITY = "majority", say("Most agreed")
    ADJUDICATED = "adjudicated", say("Adjudicated")
    IMPORTED = "imported", say("Imported")


class FinalVerdict(Facets, WrittenInBatches):
    """The final verdict of a response. A response without a row has none, and that is never "incorrect".

    The database refuses to change a row. Reopening an adjudication deletes it, and adjudicating again makes another.
    """

    response = models.OneToOneField(Response, models.PROTECT, related_name="final_verdict")
    item = models.OneToOneField(Item, models.PROTECT, null=True, blank=True, related_name="final_verdict")
    verdict = models.CharField(max_length=20, choices=Verdict)
    verdict_number = computed(verdict_number("verdict"))
    how = models.CharField(max_length=20, choices=How)
    at = models.DateTimeField(default=timezone.now)

    objects = VisibleManager()
    everything = models.Manager()  # noqa: DJ012 - it takes this for a field

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(how="imported", item=None) | (~Q(how="imported") & Q(item__isnull=False)),
                name="a_final_verdict_was_judged_here_or_imported",
            )
        ]
        # All that reports count, so that they read the index alone.
        indexes = [
            models.Index(
                fields=["instance", "template", "model", "kind", "verdict_number", "batch"],
                name="final_verdict_counted",
            )
        ]

    def __str__(self) -> str:
        return f"final verdict of {self.response_id}"


class SetAsideQuerySet(models.QuerySet["SetAside"]):
    def active(self) -> "SetAsideQuerySet":
        return self.filter(taken_back_at=None)


class SetAside(models.Model):
    """An instance found to be ambiguous: while it is set aside, all its responses are left out of the reports."""

    instance = models.ForeignKey(Instance, models.PROTECT, related_name="set_aside")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    taken_back_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    taken_back_at = models.DateTimeField(null=True, blank=True)

    objects = SetAsideQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["instance"], condition=Q(taken_back_at=None), name="an_instance_is_set_aside_once"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="setting_aside_has_a_reason"),
            models.CheckConstraint(
                condition=Q(taken_back_at=None, taken_back_by=None)
                | Q(taken_back_at__isnull=False, taken_back_by__isnull=False),
                name="taking_back_has_person_and_time",
            ),
        ]

    def __str__(self) -> str:
        return f"instance {self.instance_id} set aside"


class Pseudonym(models.Model):
    """The name of a reviewer in exports about a release; in those about another release, or none, it is another."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    release = models.ForeignKey(Release, models.PROTECT, null=True, blank=True, related_name="+")
    name = models.CharField(max_length=40)

    class Meta:
        ordering = ["release", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "person"], condition=Q(release__isnull=False), name="one_pseudonym_per_release"
            ),
            models.UniqueConstraint(
                fields=["person"], condition=Q(release=None), name="one_pseudonym_without_release"
            ),
            models.UniqueConstraint(
                fields=["release", "name"], condition=Q(release__isnull=False), name="a_pseudonym_is_one_persons"
            ),
            models.UniqueConstraint(
                fields=["name"], condition=Q(release=None), name="a_pseudonym_without_release_is_one_persons"
            ),
        ]

    def __str__(self) -> str:
        return self.name
