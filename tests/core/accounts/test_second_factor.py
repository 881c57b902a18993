"""A second factor: set up, asked for at every way in, replaced by recovery codes, and required of admins."""

import time

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from config.settings import ACCOUNT_RATE_LIMITS
from core.accounts import people
from core.accounts.tokens import make_token
from core.models import Event, Role, User
from tests.conftest import make_person, signed_in

from .codes import code_of, set_up_app


@pytest.fixture(autouse=True)
def counted_alone(own_cache):
    """A code works once: what another test used must not matter."""


@pytest.fixture
def app(annotator) -> tuple[str, list[str]]:
    return set_up_app(signed_in(annotator))


def by_password(name: str = "anna") -> tuple[Client, str]:
    client = Client()
    return client, client.post("/account/login/", {"login": name, "password": name})["Location"]


def signed_in_as(client: Client) -> str:
    return client.get("/account/").context["user"].username if client.get("/").status_code == 200 else ""


def test_without_a_second_factor_the_password_is_enough(annotator):
    assert by_password()[1] == "/"


def test_the_app_is_asked_for_after_the_password(app):
    client, where = by_password()
    assert where == "/account/second-factor/sign-in/"
    assert signed_in_as(client) == ""
    assert b"not correct" in client.post(where, {"code": "000000"}).content
    assert signed_in_as(client) == ""
    client.post(where, {"code": code_of(app[0], steps=1)})
    assert signed_in_as(client) == "anna"


def test_a_code_works_once(app):
    code = code_of(app[0], steps=1)
    first, where = by_password()
    first.post(where, {"code": code})
    second, where = by_password()
    assert b"not correct" in second.post(where, {"code": code}).content
    assert signed_in_as(second) == ""


def test_a_recovery_code_signs_in_once(app):
    client, where = by_password()
    client.post(where, {"code": app[1][0]})
    assert signed_in_as(client) == "anna"
    again, where = by_password()
    again.post(where, {"code": app[1][0]})
    assert signed_in_as(again) == ""


def test_recovery_codes_are_shown_once(app, annotator):
    page = signed_in(annotator).get("/account/second-factor/codes/").content.decode()
    assert len(app[1]) == 10
    assert not [code for code in app[1] if code in page]


def test_a_password_link_asks_for_it_too(app, admin, annotator):
    _, token = people.make_password_link(person=annotator, admin=admin)
    client = Client()
    answer = client.post(f"/account/join/{token}/", {"password": "five green bridges"})
    assert answer["Location"] == "/account/second-factor/sign-in/"
    assert signed_in_as(client) == ""


def test_guessing_codes_is_stopped(app, settings, annotator):
    settings.ACCOUNT_RATE_LIMITS = ACCOUNT_RATE_LIMITS | {"second_factor": "3/h/key"}
    for address in range(4):
        client = Client(REMOTE_ADDR=f"192.0.2.{address}")
        client.post("/account/login/", {"login": "anna", "password": "anna"})
        said = client.post("/account/second-factor/sign-in/", {"code": "000000"}).content
    assert b"Too many codes" in said
    said = client.post("/account/second-factor/sign-in/", {"code": code_of(app[0], steps=1)}).content
    assert b"Too many codes" in said
    assert Event.objects.about(annotator).filter(action="entered_wrong_code").count() >= 3


def test_the_key_is_not_in_the_database_in_the_clear(app):
    assert app[0] not in str(Authenticator.objects.get(type="totp").data)


def test_the_log_says_how_a_person_signed_in(app, annotator):
    client, where = by_password()
    client.post(where, {"code": code_of(app[0], steps=1)})
    added, codes, signed = Event.objects.about(annotator)
    assert (added.action, added.after) == ("added_second_factor", {"kind": "authenticator app"})
    assert (added.actor, codes.after) == (annotator, {"kind": "recovery codes"})
    assert (signed.action, signed.after) == ("signed_in", {"by": ["password", "app"], "address": "127.0.0.1"})


def test_removing_the_app_asks_first_and_takes_the_codes_with_it(app, annotator):
    client = signed_in(annotator)
    assert client.post("/account/second-factor/app/remove/")["Location"] == "/account/second-factor/"
    assert not Authenticator.objects.exists()
    assert by_password()[1] == "/"


def test_another_persons_passkey_is_not_found(annotator, other_annotator):
    key = Authenticator.objects.create(user=other_annotator, type="webauthn", data={"name": "Key"})
    client = signed_in(annotator)
    assert client.get(f"/account/passkeys/{key.pk}/remove/").status_code == 404
    assert client.post(f"/account/passkeys/{key.pk}/remove/").status_code == 404
    assert Authenticator.objects.filter(pk=key.pk).exists()


@pytest.mark.parametrize(
    "sent", ["", "{", "3", "[]", "{}", '{"id": 1, "response": 2}', "[" * 20_000, '{"a": 1, "a": 2}']
)
def test_what_no_passkey_made_is_refused_in_words(annotator, sent):
    assert Client().post("/account/passkeys/sign-in/", {"credential": sent})["Location"] == "/account/login/"
    client = signed_in(annotator)
    client.get("/account/passkeys/add/")
    answer = client.post("/account/passkeys/add/", {"name": "Key", "credential": sent})
    assert b'class="notice error" role="alert">' in answer.content
    assert client.post("/account/confirm/passkey/", {"credential": sent}).status_code == 302
    assert not Authenticator.objects.exists()


# --- Confirming ---------------------------------------------------------------------------------------------------


def long_ago(client: Client) -> Client:
    """The client, signed in an hour ago."""
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time() - 3600}]
    session.save()
    return client


@pytest.fixture
def patience(settings) -> None:
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 600


def test_a_second_factor_is_set_up_only_by_a_person_who_confirms(annotator, patience):
    client = long_ago(signed_in(annotator))
    where = client.get("/account/second-factor/app/")["Location"]
    assert where == "/account/confirm/?next=%2Faccount%2Fsecond-factor%2Fapp%2F"
    assert client.post("/account/confirm/", {"password": "wrong"}).status_code == 200
    assert client.get("/account/second-factor/app/").status_code == 302
    form = {"password": "anna", "next": "/account/second-factor/app/"}
    assert client.post("/account/confirm/", form)["Location"] == "/account/second-factor/app/"
    assert client.get("/account/second-factor/app/").status_code == 200


# --- Required of admins -------------------------------------------------------------------------------------------


@pytest.fixture
def required(settings) -> None:
    settings.ADMINS_NEED_SECOND_FACTOR = True


def test_an_admin_without_one_is_led_to_set_it_up(admin, required):
    client = signed_in(admin)
    assert client.get("/people/")["Location"] == "/account/second-factor/"
    assert b"Admins of this site need a second factor" in client.get("/account/second-factor/").content
    assert client.post("/invitations/", {"note": "Bo", "roles": ["admin"]}).status_code == 403
    assert client.get("/people/", headers={"HX-Request": "true"}).status_code == 403
    assert client.get("/").status_code == 200


def test_the_tokens_of_such_an_admin_are_no_admins_either(admin, required):
    token = make_token(person=admin, name="notebook", may_administer=True)[1]
    headers = {"Authorization": f"Bearer {token}"}
    assert Client().get("/api/v1/people/", headers=headers).status_code == 403
    assert Client().get("/api/v1/me/", headers=headers).json()["roles"] == []
    set_up_app(signed_in(admin))
    assert Client().get("/api/v1/people/", headers=headers).status_code == 200


def test_other_roles_of_such_an_admin_stay(required, db):
    both = make_person("bo", Role.ADMIN, Role.ANNOTATOR)
    client = signed_in(both)
    assert client.get("/annotation/desk/").status_code == 200
    assert client.get("/annotation/tags/").status_code == 302


def test_a_superuser_needs_one_too(required, db):
    boss = User.objects.create_superuser("boss", "boss@example.org", "boss")
    client = signed_in(boss)
    assert client.get("/people/").status_code == 302
    set_up_app(client)
    assert client.get("/people/").status_code == 200


def test_recovery_codes_alone_are_no_second_factor(admin, required):
    Authenticator.objects.create(user=admin, type="recovery_codes", data={"seed": "x", "used_mask": 0})
    assert signed_in(admin).get("/people/").status_code == 302


def test_without_the_setting_admins_choose(admin):
    assert signed_in(admin).get("/people/").status_code == 200
