"""A practice run in a real browser: the tour, then three steps with keys alone, compared as they are done."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import PracticeAttempt, PracticeTag
from annotation.practice.shipped import install_practice
from tests.browser.conftest import errors_of_look
from tests.browser.desk_driver import expect_form, expect_saved, play_with_keys

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_tour_and_a_step_compared_with_keys_alone(open_page, annotator):
    install_practice()
    page = open_page(annotator, "/annotation/practice/")
    page.get_by_role("button", name="Start the tour").focus()
    page.keyboard.press("Enter")
    tour = page.get_by_role("dialog", name="The article")
    expect(tour).to_be_focused()
    assert errors_of_look(page) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="The tag")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#tour")).to_have_count(0)
    page.keyboard.press("i")
    page.keyboard.type("No.")
    page.keyboard.press("Alt+v")
    compared = page.get_by_role("region", name="Step 1 beside the reference")
    expect(compared).to_contain_text("0 of 1 agree")
    expect(compared).to_contain_text("1941 − 73 is 1868")
    expect_saved(page)
    assert errors_of_look(page) == []
    assert PracticeAttempt.objects.get().first == {"1": [0, 1]}
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Finished: 0 of 8 choices agreed")).to_be_visible()
    assert errors_of_look(page) == []


def test_a_valid_tag_from_the_list_to_the_result_with_keys_alone(open_page, annotator):
    install_practice()
    page = open_page(annotator, "/annotation/practice/")
    page.locator(".page-head button").focus()
    page.keyboard.press("Enter")
    expect_form(page)
    play_with_keys(page, PracticeTag.objects.get(key="mira-castellan").reference)
    # The driver takes the first modality, whatever is suggested.
    expect(page.get_by_text(re.compile(r"Finished: [78] of 8 choices agreed"))).to_be_visible()
    assert errors_of_look(page) == []


@pytest.mark.thorough
def test_the_tour_stays_within_a_phone(open_page, annotator):
    install_practice()
    page = open_page(annotator, "/annotation/practice/", viewport={"width": 390, "height": 800})
    page.get_by_role("button", name="Start the tour").click()
    for stop in range(1, 8):
        card = page.locator("#tour")
        expect(card).to_contain_text(f"Tour, {stop} of 7")
        box = card.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800
        card.get_by_role("button").first.click()
    expect(page.locator("#tour")).to_have_count(0)
