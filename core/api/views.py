"""The caller, people, the activity log, and the description of the API itself."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from rest_framework.response import Response

from ..accounts.forms import PeopleFilters
from ..accounts.people import InvitationAction, PeopleAction, change_invitations, change_people, people_with_roles
from ..activity import LogFilters, with_actors
from ..engine.queries.parameters import Numbers
from ..lists.bulk import all_of
from ..lists.pages import Window
from ..models import Invitation, User
from ..models.events import note_read
from .doors import AdminDoor, Door, gives, lists, takes
from .schema import schema
from .serializers import ChangedOut, EventOut, MeOut, PersonOut, change_of

OPENAPI = "application/vnd.oai.openapi+json"


class Me(Door):
    @gives(MeOut)
    def get(self, request: Any) -> Response:
        """The caller, with roles and scopes."""
        scopes = request.auth.scopes if request.auth else ["read", "work", "admin"]
        return Response(MeOut(request.user, context={"scopes": scopes}).data)


class People(AdminDoor):
    @lists(PersonOut, PeopleFilters)
    def get(self, request: Any) -> Response:
        """All people, in the order of their user names, those with closed accounts last."""
        filters = self.filters(PeopleFilters)
        window = Window(User.objects.all(), ("-is_active", "username"), is_whole=not filters.chosen["q"])
        return self.page(filters.among(User.objects.all()), gives=PersonOut, window=window, fetch=people_with_roles)


class Person(AdminDoor):
    @gives(PersonOut)
    def get(self, request: Any, pk: int) -> Response:
        """One person."""
        found = people_with_roles(Numbers([pk]))
        if not found:
            raise Http404
        return Response(PersonOut(found[0]).data)


class PeopleChange(AdminDoor):
    confirms = True

    @takes(change_of(PeopleAction), ChangedOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Close the accounts of several people (`close`) or reopen them (`open`): all, or none."""
        chosen = all_of(User.objects.all(), sent["ids"])
        return Response({"changed": change_people(people=chosen, action=sent["action"], admin=request.user)})


class InvitationsChange(AdminDoor):
    @takes(change_of(InvitationAction, InvitationAction.WITHDRAW), ChangedOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Withdraw several unused links (`withdraw`): all, or none. New links are made on the page, which shows each
        of them once.
        """
        chosen = all_of(Invitation.objects.all(), sent["ids"])
        change_invitations(invitations=chosen, action=sent["action"], admin=request.user)
        return Response({"changed": len(chosen)})


class Activity(AdminDoor):
    @lists(EventOut, LogFilters)
    def get(self, request: Any) -> Response:
        """The activity log, newest first, as far as you may know of it."""
        filters = self.filters(LogFilters)
        return self.page(
            filters.events(request.user),
            gives=EventOut,
            window=filters.window(),
            fetch=with_actors,
            seen=lambda events: note_read(events, reader=request.user),
        )


class Schema(Door):
    @gives({(200, OPENAPI): OpenApiTypes.OBJECT})
    def get(self, request: Any) -> Response:
        """This description, as OpenAPI 3.1."""
        return Response(schema(), content_type=OPENAPI)
