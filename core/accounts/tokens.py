"""Makes, finds and revokes the tokens with which programs act for a person."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from ..languages import say
from ..models import AccessToken, CoreAction, Event, User
from ..outside import required_text
from ..refusals import Refusal

# Programs that look for secrets in code and logs find it by this.
PREFIX = "wcw_"
MOST_TOKENS = 20
BY_SETTING = 0
USE_NOTED_EVERY = timedelta(minutes=1)


def make_token(
    *,
    person: User,
    name: str,
    may_work: bool = False,
    may_administer: bool = False,
    days: int | None = BY_SETTING,
    at: datetime | None = None,
) -> tuple[AccessToken, str]:
    """Make a token that is valid for this many days, by default as many as the settings say, or with None until it
    is revoked. Returns its row with the token itself,
    which is not stored and cannot be retrieved later.

    Raises Refusal if it has no name, or if the person has too many already.
    """
    name = required_text(name, say("Give the token a purpose. No token was created."))[:100]
    now = at or timezone.now()
    days = settings.TOKEN_DAYS if days == BY_SETTING else days
    token = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        if AccessToken.objects.usable(at=now).filter(person=person).count() >= MOST_TOKENS:
            raise Refusal(
                say(
                    "You have {most_tokens} tokens already. Revoke one that you no longer need.",
                    most_tokens=MOST_TOKENS,
                )
            )
        row = AccessToken.objects.create(
            person=person,
            name=name,
            token_hash=token_hash(token),
            may_work=may_work,
            may_administer=may_administer,
            created_at=now,
            expires_at=None if days is None else now + timedelta(days=days),
        )
        Event.record(CoreAction.MADE_TOKEN, person, actor=person, after={"name": name, "scopes": row.scopes})
    return row, token


def token_hash(token: str) -> str:
    """The hash stored for a token or for the link of an invitation. A plain hash is enough: a token has 256 random
    bits, so it cannot be guessed from a list of words.
    """
    return sha256(token.encode()).hexdigest()


def find_token(token: str) -> AccessToken | None:
    """The usable token with this text; None if there is none."""
    if not token.isascii():
        return None
    return AccessToken.objects.usable(at=timezone.now()).filter(token_hash=token_hash(token)).first()


def note_use(token: AccessToken) -> None:
    """Note that the token was used just now, at most once per minute."""
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at <= now - USE_NOTED_EVERY:
        not_yet = AccessToken.objects.exclude(last_used_at__gt=now - USE_NOTED_EVERY)
        not_yet.filter(pk=token.pk).update(last_used_at=now)


def tokens_of(person: User) -> list[AccessToken]:
    """The tokens of this person that are not revoked, newest first."""
    return list(AccessToken.objects.filter(person=person, revoked_at=None))


@transaction.atomic
def revoke_token(*, token: AccessToken, person: User | None) -> None:
    """Make the token stop working. One that is revoked already stays as it is."""
    if AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        Event.record(CoreAction.REVOKED_TOKEN, token.person, actor=person, before={"name": token.name})


def revoke_all(*, person: User, actor: User | None) -> None:
    """Revoke all tokens of this person, for example after a new password or when the account is closed. The actor is
    None if no signed-in person did it, as in a command.
    """
    for token in AccessToken.objects.filter(person=person, revoked_at=None):
        revoke_token(token=token, person=actor)
