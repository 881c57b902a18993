"""Step 4 by keys and in sight: typing filters the semantic types, digits choose, nothing is cut."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import errors_of_look
from tests.browser.desk_driver import make_tag, take_tag

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
CUT = """[...document.querySelectorAll("#step-4 label > span, #step-4 [data-meaning]")].filter((each) =>
  each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== "visible"
  || each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY !== "visible")
  .map((each) => each.textContent)"""


@pytest.fixture
def types(open_page, annotator) -> Page:
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("v")
    page.keyboard.press("Alt+4")
    return page


def chosen(page: Page) -> list[str]:
    return [each.get_attribute("value") for each in page.locator("#step-4 :checked").all()]


def test_typing_filters_and_enter_or_a_digit_chooses(types):
    seen = types.locator("[id='f-Contradict-type-I'] [data-choice]:not([hidden])")
    types.keyboard.type("norp")
    expect(seen).to_have_count(1)
    expect(seen).to_contain_text("Nationality, religious or political group")
    expect(types.locator("[data-meaning]")).to_contain_text("Two nationalities")
    types.keyboard.press("Enter")
    expect(seen).to_have_count(17)
    types.keyboard.type("bridges")
    expect(seen).to_have_count(1)
    types.keyboard.press("1")
    types.keyboard.press("3")
    assert sorted(chosen(types)) == ["FAC", "NORP", "NUM"]
    types.keyboard.press("3")
    types.keyboard.press("Alt+ArrowDown")
    types.keyboard.press("2")
    assert sorted(chosen(types)) == ["FAC", "NORP", "TI"]
    expect(types.locator("[value=SAME]")).to_be_focused()  # what is blank next
    types.keyboard.press("Alt+ArrowUp")
    types.keyboard.press("Alt+ArrowUp")
    types.keyboard.type("zebra")
    expect(types.locator("[data-filtered]")).to_have_text("No such type")
    types.keyboard.press("Enter")
    types.keyboard.press("Escape")
    expect(seen).to_have_count(17)
    assert sorted(chosen(types)) == ["FAC", "NORP", "TI"]
    types.keyboard.press("Alt+4")
    expect(types.locator("[value=SAME]")).to_be_focused()  # the first that is blank
    types.keyboard.press("1")
    types.keyboard.press("1")
    expect(types.locator("[name=question1]")).to_be_focused()  # all four are answered
    assert sorted(chosen(types)) == ["EXP", "FAC", "NORP", "SAME", "TI"]


@pytest.mark.parametrize("width", [1280, 1440])
def test_no_name_or_definition_is_cut(types, width):
    types.set_viewport_size({"width": width, "height": 900})
    for box in types.locator("[id='f-Contradict-type-I'] input[type=checkbox]").all():
        box.focus()
        assert types.evaluate(CUT) == []
    for letters in ("", "no"):
        types.locator("[data-filters]").fill(letters)
    if width == 1280:
        assert errors_of_look(types) == []


def test_the_guideline_is_open_at_the_first_three_tags_only(open_page, annotator):
    from tests.annotation.desk_helpers import complete_content, submit

    page = open_page(annotator)
    for number in range(4):
        make_tag(f"Bridge {number}")
        annotation = take_tag(page, annotator)
        guide = page.locator("#step-1 .guide")
        if number < 3:
            expect(guide).to_have_attribute("open", "")
        else:
            expect(guide).not_to_have_attribute("open", "")
            closed = guide.bounding_box()
            fields = page.locator("#step-1 .step-fields").bounding_box()
            assert closed
            assert fields
            assert closed["y"] + closed["height"] <= fields["y"], "the closed guideline takes no room in the step"
            page.keyboard.press("Alt+g")
            expect(guide.get_by_text("A tag is")).to_be_visible()
        submit(annotation, complete_content())


@pytest.mark.parametrize("width", [1280, 390])
def test_the_header_of_the_article_is_one_row(open_page, annotator, width):
    make_tag(reason="The history says otherwise, and so does the talk page. " * 5)
    page = open_page(annotator, viewport={"width": width, "height": 844})
    take_tag(page, annotator)
    head = page.locator(".pane-head").bounding_box()
    text = page.locator("#panel-article .ev-text").bounding_box()
    assert head
    assert text
    assert head["height"] < 48
    assert page.locator(".pane-head [role=tab]").first.bounding_box()["y"] < head["y"] + head["height"]
    if width == 390:
        assert text["y"] <= 160
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).to_be_hidden()
