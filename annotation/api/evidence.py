"""The evidence for a tag: the article, its history, the talk page, the other article, additional articles."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from core.api.doors import Door, Sent, gives, takes
from core.models import Role
from core.waking import wake

from ..evidence import ask_for_article, ask_for_evidence
from ..evidence.pane import Part, Shown, shown, tabs_of
from ..models import Annotation, EvidenceKind, Rendering
from ..reviewing.queue import find_annotation
from ..tasks import fetch_evidence
from ..views.desk.evidence import readers_of
from ..views.desk.own import own_annotation

LOOKERS = (Role.REVIEWER, Role.ADMIN)


class EvidencePartOut(serializers.Serializer):
    """One page. `html` is safe to show; without it, the page is being fetched, or `reason` says why it is not
    available.
    """

    name = serializers.CharField()
    is_coming = serializers.BooleanField()
    reason = serializers.CharField()
    title = serializers.CharField(source="evidence.title", default="")
    language = serializers.CharField(source="evidence.language", default="")
    revision_id = serializers.IntegerField(source="evidence.revision_id", allow_null=True, default=None)
    revised_at = serializers.DateTimeField(source="evidence.revised_at", allow_null=True, default=None)
    url = serializers.CharField(source="evidence.url", default="")
    rendering = serializers.ChoiceField(Rendering.choices, allow_blank=True, source="evidence.rendering", default="")
    fetched_at = serializers.DateTimeField(source="evidence.fetched_at", allow_null=True, default=None)
    details = serializers.SerializerMethodField()
    html = serializers.SerializerMethodField()

    def get_details(self, part: Part) -> dict[str, Any]:
        return part.evidence.details if part.evidence else {}

    def get_html(self, part: Part) -> str:
        return part.evidence.page.html if part.evidence and part.evidence.page else ""


class TabOut(serializers.Serializer):
    """One tab of the pane beside the form."""

    kind = serializers.ChoiceField(EvidenceKind.choices)
    label = serializers.CharField()
    parts = EvidencePartOut(many=True)


class FurtherIn(Sent):
    """The evidence to fetch: the tag's own or, with `text`, an additional article."""

    text = serializers.CharField(
        max_length=2_000, allow_blank=True, default="", help_text="Title or address of another article."
    )


class EvidenceDoor(Door):
    def find(self, pk: int) -> Annotation:
        """The annotation, if this person may read it. Raises Http404."""
        raise NotImplementedError

    @gives(TabOut(many=True))
    def get(self, request: Any, pk: int) -> Response:
        """All evidence stored with the tag of this annotation, as it was when it was fetched."""
        return _tabs(request, self.find(pk))

    @takes(FurtherIn, TabOut(many=True))
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Request the tag's evidence or, with `text`, another article. A worker fetches it: poll for the result."""
        annotation = self.find(pk)
        if sent["text"]:
            ask_for_article(tag=annotation.tag, text=sent["text"], by=request.user)
        else:
            ask_for_evidence(tag=annotation.tag, urgent=True)
        wake(fetch_evidence, annotation.tag_id)
        return _tabs(request, annotation)


def _tabs(request: Any, annotation: Annotation) -> Response:
    tag = annotation.tag
    readers = readers_of(request, annotation)
    tabs: list[Shown] = [shown(tag, kind, readers=readers) for kind, _ in tabs_of(tag)]
    return Response(TabOut(tabs, many=True).data)


class OwnEvidence(EvidenceDoor):
    roles = (Role.ANNOTATOR,)

    def find(self, pk: int) -> Annotation:
        return own_annotation(self.request, pk)


class ReviewedEvidence(EvidenceDoor):
    roles = LOOKERS

    def find(self, pk: int) -> Annotation:
        return find_annotation(reviewer=self.request.user, pk=pk)
