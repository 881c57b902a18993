"""Records in the activity log who signed in and which second factors were added or removed."""

import time

from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.signals import user_logged_in
from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authentication_failed
from django.db.models.signals import post_delete, post_save
from django.http import HttpRequest

from ..accounts.adapter import leave_trace
from ..models import CoreAction, Event, User
from ..web.client_address import client_address
from .seen import SEEN

WORDS = {"password": "password", "socialaccount": "another account", "totp": "app", "webauthn": "passkey"}
KINDS = {"totp": "authenticator app", "webauthn": "passkey", "recovery_codes": "recovery codes"}


def _signed_in(*, request: HttpRequest, user: User, **signal: object) -> None:
    records = get_authentication_records(request, user)
    ways = [WORDS.get(name := record.get("type", record["method"]), name.replace("_", " ")) for record in records]
    after = {"by": list(dict.fromkeys(ways)) or ["link"], "address": client_address(request)}
    request.session[SEEN] = int(time.time())
    Event.record(CoreAction.SIGNED_IN, user, actor=user, after=after)


def _refused(*, request: HttpRequest, user: User, **signal: object) -> None:
    leave_trace(request, user, CoreAction.ENTERED_WRONG_CODE)


def _added(*, instance: Authenticator, created: bool, raw: bool = False, **signal: object) -> None:
    if created and not raw:
        _record(CoreAction.ADDED_SECOND_FACTOR, instance)


def _removed(*, instance: Authenticator, **signal: object) -> None:
    _record(CoreAction.REMOVED_SECOND_FACTOR, instance)


def _record(action: CoreAction, row: Authenticator) -> None:
    """Record it in the transaction of the change; allauth's own signals come after that."""
    actor = getattr(context.request, "user", None)
    acts = actor if actor is not None and actor.is_authenticated else None
    Event.record(action, row.user, actor=acts, after={"kind": KINDS[row.type]})


def register() -> None:
    user_logged_in.connect(_signed_in, weak=False)
    authentication_failed.connect(_refused, weak=False)
    post_save.connect(_added, sender=Authenticator, weak=False)
    post_delete.connect(_removed, sender=Authenticator, weak=False)
