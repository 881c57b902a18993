"""The second look in a real browser: with keys alone, in light and dark, wide and narrow."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation
from tests.annotation.test_second_look import LIST, hand_in
from tests.browser.conftest import accessibility_errors
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db(transaction=True)


def states() -> list[tuple[str, str]]:
    return list(Annotation.objects.order_by("pk").values_list("state", "review_message"))


def go_on(page: Page, annotation: Annotation) -> None:
    page.wait_for_url(f"**{LIST}{annotation.pk}/")


def test_three_decisions_with_keys_alone(open_page, annotator, reviewer):
    first, second, third = (hand_in(annotator) for _ in range(3))
    page = open_page(reviewer, LIST)
    page.keyboard.press("n")
    go_on(page, first)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    go_on(page, second)
    page.keyboard.press("r")
    page.keyboard.type("Are these two bridges?")
    page.keyboard.press("Control+Enter")
    go_on(page, third)
    expect(page.get_by_role("status")).to_have_text(f"Returned: {second.tag.article.title}.")
    page.keyboard.press("x")
    page.keyboard.type("ambiguous")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing waits.")).to_be_visible()
    assert states() == [("accepted", ""), ("returned", "Are these two bridges?"), ("excluded", "ambiguous")]


def test_a_letter_typed_in_a_message_decides_nothing(open_page, annotator, reviewer):
    annotation = hand_in(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.keyboard.press("r")
    page.keyboard.type("a x n r")
    expect(page.get_by_label("What should be changed?")).to_have_value("a x n r")
    assert states() == [("submitted", "")]


def test_a_dialog_that_was_closed_lets_the_next_key_through(open_page, annotator, reviewer):
    annotation = hand_in(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.keyboard.press("x")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing waits.")).to_be_visible()
    assert states() == [("accepted", "")]


def test_a_return_without_a_message_is_not_sent(open_page, annotator, reviewer):
    annotation = hand_in(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert states() == [("submitted", "")]


def test_what_was_written_while_the_session_ended_is_sent_after_signing_in(open_page, annotator, reviewer):
    annotation = hand_in(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.keyboard.press("r")
    page.keyboard.type("Are these two bridges?")
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in in a new tab").click()
    beside = opened.value
    beside.get_by_label("User name or email address").fill("rita")
    beside.get_by_label("Password").fill("rita")
    beside.keyboard.press("Enter")
    expect(beside.get_by_role("heading", name="What would you like to do")).to_be_visible()
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_text("Nothing waits.")).to_be_visible()
    assert states() == [("returned", "Are these two bridges?")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_pages_are_accessible_and_fit(open_page, annotator, other_annotator, reviewer, scheme, width):
    tag = TagFactory(annotations_needed=2)
    annotation = hand_in(annotator, tag)
    hand_in(other_annotator, tag, confidence=2)
    page = open_page(reviewer, LIST, color_scheme=scheme, viewport={"width": width, "height": 800})
    for address in (LIST, f"{LIST}?look=excluded", f"{LIST}{annotation.pk}/"):
        page.goto(address)
        assert accessibility_errors(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for key in "arx":
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert accessibility_errors(page) == []
        page.keyboard.press("Escape")
