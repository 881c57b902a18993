"""Two admins agree on what opens the way into an account."""

import pytest
from allauth.mfa.models import Authenticator
from django.db import IntegrityError
from django.test import Client

from core.accounts import approvals, people
from core.models import Approval, ApprovedAct, Event, Invitation, Role, User
from core.refusals import Refusal
from tests.conftest import make_person, signed_in

ASKED = b"Another admin has to approve this"


@pytest.fixture
def second(db) -> User:
    return make_person("sam", Role.ADMIN)


def waiting(admin: User) -> Approval:
    ((approval, _may_approve),) = signed_in(admin).get("/people/").context["approvals"]
    return approval


def decide(admin: User, how: str):
    return signed_in(admin).post(f"/approvals/{waiting(admin).pk}/{how}/")


def test_an_admin_alone_makes_a_link_at_once(amir, annotator):
    assert amir.post(f"/people/{annotator.pk}/password-link/").context["made"][0].link


def test_with_two_one_asks_and_the_other_gets_the_link(amir, second, annotator):
    answer = amir.post(f"/people/{annotator.pk}/password-link/", follow=True)
    assert ASKED in answer.content
    assert not Invitation.objects.exists()
    link = decide(second, "approve").context["made"][0].link
    assert Client().post(link, {"password": "five green bridges"})["Location"] == "/"
    assert [event.action for event in Event.objects.about(annotator)][:3] == [
        "asked_for_approval",
        "approved",
        "made_password_link",
    ]


def test_nobody_approves_their_own(amir, admin, second, annotator):
    amir.post(f"/people/{annotator.pk}/password-link/")
    assert decide(admin, "approve").status_code == 409
    assert not Invitation.objects.exists()
    with pytest.raises(IntegrityError):
        Approval.objects.update(decided_by=admin, decided_at="2026-01-01T00:00Z", is_approved=True)


def test_a_declined_request_does_nothing_and_is_decided_once(amir, second, annotator):
    amir.post(f"/people/{annotator.pk}/password-link/")
    approval = waiting(second)
    assert decide(second, "decline").status_code == 302
    assert signed_in(second).post(f"/approvals/{approval.pk}/approve/").status_code == 409
    assert not Invitation.objects.exists()


def test_no_other_way_goes_around_it(admin, second, annotator):
    with pytest.raises(Refusal, match="Another admin has to approve"):
        people.make_password_link(person=annotator, admin=admin)
    with pytest.raises(Refusal, match="Another admin has to approve"):
        people.set_roles(person=annotator, roles=[Role.ADMIN], admin=admin)
    with pytest.raises(Refusal, match="Another admin has to approve"):
        people.invite(admin=admin, roles=[Role.ADMIN], note="Bo")
    old, _ = people.make_password_link(person=annotator, admin=admin, approved_by=second)
    with pytest.raises(Refusal, match="Another admin has to approve"):
        people.renew_invitation(invitation=old, admin=admin)


def test_a_new_admin_needs_two_and_other_roles_one(amir, second, annotator):
    amir.post(f"/people/{annotator.pk}/roles/", {"roles": ["annotator", "reviewer"]})
    assert annotator.given_roles() == {"annotator", "reviewer"}
    amir.post(f"/people/{annotator.pk}/roles/", {"roles": ["annotator", "admin"]})
    assert annotator.given_roles() == {"annotator", "reviewer"}
    decide(second, "approve")
    assert annotator.given_roles() == {"annotator", "admin"}


def test_an_invitation_of_an_admin_needs_two(amir, second):
    amir.post("/invitations/", {"note": "Bo", "roles": ["admin"]})
    assert not Invitation.objects.exists()
    link = decide(second, "approve").context["made"][0].link
    Client().post(link, {"username": "bo", "password": "five green bridges"})
    assert User.objects.get(username="bo").given_roles() == {"admin"}
    amir.post("/invitations/", {"note": "Cy", "roles": ["reviewer"]})
    assert Invitation.objects.filter(note="Cy").exists()


def test_a_lost_second_factor_is_removed_by_two(amir, second, annotator):
    Authenticator.objects.create(user=annotator, type="totp", data={"secret": "x"})
    amir.post(f"/people/{annotator.pk}/second-factor/")
    assert Authenticator.objects.exists()
    decide(second, "approve")
    assert not Authenticator.objects.exists()


def test_an_admin_who_is_none_any_longer_opens_nothing(amir, admin, second, annotator):
    amir.post(f"/people/{annotator.pk}/password-link/")
    people.set_roles(person=admin, roles=[], admin=second)
    assert decide(second, "approve").status_code == 403
    assert not Invitation.objects.exists()


def test_the_other_admins_own_link_needs_no_approval_where_nobody_is_left(amir, second):
    assert amir.post(f"/people/{second.pk}/password-link/").context["made"][0].link


def test_the_setting_switches_it_off(amir, second, annotator, settings):
    settings.SECOND_ADMIN_APPROVES = False
    assert amir.post(f"/people/{annotator.pk}/password-link/").context["made"][0].link


def test_asking_again_replaces_the_request(admin, second, annotator):
    for _ in range(2):
        approvals.ask(act=ApprovedAct.PASSWORD_LINK, admin=admin, person=annotator)
    assert len(approvals.waiting_approvals()) == 1
