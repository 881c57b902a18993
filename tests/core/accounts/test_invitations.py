"""Accounts begin with a link that an admin makes, and a forgotten password is mended by one."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from core.accounts import people
from core.models import Event, Invitation, Role, User
from core.refusals import Refusal

PASSWORD = "five green bridges"


def invite(client, **data):
    response = client.post("/invitations/", {"roles": ["annotator"], "note": "Bo", **data})
    assert response.status_code == 200, response.content.decode()
    return response.context["made"][0].link.removeprefix("http://testserver")


def join(link, client=None, **data):
    form = {"username": "bo", "password": PASSWORD, "first_name": "Bo", "last_name": "", **data}
    return (client or Client()).post(link, form)


def test_the_link_makes_an_account_with_the_roles_and_signs_in(admin, sign_in):
    link = invite(sign_in(admin), email="Bo@Example.org", roles=["annotator", "reviewer"])
    newcomer = Client()
    assert b"Create account" in newcomer.get(link).content
    response = join(link, newcomer)
    assert (response.status_code, response["Location"]) == (302, "/?welcome")
    assert newcomer.get("/").status_code == 200
    user = User.objects.get(username="bo")
    assert (user.email, user.roles) == ("bo@example.org", {"annotator", "reviewer"})
    assert user.check_password(PASSWORD)
    assert [event.action for event in Event.objects.about(user)] == ["joined", "signed_in"]


def test_only_the_hash_of_the_link_is_kept_and_the_link_is_shown_once(admin, sign_in):
    client = sign_in(admin)
    token = invite(client).split("/")[-2]
    columns = Invitation.objects.values_list().get()
    assert token not in str(columns)
    assert token not in client.get("/people/").content.decode()
    assert token not in str(list(Event.objects.values_list()))


def test_the_page_with_the_link_is_kept_in_no_cache(admin, sign_in):
    response = sign_in(admin).post("/invitations/", {"roles": ["annotator"], "note": "Bo"})
    assert "no-store" in response["Cache-Control"]


def test_a_link_works_once(admin, sign_in):
    link = invite(sign_in(admin))
    join(link)
    second = Client().get(link)
    assert second.status_code == 410
    assert b"already been used" in second.content
    assert join(link, username="boris").status_code == 410
    assert not User.objects.filter(username="boris").exists()


def test_two_who_open_one_link_at_once_make_one_account(admin):
    invitation, token = people.invite(admin=admin, roles=[Role.ANNOTATOR], note="Bo")
    seen_by_both = [people.invitation_for(token), people.invitation_for(token)]
    people.accept_invitation(invitation=seen_by_both[0], username="bo", password=PASSWORD)
    with pytest.raises(Refusal, match="a moment ago"):
        people.accept_invitation(invitation=seen_by_both[1], username="boris", password=PASSWORD)
    assert not User.objects.filter(username="boris").exists()
    assert Invitation.objects.get(accepted_by__username="bo") == invitation


def test_two_who_take_one_name_at_once_make_one_account(admin):
    first, second = (people.invite(admin=admin, roles=[Role.ANNOTATOR], note=note)[0] for note in "ab")
    people.accept_invitation(invitation=first, username="bo", password=PASSWORD)
    with pytest.raises(Refusal, match="Choose another name"):
        people.accept_invitation(invitation=second, username="BO", password=PASSWORD)
    assert Invitation.objects.open().get() == second


def test_a_link_lapses_after_fourteen_days(admin):
    made_at = timezone.now() - timedelta(days=14, seconds=1)
    _, token = people.invite(admin=admin, roles=[Role.ANNOTATOR], note="Bo", at=made_at)
    response = join(f"/account/join/{token}/")
    assert response.status_code == 410
    assert b"expired" in response.content
    assert not User.objects.filter(username="bo").exists()
    people.invitation_for(token, at=made_at + timedelta(days=13, hours=23))


def test_a_withdrawn_link_makes_no_account(admin, sign_in):
    client = sign_in(admin)
    link = invite(client)
    client.post(f"/invitations/{Invitation.objects.get().pk}/withdraw/")
    assert join(link).status_code == 410
    assert not User.objects.filter(username="bo").exists()


def test_a_used_link_cannot_be_withdrawn(admin, sign_in):
    client = sign_in(admin)
    join(invite(client))
    assert client.post(f"/invitations/{Invitation.objects.get().pk}/withdraw/").status_code == 409


def test_a_link_that_never_was_is_not_found(db):
    response = Client().get("/account/join/nonsense/")
    assert response.status_code == 404
    assert b"you copied all of it" in response.content


def test_inviting_an_address_again_ends_the_link_before(admin, sign_in):
    client = sign_in(admin)
    before = invite(client, email="bo@example.org")
    after = invite(client, email="BO@example.org")
    assert Client().get(before).status_code == 410
    assert Client().get(after).status_code == 200


def test_an_address_with_an_account_is_not_invited(admin, annotator, sign_in):
    response = sign_in(admin).post("/invitations/", {"roles": ["annotator"], "email": "ANNA@example.org"})
    assert response.status_code == 409
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    "missing", [{"roles": []}, {"note": "", "email": ""}, {"email": "no address"}, {"roles": ["king"]}]
)
def test_an_invitation_that_makes_no_sense_is_sent_back_with_what_is_wrong(admin, sign_in, missing):
    data = {"roles": ["annotator"], "note": "Bo", **missing}
    response = sign_in(admin).post("/invitations/", data)
    assert response.status_code == 400
    assert b"field-error" in response.content or b"notice error" in response.content
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"username": "ANNA"}, "This user name is taken"),
        ({"username": "anna@example.org"}, "without @"),
        ({"username": "a b"}, "valid username"),
        ({"username": ""}, "required"),
        ({"password": "short"}, "too short"),
        ({"password": "password"}, "too common"),
        ({"password": "bartholomew", "username": "bartholomew"}, "too similar"),
    ],
)
def test_a_name_or_password_that_will_not_do_is_told_at_its_field(admin, annotator, wrong, said):
    _, token = people.invite(admin=admin, roles=[Role.ANNOTATOR], note="Bo")
    response = join(f"/account/join/{token}/", **wrong)
    assert response.status_code == 200
    assert said in response.content.decode()
    assert Invitation.objects.open().exists()


def test_who_is_signed_in_keeps_the_own_account(admin, annotator, sign_in):
    _, token = people.invite(admin=admin, roles=[Role.ADMIN], note="Bo")
    client = sign_in(annotator)
    response = join(f"/account/join/{token}/", client)
    assert b"Sign out and use the link" in response.content
    assert not User.objects.filter(username="bo").exists()
    signed_out = client.post("/account/logout/", {"next": f"/account/join/{token}/"})
    assert signed_out["Location"] == f"/account/join/{token}/"


def test_the_link_is_mailed_where_the_server_sends_mail(admin, sign_in, settings):
    settings.MAIL_CONFIGURED = True
    link = invite(sign_in(admin), email="bo@example.org")
    (message,) = mail.outbox
    assert message.to == ["bo@example.org"]
    assert link in message.body


def test_nothing_is_mailed_where_no_mail_server_is_set(admin, sign_in):
    invite(sign_in(admin), email="bo@example.org")
    assert mail.outbox == []


def test_a_mail_server_that_is_away_leaves_the_link_to_be_passed_on(admin, sign_in, settings):
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    response = sign_in(admin).post("/invitations/", {"roles": ["annotator"], "email": "bo@example.org"})
    assert response.status_code == 200
    assert "could not be mailed" in response.content.decode()
    assert Client().get(response.context["made"][0].link).status_code == 200


def test_a_forgotten_password_is_chosen_anew_by_an_admins_link(admin, annotator, sign_in):
    elsewhere = sign_in(annotator)
    response = sign_in(admin).post(f"/people/{annotator.pk}/password-link/")
    link = response.context["made"][0].link
    forgetful = Client()
    assert b"anna" in forgetful.get(link).content
    assert forgetful.post(link, {"password": PASSWORD})["Location"] == "/"
    assert forgetful.get("/").status_code == 200
    assert elsewhere.get("/").status_code == 302
    annotator.refresh_from_db()
    assert annotator.check_password(PASSWORD)
    assert Client().get(link).status_code == 410
    actions = [(event.label, event.actor.username) for event in Event.objects.about(annotator)]
    assert actions[:2] == [("made a password link", "amir"), ("chose a new password", "anna")]
    assert actions[2:] == [("signed in", "anna")]


def test_a_second_password_link_ends_the_first(admin, annotator):
    _, first = people.make_password_link(person=annotator, admin=admin)
    _, second = people.make_password_link(person=annotator, admin=admin)
    assert Client().get(f"/account/join/{first}/").status_code == 410
    assert Client().get(f"/account/join/{second}/").status_code == 200


def test_a_password_link_ends_with_the_account(admin, annotator):
    _, token = people.make_password_link(person=annotator, admin=admin)
    people.deactivate_person(person=annotator, admin=admin)
    assert Client().post(f"/account/join/{token}/", {"password": PASSWORD}).status_code == 410
    with pytest.raises(Refusal, match="not active"):
        people.make_password_link(person=annotator, admin=admin)


def test_the_database_holds_an_invitation_to_its_word(admin, annotator, reviewer):
    link, _ = people.make_password_link(person=annotator, admin=admin)
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.filter(pk=link.pk).update(accepted_by=reviewer, accepted_at=timezone.now())
    first, second = (people.invite(admin=admin, roles=[Role.ANNOTATOR], note=note)[0] for note in "ab")
    Invitation.objects.filter(pk=first.pk).update(accepted_by=reviewer, accepted_at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.filter(pk=second.pk).update(accepted_by=reviewer, accepted_at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.filter(pk=second.pk).update(accepted_at=timezone.now())
