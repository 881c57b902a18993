"""An authenticator app and passkeys in a real browser, whose passkeys are those of Chromium's virtual device."""

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page, expect

from tests.browser.conftest import errors_of_look
from tests.core.accounts.codes import code_of

pytestmark = pytest.mark.django_db(transaction=True)
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def with_a_device(page: Page) -> None:
    """Give the page a device that makes passkeys and confirms each use."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})


def sign_out(page: Page) -> None:
    page.goto("/account/logout/")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def add_passkey(page: Page, *, alone: bool) -> None:
    page.goto("/account/second-factor/")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_label("Name").fill("my laptop")
    page.get_by_label("Sign in with it alone").set_checked(alone)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


def test_a_passkey_signs_in_alone(open_page, annotator):
    page = open_page(annotator, is_new=True)
    with_a_device(page)
    add_passkey(page, alone=True)
    sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible()
    page.goto("/account/second-factor/")
    expect(page.get_by_role("row", name="my laptop")).to_contain_text("signs in alone")


def test_a_passkey_is_asked_for_after_the_password(open_page, annotator):
    page = open_page(annotator, is_new=True)
    with_a_device(page)
    add_passkey(page, alone=False)
    sign_out(page)
    page.get_by_label("User name").fill("anna")
    page.get_by_label("Password").fill("anna")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible()


def test_a_device_without_the_passkey_is_told_so_on_the_page(open_page, annotator):
    page = open_page(None, "/account/login/", is_new=True)
    with_a_device(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert").filter(has_text="No passkey was used")).to_be_visible()


def test_an_app_is_set_up_and_asked_for(open_page, annotator):
    page = open_page(annotator, "/account/second-factor/app/")
    secret = page.get_by_label("Key", exact=True).input_value()
    page.get_by_label("Code from the app").fill(code_of(secret))
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_label("Codes, each for one sign-in")).to_be_visible()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_text("10 unused recovery codes")).to_be_visible()


def test_the_pages_are_accessible_and_fit(open_page, annotator):
    page = open_page(annotator, is_new=True)
    with_a_device(page)
    add_passkey(page, alone=True)
    key = Authenticator.objects.get(type="webauthn").pk
    addresses = ("second-factor/", "second-factor/app/", "second-factor/codes/", "second-factor/codes/new/")
    further = ("passkeys/add/", f"passkeys/{key}/remove/", f"passkeys/{key}/rename/", "confirm/", "confirm/passkey/")
    for address in (*addresses, *further, "confirm/code/"):
        assert page.goto(f"/account/{address}").ok, address
        assert errors_of_look(page) == [], address
    sign_out(page)
    assert errors_of_look(page) == []
    page.get_by_label("User name").fill("anna")
    page.get_by_label("Password").fill("anna")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    assert errors_of_look(page) == []
