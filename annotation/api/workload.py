"""For admins: quotas and deadlines of annotators, their work and its forecast."""

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from core.accounts.forms import PeopleFilters
from core.accounts.people import people_with_roles
from core.api.doors import AdminDoor, Sent, lists, takes
from core.api.serializers import Username
from core.lists.pages import Window
from core.models import User

from ..desk.work.workload import HIGHEST_QUOTA, set_quota, workloads
from ..tags.progress import annotators


class WorkloadOut(serializers.Serializer):
    """An annotator's quota and work. `first` and `last` are the ends of the 95% interval of the day on which the
    quota is met; both are null without a forecast, `last` also beyond a year.
    """

    person = serializers.IntegerField(source="person.pk")
    username = Username(source="person")
    quota = serializers.IntegerField(source="quota.annotations", default=None, allow_null=True)
    deadline = serializers.DateField(source="quota.deadline", default=None, allow_null=True)
    assigned = serializers.IntegerField()
    submitted = serializers.IntegerField()
    first = serializers.DateField(allow_null=True)
    last = serializers.DateField(allow_null=True)
    is_late = serializers.BooleanField()


class QuotaIn(Sent):
    """The quota and deadline of a person; null removes them."""

    annotations = serializers.IntegerField(min_value=1, max_value=HIGHEST_QUOTA, allow_null=True)
    deadline = serializers.DateField(required=False, allow_null=True, default=None)


class Workloads(AdminDoor):
    @lists(WorkloadOut, PeopleFilters)
    def get(self, request: Any) -> Response:
        """Annotators with their quota, work and forecast, by user name."""
        filters = self.filters(PeopleFilters)
        return self.page(
            filters.among(annotators(request.user)),
            gives=WorkloadOut,
            window=Window(User.objects.all(), ("username",)),
            fetch=lambda people: workloads(list(people_with_roles(people)), reader=request.user),
        )


class QuotaDoor(AdminDoor):
    @takes(QuotaIn, WorkloadOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Set or remove the quota and the deadline of a person."""
        person = get_object_or_404(User, pk=pk)
        set_quota(person=person, admin=request.user, **sent)
        return Response(WorkloadOut(workloads([person], reader=request.user)[0]).data)
