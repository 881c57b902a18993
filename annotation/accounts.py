"""How accounts are made and kept: by invitation only, behind limits against guessing."""

import logging
from smtplib import SMTPException

from allauth.account.adapter import DefaultAccountAdapter
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpRequest
from django.shortcuts import resolve_url

from .models import Event, User

log = logging.getLogger(__name__)


class InvitedOnlyAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Whose address the limits count. A request that did not come through all proxies (a health check, a
        neighbour on the machine, a server on a socket) still gets one, so that nobody is locked out by it."""
        try:
            return super().get_client_ip(request)
        except (ImproperlyConfigured, PermissionDenied):
            return request.META.get("REMOTE_ADDR") or "127.0.0.1"

    def set_password(self, user: User, password: str) -> None:
        super().set_password(user, password)
        Event.record("chose a new password", user, actor=user)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return resolve_url("account")

    def send_mail(self, template_prefix: str, email: str, context: dict) -> None:
        """A mail server that is away must not tell who has an account here: the page is the same either way."""
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException):
            log.exception("mail %s could not be sent", template_prefix)
