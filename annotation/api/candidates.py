"""For admins: untagged contradictions that the program found, and the decisions on them."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from core.api.doors import AdminDoor, lists, takes
from core.api.serializers import ChangedOut, Username, change_of
from core.lists.bulk import all_of

from ..finding.deciding import CandidateAction, decide_on_all_candidates
from ..finding.listing import CandidateFilters
from ..models import Candidate, CandidateKind, CandidateState


class CandidateOut(serializers.Serializer):
    """Two texts of an article that may contradict each other. `tag` is its tag while it is in the queue."""

    id = serializers.IntegerField(source="pk")
    title = serializers.CharField(source="article.title")
    url = serializers.CharField(source="article.url")
    revision_id = serializers.IntegerField(source="article.revision_id", allow_null=True)
    kind = serializers.ChoiceField(CandidateKind.choices)
    text_1 = serializers.CharField()
    text_2 = serializers.CharField()
    part_1 = serializers.CharField()
    part_2 = serializers.CharField()
    reason = serializers.CharField()
    score = serializers.FloatField()
    state = serializers.ChoiceField(CandidateState.choices)
    tag = serializers.SerializerMethodField()
    found_at = serializers.DateTimeField()
    decided_by = Username()
    decided_at = serializers.DateTimeField(allow_null=True)

    def get_tag(self, candidate: Candidate) -> int | None:
        if candidate.state != CandidateState.SENT:
            return None
        return next((tag.pk for tag in candidate.tags.all()), None)


class Candidates(AdminDoor):
    @lists(CandidateOut, CandidateFilters)
    def get(self, request: Any) -> Response:
        """All candidates, the likeliest first."""
        filters = self.filters(CandidateFilters)
        return self.page(filters.candidates(), gives=CandidateOut, window=filters.window())


class CandidatesChange(AdminDoor):
    @takes(change_of(CandidateAction), ChangedOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Send several candidates to the queue (`send`), dismiss them (`dismiss`), or undo either (`take_back`): all,
        or none.
        """
        chosen = all_of(Candidate.objects.select_related("article__wiki"), sent["ids"])
        count = decide_on_all_candidates(candidates=chosen, action=sent["action"], admin=request.user)
        return Response({"changed": count})
