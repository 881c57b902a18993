"""Tables with long texts on a phone: three lines of each, and the rest on request."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import accessibility_errors
from tests.factories.judging import make_instance, make_model, make_release, make_run, work
from tests.servers.llm_server import LlmServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
LONG = "The bridge opened in 1903, as the first passage says, or in 1899, as the second one does. " * 3


@pytest.fixture
def run(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    question = (
        "When, according to everything that is said about it here, was the Old Harbour Bridge at last opened? " * 2
    )
    with LlmServer(answer=lambda asked: LONG) as server:
        release = make_release([make_instance(1, question=question), make_instance(2)])
        run = make_run(make_model(server.base_url, name="meta-llama/Llama-3-70b"), release=release)
        work(run)
    return run


def test_on_a_phone_long_cells_show_three_lines_and_more_on_request(open_page, admin, run):
    page = open_page(admin, "/judging/responses/", viewport={"width": 320, "height": 800})
    rows = page.locator("[data-row]")
    lines = page.locator(".is-clamped").all()
    assert lines
    assert max(text.bounding_box()["height"] for text in lines) < 70
    long, short = rows.nth(0), rows.nth(1)
    expect(short.locator("th").get_by_role("button")).to_have_count(0)
    more = long.locator("td").get_by_role("button", name="more")
    expect(more).to_have_attribute("aria-expanded", "false")
    before = long.bounding_box()["height"]
    more.click()
    expect(long.locator("td").get_by_role("button", name="less")).to_have_attribute("aria-expanded", "true")
    assert long.bounding_box()["height"] > before
    assert accessibility_errors(page) == []


def test_on_a_wide_screen_nothing_is_cut(open_page, admin, run):
    page = open_page(admin, "/judging/responses/")
    expect(page.locator("[data-row]")).to_have_count(2)
    expect(page.get_by_role("button", name="more")).to_have_count(0)
    expect(page.locator(".is-clamped")).to_have_count(0)
