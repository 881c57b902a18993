"""People and the activity log for programs."""

from collections.abc import Callable, Iterable
from functools import cache

from django.db import models
from django.utils.crypto import salted_hmac
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ..models import Event, Role, User
from ..models.events import actions, open_log_kinds
from .doors import Sent


class Username(serializers.CharField):
    """A person by user name; null for nobody."""

    def __init__(self, **given: object):
        super().__init__(read_only=True, allow_null=True, **given)

    def to_representation(self, person: User) -> str:
        return person.username


class OneOf(serializers.ChoiceField):
    """One of the words that apps register at start; they are collected when an answer is made."""

    def __init__(self, words: Callable[[], Iterable[str]], **given: object):
        super().__init__(choices=list(words()), **given)


class PersonOut(serializers.Serializer):
    """A person with an account."""

    id = serializers.IntegerField(source="pk")
    username = serializers.CharField()
    name = serializers.CharField(source="__str__")
    email = serializers.CharField()
    is_active = serializers.BooleanField()
    roles = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(choices=Role.choices)))
    def get_roles(self, person: User) -> list[str]:
        return sorted(person.roles)


class MeOut(PersonOut):
    """The caller, and the permissions of their token."""

    scopes = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(choices=["read", "work", "admin"])))
    def get_scopes(self, person: User) -> list[str]:
        return self.context["scopes"]


class EventOut(serializers.Serializer):
    """One entry of the activity log."""

    id = serializers.SerializerMethodField()
    at = serializers.DateTimeField()
    actor = Username()
    action = OneOf(actions)
    subject_kind = OneOf(open_log_kinds)
    subject_id = serializers.IntegerField()
    before = serializers.JSONField()
    after = serializers.JSONField()
    message = serializers.CharField()

    def get_id(self, event: Event) -> str:
        # The same each time. The entry's number would tell how many others there are that the reader may not know of.
        return salted_hmac("core.api.event", str(event.pk), algorithm="sha256").hexdigest()[:32]


class ChangeIn(Sent):
    """An action on several rows: on all of them, or on none."""

    MOST = 200

    ids = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1), allow_empty=False, max_length=MOST
    )


@cache
def change_of(actions: type[models.TextChoices], *only: str) -> type[ChangeIn]:
    """The request body for these actions, or for a choice of them."""
    choices = [(each.value, each.label) for each in actions if not only or each.value in only]
    members = {"action": serializers.ChoiceField(choices=choices), "__doc__": ChangeIn.__doc__}
    return type(f"Change{actions.__name__.removesuffix('Action')}In", (ChangeIn,), members)


class ChangedOut(serializers.Serializer):
    """The number of rows changed."""

    changed = serializers.IntegerField()


class ReasonIn(Sent):
    """The reason, which is kept."""

    reason = serializers.CharField(max_length=10_000)
