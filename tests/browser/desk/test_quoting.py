"""Comments on words in a real browser: selected, written with one key, and shown in the text again."""

import pytest
from playwright.sync_api import expect

from annotation.models import Comment
from tests.annotation.desk_helpers import claim, submit
from tests.browser.conftest import errors_of_look
from tests.browser.desk_driver import make_tag

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
PASSAGE = "paragraphA_information_standalone"
SELECT = """([field, words]) => {
  const text = document.querySelector(`[data-quotes=${field}]`);
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(words);
    if (at < 0) continue;
    getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + words.length);
    return;
  }
}"""

# As the reading pane may be swapped just when the answer to a comment is.
ANOTHER_SWAP = """document.addEventListener("htmx:afterSwap", () => {
  const target = document.querySelector("#pane");
  for (const name of ["htmx:beforeSwap", "htmx:afterSettle"]) {
    const detail = { target, xhr: { status: 200 }, requestConfig: { verb: "get" } };
    target.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}, { once: true })"""


def test_selected_words_are_commented_on_and_found_again(open_page, annotator, reviewer):
    make_tag()
    draft = claim(annotator)
    submit(draft)
    page = open_page(reviewer, f"/annotation/reviews/{draft.pk}/")
    page.evaluate(SELECT, [PASSAGE, "great applause"])
    expect(page.get_by_role("button", name="Comment C")).to_be_visible()
    page.keyboard.press("c")
    expect(page.get_by_label("The words, exactly as in the field")).to_have_value("great applause")
    # It opens below the words, which stay in sight.
    form = page.locator(".comment-form:popover-open").bounding_box()
    passage = page.locator(f"[data-quotes={PASSAGE}]").bounding_box()
    assert form
    assert passage
    assert abs(form["y"] - passage["y"]) < 450
    page.keyboard.type("Whose?")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").filter(has_text="Your comment is below")).to_be_visible()
    words = page.locator(".quote").get_by_role("button", name="great applause")
    expect(words).to_be_visible()
    comment = Comment.objects.get()
    assert (comment.field, comment.quote) == ("paragraphA_information_standalone", "great applause")
    assert comment.quote_start == comment.field_text.index("great applause")
    assert errors_of_look(page) == []
    words.click()
    assert page.evaluate("getSelection().toString()") == "great applause"


def test_escape_leaves_a_comment_with_its_words_and_goes_back_to_those_it_is_about(open_page, annotator, reviewer):
    make_tag()
    draft = claim(annotator)
    submit(draft)
    page = open_page(reviewer, f"/annotation/reviews/{draft.pk}/")
    page.evaluate(SELECT, [PASSAGE, "great applause"])
    page.keyboard.press("c")
    page.keyboard.type("Whose? By")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Write a comment")).not_to_be_focused()
    assert page.evaluate("getSelection().toString()") == "great applause"
    expect(page.get_by_role("button", name="Comment C")).to_be_in_viewport()
    # Single keys act again, and the comment goes on where it was left.
    page.keyboard.press("c")
    page.keyboard.type(" whom?")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".quote").get_by_role("button", name="great applause")).to_be_visible()
    assert (Comment.objects.get().text, Comment.objects.get().quote) == ("Whose? By whom?", "great applause")


def test_a_refused_comment_is_corrected_beside_its_words(open_page, annotator, reviewer):
    make_tag()
    draft = claim(annotator)
    submit(draft)
    page = open_page(reviewer, f"/annotation/reviews/{draft.pk}/")
    page.evaluate(ANOTHER_SWAP)
    page.evaluate(SELECT, [PASSAGE, "great applause"])
    expect(page.get_by_role("button", name="Comment C")).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.type("Whose, @nobody?")
    page.keyboard.press("Control+Enter")
    form = page.locator(".comment-form:popover-open")
    expect(form.get_by_role("alert")).to_contain_text("is not someone who can see this annotation")
    expect(form.get_by_label("Write a comment")).to_have_value("Whose, @nobody?")


def test_escape_leaves_a_comment_that_quotes_nothing(open_page, annotator, reviewer):
    make_tag()
    draft = claim(annotator)
    submit(draft)
    page = open_page(reviewer, f"/annotation/reviews/{draft.pk}/")
    page.get_by_label("Write a comment").fill("All of it")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Write a comment")).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#keys-dialog, #keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_label("Write a comment")).to_have_value("All of it")


def test_words_of_a_document_are_quoted_where_they_stand_though_parts_of_it_are_marked(
    open_page, admin, free_replies
):
    response = free_replies.responses.filter(instance__content__label="pos")[0]
    page = open_page(admin, f"/judging/responses/{response.key}/")
    marked = page.locator("[data-quotes=document] mark").first.inner_text()
    words = marked[len(marked) // 2 :]
    page.evaluate(SELECT, ["document", words])
    page.keyboard.press("c")
    page.keyboard.type("Is this what was put in?")
    page.keyboard.press("Control+Enter")
    quote = page.locator(".quote").get_by_role("button", name=words)
    expect(quote).to_be_visible()
    comment = Comment.objects.get()
    assert (comment.field, comment.quote) == ("document", words)
    assert response.instance.content["text"][comment.quote_start or 0 :].startswith(words)
    page.evaluate("getSelection().removeAllRanges()")
    quote.click()
    assert page.evaluate("getSelection().toString()") == words
