"""Assignments of tags to annotators."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.models.batches import VisibleManager, WrittenInBatches

from .articles import Tag

MOST_ANNOTATIONS = 20  # for one tag


def is_live(at: datetime) -> Q:
    """A filter of claimed assignments: those without a lease, or with one that has not expired at this time."""
    return Q(lease_expires_at=None) | Q(lease_expires_at__gt=at)


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def unfinished(self) -> "AssignmentQuerySet":
        return self.filter(done_at=None)

    def free(self, *, at=None) -> "AssignmentQuerySet":
        """Assignments that nobody holds: never claimed, or with a lease that has expired at the time `at` (now if not
        given).
        """
        return self.unfinished().filter(Q(annotator=None) | Q(lease_expires_at__lte=at or timezone.now()))

    def waiting(self) -> "AssignmentQuerySet":
        """Assignments whose annotator asked a question and is waiting for the answer."""
        return self.filter(asked_at__isnull=False)

    def held(self) -> "AssignmentQuerySet":
        """Unfinished assignments that a person has now: assigned by an admin, claimed with a live lease, or waiting
        for an answer."""
        return self.unfinished().filter(is_live(timezone.now()), annotator__isnull=False)


class Assignment(WrittenInBatches):
    """One annotator's turn at a tag. A tag has one for each annotation it needs.

    If an annotation was imported, free assignments are marked as done, without an annotator. A claim from the queue
    has a lease, which the open page renews; an assignment given by an admin has none and stays. One waiting for an
    answer to its annotator's question has none either, and goes to nobody else until then.
    """

    tag = models.ForeignKey(Tag, models.CASCADE, related_name="assignments")
    # The tag's, so that the queue is an index of this table: see `Assignment.of` and `set_priority`.
    priority = models.IntegerField(default=0, editable=False)
    number = models.PositiveSmallIntegerField()
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, db_index=False, related_name="assignments"
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    asked_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    # Claimed while its annotator had another tag in hand, so that its page is there once that one is submitted. It is
    # in hand from the first renewal on; one that is not wanted is handed back.
    is_ahead = models.BooleanField(default=False, editable=False)

    objects = VisibleManager.from_queryset(AssignmentQuerySet)()
    everything = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["tag_id", "number"]
        indexes = [
            # None of the others holds what nobody has taken: a database that expects few such rows, as many people
            # have few each, would read and sort them instead of following the queue.
            models.Index(
                fields=["lease_expires_at"],
                condition=Q(done_at=None, lease_expires_at__isnull=False),
                name="assignment_lease",
            ),
            models.Index(
                fields=["-priority", "tag", "number"],
                condition=Q(annotator=None, done_at=None),
                name="assignment_queue",
            ),
            # The tags that are claimed, or waiting for an answer, as the list of tags has them.
            models.Index(
                fields=["tag"], condition=Q(done_at=None, annotator__isnull=False), name="assignment_claimed"
            ),
            # Each person's current assignments: a few of all that they ever claimed.
            models.Index(
                fields=["annotator"], condition=Q(done_at=None, annotator__isnull=False), name="assignment_in_hand"
            ),
            models.Index(fields=["tag"], condition=Q(asked_at__isnull=False), name="assignment_waiting"),
            # How many are done, and so how many are not.
            models.Index(fields=["tag"], condition=Q(done_at__isnull=False), name="assignment_done"),
            # The tags that two or more annotate.
            models.Index(fields=["tag"], condition=Q(number=2), name="assignment_second"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["tag", "number"], name="one_assignment_per_number"),
            models.CheckConstraint(
                condition=Q(number__range=(1, MOST_ANNOTATIONS)), name="up_to_twenty_annotations_of_a_tag"
            ),
            # By person first: in the order of the tags, a database would rather follow this one than an index of few.
            models.UniqueConstraint(
                fields=["annotator", "tag"],
                condition=Q(annotator__isnull=False),
                name="one_assignment_per_person_and_tag",
            ),
            models.CheckConstraint(
                condition=Q(annotator=None, claimed_at=None, lease_expires_at=None, assigned_by=None)
                | Q(annotator__isnull=False, claimed_at__isnull=False),
                name="a_claim_has_person_and_time",
            ),
            models.CheckConstraint(
                condition=Q(asked_at=None) | Q(annotator__isnull=False, lease_expires_at=None, done_at=None),
                name="a_waiting_assignment_has_its_person_and_no_lease",
            ),
            models.CheckConstraint(
                condition=Q(is_ahead=False)
                | Q(annotator__isnull=False, lease_expires_at__isnull=False, asked_at=None, done_at=None),
                name="a_claim_ahead_has_a_lease",
            ),
            models.UniqueConstraint(
                fields=["annotator"], condition=Q(is_ahead=True), name="one_claim_ahead_per_person"
            ),
        ]

    def __str__(self) -> str:
        return f"assignment {self.number} of tag {self.tag_id}"

    @classmethod
    def of(cls, tag: Tag, number: int, **values: Any) -> "Assignment":
        """An unsaved row, at the tag's priority."""
        return cls(tag=tag, priority=tag.priority, number=number, **values)


class Skip(models.Model):
    """An annotator skipped a tag; the queue does not offer it to them again."""

    tag = models.ForeignKey(Tag, models.CASCADE, related_name="skips")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="skips")
    reason = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tag", "annotator"], name="one_skip_per_person_and_tag")]

    def __str__(self) -> str:
        return f"tag {self.tag_id} skipped"


class BulkChange(models.Model):
    """An admin's change of one or more tags, which can be undone as a whole while nothing of it has changed since."""

    action = models.CharField(max_length=20, help_text="As in `annotation.tags.changes.TagAction`.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    number = models.IntegerField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(undone_at=None, undone_by=None) | Q(undone_at__isnull=False, undone_by__isnull=False),
                name="an_undone_change_has_person_and_time",
            )
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.pk}"


class ChangedTag(models.Model):
    """A tag in a change of several, with what the action touches before and after."""

    change = models.ForeignKey(BulkChange, models.CASCADE, related_name="tags")
    tag = models.ForeignKey(Tag, models.CASCADE, related_name="bulk_changes")
    before = models.JSONField()
    after = models.JSONField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["change", "tag"], name="a_tag_once_per_change")]

    def __str__(self) -> str:
        return f"tag {self.tag_id} in change {self.change_id}"


class Quota(models.Model):
    """The number of annotations that a person is to submit, and by which day, as an admin has set it."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="quota")
    annotations = models.PositiveIntegerField()
    deadline = models.DateField(null=True, blank=True)
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [models.CheckConstraint(condition=Q(annotations__gte=1), name="a_quota_is_at_least_one")]

    def __str__(self) -> str:
        return f"quota of {self.person}"


class ReviewShare(models.Model):
    """A person's own share of submissions that reviewers decide on, as an admin has set it."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="review_share")
    percent = models.PositiveSmallIntegerField()
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [models.CheckConstraint(condition=Q(percent__lte=100), name="a_review_share_in_percent")]

    def __str__(self) -> str:
        return f"review share of {self.person}"
