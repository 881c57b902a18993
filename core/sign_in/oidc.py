"""Signing in with an account elsewhere, by OpenID Connect: only people whom an admin of this site invited.

The provider says who a person is, never what they may do here. It opens an account that was connected to it by its
own person, or the account that an invitation makes; an address alone opens none, unless the operator says so.
"""

import re
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import requests
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.conf import settings
from django.db import transaction
from django.db.models.signals import post_delete, post_save, pre_save
from django.http import HttpRequest

from ..accounts import people
from ..accounts.usernames import is_deceptive
from ..hosts import checked_session, may_be_asked_openly
from ..languages import say
from ..models import CoreAction, Event, Invitation, User
from ..refusals import Refusal

TOKEN = "invitation"  # noqa: S105  # of an invitation's link, in the session of its visitor
SECONDS = 10
LONGEST_NAME = 100


class OidcAdapter(DefaultSocialAccountAdapter):
    def get_requests_session(self) -> requests.Session:
        """A session that waits for a limited time, and reaches private addresses only for a provider with one."""
        host = urlsplit(settings.OIDC_ISSUER).hostname or ""
        session = checked_session(local=may_be_asked_openly(host))
        session.request = partial(session.request, timeout=SECONDS)  # type: ignore[method-assign]
        return session

    def authenticate_by_email(self, sociallogin: SocialLogin) -> None:
        """Nobody is found by an address here; `pre_social_login` connects an account where that is allowed."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        connects = sociallogin.state.get("process") == "connect"
        if sociallogin.is_existing or connects or not settings.OIDC_LINK_VERIFIED_EMAIL:
            return
        person = User.objects.filter(email__iexact=verified_email(sociallogin), is_active=True).exclude(email="")
        if found := person.first():
            sociallogin.connect(request, found)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return invitation_of(request, sociallogin) is not None

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Make the account that the invitation is for, without a password."""
        invitation = invitation_of(request, sociallogin)
        if invitation is None:
            raise Refusal(say("This invitation no longer works. Ask an admin for a new one."), status=410)
        claims = claims_of(sociallogin)
        with transaction.atomic():
            names = {name: str(claims.get(claim) or "")[:LONGEST_NAME] for name, claim in NAMES.items()}
            person = people.accept_invitation(
                invitation=invitation, username=free_username(claims), password=None, **names
            )
            sociallogin.user = sociallogin.account.user = person
            sociallogin.account.save()
        request.session.pop(TOKEN, None)
        return person

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: SocialAccount) -> str:
        return "/account/"


NAMES = {"first_name": "given_name", "last_name": "family_name"}


def claims_of(sociallogin: SocialLogin) -> dict[str, Any]:
    """The statements of the provider's ID token about the person."""
    claims = sociallogin.account.extra_data.get("id_token")
    return claims if isinstance(claims, dict) else {}


def verified_email(sociallogin: SocialLogin) -> str:
    """The person's address if the provider says that it is theirs, else "". Anything but true is no."""
    claims = claims_of(sociallogin)
    address = claims.get("email")
    return address if isinstance(address, str) and claims.get("email_verified") is True else ""


def invitation_of(request: HttpRequest, sociallogin: SocialLogin) -> Invitation | None:
    """The invitation that this person may accept: that of the link they came by, else one to their address. None if
    there is none, or if its address has an account.
    """
    invitation = _by_link(request) or _by_address(verified_email(sociallogin))
    if invitation is None or invitation.person:
        return None
    taken = invitation.email and User.objects.filter(email__iexact=invitation.email).exists()
    claimed = sociallogin.email_addresses and sociallogin.email_addresses[0].email
    return None if taken or (claimed and User.objects.filter(email__iexact=claimed).exists()) else invitation


def _by_link(request: HttpRequest) -> Invitation | None:
    token = request.session.get(TOKEN)
    try:
        return people.invitation_for(token) if token else None
    except Refusal:
        return None


def _by_address(address: str) -> Invitation | None:
    return Invitation.objects.open().filter(person=None, email__iexact=address).exclude(email="").first()


def free_username(claims: dict[str, Any]) -> str:
    """A user name that is free, made of what the provider calls the person."""
    named = str(claims.get("preferred_username") or claims.get("email") or "").partition("@")[0]
    name = re.sub(r"[^\w.+-]", "", named)[:LONGEST_NAME]
    name = "person" if not name or is_deceptive(name) else name
    tried = [name, *(f"{name}{number}" for number in range(2, 1000))]
    taken = {
        each.lower() for each in User.objects.filter(username__istartswith=name).values_list("username", flat=True)
    }
    return next(each for each in tried if each.lower() not in taken)


def _keep_no_claims(*, instance: SocialAccount, **signal: object) -> None:
    """Store who the provider says it is, and no copy of what else it says."""
    instance.extra_data = {}


def _connected(*, instance: SocialAccount, created: bool, raw: bool = False, **signal: object) -> None:
    if created and not raw:
        Event.record(
            CoreAction.CONNECTED_ACCOUNT, instance.user, actor=instance.user, after={"at": settings.OIDC_NAME}
        )


def _disconnected(*, instance: SocialAccount, **signal: object) -> None:
    Event.record(CoreAction.DISCONNECTED_ACCOUNT, instance.user, before={"at": settings.OIDC_NAME})


def register() -> None:
    pre_save.connect(_keep_no_claims, sender=SocialAccount, weak=False)
    post_save.connect(_connected, sender=SocialAccount, weak=False)
    post_delete.connect(_disconnected, sender=SocialAccount, weak=False)
