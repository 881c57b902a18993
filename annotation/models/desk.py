"""Data about the work at the desk besides the annotation: saves, sources, suggestions, time, comments."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say

from .annotations import Annotation
from .contents import Passage
from .evidence import Evidence


class DraftSave(models.Model):
    """The form's content at one save. A save from a stale copy is refused, but its text is kept here."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="saves")
    # Made by the browser: a save sent twice because the first answer got lost is one save.
    operation = models.UUIDField(unique=True)
    tab = models.CharField(max_length=64, blank=True)
    base_version = models.PositiveIntegerField()
    version = models.PositiveIntegerField(null=True, blank=True, help_text="Empty where the save was refused.")
    content = models.JSONField()
    # Empty where there are none, also in saves of earlier versions of this program.
    unseen: Any = models.JSONField(
        null=True, blank=True, help_text="Fields filled from drafts by rule that have not been looked at since."
    )
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "version"], condition=Q(version__isnull=False), name="one_save_per_version"
            )
        ]

    def __str__(self) -> str:
        return f"save {self.version or 'refused'} of annotation {self.annotation_id}"


class FirstSubmission(models.Model):
    """The content of an annotation's first submission, kept when its writer gets it back: taken back, or returned by
    a reviewer. An annotation submitted only once has none, as it still has that content itself.
    """

    annotation = models.OneToOneField(Annotation, models.CASCADE, related_name="first_submission")
    content = models.JSONField(help_text="The form, as content_of reads it.")
    submitted_at = models.DateTimeField()
    returned_at = models.DateTimeField(null=True, blank=True, help_text="When a reviewer first returned it.")

    def __str__(self) -> str:
        return f"first submission of annotation {self.annotation_id}"


class SourceKind(models.TextChoices):
    TEXT = "text", say("Text")
    TABLE = "table", say("Table")
    INFOBOX = "infobox", say("Infobox")


class PassageSource(models.Model):
    """A stretch of a page that was selected as a passage or part of one, in the order of the passage.

    The page is kept as it was (`Evidence`), so the offsets stay valid. All other text in the passage was written by
    hand.
    """

    passage = models.ForeignKey(Passage, models.CASCADE, related_name="sources")
    evidence = models.ForeignKey(Evidence, models.PROTECT, related_name="+")
    start = models.PositiveIntegerField(help_text="In the page's text, in UTF-16 units as browsers count.")
    end = models.PositiveIntegerField()
    text = models.TextField(help_text="As selected, without citation marks and tags.")
    kind = models.CharField(max_length=10, choices=SourceKind)
    selected_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(start__lt=models.F("end")), name="a_source_starts_before_it_ends"),
            models.CheckConstraint(condition=~Q(text=""), name="a_source_has_text"),
        ]

    def __str__(self) -> str:
        return f"{self.evidence.title} {self.start}-{self.end}"


class SuggestionOutcome(models.TextChoices):
    ACCEPTED = "accepted", say("Suggestion accepted")
    OWN = "own", say("Own choice")


class Suggestion(models.Model):
    """A suggestion for a field, and whether the annotator took it. It never decides anything."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="suggestions")
    field = models.CharField(max_length=60)
    suggested = models.JSONField(help_text="The value that was shown last.")
    outcome = models.CharField(max_length=10, choices=SuggestionOutcome)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["annotation_id", "field"]
        constraints = [models.UniqueConstraint(fields=["annotation", "field"], name="one_suggestion_per_field")]

    def __str__(self) -> str:
        return f"{self.field}: {self.outcome}"


class StepTime(models.Model):
    """Active seconds, actions and typed characters of one opening of the desk on one step. A page sends its totals,
    so that repeated or reordered messages count once. Step 0 is time in another program, which does not count steps.
    """

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="step_times")
    page = models.CharField(max_length=64)
    step = models.PositiveSmallIntegerField()
    seconds = models.PositiveIntegerField()
    # Only their numbers are known. Empty where they were not counted.
    actions = models.PositiveIntegerField(null=True, blank=True, help_text="Keys other than typing, and clicks.")
    typed = models.PositiveIntegerField(null=True, blank=True, help_text="Typed characters.")
    last_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["annotation_id", "step"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "page", "step"], name="one_time_per_page_and_step"),
            models.CheckConstraint(condition=Q(step__range=(0, 6)), name="steps_0_to_6"),
            models.CheckConstraint(condition=Q(seconds__gt=0), name="no_time_has_no_row"),
        ]

    def __str__(self) -> str:
        return f"step {self.step}: {self.seconds} s"


class CommentQuerySet(models.QuerySet["Comment"]):
    def open_asks(self) -> "CommentQuerySet":
        """Annotators' open questions for whose answer the tag is waiting."""
        return self.filter(is_ask=True, resolved_at=None)


class Comment(models.Model):
    """A comment on a field of an annotation, or on the whole: open until it is resolved.

    A comment on another topic has no `annotation`: the app above that registered the topic has a row beside it
    (`annotation.desk.comments.topics`).

    A question that the tag is waiting for (`is_ask`) is open exactly while its writer's assignment waits
    (`asked_at`).
    """

    about = models.CharField(max_length=20, default="annotation", help_text="The kind of its topic.")
    # Typed as if it were always there: the code that reads it has asked for comments on annotations.
    annotation: "models.ForeignKey[Annotation, Annotation]" = models.ForeignKey(  # type: ignore[misc]
        Annotation, models.CASCADE, null=True, blank=True, related_name="comments"
    )
    reply_to = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="replies")
    field = models.CharField(max_length=60, blank=True, help_text="Empty where it is about the whole annotation.")
    # Fields get edited and questions renumbered: this keeps what the comment was about.
    field_text = models.TextField(blank=True, help_text="The field's text when this was written.")
    # Where it is about some words of the field: the words, and where they began, in characters.
    quote = models.TextField(blank=True)
    quote_start = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField()
    is_ask = models.BooleanField(default=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="comments")
    at = models.DateTimeField(default=timezone.now)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")

    objects = CommentQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="a_comment_says_something"),
            models.CheckConstraint(
                condition=Q(about="annotation", annotation__isnull=False)
                | (~Q(about__in=["annotation", ""]) & Q(annotation=None, is_ask=False)),
                name="a_comment_is_about_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(quote="", quote_start=None)
                | (~Q(quote="") & Q(quote_start__isnull=False, reply_to=None) & ~Q(field="")),
                name="quoted_words_stand_in_a_field",
            ),
            models.CheckConstraint(
                condition=Q(resolved_at=None, resolved_by=None)
                | Q(resolved_at__isnull=False, resolved_by__isnull=False),
                name="a_resolved_comment_has_time_and_person",
            ),
            models.CheckConstraint(
                condition=Q(reply_to=None) | Q(is_ask=False, resolved_at=None), name="a_reply_only_replies"
            ),
            models.UniqueConstraint(
                fields=["annotation"], condition=Q(is_ask=True, resolved_at=None), name="one_open_ask_per_annotation"
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class NoticeKind(models.TextChoices):
    MENTION = "mention", say("mentions you")
    ANSWER = "answer", say("answered your question")
    REPLY = "reply", say("replied to you")
    COMMENT = "comment", say("commented on your annotation")


class Notice(models.Model):
    """A comment that one person should read; `read_at` is the time when they did."""

    comment = models.ForeignKey(Comment, models.CASCADE, related_name="notices")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="notices", db_index=False)
    kind = models.CharField(max_length=10, choices=NoticeKind)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["person", "read_at"], name="notice_unread"),
            models.Index(fields=["person", "id"], name="notice_of_person"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["comment", "person"], name="one_notice_per_comment_and_person")
        ]

    def __str__(self) -> str:
        return f"{self.person} and comment {self.comment_id}: {self.kind}"


QUARTER_SECONDS, PARTS_OF_A_QUARTER = 900, 10


class SubmissionCounts(models.Model):
    """The numbers of annotations by the time of their last submission. The database itself maintains these rows
    (`KeepSums`): the overview counts four weeks, in which there may be more than a page has time for.

    Annotations of a batch are counted separately, as an open batch counts nowhere. There are counts per 15 minutes,
    as days begin at such a time in all time zones, and each such period has `PARTS_OF_A_QUARTER` rows, so that few
    people who submit at the same time wait for each other.
    """

    part = models.BigIntegerField(help_text="The period and the part of it.")
    batch = models.BigIntegerField(help_text="0 outside any batch.")
    count = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["part", "batch"], name="submissions_are_counted_once")]

    def __str__(self) -> str:
        return f"{self.count} in {self.part}"
