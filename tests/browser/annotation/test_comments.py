"""Comments and questions in a real browser: at the field with keys alone, over to the reviewer and back."""

import pytest
from playwright.sync_api import Page, expect

from annotation.desk.comments.comments import ask_question
from annotation.models import Annotation, Assignment, Comment
from core.models import User
from tests.annotation.desk_helpers import claim
from tests.browser.conftest import PHONE, errors_of_look
from tests.browser.desk_driver import expect_saved, field, make_tag, play_with_mouse, show_found, take_tag

pytestmark = pytest.mark.django_db(transaction=True)

COMMENTS = "/annotation/comments/"


def begin(page: Page, person: User) -> Annotation:
    """At passage 1, with its text taken."""
    draft = take_tag(page, person)
    page.keyboard.press("v")
    page.keyboard.press("Alt+u")
    expect(field(page, "paragraphA_information")).not_to_have_value("")
    expect_saved(page)
    show_found(page, "A")
    return draft


def test_a_comment_with_keys_alone_and_the_form_stays_where_it_is(open_page, annotator, reviewer):
    make_tag()
    page = open_page(annotator)
    begin(page, annotator)
    page.keyboard.press("Alt+c")
    text = page.get_by_label("Write a comment")
    expect(text).to_be_focused()
    page.keyboard.type("Is this one sentence? v 1 2 ?")
    page.keyboard.press("Control+Enter")
    mark = page.get_by_role("link", name="Comments on Passage 1, as found: 1, 1 open")
    expect(mark).to_be_visible()
    expect(page.get_by_text("Is this one sentence?")).to_be_visible()
    assert Annotation.objects.get().state == "draft", "Ctrl+Enter wrote the comment, and submitted nothing"
    # The list lies below its field, and over nothing.
    below = page.locator(".comments-panel").bounding_box()
    above = field(page, "paragraphA_information").bounding_box()
    following = page.locator("[name=wikitag_label_samepassage]").first.bounding_box()
    assert below
    assert above
    assert following
    assert above["y"] + above["height"] <= below["y"]
    assert below["y"] + below["height"] <= following["y"]
    page.keyboard.press("Escape")
    expect(field(page, "paragraphA_information")).to_be_focused()
    expect(page.locator(".comments-panel")).to_have_count(0)
    expect(mark).to_be_visible()
    page.keyboard.press("Alt+c")
    expect(page.locator(".thread")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Comments on Passage 1, as found: 1, 0 open")).to_be_visible()
    assert Comment.objects.get().resolved_by == annotator


def test_a_refused_mention_is_said_at_the_comment_and_nothing_typed_is_lost(open_page, annotator, reviewer):
    make_tag()
    page = open_page(annotator)
    begin(page, annotator)
    page.keyboard.press("Alt+c")
    page.get_by_label("Write a comment").fill("What now, @nobody?")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="is not someone who can see this annotation")).to_be_visible()
    expect(page.get_by_label("Write a comment")).to_have_value("What now, @nobody?")
    page.get_by_label("Write a comment").fill("What now,")
    page.get_by_text("Mention a person with @").click()
    page.get_by_role("button", name="@rita").click()
    expect(page.get_by_label("Write a comment")).to_have_value("What now, @rita ")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("link", name="Comments on Passage 1, as found: 1, 1 open")).to_be_visible()
    assert Comment.objects.get().notices.get().person == reviewer


def test_a_name_that_is_begun_is_offered_and_tab_takes_it(open_page, annotator, reviewer, admin):
    make_tag()
    page = open_page(annotator)
    begin(page, annotator)
    page.keyboard.press("Alt+c")
    page.get_by_label("Write a comment").press_sequentially("See, @ri")
    expect(page.get_by_role("button", name="@rita")).to_be_visible()
    expect(page.get_by_role("button", name=f"@{admin.username}")).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Write a comment")).to_have_value("See, @rita ")
    expect(page.get_by_label("Write a comment")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Write a comment")).not_to_be_focused()


def test_a_question_goes_to_the_reviewer_and_its_answer_to_the_top_of_the_form(open_page, annotator, reviewer):
    make_tag()
    make_tag("River Ferry")
    page = open_page(annotator)
    draft = begin(page, annotator)
    page.keyboard.press("Alt+w")
    expect(page.get_by_label("About")).to_have_value("paragraphA_information")
    page.keyboard.insert_text("Does the second sentence belong to it?")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="River Ferry")).to_be_visible()
    assert Assignment.objects.get(tag=draft.tag).asked_at

    beside = open_page(reviewer, "/")
    beside.get_by_role("link", name="Questions 1").click()
    expect(beside.get_by_text("Does the second sentence belong to it?")).to_be_visible()
    beside.get_by_role("button", name="Answer").press("Enter")
    expect(beside.get_by_text("The field at that time")).to_be_visible()
    beside.wait_for_load_state()  # its scripts are there, which the key needs
    beside.get_by_label("Your answer").fill("Yes, it does.")
    beside.keyboard.press("Control+Enter")
    expect(beside.get_by_text("No open questions.")).to_be_visible()

    page.goto(COMMENTS)
    page.get_by_role("link", name="Harbour Bridge").press("Enter")
    expect(page.get_by_text("Answered by rita")).to_be_visible()
    expect(page.locator("#answer").get_by_text("Yes, it does.")).to_be_visible()
    expect(page.locator(".comments-panel").get_by_text("Yes, it does.")).to_be_visible()
    play_with_mouse(page)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").filter(has_text="Submitted “Harbour Bridge”")).to_be_visible()


@pytest.mark.thorough
def test_comments_go_with_their_question_when_another_is_removed(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    draft = begin(page, annotator)
    page.keyboard.press("Alt+q")
    page.keyboard.type("first")
    page.keyboard.press("Alt+q")
    page.keyboard.type("second")
    Comment.objects.create(annotation=draft, field="question2", text="Two in one?", author=annotator)
    expect_saved(page)
    page.reload()
    page.locator("#step-5 > summary").click()
    second = page.get_by_role("link", name="Comments on Question 2: 1, 1 open")
    expect(second).to_be_visible()
    page.get_by_role("button", name="Remove question 1").click()
    page.get_by_role("link", name="Comments on Question 1: 1, 1 open").click()
    expect(page.get_by_text("Two in one?")).to_be_visible()


@pytest.mark.thorough
def test_the_pieces_are_accessible_and_fit(open_page, annotator, reviewer, admin):
    make_tag()
    page = open_page(annotator)
    draft = begin(page, annotator)
    page.keyboard.press("Alt+c")
    page.get_by_label("Write a comment").fill("Is this one sentence? @rita")
    page.get_by_text("Mention a person with @").click()
    assert errors_of_look(page) == []
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator(".thread")).to_be_visible()
    assert errors_of_look(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+w")
    assert errors_of_look(page) == []
    page.keyboard.type("Which one?")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("is waiting for the answer to your question")).to_be_visible()
    for address in (
        f"/annotation/desk/{draft.pk}/",
        "/annotation/work/",
        COMMENTS,
        f"/annotation/desk/{draft.pk}/ask/",
    ):
        page.goto(address)
        assert errors_of_look(page) == []
    for person in (reviewer, admin):
        beside = open_page(person, COMMENTS)
        assert errors_of_look(beside) == []
        beside.goto(f"{COMMENTS}about/{draft.pk}/")
        assert errors_of_look(beside) == []


@pytest.mark.thorough
def test_on_a_phone_a_question_is_read_before_it_is_answered(open_page, annotator, reviewer):
    make_tag()
    asked = "Is the heading the passage, or the paragraph below it?"
    ask_question(annotation=claim(annotator), annotator=annotator, text=asked)
    page = open_page(reviewer, COMMENTS, viewport=PHONE)
    question = page.get_by_text(asked).bounding_box()
    button = page.get_by_role("button", name="Answer").bounding_box()
    assert question
    assert button
    assert question["y"] + question["height"] <= button["y"]
