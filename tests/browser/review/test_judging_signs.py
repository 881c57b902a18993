"""The judging page: a key that does not count says so, and a fold cuts no mark."""

import pytest
from playwright.sync_api import Page, expect

from review.models import Judgment
from tests.browser.conftest import read
from tests.factories.review import make_imported_run, make_round

pytestmark = pytest.mark.django_db(transaction=True)

CUT = """() => [...document.querySelectorAll('#judge-item .judge-passage p')].flatMap(text => {
  const frame = text.getBoundingClientRect();
  return [...text.querySelectorAll('mark')].flatMap(mark => [...mark.getClientRects()].map(box => ({
    begins: mark.getClientRects()[0].top < frame.bottom - 4, ends: box.bottom <= frame.bottom + 4,
    lines: getComputedStyle(text).webkitLineClamp, words: mark.textContent.slice(0, 20) })));
}).filter(({ begins, ends }) => begins && !ends)"""


def test_a_key_too_soon_after_a_new_response_says_so(open_page, admin, reviewer, other_reviewer):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(3, models=("Mist",)))
    page = open_page(reviewer, "/review/judge/", clock=True)
    page.keyboard.press("1")
    expect(page.get_by_role("status").filter(has_text="Not counted")).to_be_visible()
    assert not Judgment.objects.given().exists()
    read(page)
    page.keyboard.press("1")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    expect(page.get_by_text("Not counted")).to_have_count(0)
    page.keyboard.press("2")
    expect(page.get_by_role("status").filter(has_text="Not counted")).to_be_visible()
    assert Judgment.objects.given().count() == 1


def marked(page: Page, words: int) -> None:
    """Put a mark of some words into each passage, and have the fold fitted."""
    page.evaluate(
        """words => {
          for (const holder of document.querySelectorAll('#judge-item .judge-passage [data-quotes]')) {
            const text = Array.from({ length: 120 }, (_, at) => `word${at}`);
            const at = 20 + words;
            const mark = document.createElement('mark');
            mark.textContent = text.slice(at, at + words).join(' ');
            holder.replaceChildren(text.slice(0, at).join(' ') + ' ', mark, ' ' + text.slice(at + words).join(' '));
          }
        }""",
        words,
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_the_fold_cuts_no_mark(open_page, admin, reviewer, other_reviewer, width):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)))
    page = open_page(reviewer, "/review/judge/")
    page.set_viewport_size({"width": width, "height": 900})
    for words in (1, 5, 12, 25, 60):
        marked(page, words)
        # Lines are counted again when anything changes; the page was told nothing of these marks.
        page.evaluate("document.dispatchEvent(new Event('change'))")
        assert page.evaluate(CUT) == [], words
