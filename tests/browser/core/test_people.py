"""Joining and managing people in a real browser, in light and dark, wide and narrow."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.practice.shipped import install_practice
from core.models import SavedView, User
from tests.browser.conftest import errors_of_look

pytestmark = pytest.mark.django_db(transaction=True)


def test_from_an_invitation_to_the_first_page(open_page, open_context, admin):
    page = open_page(admin, "/people/")
    page.get_by_label("Email address").fill("bo@example.org")
    page.get_by_label("Reviewer: reviews").check()
    page.get_by_role("button", name="Create link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("row", name="bo@example.org")).to_be_visible()

    newcomer = open_page(None, link)
    newcomer.get_by_label("User name").fill("bo")
    newcomer.get_by_label("Password").fill("password")
    newcomer.get_by_role("button", name="Create account").click()
    expect(newcomer.get_by_label("Password")).to_have_attribute("aria-invalid", "true")
    newcomer.get_by_label("Password").fill("five green bridges")
    newcomer.keyboard.press("Enter")
    expect(newcomer.get_by_role("heading", name="Waiting for you")).to_be_visible()
    expect(newcomer.get_by_role("link", name="Review annotations").first).to_be_visible()


def test_closing_an_account_asks_first(open_page, admin, annotator):
    page = open_page(admin, f"/people/{annotator.pk}/")
    page.get_by_role("button", name="Close the account…").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).not_to_be_visible()
    assert User.objects.get(pk=annotator.pk).is_active
    page.get_by_role("button", name="Close the account…").click()
    page.get_by_role("button", name="Close the account", exact=True).click()
    expect(page.get_by_text("can no longer sign in")).to_be_visible()
    assert not User.objects.get(pk=annotator.pk).is_active


@pytest.mark.thorough
def test_the_chosen_colours_hold_against_the_systems(open_page, annotator):
    page = open_page(annotator, "/account/", color_scheme="light")
    white = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_label("Dark").check()
    page.get_by_role("button", name="Save theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != white


@pytest.mark.thorough
def test_the_pages_are_accessible_and_fit(open_page, admin, annotator):
    page = open_page(admin)
    names = ["home", "people", "project", "activity", "account", "account_change_password"]
    for address in [*map(reverse, names), reverse("person", args=[annotator.pk])]:
        assert page.goto(address).ok, address
        assert errors_of_look(page) == []
    # A list with a saved view, and the form that saves another one open.
    SavedView.objects.create(person=admin, path=reverse("tags"), search="state=free", name="Free ones", position=1)
    page.goto(reverse("tags") + "?state=flagged")
    page.locator(".save-view > summary").click()
    assert errors_of_look(page) == []
    install_practice()
    for address in (reverse("saved_views"), reverse("practice_tags")):
        assert page.goto(address).ok, address
        assert errors_of_look(page) == []
    stranger = open_page(None)
    for name in ("account_login", "account_reset_password"):
        assert stranger.goto(reverse(name)).ok, name
        assert errors_of_look(stranger) == []


def test_a_fragment_asked_for_after_the_session_ended_leaves_the_page_and_offers_to_sign_in(open_page, admin):
    page = open_page(admin, "/people/")
    page.get_by_label("Note").fill("half typed")
    page.context.clear_cookies(name="sessionid")
    page.evaluate("htmx.ajax('GET', '/activity/', '#main')")
    link = page.get_by_role("alert").get_by_role("link", name="sign in in a new tab")
    expect(link).to_have_attribute("href", "/account/login/?next=%2Fpeople%2F")
    expect(page.get_by_label("Note")).to_have_value("half typed")
