"""Tags, annotations, comments and releases for programs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.api.doors import Sent
from core.api.serializers import OneOf, Username

from .. import taxonomy
from ..content.fields import FIELDS
from ..content.rows import content_of
from ..desk.assignments.assignment import Standing
from ..kinds.registry import benchmark_codes, fields_of
from ..models import Annotation, AnnotationState, Family, ReviewState
from ..reviewing.differing import COMPARED
from ..reviewing.disagreements import Disagreement, Shown, value_in_words
from ..reviewing.merging import contributions_to
from ..tags.states import TagState


class TagOut(serializers.Serializer):
    """A tag as in the list, with its annotators as far as you may know of them."""

    id = serializers.IntegerField(source="pk")
    title = serializers.CharField(source="article.title")
    family = serializers.ChoiceField(Family.choices)
    state = serializers.ChoiceField(TagState.choices)
    date = serializers.CharField()
    reason = serializers.CharField()
    found_by_program = serializers.BooleanField(
        source="is_found_by_program", help_text="True if no editor tagged it: an admin sent a candidate to the queue."
    )
    section = serializers.CharField()
    priority = serializers.IntegerField()
    found_at = serializers.DateTimeField()
    # `assigned` is set by the view, for all rows at once.
    needed = serializers.IntegerField(source="assigned.needed", read_only=True)
    annotators = serializers.SerializerMethodField()

    def get_annotators(self, tag: Any) -> list[str]:
        return [each.annotator for each in tag.assigned.taken]


class WorkOut(serializers.Serializer):
    """One of your own annotations, and whether its tag is yours now."""

    id = serializers.IntegerField(source="pk")
    tag = serializers.IntegerField(source="tag_id")
    title = serializers.CharField(source="tag.article.title")
    state = serializers.ChoiceField(AnnotationState.choices)
    review_state = serializers.ChoiceField(ReviewState.choices)
    version = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    has_assignment = serializers.BooleanField()
    is_waiting = serializers.BooleanField()
    was_skipped = serializers.BooleanField()


class AnnotationOut(serializers.Serializer):
    """An annotation with the text of its tag. `content` has the fields of the paper's labelling configuration; the
    version is also the ETag. `guideline` is the version of the guideline that it was submitted under, null if that is
    not known.
    """

    id = serializers.IntegerField(source="pk")
    state = serializers.ChoiceField(AnnotationState.choices)
    version = serializers.IntegerField()
    content = serializers.SerializerMethodField()
    tag = serializers.IntegerField(source="tag_id")
    title = serializers.CharField(source="tag.article.title")
    url = serializers.CharField(source="tag.article.url")
    template = serializers.CharField(source="tag.raw")
    paragraph = serializers.CharField(source="tag.paragraph")
    review_message = serializers.CharField()
    guideline = serializers.IntegerField(source="guideline_id", allow_null=True)

    def get_content(self, annotation: Annotation) -> dict[str, Any]:
        return content_of(annotation)


class ContributionOut(serializers.Serializer):
    """A field of a merge: the numbers of the annotations with the same value, none if the reviewer wrote it."""

    field = serializers.CharField()
    annotations = serializers.ListField(child=serializers.IntegerField(), source="originals")


class ReviewedOut(AnnotationOut):
    """An annotation as its reviewer reads it. A merge has no annotator: `merged_by` made it from others."""

    annotator = Username()
    review_state = serializers.ChoiceField(ReviewState.choices)
    merged_by = Username()
    contributions = serializers.SerializerMethodField()

    @extend_schema_field(ContributionOut(many=True))
    def get_contributions(self, annotation: Annotation) -> list[dict[str, Any]]:
        return list(ContributionOut(contributions_to(annotation), many=True).data)


class ReviewOut(serializers.Serializer):
    """An annotation in the list of reviews."""

    id = serializers.IntegerField(source="pk")
    title = serializers.CharField(source="tag.article.title")
    family = serializers.ChoiceField(Family.choices, source="tag.family")
    validity = serializers.ChoiceField(FIELDS["wikitag_label_valid"].choices, allow_blank=True, source="validity_now")
    confidence = serializers.ChoiceField(FIELDS["confidence"].choices, allow_blank=True, source="confidence_now")
    annotator = Username()
    reviewed_by = Username()
    submitted_at = serializers.DateTimeField(allow_null=True)
    reviewed_at = serializers.DateTimeField(allow_null=True)
    without_review = serializers.BooleanField(
        source="is_accepted_without_review", help_text="Accepted because it was not drawn to be reviewed."
    )
    review_message = serializers.CharField()


class DifferingOut(serializers.Serializer):
    """A field in which two annotations differ, and both values as text."""

    field = serializers.ChoiceField([(code, each.label) for code, each in COMPARED.items()])
    values = serializers.ListField(child=serializers.CharField(allow_blank=True))


class DifferingPairOut(serializers.Serializer):
    """Two annotations of a tag that differ, as first submitted."""

    annotators = serializers.ListField(child=serializers.CharField())
    annotations = serializers.ListField(child=serializers.IntegerField())
    differ = DifferingOut(many=True)


class DisagreementOut(serializers.Serializer):
    """A tag that people annotated differently: every two of its annotations that differ."""

    tag = serializers.IntegerField(source="pk")
    title = serializers.CharField(source="tag.article.title")
    family = serializers.ChoiceField(Family.choices, source="tag.family")
    pairs = serializers.SerializerMethodField()

    @extend_schema_field(DifferingPairOut(many=True))
    def get_pairs(self, found: Disagreement) -> Any:
        return DifferingPairOut([self._pair(each) for each in found.shown], many=True).data

    def _pair(self, shown: Shown) -> dict[str, Any]:
        two, field = shown.two, self.context["field"]
        contents = (two.one.content, two.other.content)
        return {
            "annotators": [each.username for each in shown.people],
            "annotations": [each.annotation for each in (two.one, two.other)],
            "differ": [
                {"field": code, "values": [value_in_words(code, each) for each in contents]}
                for code in ([field] if field else two.differing)
            ],
        }


class SaidOut(serializers.Serializer):
    """A comment or a reply."""

    id = serializers.IntegerField(source="pk")
    reply_to = serializers.IntegerField(source="reply_to_id", allow_null=True)
    field = serializers.CharField()
    quote = serializers.CharField(help_text="The words of the field that it is about; empty for the whole field.")
    text = serializers.CharField()
    author = serializers.CharField(source="author.username")
    at = serializers.DateTimeField()
    resolved_at = serializers.DateTimeField(allow_null=True)


class CommentOut(SaidOut):
    """A comment, a question that a tag is waiting for, or a reply."""

    annotation = serializers.IntegerField(source="annotation_id", allow_null=True)
    is_ask = serializers.BooleanField()


class SourceOut(serializers.Serializer):
    """A file that released items were imported from. A missing name or revision is empty."""

    file = serializers.CharField()
    sha256 = serializers.CharField()
    revision = serializers.CharField()
    imported_at = serializers.DateTimeField()
    records = serializers.IntegerField()


class ReleaseOut(serializers.Serializer):
    """A release: frozen, numbered, with the hash of its content. `sources` is empty for items imported before files
    were recorded.
    """

    id = serializers.IntegerField(source="pk")
    number = serializers.IntegerField()
    benchmark = OneOf(benchmark_codes)
    name = serializers.CharField()
    notes = serializers.CharField()
    content_hash = serializers.CharField()
    sources = SourceOut(many=True)
    created_at = serializers.DateTimeField()
    created_by = Username()


class InstanceOut(serializers.Serializer):
    """A released instance under its published number. The fields after `category` depend on its benchmark:
    those annotated here have passages, answers and reasoning type, others have `content`.
    """

    question_ID = serializers.IntegerField(source="number")
    id = serializers.IntegerField(source="instance_id")
    key = serializers.CharField(source="instance.key")
    question = serializers.CharField(source="instance.question")
    benchmark = OneOf(benchmark_codes, source="instance.benchmark")
    group = serializers.CharField(source="instance.group")
    category = serializers.CharField(source="instance.category")
    passage_1 = serializers.CharField(required=False)
    passage_2 = serializers.CharField(required=False)
    answer_1 = serializers.CharField(required=False)
    answer_2 = serializers.CharField(required=False)
    same_passage = serializers.BooleanField(required=False)
    reasoning_type = serializers.ChoiceField(
        [option.code for option in taxonomy.REASONING_TYPE.options], allow_blank=True, required=False
    )
    content = serializers.DictField(required=False)

    def to_representation(self, released: Any) -> dict[str, Any]:
        return super().to_representation(released) | fields_of(released.instance)


class SavedOut(serializers.Serializer):
    """The result of a save. `standing` says whether the tag is still yours: held, lost, waiting, flagged ..."""

    version = serializers.IntegerField()
    standing = serializers.ChoiceField(choices=Standing.choices)


class StandingOut(serializers.Serializer):
    standing = serializers.ChoiceField(choices=Standing.choices)


# --- What programs send -------------------------------------------------------------------------------------------


class DraftIn(Sent):
    """The whole form, under the field names of the paper's labelling configuration. `seen` names fields that the desk
    filled from drafts and that the writer has looked at since.
    """

    content = serializers.DictField()
    seen = serializers.ListField(child=serializers.CharField(max_length=60), required=False, max_length=100)


class SubmissionIn(DraftIn):
    """`guideline` is the version of the guideline that the writer read; it is kept with the annotation."""

    guideline = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=2**31 - 1)


class ReopenIn(Sent):
    """`following` is the tag that you took next: your annotation of it is handed back if nothing is written in it."""

    following = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)


class QuestionIn(Sent):
    text = serializers.CharField(max_length=10_000)
    field = serializers.CharField(required=False, allow_blank=True, default="", max_length=100)


class CommentIn(QuestionIn):
    reply_to = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    quote = serializers.CharField(required=False, allow_blank=True, max_length=1_000)


class AnswerIn(Sent):
    text = serializers.CharField(max_length=10_000)


class AcceptIn(Sent):
    """`seen_version` is the version that was read: a decision on another one is refused."""

    seen_version = serializers.IntegerField(min_value=0, max_value=2**31 - 1)


class ReturnIn(AcceptIn):
    message = serializers.CharField(max_length=10_000)


class ExcludeIn(AcceptIn):
    reason = serializers.CharField(max_length=10_000)


class ReleaseIn(Sent):
    name = serializers.CharField(max_length=100)
    notes = serializers.CharField(required=False, allow_blank=True, default="", max_length=10_000)
