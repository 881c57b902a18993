"""The second factor of an account: whether a person has one, and admins who may not act as admins before they do."""

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction

from ..languages import say
from ..models import Role, User
from ..refusals import Refusal
from .access import check_access, refuse_alone

# Recovery codes alone are none: they stand in for an app or a passkey that was lost.
KINDS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def has_second_factor(person: User) -> bool:
    """Return whether the person signs in with a code from an app, or with a passkey."""
    return Authenticator.objects.filter(user_id=person.pk, type__in=KINDS).exists()


def hold_back_admin(person: User) -> User:
    """Take the admin role from this row of the person, not from the database, where the site wants a second factor
    that the person lacks. So every page, address of the API and list treats them as no admin. Returns the row.
    """
    if settings.ADMINS_NEED_SECOND_FACTOR and person.has_role(Role.ADMIN) and not has_second_factor(person):
        person.roles = person.roles - {Role.ADMIN}
        person.lacks_second_factor = True
    return person


@transaction.atomic
def remove_second_factor(*, person: User, admin: User, approved_by: User | None = None) -> None:
    """Remove a person's apps, passkeys and recovery codes, for one who lost them. Each is recorded in the log.

    Raises Refusal if there is none, or if a second admin has to approve it (`refuse_alone`); Forbidden if the admin
    judges with this person (`check_access`).
    """
    rows = list(Authenticator.objects.filter(user=person))
    if not rows:
        raise Refusal(say("{person} has no second factor. Nothing was changed.", person=person))
    check_access(admin=admin, person=person, words=say("removed the second factor of {person}", person=person))
    refuse_alone(admin=admin, person=person, approved_by=approved_by)
    for row in rows:
        row.delete()
