"""Ctrl+Z takes back what keys and clicks put into the form, the last thing first; typing is the browser's to undo."""

import pytest
from playwright.sync_api import expect

from annotation.models import Suggestion
from tests.browser.desk.test_counterparts import COUNTERPART, bridges
from tests.browser.desk_driver import choose, field, make_tag, take_tag

pytestmark = pytest.mark.django_db(transaction=True)
PASSAGES = {
    "A": "The northbound bridge opened to traffic on 9 May 1950.",
    "B": "The northbound bridge was opened in 1948.",
}
SPAN = "relevantInfo_comment_B_Span"


@pytest.fixture
def desk(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    choose(page, "wikitag_label_valid", "Valid")
    for letter, text in PASSAGES.items():
        field(page, f"paragraph{letter}_information_standalone").fill(text)
    expect(field(page, SPAN)).to_have_attribute("placeholder", "1948")
    page.keyboard.press("Alt+4")
    expect(page.locator("[data-suggestion]:not([hidden])")).not_to_have_count(0)
    return page


def chosen(page) -> list[str]:
    return page.locator("#step-4 .dimension :checked").evaluate_all("boxes => boxes.map((box) => box.value)")


def back(page) -> None:
    page.keyboard.press("Control+z")
    page.wait_for_timeout(50)


def test_an_accepted_suggestion_is_taken_back_and_no_passage_with_it(desk):
    desk.keyboard.press("Alt+s")
    assert len(chosen(desk)) == 1
    back(desk)
    assert chosen(desk) == []
    for letter, text in PASSAGES.items():
        expect(field(desk, f"paragraph{letter}_information_standalone")).to_have_value(text)
    expect(desk.locator("[data-suggestion]:not([hidden])").first).to_be_visible()
    desk.wait_for_timeout(300)
    assert set(Suggestion.objects.values_list("outcome", flat=True)) == {"own"}


def test_drafts_are_taken_out_after_the_choice_that_followed_them(desk):
    desk.keyboard.press("Alt+3")
    desk.keyboard.press("Alt+e")
    types = chosen(desk)
    desk.keyboard.press("Alt+4")
    desk.keyboard.press("1")
    assert len(chosen(desk)) == len(types) + 1
    desk.keyboard.press("Alt+6")
    desk.keyboard.press("5")
    back(desk)
    expect(desk.locator("[name=confidence]:checked")).to_have_count(0)
    back(desk)
    assert chosen(desk) == types
    expect(field(desk, SPAN)).to_have_value("1948")
    back(desk)
    assert chosen(desk) == []
    expect(field(desk, SPAN)).to_have_value("")
    expect(field(desk, "question1")).to_have_value("")


def test_an_edited_draft_stays_when_the_others_are_taken_out(desk):
    desk.keyboard.press("Alt+3")
    desk.keyboard.press("Alt+e")
    field(desk, "question1").fill("In which year did the bridge open?")
    desk.keyboard.press("Alt+6")
    back(desk)
    expect(field(desk, "question1")).to_have_value("In which year did the bridge open?")
    expect(field(desk, "question1_answer1")).to_have_value("")


def test_a_span_is_taken_back_and_typing_is_undone_before_it(desk):
    text = field(desk, "paragraphB_information_standalone")
    desk.keyboard.press("Alt+2")
    text.focus()
    text.evaluate("text => text.setSelectionRange(text.value.indexOf('1948'), text.value.indexOf('1948') + 4)")
    desk.keyboard.press("Alt+m")
    statement = field(desk, "relevantInfo_comment_B")
    expect(statement).to_be_focused()
    desk.keyboard.insert_text("in 1948")
    back(desk)
    expect(statement).to_have_value("")
    expect(field(desk, SPAN)).to_have_value("1948")
    back(desk)
    expect(field(desk, SPAN)).to_have_value("")
    expect(text).to_have_value(PASSAGES["B"])


def test_typing_is_undone_by_the_browser_while_something_else_was_done_before(desk):
    desk.keyboard.press("Alt+s")
    types = chosen(desk)
    comment = field(desk, "contradict_comment")
    comment.focus()
    desk.keyboard.type("Unsure.")
    back(desk)
    assert comment.input_value() != "Unsure."
    assert chosen(desk) == types


def test_validity_is_taken_back_and_shown(desk):
    desk.keyboard.press("Alt+1")
    desk.locator("#panel-article").focus()
    desk.keyboard.press("i")
    expect(desk.locator("[name=wikitag_label_valid][value=Invalid]")).to_be_checked()
    desk.locator("#panel-article").focus()
    back(desk)
    expect(desk.locator("[name=wikitag_label_valid][value=Valid]")).to_be_checked()


def test_a_counterpart_taken_before_other_choices_is_taken_back_after_them(open_page, annotator):
    bridges()
    page = open_page(annotator)
    take_tag(page, annotator)
    choose(page, "wikitag_label_valid", "Valid")
    expect(page.locator("[data-counterpart]").first).to_be_visible()
    page.keyboard.press("Alt+b")
    expect(field(page, "paragraphB_information")).to_have_value(COUNTERPART)
    page.keyboard.press("Alt+6")
    page.keyboard.press("4")
    back(page)
    expect(page.locator("[name=confidence]:checked")).to_have_count(0)
    expect(field(page, "paragraphB_information")).to_have_value(COUNTERPART)
    back(page)
    expect(field(page, "paragraphB_information")).to_have_value("")
    # It is shown, though its step was folded.
    expect(field(page, "paragraphB_information_standalone")).to_be_in_viewport()


def test_typing_outside_the_form_is_undone_there(desk):
    desk.keyboard.press("Alt+s")
    types = chosen(desk)
    find = desk.locator("[data-finds]")
    desk.keyboard.press("/")
    expect(find).to_be_focused()
    desk.keyboard.insert_text("bridge")
    back(desk)
    expect(find).to_have_value("")
    back(desk)
    assert chosen(desk) == types
