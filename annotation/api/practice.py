"""For admins: people's results at the practice tags."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from core.api.doors import AdminDoor, lists
from core.api.serializers import Username

from ..content.fields import STEPS
from ..models import PracticeAttempt


class StepOut(serializers.Serializer):
    matched = serializers.IntegerField(allow_null=True)
    of = serializers.IntegerField(allow_null=True)
    seconds = serializers.IntegerField()


class PracticeAttemptOut(serializers.Serializer):
    """A person's attempt at a practice tag. `matched` of `of` choices agreed with the reference when their step was
    first compared; a person's score is their first attempt at a tag. `steps` has the same by step, with the active
    seconds; a step that was not compared has null."""

    id = serializers.IntegerField(source="pk")
    practice_tag = serializers.IntegerField(source="practice_tag_id")
    title = serializers.CharField(source="practice_tag.title")
    person = Username()
    number = serializers.IntegerField()
    matched = serializers.IntegerField()
    of = serializers.IntegerField()
    seconds = serializers.IntegerField()
    steps = serializers.SerializerMethodField()
    begun_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(serializers.DictField(child=StepOut()))
    def get_steps(self, attempt: PracticeAttempt) -> dict[str, dict[str, int | None]]:
        return {str(step): _step(attempt, step) for step in STEPS}


def _step(attempt: PracticeAttempt, step: int) -> dict[str, int | None]:
    matched, of = attempt.first.get(str(step), (None, None))
    return {"matched": matched, "of": of, "seconds": attempt.seconds_on(step)}


class PracticeAttempts(AdminDoor):
    @lists(PracticeAttemptOut)
    def get(self, request: Any) -> Response:
        """People's results at the practice tags, the latest attempt first."""
        rows = PracticeAttempt.objects.select_related("person", "practice_tag").defer(
            "content", "sources", "practice_tag__pages", "practice_tag__reference", "practice_tag__tag"
        )
        return self.page(rows, "-pk", gives=PracticeAttemptOut)
