"""For admins: people, their roles, and the links that let people in."""

import logging
from contextlib import nullcontext
from dataclasses import dataclass
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.mail import send_mail
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from ..accounts import approvals, people
from ..accounts.access import needs_second_admin, why_no_access
from ..accounts.confirming import confirm_first, confirm_to_read
from ..accounts.forms import InviteForm, PeopleFilters, RolesForm
from ..accounts.second_factor import has_second_factor, remove_second_factor
from ..languages import say, say_count, translated
from ..languages.texts import ENGLISH
from ..leaving.own_data import data_of
from ..leaving.pseudonyms import mask_events, pseudonymise
from ..lists.columns import Columns
from ..lists.pages import Window, page_of
from ..models import Approval, ApprovedAct, Event, Invitation, Project, Role, User
from ..outside import row_numbers
from ..web.access import SignedInRequest, role_required
from ..web.acts import confirmation
from ..web.files import as_json, download
from ..web.kept_text import accepted

log = logging.getLogger(__name__)
COLUMNS = Columns(
    2,
    numbers=("submitted", "accepted", "reviewed"),
    roles=say("Roles"),
    seen=say("Last seen"),
    submitted=say("Submitted"),
    accepted=say("Accepted"),
    reviewed=say("Annotations reviewed"),
    state=say("State"),
)


@role_required(Role.ADMIN)
@require_GET
def people_page(request: SignedInRequest) -> HttpResponse:
    return _people_page(request, InviteForm())


def _people_page(request: SignedInRequest, form: InviteForm, *, status: int = 200) -> HttpResponse:
    filters = PeopleFilters(request.GET)
    window = Window(User.objects.all(), ("-is_active", "username"), is_whole=not filters.chosen["q"])
    page = page_of(request, filters.among(User.objects.all()), window=window, fetch=people.people_with_roles)
    context = {
        "filters": filters,
        "page": page,
        "actions": people.PeopleAction.choices,
        "columns": COLUMNS.chosen(request.GET),
        "rows": people.people_at_work(page, reader=request.user),
        "invitations": people.links_not_used(),
        "approvals": [
            (each, approvals.may_approve(each, admin=request.user)) for each in approvals.waiting_approvals()
        ],
        "invitation_actions": people.InvitationAction.choices,
        "form": form,
        "now": timezone.now(),
        "mails": settings.MAIL_CONFIGURED,
    }
    return render(request, "core/people.html", context, status=status)


@role_required(Role.ADMIN)
@require_POST
def change(request: SignedInRequest) -> HttpResponse:
    """Apply an action to the selected people; then return to the list."""
    chosen = User.objects.filter(pk__in=row_numbers(request.POST.getlist("person"))).order_by("username")
    final = (people.PeopleAction.CLOSE, people.PeopleAction.HAND_ON)
    if page := confirmation(request, what="people", final=final, rows=chosen, back="people"):
        return page
    count = people.change_people(people=chosen, action=request.POST.get("action", ""), admin=request.user)
    messages.success(
        request, say("Done for {people}.", people=say_count(count, "{count:,} person", "{count:,} people"))
    )
    return redirect("people")


@role_required(Role.ADMIN)
@require_POST
@confirm_first
def invite(request: SignedInRequest) -> HttpResponse:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _people_page(request, form, status=400)
    wanted = form.cleaned_data
    if Role.ADMIN in wanted["roles"] and needs_second_admin(admin=request.user, person=None, roles=wanted["roles"]):
        return _ask(request, ApprovedAct.INVITE, **wanted)
    invitation, token = people.invite(admin=request.user, **wanted)
    return _show_link(request, invitation, token)


def _ask(request: SignedInRequest, act: ApprovedAct, **about: Any) -> HttpResponse:
    """Ask another admin, who then sees it on the page of people."""
    approvals.ask(act=act, admin=request.user, **about)
    messages.success(request, say("Another admin has to approve this. It is done as soon as one does."))
    return redirect("people")


@role_required(Role.ADMIN)
@require_POST
@confirm_first
def approve(request: SignedInRequest, pk: int) -> HttpResponse:
    """Approve what another admin asked for. A link that this makes is shown, this once."""
    approval = get_object_or_404(Approval.objects.select_related("asked_by", "person"), pk=pk)
    done = approvals.approve(approval=approval, admin=request.user)
    if done.invitation:
        return _show_link(request, done.invitation, done.token)
    messages.success(request, say("Approved and done: {approval}.", approval=approval))
    return redirect("people")


@role_required(Role.ADMIN)
@require_POST
def decline(request: SignedInRequest, pk: int) -> HttpResponse:
    approvals.decline(approval=get_object_or_404(Approval, pk=pk), admin=request.user)
    messages.success(request, say("Declined. Nothing was changed."))
    return redirect("people")


@role_required(Role.ADMIN)
@require_POST
@confirm_first
def make_password_link(request: SignedInRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    if needs_second_admin(admin=request.user, person=person):
        return _ask(request, ApprovedAct.PASSWORD_LINK, person=person)
    invitation, token = people.make_password_link(person=person, admin=request.user)
    return _show_link(request, invitation, token)


@never_cache
def _show_link(request: SignedInRequest, invitation: Invitation, token: str) -> HttpResponse:
    """Show the link, this once. It is in the answer to the POST itself, so that it is stored nowhere."""
    accepted(request)
    return render(request, "core/invitation_made.html", {"made": [_made(request, invitation, token)]})


@role_required(Role.ADMIN)
@require_POST
@never_cache
def invitations_change(request: SignedInRequest) -> HttpResponse:
    """Apply an action to the selected links. New ones are shown, this once."""
    ticked = Invitation.objects.filter(pk__in=row_numbers(request.POST.getlist("invitation")))
    chosen = list(ticked.select_related("person").order_by("pk"))
    names = [each.person or each.email or each.note for each in chosen]
    final = (people.InvitationAction.WITHDRAW,)
    if page := confirmation(request, what="links", final=final, rows=names, back="people"):
        return page
    made = people.change_invitations(invitations=chosen, action=request.POST.get("action", ""), admin=request.user)
    if not made:
        messages.success(
            request, say("{links} withdrawn.", links=say_count(len(chosen), "{count:,} link", "{count:,} links"))
        )
        return redirect("people")
    return render(request, "core/invitation_made.html", {"made": [_made(request, *each) for each in made]})


@dataclass(frozen=True, slots=True)
class Made:
    """A new link as its page shows it, and whether its mail was sent."""

    invitation: Invitation
    link: str
    mailed: bool
    mail_failed: bool


def _made(request: SignedInRequest, invitation: Invitation, token: str) -> Made:
    link = request.build_absolute_uri(reverse("join", args=[token]))
    to_be_mailed = settings.MAIL_CONFIGURED and bool(invitation.email)
    mailed = to_be_mailed and _mail_link(invitation, link)
    return Made(invitation, link, mailed, to_be_mailed and not mailed)


def _mail_link(invitation: Invitation, link: str) -> bool:
    """Email the link, to a person with an account in their language; returns whether that worked."""
    project, person = Project.get(), invitation.person
    context = {"invitation": invitation, "link": link, "project": project}
    with translation.override(person.language or ENGLISH) if person else nullcontext():
        about = say("A new password") if person else say("Your invitation")
        subject = f"{translated(about)}: {project.name}"
        body = render_to_string("core/invitation_mail.txt", context)
    try:
        send_mail(" ".join(subject.split()), body, None, [invitation.email])
    except (OSError, SMTPException):
        log.exception("the link of invitation %s could not be mailed", invitation.pk)
        return False
    return True


@role_required(Role.ADMIN)
@require_POST
def withdraw_invitation(request: SignedInRequest, pk: int) -> HttpResponse:
    invitation = get_object_or_404(Invitation, pk=pk)
    people.withdraw_invitation(invitation=invitation, admin=request.user)
    messages.success(
        request,
        say("The link for {value} is withdrawn.", value=invitation.person or invitation.email or invitation.note),
    )
    return redirect("people")


@role_required(Role.ADMIN)
@require_GET
def person(request: SignedInRequest, pk: int) -> HttpResponse:
    return _person_page(request, get_object_or_404(User, pk=pk))


def _person_page(
    request: SignedInRequest, person: User, form: RolesForm | None = None, *, status: int = 200
) -> HttpResponse:
    context = {
        "row": people.people_at_work([person], reader=request.user)[0],
        "person": person,
        "is_annotator": Role.ANNOTATOR in person.given_roles(),
        "has_second_factor": has_second_factor(person),
        "no_access": why_no_access(admin=request.user, person=person),
        "form": form or RolesForm(initial={"roles": list(person.groups.values_list("name", flat=True))}),
        "events": mask_events(list(Event.objects.about(person).select_related("actor").reverse()[:50])),
    }
    return render(request, "core/person.html", context, status=status)


@role_required(Role.ADMIN)
@require_POST
@confirm_first
def set_roles(request: SignedInRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    form = RolesForm(request.POST)
    if not form.is_valid():
        return _person_page(request, person, form, status=400)
    wanted = set(form.cleaned_data["roles"])
    added = wanted - person.given_roles()
    if Role.ADMIN in added and needs_second_admin(admin=request.user, person=person, roles=added):
        return _ask(request, ApprovedAct.SET_ROLES, person=person, roles=wanted)
    people.set_roles(person=person, roles=wanted, admin=request.user)
    messages.success(request, say("The roles of {person} are saved.", person=person))
    # Admins who gave up their own admin role can no longer see this page.
    return redirect("person", pk=pk) if person != request.user or person.has_role(Role.ADMIN) else redirect("home")


@role_required(Role.ADMIN)
@require_POST
@confirm_first
def remove_factor(request: SignedInRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    if has_second_factor(person) and needs_second_admin(admin=request.user, person=person):
        return _ask(request, ApprovedAct.REMOVE_SECOND_FACTOR, person=person)
    remove_second_factor(person=person, admin=request.user)
    messages.success(request, say("{person} now signs in without a second factor.", person=person))
    return redirect("person", pk=pk)


@role_required(Role.ADMIN)
@require_GET
@confirm_to_read
def data(request: SignedInRequest, pk: int) -> HttpResponseBase:
    """The account's data and the entries of the log about it, without the person's work."""
    person = get_object_or_404(User, pk=pk)
    return download(f"person-{pk}.json", as_json(data_of(person, reader=request.user)))


@role_required(Role.ADMIN)
@require_POST
@confirm_first
def take_out_names(request: SignedInRequest, pk: int) -> HttpResponse:
    name = pseudonymise(person=get_object_or_404(User, pk=pk), admin=request.user)
    messages.success(request, say("The names are taken out. The person is now called {name}.", name=name))
    return redirect("person", pk=pk)


@role_required(Role.ADMIN)
@require_POST
def deactivate(request: SignedInRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    freed = people.deactivate_person(person=person, admin=request.user)
    went_back = f" {freed} unfinished {'tag' if freed == 1 else 'tags'} went back to the queue." if freed else ""
    messages.success(
        request,
        say("{person} can no longer sign in. Their work is kept.{went_back}", person=person, went_back=went_back),
    )
    return redirect("person", pk=pk)


@role_required(Role.ADMIN)
@require_POST
def activate(request: SignedInRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    people.activate_person(person=person, admin=request.user)
    messages.success(request, say("{person} can sign in again.", person=person))
    return redirect("person", pk=pk)
