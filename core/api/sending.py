"""The pause of everything that goes out, for programs of admins."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from ..keeping.sending import allow_sending, held_folders, resume_calls
from ..models import Project
from .doors import AdminDoor, gives, takes


class HeldFolderOut(serializers.Serializer):
    """A machine from which nothing goes out, and what was recovered there after a restore."""

    host = serializers.CharField()
    held_at = serializers.DateTimeField()
    held_because = serializers.CharField()
    recovered = serializers.ListField(child=serializers.CharField())


class SendingOut(serializers.Serializer):
    """The machines from which nothing goes out, and the time since which no new calls to models are made."""

    held = HeldFolderOut(many=True)
    calls_stopped_at = serializers.DateTimeField(allow_null=True)


def _now() -> Response:
    state = {"held": held_folders(), "calls_stopped_at": Project.get().calls_stopped_at}
    return Response(SendingOut(state).data)


class Sending(AdminDoor):
    @gives(SendingOut)
    def get(self, request: Any) -> Response:
        """The machines from which nothing goes out, and whether new calls are stopped."""
        return _now()


class AllowSending(AdminDoor):
    @takes(gives=SendingOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Let everything go out again after a restore."""
        allow_sending(admin=request.user)
        return _now()


class ResumeCalls(AdminDoor):
    @takes(gives=SendingOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Let workers take calls to models again."""
        resume_calls(admin=request.user)
        return _now()
