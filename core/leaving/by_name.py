"""Accounts by their user names, for commands."""

from ..languages import say
from ..models import Role, User
from ..refusals import Refusal


def account_named(username: str) -> User:
    """The account with this user name. Raises Refusal if there is none."""
    found = User.objects.filter(username__iexact=username).first()
    if found is None:
        raise Refusal(say("There is no account with the user name {username}.", username=username))
    return found


def acting_admin(username: str | None) -> User:
    """The admin with this user name, or the first admin. Raises Refusal if there is none."""
    if username is None:
        admins = User.objects.filter(groups__name=Role.ADMIN) | User.objects.filter(is_superuser=True)
        found = admins.filter(is_active=True).order_by("pk").first()
    else:
        found = account_named(username)
    if found is None or not found.has_role(Role.ADMIN):
        raise Refusal(say("Name an admin with --admin."))
    return found
