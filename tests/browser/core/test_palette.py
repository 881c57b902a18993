"""The palette and the menus of the frame in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import errors_of_look
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_keys_alone_lead_from_any_page_to_a_tag(open_page, admin):
    TagFactory(article__title="Lighthouse of Orme")
    page = open_page(admin, "/settings/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("link", name="Prompts Models")).to_be_visible()
    # Quickly typed words count, not the results for earlier letters.
    page.keyboard.type("lighthouse")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Lighthouse of Orme")
    page.wait_for_load_state()  # its scripts are there
    page.keyboard.press("/")
    field = page.get_by_role("searchbox")
    expect(field).to_be_focused()
    page.keyboard.type("act")
    expect(page.get_by_role("link", name="Activity Project")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Activity Project")).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).not_to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("act")
    page.keyboard.press("Escape")
    expect(field).not_to_be_visible()


def test_menus_open_one_at_a_time_and_the_theme_changes_where_one_is(open_page, admin):
    page = open_page(admin, "/people/")
    page.get_by_label("Email address").fill("half.written@")
    page.locator("summary", has_text="Data").click()
    page.locator("summary", has_text="Models").click()
    expect(page.get_by_role("link", name="Runs")).to_be_visible()
    expect(page.get_by_role("link", name="Harvests")).not_to_be_visible()
    assert errors_of_look(page) == []
    page.locator("details.account summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_label("Email address")).to_have_value("half.written@")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
