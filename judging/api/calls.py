"""For admins: the calls of a run without a reply, and actions on them; responses from files."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response as Answer

from core.api.doors import AdminDoor, Sent, lists, takes
from core.api.forms import filled_in
from core.api.uploads import FileDoor, ImportOut, file_body_of, imported
from core.lists.filters import Filters

from ..files.imports import import_responses
from ..files.task_replies import import_task_replies
from ..forms import RepliesFileForm, ResponsesFileForm
from ..models import Call, CallState, IsUnanswered, Run
from ..runs import repeating
from ..runs.calls.failures import GROUP_LENGTH
from ..runs.visibility import known_calls, refuse_outcomes
from ..tasks import wake_workers

MOST_CALLS = 1_000
UNANSWERED = CallState.unanswered()


class CallFilters(Filters):
    """The filters of the list of calls."""

    state = forms.ChoiceField(choices=[(state.value, state.label) for state in UNANSWERED])
    group = forms.CharField(max_length=GROUP_LENGTH, label="Only this group of failures")

    def among(self, calls: QuerySet[Call]) -> QuerySet[Call]:
        state = self.chosen["state"]
        chosen = calls.filter(Q(state=state) if state else IsUnanswered("state"))
        return repeating.in_group(chosen, self.chosen["group"])


class CallOut(serializers.Serializer):
    """A call without a reply. `group` names failures of one kind."""

    key = serializers.UUIDField()
    state = serializers.ChoiceField(CallState.choices)
    model = serializers.CharField(source="model.name")
    template = serializers.CharField(source="template.code", allow_null=True, default=None)
    instance = serializers.IntegerField(source="instance_id", allow_null=True)
    reason = serializers.CharField()
    error = serializers.CharField()
    group = serializers.CharField(source="failure_group")


class GroupIn(Sent):
    """The calls of an action: one group, or all."""

    group = serializers.CharField(max_length=GROUP_LENGTH, allow_blank=True, default="")


class CallsIn(GroupIn):
    """The calls of an action: those named, one group, or all."""

    calls = serializers.ListField(
        child=serializers.UUIDField(), max_length=MOST_CALLS, allow_null=True, default=None, help_text="Their keys."
    )


class AgainOut(serializers.Serializer):
    """The number of calls."""

    calls = serializers.IntegerField()


class Calls(AdminDoor):
    @lists(CallOut, CallFilters)
    def get(self, request: Any, pk: int) -> Answer:
        """The calls of a run without a reply: in doubt, failed, or pending."""
        run = get_object_or_404(Run, pk=pk)
        refuse_outcomes(run, request.user)
        calls = run.calls.none() if run.is_starting else known_calls(run, request.user)
        rows = self.filters(CallFilters).among(calls).select_related("model", "template")
        return self.page(rows, "pk", gives=CallOut)


def _again(request: Any, pk: int, rule: Callable[..., int], **values: Any) -> Answer:
    count = rule(run=get_object_or_404(Run, pk=pk), actor=request.user, **values)
    wake_workers()
    return Answer({"calls": count})


def _chosen(pk: int, sent: Mapping[str, Any]) -> dict[str, Any]:
    """The named calls, by their numbers; None for all."""
    keys = sent["calls"]
    named = None if keys is None else list(Call.objects.filter(run=pk, key__in=keys).values_list("pk", flat=True))
    return {"calls": named, "group": sent["group"]}


class RunRetry(AdminDoor):
    @takes(GroupIn, AgainOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Repeat failed calls: one group, or all."""
        return _again(request, pk, repeating.retry_failed, group=sent["group"])


class RunRepeat(AdminDoor):
    @takes(CallsIn, AgainOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Repeat calls in doubt, which may be paid for twice."""
        return _again(request, pk, repeating.repeat_in_doubt, **_chosen(pk, sent))


class RunGiveUp(AdminDoor):
    @takes(CallsIn, AgainOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Give up calls in doubt: they count as failed, and as possibly paid."""
        return _again(request, pk, repeating.give_up_in_doubt, **_chosen(pk, sent))


class RunAskAgain(AdminDoor):
    @takes(None, AgainOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Repeat the calls to judge models whose replies had no verdict."""
        return _again(request, pk, repeating.retry_unreadable)


class ImportResponses(FileDoor):
    @takes(file_body_of(ResponsesFileForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Answer:
        """Import responses made elsewhere: JSON Lines, a JSON list or CSV. All of it or nothing."""
        given = filled_in(ResponsesFileForm, sent)
        return imported(
            import_responses(given.pop("file"), **given, check_only=sent["check_only"], actor=request.user)
        )


class ImportReplies(FileDoor):
    @takes(file_body_of(RepliesFileForm), ImportOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Answer:
        """Import replies to the tasks of a benchmark: JSON Lines with document, task, model, text. All or nothing."""
        given = filled_in(RepliesFileForm, sent)
        return imported(
            import_task_replies(given.pop("file"), **given, check_only=sent["check_only"], actor=request.user)
        )
