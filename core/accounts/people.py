"""Manages accounts: invitations, password links, roles, and closing and reopening accounts."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.contrib.auth.models import Group
from django.db import IntegrityError, models, transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from ..engine.queries.conditions import is_one_of
from ..engine.queries.instances import PreparedValues
from ..engine.queries.parameters import Numbers
from ..languages import say
from ..lists.bulk import do_to_all
from ..models import CoreAction, Event, Invitation, Role, User
from ..models.names import composed
from ..refusals import Refusal
from ..writing.locking import lock
from .access import check_access, refuse_alone
from .tokens import revoke_all, token_hash
from .usernames import is_deceptive
from .work import Work, free_without, hand_back, work_of

LINK_LIFETIME = timedelta(days=14)


def invite(
    *,
    admin: User,
    roles: Iterable[str],
    email: str = "",
    note: str = "",
    at: datetime | None = None,
    approved_by: User | None = None,
) -> tuple[Invitation, str]:
    """Make an invitation. Returns it with the token of its link, which is not stored and cannot be retrieved later.

    An open invitation to the same email address is withdrawn: its link may be lost, and one is enough. Raises Refusal
    if the address already has an account, or if the admin judges and the roles show what others judge
    (`check_access`), or gives the role of an admin without the second admin's approval (`refuse_alone`).
    """
    email = composed(email.strip()).lower()
    roles = list(roles)
    with transaction.atomic():
        if email:
            _lock_admins()  # of two invitations made at once, each would miss the other
        if email and User.objects.filter(email__iexact=email).exists():
            raise Refusal(
                say(
                    "{email} already has an account. If they forgot the password, create a password link "
                    "on their page.",
                    email=email,
                )
            )
        if email:
            for earlier in Invitation.objects.open(at=at).filter(person=None, email__iexact=email):
                withdraw_invitation(invitation=earlier, admin=admin)
        check_access(admin=admin, roles=roles, words=say("made an invitation for {value}", value=email or note))
        if Role.ADMIN in roles:
            refuse_alone(admin=admin, person=None, roles=roles, approved_by=approved_by)
        invitation, token = _make_link(admin=admin, at=at, email=email, note=note.strip())
        invitation.roles.set(_groups(roles))
        Event.record(
            CoreAction.INVITED, invitation, actor=admin, after={"for": email or note, "roles": sorted(roles)}
        )
    return invitation, token


def make_password_link(
    *, person: User, admin: User, at: datetime | None = None, approved_by: User | None = None
) -> tuple[Invitation, str]:
    """Make a link that lets this person choose a new password. Returns it with its token, as `invite` does.

    Earlier password links stop working. Raises Refusal if the account is not active, or if the admin judges with this
    person (`check_access`), or if a second admin has to approve it (`refuse_alone`).
    """
    with transaction.atomic():
        lock(User.objects.filter(pk=person.pk))  # of two links made at once, each would miss the other
        if not person.is_active:
            raise Refusal(say("The account of {person} is not active. Activate it first.", person=person))
        check_access(admin=admin, person=person, words=say("made a password link for {person}", person=person))
        refuse_alone(admin=admin, person=person, approved_by=approved_by)
        _end_password_links(person=person, admin=admin, at=at)
        invitation, token = _make_link(admin=admin, at=at, email=person.email, person=person)
        Event.record(CoreAction.MADE_PASSWORD_LINK, person, actor=admin)
    return invitation, token


def _make_link(*, admin: User, at: datetime | None, **fields) -> tuple[Invitation, str]:
    token = secrets.token_urlsafe(32)
    now = at or timezone.now()
    invitation = Invitation.objects.create(
        invited_by=admin, token_hash=token_hash(token), created_at=now, expires_at=now + LINK_LIFETIME, **fields
    )
    return invitation, token


def _end_password_links(*, person: User, admin: User, at: datetime | None = None) -> None:
    for link in Invitation.objects.open(at=at).filter(person=person):
        withdraw_invitation(invitation=link, admin=admin)


@transaction.atomic
def withdraw_invitation(*, invitation: Invitation, admin: User) -> None:
    """Make the link stop working. Raises Refusal if it has been used in the meantime."""
    withdrawn = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, withdrawn_at=None).update(
        withdrawn_at=timezone.now()
    )
    if not withdrawn:
        raise Refusal(say("This link has already been used or withdrawn. Reload the page to see the current list."))
    Event.record(CoreAction.WITHDREW, invitation, actor=admin)


class InvitationAction(models.TextChoices):
    RENEW = "renew", say("Create new links")
    WITHDRAW = "withdraw", say("Withdraw")


def change_invitations(
    *, invitations: Iterable[Invitation], action: str, admin: User
) -> list[tuple[Invitation, str]]:
    """Apply this to all of the links, or to none. Raises Refusal, naming the recipient, if one cannot be changed.
    Returns the new links, if any, each with its token.
    """
    made: list[tuple[Invitation, str]] = []
    if action == InvitationAction.WITHDRAW:
        do_to_all(invitations, lambda each: withdraw_invitation(invitation=each, admin=admin))
    elif action == InvitationAction.RENEW:
        do_to_all(invitations, lambda each: made.append(renew_invitation(invitation=each, admin=admin)))
    else:
        raise Refusal(say("Choose an action for the selected links. Nothing was changed."), status=400)
    return made


@transaction.atomic
def renew_invitation(*, invitation: Invitation, admin: User) -> tuple[Invitation, str]:
    """Make a new link instead of this one, expired or not, for the same person and roles. Returns it with its token,
    as `invite` does; raises Refusal as `withdraw_invitation` and `invite` do."""
    withdraw_invitation(invitation=invitation, admin=admin)
    if invitation.person:
        return make_password_link(person=invitation.person, admin=admin)
    roles = [group.name for group in invitation.roles.all()]
    return invite(admin=admin, roles=roles, email=invitation.email, note=invitation.note)


def links_not_used() -> list[Invitation]:
    """The links that are neither used nor withdrawn, newest first, with their roles."""
    links = Invitation.objects.filter(accepted_at=None, withdrawn_at=None)
    return list(links.select_related("invited_by", "person").prefetch_related("roles"))


def invitation_for(token: str, *, at: datetime | None = None) -> Invitation:
    """The open invitation that this token belongs to. Raises Refusal, saying why, if the link does not work."""
    invitation = Invitation.objects.select_related("person").filter(token_hash=token_hash(token)).first()
    if invitation is None:
        raise Refusal(
            say("This link is not valid. Check that you copied all of it, or ask an admin for a new one."), status=404
        )
    if invitation.accepted_at:
        raise Refusal(
            say("This link has already been used. Sign in with the name and password you chose."), status=410
        )
    if invitation.withdrawn_at:
        raise Refusal(say("This link was withdrawn. Ask an admin for a new one."), status=410)
    if invitation.expires_at <= (at or timezone.now()):
        raise Refusal(
            say(
                "This link has expired: it was valid for {days} days. Ask an admin for a new one.",
                days=LINK_LIFETIME.days,
            ),
            status=410,
        )
    if invitation.person and not invitation.person.is_active:
        raise Refusal(say("This account is not active. Ask an admin of the project."), status=410)
    return invitation


def accept_invitation(
    *, invitation: Invitation, username: str, password: str | None, first_name: str = "", last_name: str = ""
) -> User:
    """Make the account that the invitation is for, with its roles; returns it. Without a password, its person signs
    in with an account elsewhere.

    Raises Refusal if the link has been used or the user name or email address taken in the meantime, or if the user
    name looks deceptively like another one.
    """
    if is_deceptive(username):
        raise Refusal(say("This user name could be mistaken for another. Choose a name in one alphabet."))
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                username, email=invitation.email, password=password, first_name=first_name, last_name=last_name
            )
            _use_up(invitation, user)
            user.groups.set(invitation.roles.all())
            Event.record(CoreAction.JOINED, user, actor=user, after={"roles": sorted(user.roles)})
    except IntegrityError as error:
        raise Refusal(
            say(
                "The user name {username} or the email address is taken by another account. Choose "
                "another name; if that does not help, ask the admin.",
                username=username,
            )
        ) from error
    return user


@transaction.atomic
def choose_password(*, invitation: Invitation, password: str) -> User:
    """Set the new password of the person for whom the password link was made; returns that person. All their sessions
    and tokens end.

    Raises Refusal if the link has been used in the meantime.
    """
    person = invitation.person
    if person is None:
        raise ValueError("an invitation to join is no password link")
    _use_up(invitation, person)
    revoke_all(person=person, actor=person)
    person.set_password(password)
    person.save(update_fields=["password"])
    Event.record(CoreAction.CHOSE_PASSWORD, person, actor=person)
    return person


def _use_up(invitation: Invitation, user: User) -> None:
    """Mark the link as used. If two people use one link at the same moment, exactly one succeeds."""
    now = timezone.now()
    if not Invitation.objects.open(at=now).filter(pk=invitation.pk).update(accepted_at=now, accepted_by=user):
        raise Refusal(say("This link was used or withdrawn a moment ago. If it was not you, tell an admin."))


@transaction.atomic
def set_roles(*, person: User, roles: Iterable[str], admin: User, approved_by: User | None = None) -> None:
    """Give the person exactly these roles. Their open judgments and decisions that need a lost role go to others.
    Raises Refusal if no admin would remain, or if the admin judges with this person and gives them more roles
    (`check_access`), or makes them an admin without the second admin's approval (`refuse_alone`).
    """
    wanted = set(roles)
    _lock_admins()
    held = set(person.groups.filter(name__in=Role.values).values_list("name", flat=True))
    if wanted == held:
        return
    if Role.ADMIN in held - wanted:
        _refuse_the_last_admin(person)
    if wanted - held:
        check_access(
            admin=admin, person=person, roles=wanted - held, words=say("changed the roles of {person}", person=person)
        )
    if Role.ADMIN in wanted - held:
        refuse_alone(admin=admin, person=person, roles=wanted - held, approved_by=approved_by)
    person.groups.remove(*_groups(held - wanted))
    person.groups.add(*_groups(wanted))
    vars(person).pop("roles", None)
    if not person.is_superuser:  # who has all of them
        free_without(person=person, roles=held - wanted)
    Event.record(
        CoreAction.SET_ROLES, person, actor=admin, before={"roles": sorted(held)}, after={"roles": sorted(wanted)}
    )


@transaction.atomic
def deactivate_person(*, person: User, admin: User) -> int:
    """Close the account and end its sessions, tokens and password links for good: reopening the account revives none.
    None of the person's work is deleted.

    The person's unfinished tags return to the queue, and their open judgments and decisions go to others. Returns the
    number of these tags, as far as the admin may know of them. Raises Refusal if the account is the admin's own or
    belongs to the last admin.
    """
    if person == admin:
        raise Refusal(say("You cannot close your own account. Ask another admin."))
    _lock_admins()
    if person.has_role(Role.ADMIN):
        _refuse_the_last_admin(person)
    closed = User.objects.filter(pk=person.pk, is_active=True)
    if not closed.update(is_active=False, times_closed=F("times_closed") + 1):
        return 0
    person.refresh_from_db(fields=["is_active", "times_closed"])
    _end_password_links(person=person, admin=admin)
    revoke_all(person=person, actor=admin)
    freed = hand_back(person=person, actor=admin)
    # Without how many: an admin who annotates one of these tags reads this entry, too.
    Event.record(CoreAction.CLOSED_ACCOUNT, person, actor=admin, before={"active": True}, after={"active": False})
    return freed


@transaction.atomic
def activate_person(*, person: User, admin: User) -> None:
    """Open the account again, with the roles it had."""
    if User.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
        person.is_active = True
        Event.record(CoreAction.OPENED_ACCOUNT, person, actor=admin, before={"active": False}, after={"active": True})


@transaction.atomic
def hand_on_work(*, person: User, admin: User) -> int:
    """Hand on the open work of a person who is away or leaves, whose account stays open: unfinished tags return to
    the queue, open judgments and decisions go to others. Drafts with text are kept. Returns the number of these tags,
    as far as the admin may know of them.
    """
    freed = hand_back(person=person, actor=admin)
    Event.record(CoreAction.HANDED_ON, person, actor=admin)
    return freed


class PeopleAction(models.TextChoices):
    HAND_ON = "hand_on", say("Hand on their open work")
    CLOSE = "close", say("Close their accounts")
    OPEN = "open", say("Reopen their accounts")


def change_people(*, people: Iterable[User], action: str, admin: User) -> int:
    """Apply this to all of the people, or to none. Raises Refusal, naming the person, if one cannot be changed.
    Returns the number of people.
    """
    if action == PeopleAction.HAND_ON:
        return do_to_all(people, lambda person: hand_on_work(person=person, admin=admin))
    if action == PeopleAction.CLOSE:
        return do_to_all(people, lambda person: deactivate_person(person=person, admin=admin))
    if action == PeopleAction.OPEN:
        return do_to_all(people, lambda person: activate_person(person=person, admin=admin))
    raise Refusal(say("Choose an action for the selected people. Nothing was changed."), status=400)


@transaction.atomic
def set_name(*, person: User, first_name: str, last_name: str) -> None:
    """Change the name that pages show for this person."""
    after = {"first_name": first_name, "last_name": last_name}
    before = {name: getattr(person, name) for name, value in after.items() if getattr(person, name) != value}
    if not before:
        return
    person.first_name, person.last_name = first_name, last_name
    person.save(update_fields=list(after))
    after = {name: after[name] for name in before}
    Event.record(CoreAction.RENAMED, person, actor=person, before=before, after=after)


def set_theme(*, person: User, theme: str) -> None:
    """Set the theme: light, dark or the system's. A personal preference, so not logged."""
    person.theme = User.Theme(theme)
    person.save(update_fields=["theme"])


def set_language(*, person: User, language: str) -> None:
    """Set the language of the person's pages, by its code. A personal preference, so not logged."""
    person.language = language
    person.save(update_fields=["language"])


def _groups(roles: Iterable[str]) -> list[Group]:
    return [Group.objects.get_or_create(name=Role(role))[0] for role in sorted(roles)]


def _lock_admins() -> None:
    """Lock the admins: if two remove each other's role at the same moment, one has to wait for the other."""
    lock(Group.objects.filter(pk__in=[group.pk for group in _groups([Role.ADMIN])]))


def _refuse_the_last_admin(person: User) -> None:
    admins = User.objects.filter(Q(groups__name=Role.ADMIN) | Q(is_superuser=True), is_active=True)
    if not admins.exclude(pk=person.pk).exists():
        raise Refusal(say("{person} is the last admin. Make another person an admin first.", person=person))


@dataclass(frozen=True, slots=True)
class PersonAtWork:
    """One row of the list of people."""

    person: User
    roles: list[str]
    last_seen: datetime | None
    work: Work


def people_at_work(people: Iterable[User], *, reader: User) -> list[PersonAtWork]:
    """These people, each with their annotation work, limited to what `reader` may know."""
    people = list(people)
    done = work_of(people, reader=reader)
    acted = dict(_last_acts(reader.roles).all(reader=reader.pk, people=Numbers(person.pk for person in people)))
    rows = []
    for person in people:
        work = done.get(person.pk, Work())
        seen = [person.last_login, work.last_saved_at, acted.get(person.pk)]
        held = person.given_roles()
        rows.append(
            PersonAtWork(
                person=person,
                roles=[role for role in Role.values if role in held],
                last_seen=max((time for time in seen if time), default=None),
                work=work,
            )
        )
    return rows


@lru_cache
def _last_acts(roles: frozenset[str]) -> PreparedValues:
    """For a reader with these roles: the time of each person's last entry in the activity log that they may read."""

    def of_each(reader: int, people: Numbers) -> QuerySet[User, Any]:
        # From the open log only: an admin who judges must not see when another person judges or takes one back.
        log = Event.objects.open_log(User.with_these_roles(reader, roles))
        last = log.filter(actor=OuterRef("pk")).order_by("-pk").values("at")[:1]
        return User.objects.filter(is_one_of("pk", people)).order_by().values_list("pk", Subquery(last))

    return PreparedValues(of_each, reader=int, people=Numbers)


def people_with_roles(people: Numbers) -> list[User]:
    """These people with their roles, unordered."""
    found = User.objects.with_roles().filter(pk__in=people)
    return list(found.defer("password", "date_joined").order_by())
