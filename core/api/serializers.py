"""People and the activity log as programs read them."""

from typing import Any

from rest_framework import serializers

from ..models import Event, User
from .doors import Sent


class PersonOut(serializers.Serializer):
    """A person who takes part."""

    id = serializers.IntegerField(source="pk")
    username = serializers.CharField()
    name = serializers.CharField(source="__str__")
    email = serializers.CharField()
    is_active = serializers.BooleanField()
    roles = serializers.SerializerMethodField()

    def get_roles(self, person: User) -> list[str]:
        return sorted(person.roles)


class MeOut(PersonOut):
    """Who asks, and what their token may do."""

    scopes = serializers.SerializerMethodField()

    def get_scopes(self, person: User) -> list[str]:
        return self.context["scopes"]


class EventOut(serializers.Serializer):
    """One entry of the activity log."""

    id = serializers.IntegerField(source="pk")
    at = serializers.DateTimeField()
    actor = serializers.SerializerMethodField()
    action = serializers.CharField()
    subject_kind = serializers.CharField()
    subject_id = serializers.IntegerField()
    before = serializers.JSONField()
    after = serializers.JSONField()
    message = serializers.CharField()

    def get_actor(self, event: Event) -> str | None:
        return username(event.actor)


class ChangeIn(Sent):
    """What to do with several rows: all of them, or none."""

    MOST = 200

    ids = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1), allow_empty=False, max_length=MOST
    )
    action = serializers.CharField(max_length=20)


class ChangedOut(serializers.Serializer):
    """How much was changed."""

    changed = serializers.IntegerField()


class ReasonIn(Sent):
    """Why: the reason is kept."""

    reason = serializers.CharField(max_length=10_000)


def username(person: Any) -> str | None:
    """How programs name a person; None for nobody."""
    return person.username if person else None
