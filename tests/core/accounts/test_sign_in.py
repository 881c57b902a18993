"""Signing in, being signed out in the middle of work, and guessing passwords."""

from io import StringIO
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from django.core import mail
from django.core.management import call_command
from django.test import Client, RequestFactory

from config.settings import ACCOUNT_RATE_LIMITS
from core.accounts.tokens import make_token
from core.models import Event, User
from core.web.client_address import client_address


def post(client, **data):
    return client.post("/account/login/", {"login": "anna", "password": "anna", **data})


@pytest.mark.parametrize("name", ["anna", "anna@example.org", "ANNA@example.org", "Anna", " anna "])
def test_a_person_signs_in_by_name_or_address(annotator, name):
    client = Client()
    assert post(client, login=name)["Location"] == "/"
    assert client.get("/").status_code == 200


def test_a_wrong_password_and_an_unknown_name_are_told_alike(annotator):
    wrong = post(Client(), password="nonsense")
    unknown = post(Client(), login="nobody", password="nonsense")
    said = [list(response.context["form"].non_field_errors()) for response in (wrong, unknown)]
    assert said[0] == said[1] != []


def test_a_name_that_is_longer_than_any_is_refused(annotator):
    answer = post(Client(), login="a" * 100_000)
    assert answer.status_code == 200
    assert "254" in str(answer.context["form"].errors["login"])


def test_the_page_that_was_asked_for_comes_after_signing_in(annotator):
    client = Client()
    asked = client.get("/account/?tab=1")
    assert asked["Location"] == "/account/login/?next=/account/%3Ftab%3D1"
    assert b'value="/account/?tab=1"' in client.get(asked["Location"]).content
    assert post(client, next="/account/?tab=1")["Location"] == "/account/?tab=1"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_signing_in_leads_nowhere_else(annotator, elsewhere):
    assert post(Client(), next=elsewhere)["Location"] == "/"


def test_nobody_signs_up(db):
    for address in ("/account/signup/", "/account/email/", "/account/password/set/", "/account/login/code/confirm/"):
        assert Client().get(address).status_code == 404


def test_signing_out_takes_a_click(annotator, sign_in):
    client = sign_in(annotator)
    assert b"Sign out?" in client.get("/account/logout/").content
    assert client.get("/").status_code == 200
    assert client.post("/account/logout/")["Location"] == "/account/login/"
    assert client.get("/").status_code == 302


def test_what_was_posted_while_signed_out_is_kept_on_a_page_that_sends_it_again(annotator, sign_in):
    typed = "line one\n\nline <two>"
    client = Client()
    response = client.post("/account/name/", {"first_name": "Anna", "last_name": typed, "password": "secret"})
    page = response.content.decode()
    assert response.status_code == 401
    assert 'action="/account/name/"' in page
    assert "line one\n\nline &lt;two&gt;" in page
    assert "secret" not in page
    assert User.objects.get(pk=annotator.pk).last_name == ""


def test_an_upload_while_signed_out_is_not_carried_through_a_page(db):
    from django.core.files.uploadedfile import SimpleUploadedFile

    response = Client().post("/account/name/", {"first_name": "A", "file": SimpleUploadedFile("a.json", b"[]")})
    assert response.status_code == 401
    assert b"go back one page" in response.content
    assert b"<textarea" not in response.content


def test_a_fragment_asked_for_while_signed_out_keeps_the_page(db):
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/activity/?kind=tag"}
    response = Client().get("/people/", headers=headers)
    assert response.status_code == 401
    assert b"/account/login/?next=%2Factivity%2F%3Fkind%3Dtag" in response.content
    assert b"<html" not in response.content
    assert b"evil" not in Client().get("/", headers={**headers, "HX-Current-URL": "http://evil.example/"}).content


def test_a_form_older_than_the_sign_in_is_refused_in_plain_words(annotator, sign_in):
    client = Client(enforce_csrf_checks=True)
    client.force_login(annotator, backend="core.accounts.adapter.Backend")
    response = client.post("/account/name/", {"first_name": "Anna"})
    assert response.status_code == 403
    assert b"older than your sign-in" in response.content


@pytest.fixture
def limits(settings, own_cache):
    """The limits of the real site, counted from nothing."""
    settings.ACCOUNT_RATE_LIMITS = ACCOUNT_RATE_LIMITS
    return settings.ACCOUNT_RATE_LIMITS


def from_address(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


TOO_MANY = b"Too many failed login attempts"


def test_guessing_the_password_of_one_account_is_stopped(annotator, limits):
    for _ in range(5):
        assert b"not correct" in post(Client(), password="nonsense").content
    assert TOO_MANY in post(Client()).content


def test_wrong_passwords_from_elsewhere_keep_nobody_out(annotator, limits):
    for guess in range(20):
        post(from_address("192.0.2.66"), password=f"guess {guess}")
    assert TOO_MANY in post(from_address("192.0.2.66")).content
    assert post(from_address("198.51.100.1")).status_code == 302


def test_the_names_of_an_account_are_one_account(annotator, limits):
    for name in ("anna", "ANNA", "anna@example.org", "Anna@Example.org", " anna "):
        assert b"not correct" in post(Client(), login=name, password="nonsense").content
    assert TOO_MANY in post(Client(), login="anna").content
    assert TOO_MANY in post(Client(), login="anna@example.org").content


def test_signing_in_counts_as_no_failure(annotator, limits):
    for _ in range(6):
        assert post(Client()).status_code == 302


def test_guessing_one_account_from_very_many_addresses_is_stopped_far_later(annotator, limits, settings):
    assert limits["login_failed_account"] == "300/h/key"
    settings.ACCOUNT_RATE_LIMITS = limits | {"login_failed_account": "30/h/key"}
    said = [post(from_address(f"203.0.113.{host}"), password="nonsense").content for host in range(32)]
    assert not any(TOO_MANY in page for page in said[:30])
    assert all(TOO_MANY in page for page in said[30:])
    assert TOO_MANY in post(from_address("198.51.100.1")).content


def test_guessing_the_passwords_of_many_accounts_is_stopped(annotator, limits):
    for number in range(10):
        post(Client(), login=f"name{number}", password="nonsense")
    assert TOO_MANY in post(Client()).content
    assert post(from_address("192.0.2.7")).status_code == 302


def test_a_header_of_proxies_that_a_client_writes_does_not_escape_the_limit(annotator, limits):
    for number in range(5):
        client = Client(REMOTE_ADDR="192.0.2.7", HTTP_X_FORWARDED_FOR=f"198.51.100.{number}")
        post(client, password="nonsense")
    client = Client(REMOTE_ADDR="192.0.2.7", HTTP_X_FORWARDED_FOR="198.51.100.200")
    assert TOO_MANY in post(client).content


def failures(person) -> list[str]:
    return [f"{event.label} {event.after}" for event in Event.objects.about(person)]


def test_a_wrong_password_leaves_a_trace_without_what_was_typed(annotator, limits, admin, sign_in):
    post(from_address("192.0.2.7"), password="my other password")
    post(from_address("192.0.2.7"), password="my other password")
    assert failures(annotator) == ["was not signed in: wrong password {'address': '192.0.2.7'}"]
    page = sign_in(admin).get("/activity/").content.decode()
    assert "was not signed in: wrong password" in page
    assert "192.0.2.7" in page
    assert "my other password" not in page
    assert not any("my other password" in str(row) for row in Event.objects.values())


def test_being_refused_after_too_many_leaves_a_trace(annotator, limits):
    for _ in range(8):
        post(from_address("192.0.2.7"), password="nonsense")
    assert [event.label for event in Event.objects.about(annotator)] == [
        "was not signed in: wrong password",
        "was refused sign-in after too many wrong passwords",
    ]


def test_a_name_that_nobody_has_leaves_no_row(annotator, limits):
    post(Client(), login="my password, typed into the wrong field", password="nonsense")
    assert not Event.objects.exists()


def test_guessing_cannot_fill_the_log(annotator, limits):
    for host in range(1, 60):
        post(from_address(f"192.0.2.{host}"), password="nonsense")
    assert Event.objects.about(annotator).count() == 20


def test_asking_too_often_gives_a_page_of_ours(annotator, settings, own_cache):
    settings.ACCOUNT_RATE_LIMITS = {"login": "2/m/ip"}
    for _ in range(2):
        post(Client(), password="nonsense")
    response = post(Client(), password="nonsense")
    assert response.status_code == 429
    assert b"Too many attempts" in response.content


def address(remote: str, forwarded: str = "") -> str:
    return client_address(RequestFactory().get("/", REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=forwarded))


@pytest.mark.parametrize("header", ["198.51.100.1", "127.0.0.1", "10.0.0.1"])
def test_the_header_of_proxies_is_not_believed_of_a_client(settings, header):
    settings.TRUSTED_PROXIES = ["10.0.0.1"]
    assert address("192.0.2.1", header) == "192.0.2.1"


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("198.51.100.1", "198.51.100.1"),
        ("forged, 198.51.100.1", "198.51.100.1"),
        ("9.9.9.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("198.51.100.1:4711, 10.0.0.2", "198.51.100.1"),
        ("[2001:db8::7]:4711", "2001:db8::7"),
        ("::ffff:198.51.100.1", "198.51.100.1"),
        # Nothing to go by: the proxy that said so.
        ("", "10.0.0.1"),
        ("unknown", "10.0.0.1"),
        ("unknown, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
    ],
)
def test_behind_proxies_the_address_is_the_one_that_the_outermost_saw(settings, forwarded, client):
    settings.TRUSTED_PROXIES = ["10.0.0.0/24"]
    assert address("10.0.0.1", forwarded) == client


@pytest.mark.parametrize("remote", ["127.0.0.1", "::1", ""])
def test_a_proxy_on_this_machine_is_believed(settings, remote):
    settings.TRUSTED_PROXIES = []
    assert address(remote, "198.51.100.1") == "198.51.100.1"
    assert address(remote) in ("127.0.0.1", "::1")


def test_the_own_password_is_changed_and_other_browsers_are_signed_out(annotator, sign_in):
    here, elsewhere = sign_in(annotator), sign_in(annotator)
    new = {"oldpassword": "anna", "password1": "five green bridges", "password2": "five green bridges"}
    response = here.post("/account/password/change/", new, follow=True)
    assert response.redirect_chain == [("/account/", 302)]
    assert b"Your new password is saved" in response.content
    assert here.get("/").status_code == 200
    assert elsewhere.get("/").status_code == 302
    assert Event.objects.about(annotator).get().label == "chose a new password"


def by_command(person):
    with patch("getpass.getpass", return_value="five green bridges"):
        call_command("changepassword", person.username, stdout=StringIO())


def by_program(person):
    person.set_password("five green bridges")
    person.save()


def taken_away(person):
    person.set_unusable_password()
    person.save(update_fields=["password"])


def test_an_account_without_a_password_is_not_led_to_changing_it(annotator, sign_in):
    taken_away(annotator)
    client, address = sign_in(annotator), "/account/password/change/"
    assert address not in client.get("/account/").text
    answer = client.get(address)
    assert answer.status_code == 409
    assert "Your account has no password" in answer.text


@pytest.mark.parametrize("set_it", [by_command, by_program, taken_away])
def test_a_password_set_by_any_way_ends_sessions_and_tokens(annotator, sign_in, set_it):
    client, (_row, token) = sign_in(annotator), make_token(person=annotator, name="script")
    set_it(annotator)
    assert client.get("/").status_code == 302
    assert Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert [event.label for event in Event.objects.about(annotator)] == [
        "created an API token",
        "revoked a token",
    ]


def test_signing_in_or_a_new_name_ends_no_token(annotator, settings):
    hashers = "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    settings.PASSWORD_HASHERS = [*settings.PASSWORD_HASHERS, hashers]
    annotator.password = make_password("anna", hasher=PBKDF2PasswordHasher())  # hashed anew at the next sign-in
    annotator.save()
    token = make_token(person=annotator, name="script")[1]
    Client().post("/account/login/", {"login": "anna", "password": "anna"})
    assert not User.objects.get(pk=annotator.pk).password.startswith("pbkdf2_sha256")
    annotator.save()
    assert Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {token}"}).status_code == 200


@pytest.mark.parametrize(
    "wrong", [{"oldpassword": "nonsense"}, {"password1": "short", "password2": "short"}, {"password2": "another one"}]
)
def test_a_password_change_that_will_not_do_is_told_at_its_field(annotator, sign_in, wrong):
    form = {"oldpassword": "anna", "password1": "five green bridges", "password2": "five green bridges", **wrong}
    response = sign_in(annotator).post("/account/password/change/", form)
    assert b"field-error" in response.content
    annotator.refresh_from_db()
    assert annotator.check_password("anna")


def test_without_mail_the_forgotten_password_page_says_who_helps(annotator):
    response = Client().post("/account/password/reset/", {"email": "anna@example.org"})
    assert b"This server sends no mail" in response.content
    assert mail.outbox == []


def test_with_mail_a_forgotten_password_is_chosen_anew(annotator, settings):
    settings.MAIL_CONFIGURED = True
    client = Client()
    sent = client.post("/account/password/reset/", {"email": "anna@example.org"}, follow=True)
    assert b"Check your email" in sent.content
    (link,) = [word for word in mail.outbox[0].body.split() if word.startswith("http://testserver/")]
    form = client.get(link, follow=True)
    new = {"password1": "five green bridges", "password2": "five green bridges"}
    done = client.post(form.redirect_chain[-1][0], new, follow=True)
    assert done.status_code == 200
    assert client.get("/").status_code == 200
    assert b"no longer works" in Client().get(link).content


def test_an_unknown_address_gets_no_mail_and_the_same_page(annotator, settings):
    settings.MAIL_CONFIGURED = True
    known, unknown = (
        Client().post("/account/password/reset/", {"email": email}, follow=True)
        for email in ("anna@example.org", "nobody@example.org")
    )
    assert known.redirect_chain == unknown.redirect_chain
    assert [message.to for message in mail.outbox] == [["anna@example.org"]]


def test_a_mail_server_that_is_away_does_not_tell_who_has_an_account(annotator, settings):
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    response = Client().post("/account/password/reset/", {"email": "anna@example.org"}, follow=True)
    assert b"Check your email" in response.content
