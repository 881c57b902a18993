"""For reviewers and admins: annotations of one tag, compared part by part and merged."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from core.api.doors import Sent, gives, takes
from core.api.serializers import Username
from core.outside import whole_number
from core.refusals import Refusal

from ..content.parts import Choice, Part
from ..desk.visibility import note_opened
from ..reviewing import queue
from ..reviewing.merging import Comparison, comparison_of, merge_annotations
from .reviews import ReviewDoor
from .serializers import ReviewedOut


class OriginalOut(serializers.Serializer):
    """One of the annotations that can be merged."""

    id = serializers.IntegerField(source="pk")
    version = serializers.IntegerField()
    annotator = Username()


class ComparedPartOut(serializers.Serializer):
    """A part decided as a whole: a field, or a question with its two answers. `values` has, for each annotation in
    the order of `annotations`, a value for each of the `labels`.
    """

    name = serializers.CharField()
    step = serializers.IntegerField()
    label = serializers.CharField()
    labels = serializers.ListField(child=serializers.CharField())
    agree = serializers.BooleanField()
    values = serializers.SerializerMethodField()

    def get_values(self, part: Part) -> list[list[Any]]:
        return [list(each) for each in part.values]


class ComparisonOut(serializers.Serializer):
    """Annotations of one tag that wait for review together."""

    annotations = OriginalOut(many=True, source="originals")
    parts = ComparedPartOut(many=True)


class ChoiceIn(Sent):
    """Either `take`, the number of an annotation, or `write`, a value for each label of the part."""

    take = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    write = serializers.ListField(required=False, max_length=3)

    def validate(self, sent: dict[str, object]) -> dict[str, object]:
        if len(sent) != 1:
            raise serializers.ValidationError("Say either “take” or “write”.")
        return sent


class MergeIn(Sent):
    """The choices of a merge. `seen_versions` are the versions that were read, by the number of the annotation.
    `choices` go by the name of the part; a part on which all agree needs none.
    """

    seen_versions = serializers.DictField(child=serializers.IntegerField(min_value=0, max_value=2**31 - 1))
    choices = serializers.DictField(child=ChoiceIn())


class ReviewMerge(ReviewDoor):
    @gives(ComparisonOut)
    def get(self, request: Any, pk: int) -> Response:
        """The annotations of this one's tag, part by part; you count as having seen all of them from then on."""
        return Response(ComparisonOut(self._compared(request, pk)).data)

    @takes(MergeIn, ReviewedOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Merge them into one and accept it. If all of it comes from one of them, that one is accepted as it is."""
        compared = self._compared(request, pk)
        made = merge_annotations(
            tag=compared.originals[0].tag,
            reviewer=request.user,
            choices={name: _choice(each, compared) for name, each in sent["choices"].items()},
            seen_versions={_number(key): version for key, version in sent["seen_versions"].items()},
        )
        return Response(ReviewedOut(queue.find_annotation(reviewer=request.user, pk=made.pk)).data)

    def _compared(self, request: Any, pk: int) -> Comparison:
        shown = queue.find_annotation(reviewer=request.user, pk=pk)
        compared = comparison_of(shown.tag, reviewer=request.user)
        note_opened(compared.originals, reader=request.user)
        return compared


def _choice(sent: Mapping[str, Any], compared: Comparison) -> Choice:
    return Choice(taken=compared.index_of(sent["take"])) if "take" in sent else Choice(written=tuple(sent["write"]))


def _number(key: str) -> int:
    found = whole_number(key)
    if found is None:
        raise Refusal("The keys of “seen_versions” are the numbers of annotations. Nothing was changed.", status=400)
    return found
