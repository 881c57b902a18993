"""Comments on words in a real browser: selected, written with one key, and shown in the text again."""

import pytest
from playwright.sync_api import expect

from annotation.models import Comment
from tests.annotation.desk_helpers import claim, submit
from tests.browser.conftest import errors_of_look
from tests.browser.desk_driver import make_tag

pytestmark = pytest.mark.django_db(transaction=True)
SELECT = """(words) => {
  const text = document.querySelector("[data-quotes=paragraphA_information_standalone]");
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(words);
    if (at < 0) continue;
    getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + words.length);
    return;
  }
}"""


def test_selected_words_are_commented_on_and_found_again(open_page, annotator, reviewer):
    make_tag()
    draft = claim(annotator)
    submit(draft)
    page = open_page(reviewer, f"/annotation/reviews/{draft.pk}/")
    page.evaluate(SELECT, "great applause")
    expect(page.get_by_role("button", name="Comment C")).to_be_visible()
    page.keyboard.press("c")
    expect(page.get_by_label("The words, as they stand in the field")).to_have_value("great applause")
    page.keyboard.type("Whose?")
    page.keyboard.press("Control+Enter")
    words = page.locator(".quote").get_by_role("button", name="great applause")
    expect(words).to_be_visible()
    comment = Comment.objects.get()
    assert (comment.field, comment.quote) == ("paragraphA_information_standalone", "great applause")
    assert comment.quote_start == comment.field_text.index("great applause")
    assert errors_of_look(page) == []
    words.click()
    assert page.evaluate("getSelection().toString()") == "great applause"
