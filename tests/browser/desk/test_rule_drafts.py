"""Drafts by rule in the browser: grey until a key or a button uses them, taken out again with Ctrl+Z."""

import pytest
from playwright.sync_api import expect

from annotation.content.rows import content_of
from annotation.models import Annotation, AnnotationState, Suggestion
from tests.browser.desk_driver import choose, expect_saved, field, make_tag, take_tag

pytestmark = pytest.mark.django_db(transaction=True)
PASSAGES = {
    "A": "The northbound bridge opened to traffic on 9 May 1950.",
    "B": "The northbound bridge was opened in 1948.",
}
STEP_3 = {
    "relevantInfo_comment_A": "the northbound bridge opened to traffic on 9 May 1950",
    "relevantInfo_comment_A_Span": "9 May 1950",
    "relevantInfo_comment_B": "the northbound bridge was opened in 1948",
    "relevantInfo_comment_B_Span": "1948",
}


@pytest.fixture
def desk(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    choose(page, "wikitag_label_valid", "Valid")
    for letter, text in PASSAGES.items():
        field(page, f"paragraph{letter}_information_standalone").fill(text)
    expect(field(page, "question1")).to_have_attribute(
        "placeholder", "When did the northbound bridge open to traffic?"
    )
    return page


def values(page) -> dict[str, str]:
    return {name: field(page, name).input_value() for name in STEP_3}


def test_a_draft_is_no_content_until_it_is_used(desk):
    desk.keyboard.press("Alt+3")
    for name, text in STEP_3.items():
        expect(field(desk, name)).to_have_attribute("placeholder", text)
        expect(field(desk, name)).to_have_value("")
    expect(desk.locator("[data-passage-view=A] mark")).to_have_text("9 May 1950")
    expect(desk.locator("[data-passage-view=B] mark")).to_have_text("1948")


def chosen(page) -> int:
    return page.locator("#step-4 .dimension :checked").count()


def test_one_key_uses_all_drafts_and_suggested_types_and_ctrl_z_takes_them_out(desk):
    desk.keyboard.press("Alt+3")
    expect(desk.locator("[data-suggestion]:not([hidden])")).not_to_have_count(0)
    suggested = desk.locator("[data-suggestion]:not([hidden])").count()
    desk.keyboard.press("Alt+e")
    assert values(desk) == STEP_3
    expect(field(desk, "question1_answer2")).to_have_value("1948")
    assert chosen(desk) == suggested
    for number in (3, 4, 5):
        expect(desk.locator(f"[data-step='{number}']")).to_have_attribute("open", "")
    expect(field(desk, "relevantInfo_comment_A")).to_be_focused()
    desk.keyboard.press("Control+z")
    assert values(desk) == dict.fromkeys(STEP_3, "")
    expect(field(desk, "question1")).to_have_value("")
    assert chosen(desk) == 0
    desk.wait_for_timeout(300)
    assert set(Suggestion.objects.values_list("outcome", flat=True)) == {"own"}


def test_steps_before_the_current_one_stay_as_they_are(desk):
    desk.keyboard.press("Alt+5")
    desk.keyboard.press("Alt+e")
    expect(field(desk, "question1_answer2")).to_have_value("1948")
    assert values(desk) == dict.fromkeys(STEP_3, "")
    assert chosen(desk) == 0


def test_a_draft_that_was_not_used_is_not_submitted(desk):
    desk.keyboard.press("Alt+6")
    desk.keyboard.press("5")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#problems")).to_be_visible()
    annotation = Annotation.objects.get()
    content = content_of(annotation)
    assert annotation.state == AnnotationState.DRAFT
    assert {name: content[name] for name in (*STEP_3, "question1")} == dict.fromkeys((*STEP_3, "question1"), "")


def test_what_was_used_unseen_is_shown_before_it_is_submitted(desk):
    desk.set_viewport_size({"width": 1280, "height": 420})  # steps 4 and 5 are below
    desk.keyboard.press("Alt+3")
    desk.keyboard.press("Alt+e")
    expect(field(desk, "question1")).not_to_be_in_viewport()
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_text("Not submitted: read what was drafted for")).to_be_visible()
    expect(desk.locator("#problems")).to_be_hidden()
    for _ in range(20):  # one press for each that is still out of sight
        if field(desk, "question1").evaluate("field => field === document.activeElement"):
            break
        desk.wait_for_timeout(100)
        desk.keyboard.press("Control+Enter")
    expect(field(desk, "question1")).to_be_in_viewport()


def test_what_was_used_unseen_is_still_unseen_when_the_page_is_loaded_again(desk):
    desk.set_viewport_size({"width": 1280, "height": 420})
    desk.keyboard.press("Alt+3")
    desk.keyboard.press("Alt+e")
    expect_saved(desk)
    unseen = desk.locator("#desk-form").evaluate("form => form.dataset.unseen")
    desk.reload()
    assert unseen == ""
    assert "question1" in desk.locator("#desk-form").get_attribute("data-unseen").split(",")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_text("Not submitted: read what was drafted for")).to_be_visible()
    assert Annotation.objects.get().state == AnnotationState.DRAFT


def test_what_was_typed_stays(desk):
    desk.keyboard.press("Alt+3")
    desk.keyboard.insert_text("it opened in 1950")
    desk.keyboard.press("Alt+e")
    assert values(desk) == STEP_3 | {"relevantInfo_comment_A": "it opened in 1950"}


def test_words_selected_right_after_typing_stay_selected(desk):
    """Leaving the text box saves and shows the passages anew."""
    desk.keyboard.press("Alt+3")
    desk.keyboard.insert_text("it opened in 1950")
    desk.wait_for_timeout(700)
    desk.locator("[data-passage-view=B] mark").scroll_into_view_if_needed()
    box = desk.locator("[data-passage-view=B] mark").bounding_box()
    middle = box["y"] + box["height"] / 2
    desk.mouse.move(box["x"] + 1, middle)
    desk.mouse.down()
    desk.mouse.move(box["x"] + box["width"] - 1, middle, steps=4)
    desk.mouse.up()
    desk.keyboard.press("Alt+m")
    expect(field(desk, "relevantInfo_comment_B_Span")).to_have_value("1948")
    expect(field(desk, "relevantInfo_comment_B")).to_be_focused()


def test_the_button_uses_them_and_an_edit_is_recorded(desk):
    desk.keyboard.press("Alt+5")
    button = desk.locator("#step-5 [data-accepts-drafts]")
    button.click()
    expect(button).to_be_hidden()
    expect(field(desk, "question1_answer2")).to_have_value("1948")
    expect_saved(desk)
    field(desk, "question1").fill("In which year did the bridge open?")
    field(desk, "question1_answer1").focus()
    expect_saved(desk)
    desk.wait_for_timeout(300)
    outcomes = dict(Suggestion.objects.values_list("field", "outcome"))
    assert outcomes["question1"] == "own"
    assert outcomes["question1_answer1"] == outcomes["question1_answer2"] == "accepted"
