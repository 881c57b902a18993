"""Signing in with an account of another site: a real provider on a port, the whole code flow."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from config.reading.environment import BadSetting
from config.reading.oidc import oidc_provider, provider_id_of
from core.accounts import people
from core.models import Event, Role, User
from tests.conftest import signed_in
from tests.core.accounts.codes import set_up_app
from tests.servers.oidc_provider import CLIENT_ID, SECRET, OidcProvider

BO = {
    "sub": "42",
    "email": "bo@example.org",
    "email_verified": True,
    "preferred_username": "bo@lab",
    "given_name": "Bo",
    "family_name": "Berg",
}


@pytest.fixture
def provider(settings, own_cache) -> Iterator[OidcProvider]:
    with OidcProvider() as provider:
        use(settings, provider)
        provider.claims = dict(BO)
        yield provider


def use(settings, provider: OidcProvider) -> None:
    settings.OIDC_ISSUER, settings.OIDC_NAME = provider.issuer, "Example University"
    settings.OIDC_PROVIDER = provider_id_of(provider.issuer)
    settings.SOCIALACCOUNT_PROVIDERS = oidc_provider(
        issuer=provider.issuer, provider_id=settings.OIDC_PROVIDER, client_id=CLIENT_ID, secret=SECRET
    )


def through(client: Client, where: str = "/account/oidc/sign-in/", **form: str):
    """Follow the browser to the provider and back. Returns the site's answer to what the provider sent."""
    to_provider = client.post(where, form)
    assert to_provider.status_code == 302, to_provider.content
    back = requests.get(to_provider["Location"], allow_redirects=False, timeout=10).headers["Location"]
    parts = urlsplit(back)
    return client.get(f"{parts.path}?{parts.query}")


def signed_in_as(client: Client) -> str:
    return client.get("/account/").context["user"].username if client.get("/").status_code == 200 else ""


def test_a_stranger_is_refused_in_words_and_leaves_no_account(provider, annotator):
    client = Client()
    assert b"By invitation only" in through(client).content
    assert signed_in_as(client) == ""
    assert not SocialAccount.objects.exists()
    assert User.objects.count() == 1


def test_an_invited_person_makes_an_account_with_the_roles_of_the_invitation(provider, admin):
    _, token = people.invite(admin=admin, roles=[Role.REVIEWER], note="Bo")
    client = Client()
    assert b"Create account with Example University" in client.get(f"/account/join/{token}/").content
    assert through(client, invitation=token)["Location"] == "/"
    bo = User.objects.get(username="bo")
    assert (str(bo), bo.given_roles(), bo.has_usable_password()) == ("Bo Berg", {"reviewer"}, False)
    assert [event.action for event in Event.objects.about(bo)] == ["joined", "connected_account", "signed_in"]
    again = Client()
    assert through(again)["Location"] == "/"
    assert signed_in_as(again) == "bo"
    assert Client().get(f"/account/join/{token}/").status_code == 410


@pytest.mark.parametrize(("verified", "comes_in"), [(True, True), (False, False), ("true", False), (None, False)])
def test_an_invitation_to_an_address_counts_only_if_the_provider_says_it_is_theirs(
    provider, admin, verified, comes_in
):
    people.invite(admin=admin, roles=[Role.ANNOTATOR], email="bo@example.org")
    provider.claims["email_verified"] = verified
    client = Client()
    through(client)
    assert (signed_in_as(client) == "bo") is comes_in


def test_an_address_alone_never_opens_an_account(provider, annotator, admin):
    provider.claims["email"] = annotator.email
    client = Client()
    through(client)
    assert signed_in_as(client) == ""
    _, token = people.invite(admin=admin, roles=[Role.ANNOTATOR], note="Bo")
    through(client, invitation=token)
    assert signed_in_as(client) == ""
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(("verified", "comes_in"), [(True, True), (False, False), ("true", False)])
def test_it_does_if_the_operator_allows_it_and_the_provider_says_it_is_verified(
    provider, annotator, settings, verified, comes_in
):
    settings.OIDC_LINK_VERIFIED_EMAIL = True
    provider.claims |= {"email": "ANNA@example.org", "email_verified": verified}
    client = Client()
    through(client)
    assert (signed_in_as(client) == "anna") is comes_in
    assert User.objects.get().check_password("anna")


def test_a_person_connects_and_disconnects_an_account(provider, annotator):
    client = signed_in(annotator)
    assert through(client, "/account/oidc/connect/")["Location"] == "/account/"
    elsewhere = Client()
    through(elsewhere)
    assert signed_in_as(elsewhere) == "anna"
    client.post("/account/oidc/disconnect/")
    again = Client()
    assert b"By invitation only" in through(again).content


def test_an_account_of_another_person_is_not_connected(provider, annotator, other_annotator):
    through(signed_in(annotator), "/account/oidc/connect/")
    answer = through(signed_in(other_annotator), "/account/oidc/connect/")
    assert answer.status_code == 302
    assert SocialAccount.objects.get().user == annotator


def test_a_closed_account_stays_closed(provider, annotator, admin):
    through(signed_in(annotator), "/account/oidc/connect/")
    people.deactivate_person(person=annotator, admin=admin)
    client = Client()
    assert through(client)["Location"] == "/account/inactive/"
    assert signed_in_as(client) == ""


def test_a_second_factor_is_asked_for_too(provider, annotator):
    client = signed_in(annotator)
    through(client, "/account/oidc/connect/")
    set_up_app(client)
    elsewhere = Client()
    assert through(elsewhere)["Location"] == "/account/second-factor/sign-in/"
    assert signed_in_as(elsewhere) == ""


def test_no_claims_are_kept(provider, annotator):
    through(signed_in(annotator), "/account/oidc/connect/")
    through(Client())
    assert SocialAccount.objects.get().extra_data == {}


@pytest.mark.parametrize(
    "lie", [{"issuer_in_token": "https://evil.example"}, {"audience": "another client"}, {"lifetime": -60}]
)
def test_a_token_for_others_signs_nobody_in(provider, annotator, lie):
    through(signed_in(annotator), "/account/oidc/connect/")
    vars(provider).update(lie)
    client = Client()
    assert through(client).status_code == 401
    assert signed_in_as(client) == ""


def test_the_same_person_at_another_issuer_is_another_person(provider, annotator, settings):
    through(signed_in(annotator), "/account/oidc/connect/")
    with OidcProvider() as other:
        other.claims = dict(BO)
        use(settings, other)
        client = Client()
        assert b"By invitation only" in through(client).content


def test_a_code_of_another_browser_signs_nobody_in(provider, annotator):
    through(signed_in(annotator), "/account/oidc/connect/")
    attacker, victim = Client(), Client()
    to_provider = attacker.post("/account/oidc/sign-in/")["Location"]
    back = urlsplit(requests.get(to_provider, allow_redirects=False, timeout=10).headers["Location"])
    victim.get(f"{back.path}?{back.query}")
    assert signed_in_as(victim) == ""


def test_who_cancels_is_back_at_the_sign_in_page(provider, db):
    provider.cancels = True
    client = Client()
    assert through(client)["Location"] == "/account/oidc/cancelled/"
    assert b"cancelled at the other site" in client.get("/account/oidc/cancelled/", follow=True).content


def test_a_provider_that_is_away_is_told(provider, db):
    provider.server.shutdown()
    provider.server.server_close()
    assert b"cannot be reached" in Client().post("/account/oidc/sign-in/").content


def test_without_a_provider_there_is_no_such_page(db):
    assert Client().post("/account/oidc/sign-in/").status_code == 404
    assert b"Sign in with Example" not in Client().get("/account/login/").content
    assert Client().get("/account/oidc/nowhere/callback/").status_code == 404


def test_a_person_without_a_password_confirms_by_signing_in_again(provider, admin, settings):
    _, token = people.invite(admin=admin, roles=[Role.REVIEWER], note="Bo")
    client = Client()
    through(client, invitation=token)
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = -1
    where = client.post("/account/oidc/connect/")["Location"]
    assert where.startswith("/account/confirm/provider/")
    assert b"Sign in again with Example University" in client.get(where).content
    assert through(client, next="/account/")["Location"] == "/account/"


@pytest.mark.parametrize(("issuer", "secret"), [("http://login.example.org", "x"), ("https://login.example.org", "")])
def test_a_provider_without_tls_or_secret_starts_nothing(issuer, secret):
    with pytest.raises(BadSetting, match="OIDC_ISSUER"):
        oidc_provider(issuer=issuer, provider_id="x", client_id="x", secret=secret)
