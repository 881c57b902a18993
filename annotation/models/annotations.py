"""An annotator's work on a tag, and its state."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Case, CharField, F, Func, Q, Subquery, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from core.languages import say
from core.models import Project, User
from core.models.batches import VisibleManager, WrittenInBatches, is_visible
from core.refusals import Forbidden, Refusal

from .articles import Tag
from .guideline import GuidelineVersion


class Validity(models.TextChoices):
    VALID = "Valid"
    INVALID = "Invalid"


class SamePassage(models.TextChoices):
    SAME = "Same"
    DIFFERENT = "Different"


class AnnotationState(models.TextChoices):
    DRAFT = "draft", say("Draft")
    SUBMITTED = "submitted", say("Waiting for review")
    RETURNED = "returned", say("Returned")
    ACCEPTED = "accepted", say("Accepted")
    EXCLUDED = "excluded", say("Excluded")

    @classmethod
    def writable(cls) -> list["AnnotationState"]:
        """States in which the annotator may write."""
        return [cls.DRAFT, cls.RETURNED]

    @classmethod
    def submitted(cls) -> list["AnnotationState"]:
        """States of an annotation that its annotator submitted and that was not returned."""
        return [cls.SUBMITTED, cls.ACCEPTED, cls.EXCLUDED]


class ReviewState(models.TextChoices):
    """The state of an annotation between submission and decision."""

    WAITING = "waiting", say("Waiting")
    INCOMPLETE = "incomplete", say("Awaiting other annotators")
    RETURNED = "returned", say("Returned")
    ACCEPTED = "accepted", say("Accepted")
    NOT_CHOSEN = "not_chosen", say("Not chosen")
    MERGED = "merged", say("Merged")
    EXCLUDED = "excluded", say("Excluded")
    NOT_YET = "draft", say("Draft")


class ReviewStateFor(Func):
    """An expression for the `ReviewState` of each annotation in a query, as far as `reader` may know it.

    If a tag needs several annotations, they wait for each other, so that nobody decides on one alone; once one of
    them is accepted, the others are not chosen, and once a merge of them is, they are merged. Until then the reader's
    own is only shown as waiting: the progress of the others is hidden from `reader`, who could still take theirs back
    and change it.

    As SQL in one piece: Django would compile it again for each list.
    """

    output_field = CharField()
    template = """CASE WHEN {state} <> 'submitted' THEN {state}
        ELSE COALESCE(
            (SELECT CASE WHEN chosen.merged_by_id IS NULL THEN 'not_chosen' ELSE 'merged' END
            FROM annotation_annotation chosen
            WHERE chosen.tag_id = {tag} AND chosen.state = 'accepted' AND {chosen}),
            CASE WHEN {annotator} = %s THEN 'waiting'
            WHEN EXISTS (SELECT 1 FROM annotation_assignment anyones
                WHERE anyones.tag_id = {tag} AND anyones.done_at IS NULL AND {anyones}) THEN 'incomplete'
            ELSE 'waiting' END) END"""

    def __init__(self, reader: User):
        super().__init__("state", "annotator_id", "tag_id")
        self.reader = reader

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        state, annotator, tag = (compiler.compile(each)[0] for each in self.source_expressions)
        visible = {name: is_visible(name) for name in ("chosen", "anyones")}
        names = {"state": state, "annotator": annotator, "tag": tag}
        return self.template.format(**names, **visible), [self.reader.pk]


class AnnotationQuerySet(models.QuerySet["Annotation"]):
    def accepted(self) -> "AnnotationQuerySet":
        return self.filter(state=AnnotationState.ACCEPTED)

    def without_checks(self) -> "AnnotationQuerySet":
        """Without annotations of check tags, which no release, table or agreement counts."""
        return self.filter(tag__check_tag=None)

    def with_review_state(self, reader: User) -> "AnnotationQuerySet":
        """Annotates each with `review_state`, its `ReviewState` as far as this person may know it."""
        return self.annotate(review_state=ReviewStateFor(reader))

    def in_review_state(self, review_state: ReviewState, reader: User) -> "AnnotationQuerySet":
        return self.annotate(review_state=ReviewStateFor(reader)).filter(review_state=review_state)

    def count_review_states(self, reader: User) -> "models.QuerySet[Annotation, Any]":
        """Each review state with the number of annotations in it."""
        annotated = self.order_by().annotate(review_state=ReviewStateFor(reader))
        return annotated.values_list("review_state").annotate(count=models.Count("pk"))

    def with_choices(self) -> "AnnotationQuerySet":
        """The annotations with their choices as in `content_of`: `validity_now` and `confidence_now`."""
        return self.annotate(
            validity_now=_now("wikitag_label_valid", F("validity")),
            confidence_now=_now("confidence", Cast("confidence", CharField())),
        )

    def with_settings(self) -> "AnnotationQuerySet":
        """The annotations with the settings that the desk needs, which saves a query: the project's, and the writer's
        share of reviewed annotations.
        """
        project = Project.objects.order_by()
        percent = Subquery(project.values("review_percent")[:1])
        return self.annotate(
            lease_seconds=Subquery(project.values("lease_seconds")[:1]),
            suggestion_model=Subquery(project.values("suggestion_model")[:1]),
            review_percent=Coalesce("annotator__review_share__percent", percent),
        )

    def with_parts(self) -> "AnnotationQuerySet":
        """The annotations with everything in the published record, in four queries; without the article's wikitext,
        which may be megabytes and is not part of it.
        """
        rows = self.select_related("tag__article", "annotator", "draft").defer("tag__article__wikitext")
        return rows.prefetch_related("passages", "contradiction_types", "questions")


def _now(field: str, submitted: F | Cast) -> Case:
    in_draft = KeyTextTransform(field, "draft__content")
    return Case(When(draft=None, then=submitted), default=in_draft, output_field=CharField())


class Annotation(WrittenInBatches):
    """One annotator's work on one tag. `version` counts the saves; a save states the version it is based on.

    A tag's annotations can also become one: a merge, written by a reviewer (`merged_by`) and by no annotator. It
    records the source of each field (`Contribution`), and the originals do not change.

    While it is written, its content is that of `draft`, its latest save. These columns and the rows of passages,
    types and questions hold the last submission, and count if there is no draft: `annotation.content.rows.content_of`
    reads whichever counts.
    """

    tag = models.ForeignKey(Tag, models.PROTECT, related_name="annotations")
    # The tag's, which the database itself copies (`CopyColumn`), so that those of a state in the order of the queue
    # are an index.
    priority = models.IntegerField(default=0, editable=False)
    # Empty for an imported annotation: its writer is not known here.
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="annotations"
    )
    # The reviewer who merged other annotations of the tag into this one; empty for what an annotator wrote.
    merged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, db_index=False, related_name="+"
    )
    state = models.CharField(max_length=20, choices=AnnotationState, default=AnnotationState.DRAFT)
    version = models.PositiveIntegerField(default=0)
    # The latest save, until it is submitted. Not enforced by Django, which would read each save before it deletes
    # one: the database itself refuses to delete this one.
    draft = models.ForeignKey("DraftSave", models.DO_NOTHING, null=True, blank=True, editable=False, related_name="+")

    validity = models.CharField(max_length=10, choices=Validity, blank=True)
    valid_comment = models.TextField(blank=True)
    # Blank in older records means the preselected "Different".
    same_passage = models.CharField(max_length=10, choices=SamePassage, blank=True)
    contradict_comment = models.TextField(blank=True)
    question_comment = models.TextField(blank=True)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)
    # The annotator saw the warning that origin and titles disagree, and kept the choice.
    origin_confirmed = models.BooleanField(default=False)

    created_at = models.DateTimeField(default=timezone.now)
    saved_at = models.DateTimeField(default=timezone.now)
    submitted_at = models.DateTimeField(null=True, blank=True)
    # Made by the browser, like a save's. It stays when the annotation is taken back or returned, so that the same
    # submission sent again, because the answer got lost, does not submit it again.
    submit_operation = models.UUIDField(null=True, blank=True)
    # All `StepTime` of it, which the database itself adds up (`KeepSums`).
    seconds = models.PositiveIntegerField(default=0, editable=False)
    reviewed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    reviewed_at = models.DateTimeField(null=True, blank=True)
    review_message = models.TextField(blank=True)
    # False for what the draw left out (`annotation.desk.review_sample`): it is accepted without review, and no page
    # tells its writer before.
    needs_review = models.BooleanField(default=True, editable=False)
    # The version of the guideline that the writer's page showed at the last submission; empty where nobody can know:
    # imported, or submitted before versions were kept.
    guideline = models.ForeignKey(
        GuidelineVersion, models.PROTECT, null=True, blank=True, editable=False, related_name="annotations"
    )
    # The imported record, as JSON text: PostgreSQL's own JSON would lose the order of its keys. Whatever has not been
    # changed here since is exported exactly as it came.
    imported_record = models.TextField(blank=True)
    # As counted at the last submission: for each field for which a model suggested a text, the model, the number of
    # characters, and how many of them are as suggested.
    machine_made = models.JSONField(default=list, blank=True)
    # Results from Label Studio that no field of the form holds, as they came; exported there again.
    kept_aside = models.JSONField(default=list, blank=True)

    objects = VisibleManager.from_queryset(AnnotationQuerySet)()
    everything = AnnotationQuerySet.as_manager()
    review_state: str  # only if loaded with AnnotationQuerySet.with_review_state
    # Loaded with AnnotationQuerySet.with_settings; None where they are still to be asked for.
    lease_seconds: int | None = None
    suggestion_model: str | None = None
    review_percent: int | None = None
    # Loaded for the desk: the latest version of the guideline, its time, and the last one that its writer has seen.
    latest_guideline: int | None = None
    guideline_since: datetime | None = None
    guideline_read: int | None = None
    # Whether a model was ever asked for a suggestion; None where nobody looked.
    has_model_suggestions: bool | None = None
    # The same for drafts by rule that were used.
    has_drafts: bool | None = None

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["state", "submitted_at", "id"], name="annotation_state"),
            models.Index(fields=["state", "tag"], name="annotation_tag_by_state"),
            models.Index(fields=["state", "-priority", "tag"], name="annotation_queue_by_state"),
            # Submissions to be accepted without review, oldest first.
            models.Index(
                fields=["submitted_at"],
                condition=Q(state="submitted", needs_review=False),
                name="annotation_left_out_of_sample",
            ),
            # The tags that are in draft, as the list of tags has them.
            models.Index(fields=["tag"], condition=Q(state__in=["draft", "returned"]), name="annotation_in_draft"),
            # Each person's annotations, counted without reading the rows.
            models.Index(fields=["annotator", "state", "saved_at"], name="annotation_by_person"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tag", "annotator"],
                condition=Q(annotator__isnull=False),
                name="one_annotation_per_person_and_tag",
            ),
            models.UniqueConstraint(
                fields=["tag"], condition=Q(state="accepted"), name="one_accepted_annotation_per_tag"
            ),
            models.UniqueConstraint(
                fields=["tag"], condition=Q(merged_by__isnull=False), name="one_merge_of_the_annotations_of_a_tag"
            ),
            models.CheckConstraint(
                condition=Q(merged_by=None)
                | Q(annotator=None, imported_record="", state__in=["submitted", "accepted", "excluded"]),
                name="a_merge_has_no_annotator_and_is_never_a_draft",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "returned"]) | Q(draft=None), name="what_is_submitted_has_no_draft"
            ),
            models.CheckConstraint(
                condition=Q(confidence=None) | Q(confidence__range=(1, 5)), name="confidence_is_1_to_5"
            ),
            models.CheckConstraint(
                condition=Q(state="draft") | Q(submitted_at__isnull=False), name="submitted_work_has_its_time"
            ),
            models.CheckConstraint(
                condition=~Q(state="excluded") | ~Q(review_message=""), name="an_exclusion_has_a_reason"
            ),
            models.CheckConstraint(
                condition=Q(needs_review=True)
                | Q(state__in=["submitted", "accepted"], reviewed_by=None, merged_by=None),
                name="what_is_not_reviewed_has_no_reviewer",
            ),
            models.CheckConstraint(
                condition=~Q(state="returned") | ~Q(review_message=""), name="a_return_has_a_message"
            ),
        ]

    def __str__(self) -> str:
        return f"annotation {self.pk} of tag {self.tag_id}"

    @property
    def is_writable(self) -> bool:
        return self.state in AnnotationState.writable()

    @property
    def is_accepted_without_review(self) -> bool:
        return self.state == AnnotationState.ACCEPTED and not self.needs_review

    @property
    def is_merge(self) -> bool:
        return self.merged_by_id is not None

    @property
    def writer(self) -> str:
        """The writer's name."""
        if self.annotator_id is not None:
            return str(self.annotator)
        return f"merge by {self.merged_by}" if self.is_merge else "import"

    def chosen_instead(self) -> "Annotation | None":
        """The accepted annotation of the tag, or the merge, if this one was submitted and is not chosen."""
        if self.state != AnnotationState.SUBMITTED:
            return None
        return Annotation.objects.accepted().filter(tag=self.tag_id).only("merged_by").first()

    @property
    def was_submitted(self) -> bool:
        """Return whether it was ever submitted: before, it has no rows of types and questions."""
        return self.submitted_at is not None or self.submit_operation is not None

    @property
    def is_new(self) -> bool:
        """Return whether nothing was ever saved: its content follows from its tag, and it has no rows of passages
        yet.
        """
        return self.is_writable and self.version == 0 and not self.was_submitted

    def check_own(self, annotator: User) -> None:
        """Raises Forbidden if another person writes this annotation."""
        if self.annotator_id != annotator.pk:
            raise Forbidden(say("This annotation belongs to another annotator. Nothing was changed."))

    def check_writable(self) -> None:
        """Raises Refusal if the annotation is no longer with its annotator."""
        if not self.is_writable:
            raise Refusal(
                say("This annotation is now “{state}”. Nothing was changed.", state=self.get_state_display())
            )


class SeenAnnotation(models.Model):
    """Records that a person has read another's annotation of a tag, so they can no longer annotate it blind."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="seen_by")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["annotation", "person"], name="seen_once_is_seen")]

    def __str__(self) -> str:
        return f"annotation {self.annotation_id} seen"
