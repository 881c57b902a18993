"""For admins: tags, the accepted annotations in their current state, releases and their instances."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from core.api.doors import LINES_ONLY, AdminDoor, JSONLines, gives, lists, takes
from core.api.serializers import ChangedOut, change_of
from core.engine.queries.parameters import Numbers
from core.files.writing import json_lines
from core.lists.bulk import all_of, ticked_numbers
from core.models import User

from ..models import BulkChange, Release, ReleasedInstance, Tag
from ..releases.files.exports import current_records, tags_of_accepted
from ..releases.files.writing import hashed_lines
from ..releases.freezing import create_release, get_release
from ..releases.items.releasing import instance_lines
from ..releases.reading import note_instances_read, note_release_read, refuse_release
from ..tags.changes import TagAction, change_all_tags
from ..tags.listing import TagFilters, assigned, shown_tags
from ..tags.undoing import undo_change
from .serializers import InstanceOut, ReleaseIn, ReleaseOut, TagOut

BOTH = (JSONRenderer, JSONLines)


class Tags(AdminDoor):
    @lists(TagOut, TagFilters)
    def get(self, request: Any) -> Response:
        """All tags with the state of work on them, newest first."""
        filters, reader = self.filters(TagFilters), request.user
        return self.page(
            filters.listed(reader),
            gives=TagOut,
            window=filters.window(reader),
            fetch=lambda tags: _with_assigned(shown_tags(tags, reader=reader), reader),
        )


class TagsChangeIn(change_of(TagAction)):  # type: ignore[misc]
    """An action on several tags. Assigning and reassigning need an `annotator`; `number` is the number of annotations
    needed, or a priority.
    """

    annotator = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    number = serializers.IntegerField(required=False, min_value=-(2**31), max_value=2**31 - 1)


class ChangedTagsOut(ChangedOut):
    """The number of tags changed, and the change, by which it is undone; null if there was nothing to change."""

    change = serializers.IntegerField(allow_null=True)


class TagsChange(AdminDoor):
    @takes(TagsChangeIn, ChangedTagsOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Assign several tags (`assign`), unassign them from a person or from everybody (`unassign`), reassign them
        from the person who has them (`hand_over`), set how many annotations they need (`needed`) or their priority
        (`priority`), or remove their flags (`unflag`): all, or none.
        """
        chosen = all_of(Tag.objects.select_related("article"), sent["ids"])
        to = all_of(User.objects.all(), [sent["annotator"]])[0] if "annotator" in sent else None
        change, count = change_all_tags(
            tags=chosen, action=sent["action"], admin=request.user, annotator=to, number=sent.get("number")
        )
        return Response({"changed": count, "change": change.pk if change else None})


class TagsUndo(AdminDoor):
    @takes(None, ChangedOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Undo a change of tags as a whole, while nothing that it touched has changed since."""
        return Response({"changed": undo_change(change=get_object_or_404(BulkChange, pk=pk), admin=request.user)})


class OneTag(AdminDoor):
    @gives(TagOut)
    def get(self, request: Any, pk: int) -> Response:
        """One tag."""
        found = _with_assigned(shown_tags(Numbers([pk]), reader=request.user), request.user)
        if not found:
            raise Http404
        return Response(TagOut(found[0]).data)


def _with_assigned(tags: Iterable[Tag], reader: User) -> list[Tag]:
    pairs = assigned(tags, reader=reader)
    for tag, taken in pairs:
        tag.assigned = taken  # type: ignore[attr-defined]
    return [tag for tag, _ in pairs]


class Annotations(AdminDoor):
    renderer_classes = (JSONLines,)

    @gives(
        OpenApiTypes.STR,
        LINES_ONLY,
        OpenApiParameter("annotation", int, many=True, description="Only these: all of them, or none."),
    )
    def get(self, request: Any) -> HttpResponseBase:
        """All accepted annotations in their current state, as far as you may know of them: records as the paper
        published them, one per line. Reading them counts as having seen them.
        """
        tags = None
        if "annotation" in request.query_params:
            tags = tags_of_accepted(ticked_numbers(request.query_params.getlist("annotation")), request.user)
        return self.lines("annotations", json_lines(current_records(request.user, tags)))


class Releases(AdminDoor):
    @lists(ReleaseOut)
    def get(self, request: Any) -> Response:
        """All releases, newest first."""
        return self.page(Release.objects.select_related("created_by"), "-number", gives=ReleaseOut)

    @takes(ReleaseIn, ReleaseOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Freeze all accepted annotations in their current state."""
        return Response(ReleaseOut(create_release(admin=request.user, **sent)).data, status=201)


class OneRelease(AdminDoor):
    @gives(ReleaseOut)
    def get(self, request: Any, number: int) -> Response:
        """One release."""
        return Response(ReleaseOut(get_release(number)).data)


class ReleaseInstances(AdminDoor):
    renderer_classes = BOTH

    @lists(InstanceOut, streams=True)
    def get(self, request: Any, number: int) -> HttpResponseBase:
        """The instances of a release in the order of their published numbers. As JSON Lines, the benchmark rows."""
        release = get_release(number)
        if self.wants_lines:
            note_release_read(release, reader=request.user)
            return self.lines(f"release-{number}-instances", json_lines(instance_lines(release)))
        refuse_release(release, reader=request.user)
        rows = ReleasedInstance.objects.filter(release=release).select_related("instance")

        def note(shown: Iterable[ReleasedInstance]) -> None:
            note_instances_read([each.instance for each in shown], reader=request.user)

        return self.page(rows, "number", gives=InstanceOut, seen=note)


class ReleaseRecords(AdminDoor):
    renderer_classes = (JSONLines,)

    @gives(OpenApiTypes.STR, LINES_ONLY)
    def get(self, request: Any, number: int) -> HttpResponseBase:
        """The release in the form that is hashed: records and instances, one per line."""
        release = get_release(number)
        note_release_read(release, reader=request.user)
        return self.lines(f"release-{number}", hashed_lines(release))
