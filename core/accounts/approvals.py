"""Two admins for what lets one person into another's account: one asks, the other approves, and then it is done.

Alone, an admin could take over a reviewer's account and see, or give, the judgments that are hidden from them.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from ..languages import say
from ..models import Approval, ApprovedAct, CoreAction, Event, Invitation, Role, User
from ..refusals import Forbidden, Refusal
from . import people
from .access import check_access, why_no_access
from .second_factor import remove_second_factor


@dataclass(frozen=True, slots=True)
class Done:
    """An approved act: the link that it made, if any, with its token, which is shown once."""

    invitation: Invitation | None = None
    token: str = ""


@transaction.atomic
def ask(
    *,
    act: ApprovedAct,
    admin: User,
    person: User | None = None,
    roles: Collection[str] = (),
    email: str = "",
    note: str = "",
) -> Approval:
    """Ask another admin to approve this. An earlier request for the same is replaced.

    Raises Forbidden if the admin may not do it even with approval (`check_access`).
    """
    check_access(
        admin=admin, person=person, roles=roles, words=say("asked for {label}", label=ApprovedAct(act).label)
    )
    waiting = Approval.objects.filter(act=act, person=person, email=email, note=note, decided_at=None)
    waiting.update(decided_at=timezone.now(), decided_by=admin, is_approved=False)
    approval = Approval.objects.create(
        act=act, person=person, roles=sorted(roles), email=email, note=note, asked_by=admin
    )
    _record(CoreAction.ASKED_FOR_APPROVAL, approval, admin)
    return approval


def waiting_approvals() -> list[Approval]:
    """The requests that no admin has decided yet, newest first."""
    return list(Approval.objects.filter(decided_at=None).select_related("person", "asked_by"))


def may_approve(approval: Approval, *, admin: User) -> bool:
    """Return whether this admin may approve the request as far as its people are concerned."""
    concerned = {"person": approval.person, "roles": approval.roles}
    return admin != approval.asked_by and not why_no_access(admin=admin, **concerned)


@transaction.atomic
def approve(*, approval: Approval, admin: User) -> Done:
    """Approve another admin's request and do what it asks for.

    Raises Refusal if it is decided already or one's own, or if the act itself is refused; Forbidden if the approving
    admin judges with the person (`check_access`), or the asking one is no longer an admin.
    """
    if admin == approval.asked_by:
        raise Refusal(say("Another admin has to approve what you asked for. Nothing was changed."))
    if not approval.asked_by.is_active or not approval.asked_by.has_role(Role.ADMIN):
        raise Forbidden(say("The person who asked for this is no longer an admin. Decline it. Nothing was changed."))
    check_access(
        admin=admin, person=approval.person, roles=approval.roles, words=say("approved {approval}", approval=approval)
    )
    _decide(approval, admin, is_approved=True)
    return _do(approval, admin)


@transaction.atomic
def decline(*, approval: Approval, admin: User) -> None:
    """Decline a request, or take back one's own. Raises Refusal if it is decided already."""
    _decide(approval, admin, is_approved=False)


def _decide(approval: Approval, admin: User, *, is_approved: bool) -> None:
    waiting = Approval.objects.filter(pk=approval.pk, decided_at=None)
    if not waiting.update(decided_at=timezone.now(), decided_by=admin, is_approved=is_approved):
        raise Refusal(say("This is decided already. Reload the page to see the current list."))
    _record(CoreAction.APPROVED if is_approved else CoreAction.DECLINED, approval, admin)


def _do(approval: Approval, admin: User) -> Done:
    asked_by, person, roles = approval.asked_by, approval.person, approval.roles
    if approval.act == ApprovedAct.INVITE:
        email, note = approval.email, approval.note
        return Done(*people.invite(admin=asked_by, roles=roles, email=email, note=note, approved_by=admin))
    if person is None:
        raise ValueError(f"{approval.act} is for a person")
    if approval.act == ApprovedAct.PASSWORD_LINK:
        return Done(*people.make_password_link(person=person, admin=asked_by, approved_by=admin))
    if approval.act == ApprovedAct.SET_ROLES:
        people.set_roles(person=person, roles=roles, admin=asked_by, approved_by=admin)
    else:
        remove_second_factor(person=person, admin=asked_by, approved_by=admin)
    return Done()


def _record(action: CoreAction, approval: Approval, admin: User) -> None:
    about = {"act": str(ApprovedAct(approval.act).label), "roles": approval.roles}
    if approval.person is None:
        about["for"] = approval.email or approval.note
    Event.record(
        action, approval.person or approval, actor=admin, after={name: of for name, of in about.items() if of}
    )
