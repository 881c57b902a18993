"""Checks who may open an account: nobody who judges beside its owner and must not learn the owner's verdicts.

This app does not know who judges; the app above registers that when it starts.
"""

from collections.abc import Collection
from typing import Any, Protocol

from django.conf import settings
from django.db.models import Q

from ..languages import say
from ..models import Role, User
from ..refusals import Forbidden, Refusal

# With these roles an account is shown what other people judge.
SEE_MORE = frozenset({Role.ADMIN, Role.ADJUDICATOR})


class InCommon(Protocol):
    def __call__(self, admin: User, person: User | None, /) -> Collection[Any]:
        """Return the unfinished rounds in which the admin judges, and the person does, too; those with anyone, if no
        person is given. This app does not know their model, and passes them on to `NoteIn`.
        """


class NoteIn(Protocol):
    def __call__(self, admin: User, rounds: Collection[Any], words: str, /) -> None:
        """Note in these rounds what the admin did, in the transaction, as nobody else could do it.

        Args:
            admin: the admin.
            rounds: what `InCommon` returned.
            words: a sentence without its subject.
        """


_registered: list[tuple[InCommon, NoteIn]] = []


def register(in_common: InCommon, note: NoteIn) -> None:
    """Register the function that finds people who judge together, and the one that notes that an admin opened an
    account anyway.
    """
    _registered[:] = [(in_common, note)]


def check_access(*, admin: User | None, person: User | None = None, roles: Collection[str] = (), words: str) -> None:
    """Call this, in its transaction, before `admin` opens the way into the account of `person`, or into a new one
    with these `roles`. None is a command.

    Raises Forbidden if the admin judges with that person in an unfinished round, or judges at all and the account is
    shown what others judge, and another admin could do it. If nobody else could, it is allowed, and noted in these
    rounds with `words`, what was done, without its subject.
    """
    if reason := why_no_access(admin=admin, person=person, roles=roles):
        raise Forbidden(reason)
    if admin is None or person == admin:
        return
    for in_common, note in _registered:
        if rounds := _rounds(in_common, admin, person, roles):
            note(admin, rounds, words)


def why_no_access(*, admin: User | None, person: User | None = None, roles: Collection[str] = ()) -> str:
    """The reason why `check_access` would refuse; "" if it would not. For pages, so that they offer no act that is
    only refused.
    """
    if admin is None or person == admin:
        return ""
    for in_common, _ in _registered:
        rounds = _rounds(in_common, admin, person, roles)
        if not rounds:
            continue
        others = _admins().exclude(pk__in=[admin.pk, *([person.pk] if person else [])])
        if any(not _rounds(in_common, other, person, roles) for other in others):
            names = ", ".join(sorted(str(round) for round in rounds))
            return say(
                "You judge in an unfinished round ({names}), and this could show you what others "
                "judge there: another admin has to do it. Nothing was changed.",
                names=names,
            )
    return ""


def needs_second_admin(*, admin: User | None, person: User | None, roles: Collection[str] = ()) -> bool:
    """Return whether another admin has to approve that `admin` opens the way into this account, or into a new one
    with these roles. Nobody has to for one's own account, or where no other admin could: None is a command.
    """
    if not settings.SECOND_ADMIN_APPROVES or admin is None or person == admin:
        return False
    return bool(other_admins_free(admin=admin, person=person, roles=roles))


def refuse_alone(
    *, admin: User | None, person: User | None, roles: Collection[str] = (), approved_by: User | None
) -> None:
    """Raises Refusal if a second admin has to approve this and none did."""
    if approved_by is None and needs_second_admin(admin=admin, person=person, roles=roles):
        raise Refusal(
            say("Another admin has to approve this first. Ask for it on the page People. Nothing was changed.")
        )


def other_admins_free(*, admin: User, person: User | None, roles: Collection[str] = ()) -> list[User]:
    """The other admins who may open the way into this account, or a new one with these roles: active, not the
    person, and not hindered by what they judge.
    """
    others = _admins().exclude(pk__in=[admin.pk, *([person.pk] if person else [])])
    hinders = [in_common for in_common, _ in _registered]
    return [other for other in others if not any(_rounds(each, other, person, roles) for each in hinders)]


def _rounds(in_common: InCommon, admin: User, person: User | None, roles: Collection[str]) -> Collection[object]:
    held = person.given_roles() if person else set()
    if SEE_MORE & {*roles, *held}:
        return in_common(admin, None)
    return in_common(admin, person) if person else []


def _admins():
    is_admin = Q(groups__name=Role.ADMIN) | Q(is_superuser=True)
    return User.objects.filter(is_admin, is_active=True).distinct()
