"""Pages that a browser translates, or an extension changes: no other words than those of the source are stored."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import PassageSource
from tests.browser.desk.test_reading_pane import desk, select
from tests.browser.desk_driver import choose, field
from tests.factories.review import make_imported_run, make_round

pytestmark = pytest.mark.django_db(transaction=True)

# As browsers do it: the text goes into two nested <font>; here whatever `translate` says.
TRANSLATE = """([root, wraps]) => {
  const walker = document.createTreeWalker(document.querySelector(root), NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes.filter(({ data }) => data.trim())) {
    const turned = node.data.replace(/[a-z]+/g, word => word.slice(1) + word[0] + 'en');
    const words = wraps ? node.data.split(/(?<= )/) : [turned];
    node.replaceWith(...words.map(word => {
      const outer = document.createElement('font');
      outer.append(Object.assign(document.createElement('font'), { textContent: word }));
      return outer;
    }));
  }
}"""
ARTICLE = "#panel-article .ev-text"
REFUSED = "not those of the article"


def words_of(page: Page, text: str) -> str:
    """The words as the translation above has them."""
    script = "text => text.replace(/[a-z]+/g, word => word.slice(1) + word[0] + 'en')"
    return page.evaluate(script, text)


def test_words_of_a_translated_article_are_refused_with_a_reason(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    page.evaluate(TRANSLATE, [ARTICLE, False])
    select(page, words_of(page, "It opened in 1903."))
    page.keyboard.press("1")
    expect(page.locator("#notices")).to_contain_text(REFUSED)
    expect(field(page, "paragraphA_information")).to_have_value("")
    assert not PassageSource.objects.exists()


def test_sentence_keys_on_a_translated_article_are_refused_too(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    page.evaluate(TRANSLATE, [ARTICLE, False])
    page.keyboard.press("Alt+a")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("2")
    expect(page.locator("#notices")).to_contain_text(REFUSED)
    assert not PassageSource.objects.exists()


def test_words_that_an_extension_only_wraps_are_taken(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    page.evaluate(TRANSLATE, [ARTICLE, True])
    select(page, "It opened in 1903")
    page.keyboard.press("1")
    expect(field(page, "paragraphA_information")).to_have_value("It opened in 1903")


def test_text_that_an_extension_adds_shifts_nothing_that_is_stored(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    page.evaluate("root => document.querySelector(root).prepend('Rated 5 of 5. ')", ARTICLE)
    select(page, "It opened in 1903")
    page.keyboard.press("1")
    expect(page.locator("#notices")).to_contain_text(REFUSED)
    assert not PassageSource.objects.exists()


def test_the_span_of_a_translated_passage_is_refused(open_page, annotator):
    page = desk(open_page, annotator)
    choose(page, "wikitag_label_valid", "Valid")
    field(page, "paragraphA_information_standalone").fill("The bridge opened in 1903.")
    page.keyboard.press("Alt+3")
    view = "[data-passage-view=A]"
    page.evaluate(TRANSLATE, [view, False])
    page.evaluate("view => getSelection().selectAllChildren(document.querySelector(view))", view)
    page.keyboard.press("Alt+m")
    expect(page.locator("#notices")).to_contain_text("are not in the passage")
    expect(field(page, "relevantInfo_comment_A_Span")).to_have_value("")


def test_texts_that_are_judged_or_annotated_are_not_to_be_translated(
    open_page, annotator, admin, reviewer, other_reviewer
):
    page = desk(open_page, annotator)
    for part in (ARTICLE, "[data-passage-view=A]", "[data-marks=A]"):
        assert page.locator(part).evaluate("part => part.translate") is False
    make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)))
    judging = open_page(reviewer, "/review/judge/")
    assert judging.locator("main").evaluate("part => part.translate") is False
    assert judging.locator(".judge-response").evaluate("part => part.translate") is False
