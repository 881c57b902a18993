"""Two annotations become one in a real browser: with keys alone, and on a phone."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation
from annotation.reviewing.merging import contributions_to
from tests.annotation.merging_helpers import annotated_by
from tests.browser.conftest import PHONE, errors_of_look

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def both(annotator, other_annotator) -> list[Annotation]:
    return annotated_by(annotator, other_annotator)


def at_hand(page: Page) -> str:
    return page.locator(".at-cursor legend").inner_text()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_both_become_one_with_keys_alone(open_page, both, reviewer):
    page = open_page(reviewer, "/annotation/reviews/")
    press(page, "n")
    page.wait_for_url("**/merge/")
    expect(page.get_by_role("status").filter(has_text="0 of 6 decided")).to_be_visible()
    press(page, "Enter")
    assert at_hand(page) == "Comment on validity"
    press(page, "2", "e")
    expect(page.locator(".at-cursor textarea")).to_be_focused()
    expect(page.locator(".at-cursor textarea")).to_have_value("Two sources, two years.")
    press(page, "End")
    page.keyboard.type(" 1 and 2 e.")
    press(page, "Escape", "Enter")
    assert at_hand(page) == "Passage 1, stand-alone"
    press(page, "1", "Enter", "2", "Enter", "1", "Enter", "2", "Enter")
    assert at_hand(page) == "Confidence"
    press(page, "k")
    assert at_hand(page) == "Question 2"
    press(page, "j", "1")
    expect(page.get_by_role("status").filter(has_text="All 6 decided")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_role("button", name="Merge and accept")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_text("Merged and accepted: ")).to_be_visible()
    made = Annotation.objects.accepted().get()
    people = {each.field: each.people for each in contributions_to(made)}
    assert made.valid_comment == "Two sources, two years. 1 and 2 e."
    assert [people[name] for name in ("valid_comment", "Contradict type I", "question1", "question2")] == [
        ["rita"],
        ["ansel"],
        ["anna"],
        ["ansel"],
    ]


def test_a_closed_page_comes_back_with_its_choices_and_its_text(open_page, both, reviewer):
    page = open_page(reviewer, f"/annotation/reviews/{both[0].pk}/merge/")
    press(page, "2", "e")
    page.keyboard.type("Mine. ")
    press(page, "Escape", "Enter", "1")
    page.goto("/annotation/reviews/")
    page.goto(f"/annotation/reviews/{both[0].pk}/merge/")
    expect(page.get_by_role("status").filter(has_text="2 of 6 decided")).to_be_visible()
    expect(page.locator("fieldset textarea").first).to_be_visible()
    assert "Mine. " in page.locator("fieldset textarea").first.input_value()


def test_the_rest_is_taken_with_one_click(open_page, both, reviewer):
    page = open_page(reviewer, f"/annotation/reviews/{both[0].pk}/merge/")
    page.get_by_role("button", name="Take the rest from ansel").click()
    page.get_by_role("button", name="Merge and accept").click()
    expect(page.get_by_text("Accepted as ansel has it")).to_be_visible()
    assert Annotation.objects.accepted().get() == both[1]


@pytest.mark.thorough
def test_the_page_is_accessible_and_fits(open_page, both, reviewer):
    page = open_page(reviewer, f"/annotation/reviews/{both[0].pk}/merge/")
    press(page, "2", "e")
    for fold in page.locator(".merge-alike > summary").all():
        fold.click()
    assert errors_of_look(page) == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Merge and accept").click()
    expect(page.get_by_role("alert")).to_contain_text("Decide on this.")
    assert errors_of_look(page) == []
