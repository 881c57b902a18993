"""Makes and keeps accounts: by invitation only, with limits against guessing, and with a log of failures."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.core import context
from allauth.core.internal import ratelimit
from django.conf import settings
from django.db.models import Q
from django.forms import ValidationError
from django.http import HttpRequest
from django.shortcuts import resolve_url

from ..engine.queries.instances import PreparedInstances
from ..languages import say
from ..models import CoreAction, Event, User
from ..models.names import composed, name_key
from ..web.client_address import client_address, is_on_this_machine
from .confirming import confirmed_recently
from .sample_people import DEMO_PASSWORD, DEMO_PEOPLE, is_hash_of_printed_password
from .second_factor import hold_back_admin
from .tokens import revoke_all

log = logging.getLogger(__name__)

APP = "allauth.account"
# Wrong passwords: by address, by account from one address, and by account from everywhere. The last one is far
# higher, or any stranger could keep a person out. The numbers are in the settings.
LIMITS = ("login_failed", "login_failed_here", "login_failed_account")
# Entries in the log: an account's failures from one address once an hour, and at most twenty entries per account
# per day. So guessing passwords cannot fill the disk.
TRACES = {"trace_here": "1/h/key", "trace_account": "20/d/key"}
# How a person confirms who they are, by allauth's names.
METHODS = {
    "reauthenticate": say("Use your password"),
    "mfa_reauthenticate": say("Use a code"),
    "mfa_reauthenticate:webauthn": say("Use a passkey"),
}
NOT_FROM_AFAR = (
    "This password is public, so it works only on the computer that runs the site. Ask an admin for a link to "
    "choose a new one."
)


PERSON = PreparedInstances(lambda number: User.objects.with_roles().filter(pk=number).order_by(), number=int)


class Backend(AuthenticationBackend):
    """Lets accounts with the printed first-start password work on a local site only, even for people already signed
    in.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        names = {name: composed(credentials[name]) for name in ("username", "email") if credentials.get(name)}
        return super().authenticate(request, **credentials | names)

    def get_user(self, user_id: int) -> User | None:
        user = PERSON.first(number=user_id)
        if user is None or not self.user_can_authenticate(user):
            return None
        return None if not settings.SITE_IS_LOCAL and has_printed_password(user) else hold_back_admin(user)


def has_printed_password(user: User) -> bool:
    return user.username in DEMO_PEOPLE and is_hash_of_printed_password(user.password)


class InvitedOnlyAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """The client address that the limits count by."""
        return client_address(request)

    def pre_authenticate(self, request: HttpRequest, **credentials: object) -> None:
        """Count the attempt. Raises ValidationError if there were too many, or if the printed password comes from
        another machine."""
        person = _person(credentials)
        self._consumed: list[ratelimit.RateLimitUsage] = []
        for limit, key in _limit_keys(request, credentials, person).items():
            used = ratelimit.consume(request, app=APP, action=limit, key=key)
            if not used:
                leave_trace(request, person, CoreAction.WAS_REFUSED_SIGN_IN)
                raise self.validation_error("too_many_login_attempts")
            self._consumed.append(used)
        if credentials.get("password") == DEMO_PASSWORD and not _is_local(request):
            self.authentication_failed(request, **credentials)
            raise ValidationError(NOT_FROM_AFAR)

    def _rollback_login_failed_rl_usage(self) -> None:
        for used in self._consumed:
            used.rollback()

    def authentication_failed(self, request: HttpRequest, **credentials: object) -> None:
        leave_trace(request, _person(credentials), CoreAction.ENTERED_WRONG_PASSWORD)

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: object) -> None:
        """Once a new password has been chosen through a link, earlier failures no longer count."""
        for limit, key in _limit_keys(request, credentials, _person(credentials)).items():
            ratelimit.clear(request, app=APP, action=limit, key=key)

    def is_safe_url(self, url: str | None) -> bool:
        """Return whether it is safe to redirect to `url` after sign-in; False if it is not an address."""
        try:
            return super().is_safe_url(url)
        except ValueError:
            return False

    def set_password(self, user: User, password: str) -> None:
        revoke_all(person=user, actor=user)
        super().set_password(user, password)
        Event.record(CoreAction.CHOSE_PASSWORD, user, actor=user)

    def is_reauthentication_required(self, *, app: str) -> bool:
        """Return whether the person confirms who they are first. Having just signed in is enough."""
        return not confirmed_recently(context.request)

    def get_reauthentication_methods(self, user: Any) -> list[dict]:
        return [
            method | {"description": METHODS[method["id"]]} for method in super().get_reauthentication_methods(user)
        ]

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return resolve_url("account")

    def send_mail(self, template_prefix: str, email: str, context: dict) -> None:
        """Send the mail. A mail server that is down must not reveal who has an account here, so the page is the same
        either way.
        """
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException):
            log.exception("mail %s could not be sent", template_prefix)


def _is_local(request: HttpRequest) -> bool:
    return settings.SITE_IS_LOCAL and is_on_this_machine(client_address(request))


def _typed_name(credentials: dict) -> str:
    return name_key(credentials.get("username") or credentials.get("email") or "")


def _person(credentials: dict) -> User | None:
    """The account that a visitor is trying to sign in to, by user name or email address."""
    name = _typed_name(credentials)
    return User.objects.filter(Q(username__iexact=name) | Q(email__iexact=name)).first() if name else None


def _limit_keys(request: HttpRequest, credentials: dict, person: User | None) -> dict[str, str]:
    """The key for each of `LIMITS`. One account has one key, whichever of its names is typed."""
    account = f"account {person.pk}" if person else f"name {_typed_name(credentials)}"
    here = f"{account} from {ratelimit.get_ip(request)}"
    return dict(zip(LIMITS, (here, here, account), strict=True))


def leave_trace(request: HttpRequest, person: User | None, action: CoreAction) -> None:
    """Log the failure without anything that was typed: people type passwords into the user name field."""
    address = client_address(request)
    log.warning("%s %s, from %s", f"account {person.pk}" if person else "an unknown name", action.label, address)
    if person is None:
        return
    keys = {
        "trace_here": f"{person.pk} {action} {ratelimit.get_ip(request)}",
        "trace_account": f"{person.pk} {action}",
    }
    if all(ratelimit.consume(request, app=APP, action=name, config=TRACES, key=key) for name, key in keys.items()):
        Event.record(action, person, after={"address": address})
