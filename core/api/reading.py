"""Reads requests: personal tokens, sessions, and JSON that every database can store."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, ParseError
from rest_framework.parsers import BaseParser
from rest_framework.throttling import SimpleRateThrottle

from ..accounts.adapter import Backend
from ..accounts.tokens import find_token, note_use
from ..models import AccessToken, User
from ..outside import Unreadable, json_object
from ..web.client_address import client_address


class TokenSignIn(BaseAuthentication):
    """`Authorization: Bearer wcw_…`. `request.auth` is then the token, whose scopes narrow what its person may do."""

    def authenticate(self, request: Any) -> tuple[User, AccessToken] | None:
        kind, _, given = request.headers.get("Authorization", "").strip().partition(" ")
        if kind.lower() != "bearer":
            return None
        return self.of_token(given.strip())

    def of_token(self, given: str) -> tuple[User, AccessToken]:
        """The person with this token. Raises AuthenticationFailed if nobody has it."""
        token = find_token(given)
        person = Backend().get_user(token.person_id) if token else None
        if token is None or person is None:
            raise AuthenticationFailed("This token does not work: it was revoked, has expired, or never existed.")
        note_use(token)
        return person, token

    def authenticate_header(self, request: object) -> str:
        return "Bearer"


class SignedIn(SessionAuthentication):
    """The session of the pages, with its CSRF token. No scopes narrow it."""


class StrictJSON(BaseParser):
    """One JSON object, read as strictly as all input from outside."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        # `body` keeps to the limit of the settings.
        body = stream.body if isinstance(stream, HttpRequest) else stream.read()
        if not body:
            return {}
        try:
            return json_object(body)
        except Unreadable as error:
            raise ParseError(f"The body is not a readable JSON object. {error}") from None


class PerMinute(SimpleRateThrottle):
    """A limit on requests per minute: for each person, and for each address that sends none of our tokens."""

    scope = "minute"
    cache_format = "api_%(scope)s_%(ident)s"

    def get_rate(self) -> str | None:
        return f"{settings.API_REQUESTS_PER_MINUTE}/min" if settings.API_REQUESTS_PER_MINUTE else None

    def get_cache_key(self, request: Any, view: Any) -> str:
        ident = request.user.pk if request.user.is_authenticated else client_address(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}
