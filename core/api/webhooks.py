"""Webhooks and their messages for programs of admins, and the feed of news. Webhooks are added on their page alone,
where the secret is shown once."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils.feedgenerator import Atom1Feed
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.response import Response

from ..models import AccessToken, Delivery, DeliveryState, Project, User, Webhook
from ..webhooks.feed import newest_entries
from ..webhooks.outbox import known_deliveries, names_of_events
from ..webhooks.webhooks import send_again
from .doors import AdminDoor, gives, lists, takes
from .reading import SignedIn, TokenSignIn
from .serializers import OneOf

NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class WebhookOut(serializers.Serializer):
    """An address that is sent events."""

    id = serializers.IntegerField(source="pk")
    url = serializers.CharField()
    about = serializers.CharField()
    events = serializers.ListField(child=OneOf(names_of_events))
    is_on = serializers.BooleanField()


class AttemptOut(serializers.Serializer):
    """One attempt: a status, or the reason why there is none."""

    at = serializers.DateTimeField()
    seconds = serializers.FloatField()
    status = serializers.IntegerField(allow_null=True)
    answer = serializers.CharField()
    error = serializers.CharField()


class DeliveryOut(serializers.Serializer):
    """A message to an address, and its outcome."""

    key = serializers.UUIDField()
    webhook = serializers.IntegerField(source="webhook_id")
    event = OneOf(names_of_events)
    state = serializers.ChoiceField(DeliveryState.choices)
    tries = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    not_before = serializers.DateTimeField()
    attempts = AttemptOut(many=True)


class Webhooks(AdminDoor):
    @lists(WebhookOut)
    def get(self, request: Any) -> Response:
        """The addresses that are sent events."""
        return self.page(Webhook.objects.all(), "pk", gives=WebhookOut)


class Deliveries(AdminDoor):
    @lists(DeliveryOut)
    def get(self, request: Any) -> Response:
        """The messages to webhooks that you may know of, with their attempts, newest first."""
        rows = known_deliveries(request.user).prefetch_related("attempts")
        return self.page(rows, "-pk", gives=DeliveryOut)


class DeliveryAgain(AdminDoor):
    @takes(gives=DeliveryOut)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """Send a message again, under its old key."""
        delivery = get_object_or_404(known_deliveries(request.user).select_related("webhook"), key=key)
        send_again(delivery=delivery, admin=request.user)
        return Response(DeliveryOut(Delivery.objects.get(key=key)).data)


# --- The feed -----------------------------------------------------------------------------------------------------


class TokenAsPassword(TokenSignIn):
    """A personal token as the password of HTTP Basic, which is all that most feed readers can send."""

    def authenticate(self, request: Any) -> tuple[User, AccessToken] | None:
        kind, _, given = request.headers.get("Authorization", "").strip().partition(" ")
        if kind.lower() != "basic":
            return None
        try:
            token = base64.b64decode(given, validate=True).decode().partition(":")[2]
        except (binascii.Error, ValueError):
            token = ""
        return self.of_token(token)

    def authenticate_header(self, request: object) -> str:
        return 'Basic realm="a personal token as the password"'


class Atom(BaseRenderer):
    """An Atom feed (RFC 4287)."""

    media_type, format, charset = "application/atom+xml", "atom", "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        # A response that is no feed is an error.
        return data.encode() if isinstance(data, str) else JSONRenderer().render(data)


class News(AdminDoor):
    authentication_classes: Any = (TokenAsPassword, TokenSignIn, SignedIn)
    renderer_classes = (Atom,)

    @gives(OpenApiTypes.STR)
    def get(self, request: Any) -> Response:
        """Releases, runs that ended and rounds that are finished, newest first, as an Atom feed. Feed readers send a
        personal token as the password of HTTP Basic."""
        feed = Atom1Feed(
            title=Project.get().name,
            link=request.build_absolute_uri("/"),
            feed_url=request.build_absolute_uri(request.path),
            description="",
        )
        for entry in newest_entries():
            feed.add_item(
                title=_plain(entry.title),
                link=request.build_absolute_uri(entry.address),
                description=_plain(entry.text),
                unique_id=f"tag:{request.get_host().partition(':')[0]},2026:{entry.name}",
                pubdate=entry.at,
                updateddate=entry.at,
            )
        return Response(feed.writeString("utf-8"))


def _plain(text: str) -> str:
    """The text with blanks in place of characters that XML cannot hold."""
    return NOT_IN_XML.sub(" ", text)
