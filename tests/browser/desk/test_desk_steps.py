"""From step to step: button, digit, click and key obey one rule."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk_driver import EXAMPLE, choose, field, make_tag, take_tag

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(open_page, annotator) -> Page:
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    choose(page, "wikitag_label_valid", "Valid")
    return page


def go_on(page: Page, way: str, step: int) -> None:
    if way == "key":
        page.keyboard.press("Alt+Enter")
    else:
        page.locator(f"#step-{step} [data-goes-to]").click()


@pytest.mark.parametrize("way", ["key", "mouse"])
def test_an_incomplete_step_is_left_at_the_second_press_only(page, way):
    page.keyboard.press("Alt+2")
    go_on(page, way, 2)
    expect(page.locator("#notices")).to_contain_text("Step 2 is not complete")
    expect(page.locator("#step-2 :focus")).to_be_attached()
    go_on(page, way, 2)
    expect(page.locator("#step-3 :focus")).to_be_attached()
    expect(page.locator("#notices")).not_to_contain_text("is not complete")
    page.keyboard.press("Alt+3")
    field(page, "relevantInfo_comment_A").fill(EXAMPLE["relevantInfo_comment_A"])
    go_on(page, way, 3)
    expect(field(page, "relevantInfo_comment_B")).to_be_focused()
    field(page, "relevantInfo_comment_B").fill(EXAMPLE["relevantInfo_comment_B"])
    go_on(page, way, 3)
    expect(page.locator("#step-4 :focus")).to_be_attached()


def answer(page: Page, way: str, group: int) -> None:
    box = page.locator("#step-4 fieldset.dimension").nth(group).locator("input[type=radio]").first
    if way == "mouse":
        box.click()
    else:
        box.focus()
        page.keyboard.press("1")


@pytest.mark.parametrize("way", ["key", "mouse"])
def test_the_last_answer_of_step_4_goes_on(page, way):
    page.keyboard.press("Alt+4")
    page.get_by_label("Date/time").check()
    for group in (1, 2):
        answer(page, way, group)
        expect(page.locator("#step-4 fieldset.dimension").nth(group + 1).locator(":focus")).to_be_attached()
    answer(page, way, 3)
    expect(page.locator("#step-5 :focus")).to_be_attached()
    # An answer that is changed later moves nothing.
    box = page.locator("#step-4 fieldset.dimension").nth(3).locator("input[type=radio]").nth(1)
    page.locator("#step-4").evaluate("step => { step.open = true; }")
    box.click()
    expect(box).to_be_focused()
