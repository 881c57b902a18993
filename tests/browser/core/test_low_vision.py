"""For people who see little or nothing: long texts scroll with keys, zoom hides nothing, forced colours keep lines,
and groups of choices have names."""

import pytest
from playwright.sync_api import Page, expect

from annotation.content.rows import content_of
from annotation.models import Annotation
from tests.annotation.desk_helpers import complete_content, save, submit
from tests.annotation.reviewing.test_annotation_reviews import LIST, submit_annotation
from tests.browser.conftest import ZOOMED, accessibility_errors, drawn
from tests.browser.desk_driver import make_tag, take_tag
from tests.factories.review import make_imported_run, make_round

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
LONG = "The bridge was closed to carts and opened again. " * 60
AT_200 = {"viewport": ZOOMED}


@pytest.fixture
def long_draft(open_page, annotator) -> tuple[Page, Annotation]:
    make_tag()
    page = open_page(annotator)
    annotation = take_tag(page, annotator)
    save(
        annotation,
        complete_content(
            paragraphA_information=LONG,
            paragraphA_information_standalone=LONG.replace("The bridge", "The Harbour Bridge"),
        ),
    )
    page.reload()
    page.locator("#step-2 > summary").click()
    return page, annotation


def test_a_long_passage_is_whole_on_the_page(long_draft):
    page, _ = long_draft
    assert accessibility_errors(page) == []
    scrolls = """[...document.querySelectorAll(".desk-work *")].filter((each) =>
      each.scrollHeight > each.clientHeight + 1 && !["visible", "clip"].includes(getComputedStyle(each).overflowY)
      && each.checkVisibility() && !each.matches(".visually-hidden, select")).map((each) => each.outerHTML)"""
    assert page.evaluate(scrolls) == []
    page.keyboard.press("Alt+3")
    assert page.evaluate(scrolls) == []


def test_two_long_versions_stand_side_by_side_in_full(long_draft):
    page, annotation = long_draft
    save(annotation, content_of(annotation) | {"paragraphA_information_standalone": LONG * 2})
    page.locator("[name=paragraphA_information_standalone]").fill(LONG * 3)
    version = page.locator("#conflict .as-written").first
    expect(version).to_be_visible()
    assert version.evaluate("version => version.scrollHeight <= version.clientHeight + 1")
    assert accessibility_errors(page) == []


def test_a_long_annotation_to_be_read_can_be_scrolled_with_keys(long_draft, reviewer, open_page):
    _, annotation = long_draft
    submit(annotation, complete_content(paragraphA_information=LONG, question_comment=LONG))
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    assert accessibility_errors(page) == []


HIDDEN = """() => {
  const focused = document.activeElement;
  const bar = document.querySelector(".desk-foot, .judge-form");
  if (focused === document.body || bar.contains(focused) || focused.closest(".visually-hidden")) return "";
  const box = focused.getBoundingClientRect();
  // Its top line, and for what is low enough to be seen whole also its bottom line.
  const lines = box.height < innerHeight / 2 ? [box.top + 3, box.bottom - 3] : [box.top + 3];
  const isUnder = lines.some((y) => bar.contains(document.elementFromPoint(box.left + 3, y)));
  return isUnder ? `${focused.tagName} ${focused.name ?? ""} ${focused.textContent.slice(0, 30)}` : "";
}"""


def hidden_on_the_way(page: Page, stops: int) -> list[str]:
    """Elements that lay under the bar at the foot when they had the focus, in this number of stops with Tab."""
    found = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        drawn(page)
        found.append(page.evaluate(HIDDEN))
    return [each for each in found if each]


def test_at_200_percent_no_field_of_the_desk_is_under_the_foot(open_page, annotator):
    make_tag()
    page = open_page(annotator, **AT_200)
    save(take_tag(page, annotator), complete_content())
    page.reload()
    page.evaluate("for (const step of document.querySelectorAll('[data-step]')) step.open = true")
    page.evaluate("scrollTo(0, 0)")
    page.locator("#step-1 > summary").focus()
    assert hidden_on_the_way(page, 60) == []


def test_at_200_percent_a_step_that_is_gone_to_shows_its_field(open_page, annotator):
    make_tag()
    page = open_page(annotator, **AT_200)
    take_tag(page, annotator)
    page.keyboard.press("v")
    for number in range(2, 7):
        page.keyboard.press(f"Alt+{number}")
        assert page.evaluate(HIDDEN) == "", number
        expect(page.locator(":focus")).to_be_in_viewport()


def test_at_200_percent_one_pane_is_shown_and_the_switch_and_keys_change_it(open_page, annotator):
    make_tag()
    page = open_page(annotator, **AT_200)
    take_tag(page, annotator)
    article, form = page.locator("#pane-panels"), page.locator(".desk-work")
    expect(form).to_be_visible()
    expect(article).to_be_hidden()
    assert accessibility_errors(page) == []
    page.get_by_role("button", name="Article", exact=True).click()
    expect(article).to_be_visible()
    expect(form).to_be_hidden()
    expect(page.locator("#pane .ev-this-tag").first).to_be_in_viewport()
    assert accessibility_errors(page) == []
    page.get_by_role("button", name="Form", exact=True).click()
    expect(form).to_be_visible()
    page.keyboard.press("Alt+A")
    expect(article).to_be_visible()
    expect(page.get_by_role("button", name="Article", exact=True)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("v")
    expect(page.locator("#step-2")).to_have_attribute("open", "")
    expect(form).to_be_visible()
    page.keyboard.press("Alt+A")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Find in this page")).to_be_focused()


def test_at_200_percent_a_reviewer_sees_the_annotation_and_switches_to_the_article(open_page, annotator, reviewer):
    submitted = submit_annotation(annotator)
    page = open_page(reviewer, f"{LIST}{submitted.pk}/", **AT_200)
    article, read = page.locator("#pane-panels"), page.locator(".desk-work")
    expect(read).to_be_visible()
    expect(article).to_be_hidden()
    assert accessibility_errors(page) == []
    page.get_by_role("button", name="Article", exact=True).click()
    expect(article).to_be_visible()
    expect(read).to_be_hidden()
    page.get_by_role("button", name="Annotation", exact=True).click()
    expect(read).to_be_visible()


def test_printed_the_desk_is_whole_and_a_paragraph_runs_in_its_own_direction(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    save(take_tag(page, annotator), complete_content())
    page.reload()
    page.emulate_media(media="print")
    cut = """
      [...document.querySelectorAll("main.desk, .desk-source, .desk-work, .pane-panels, [role=tabpanel], .step")]
      .filter((each) => each.checkVisibility() && each.scrollHeight > each.clientHeight + 2 &&
        getComputedStyle(each).overflowY !== "visible").map((each) => each.className || each.id)"""
    assert page.evaluate(cut) == []
    for number in range(1, 7):
        expect(page.locator(f"#step-{number} .step-fields")).to_be_visible()
    article = "document.querySelector('#pane').getBoundingClientRect().bottom"
    assert page.evaluate(f"{article} <= document.querySelector('.desk-work').getBoundingClientRect().top")
    page.emulate_media(media="screen")
    # One script after the other: the paragraph as a whole runs the way its first letter does.
    edges = """text => {
      const line = document.querySelector(".ev-text p"), range = document.createRange();
      line.textContent = text;
      range.selectNodeContents(line);
      const [inner, outer] = [range, line].map((each) => each.getBoundingClientRect());
      return [Math.round(inner.left - outer.left), Math.round(outer.right - inner.right)];
    }"""
    before, after = page.evaluate(edges, "House")
    assert before < after
    before, after = page.evaluate(edges, "בית")
    assert before > after


def test_at_200_percent_nothing_is_under_the_verdicts(open_page, admin, reviewer, other_reviewer):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(2, models=("Mist",)))
    page = open_page(reviewer, "/review/judge/", **AT_200)
    assert hidden_on_the_way(page, 15) == []


def test_forced_colours_tell_passages_and_the_active_tab_apart(open_page, annotator):
    make_tag()
    page = open_page(annotator, forced_colors="active")
    save(take_tag(page, annotator), complete_content())
    page.reload()
    page.locator("#step-2 > summary").click()
    look = """(selector) => {
      const style = getComputedStyle(document.querySelector(selector));
      return [style.borderLeftStyle, style.borderLeftWidth];
    }"""
    assert page.evaluate(look, "#step-2 .passage-1") != page.evaluate(look, "#step-2 .passage-2")
    tab = """(selector) => {
      const style = getComputedStyle(document.querySelector(selector));
      return [style.backgroundColor, style.color, style.borderBottomColor];
    }"""
    active, other = (
        page.evaluate(tab, f'#pane [role="tab"][aria-selected="{selected}"]') for selected in ("true", "false")
    )
    assert active[0] != other[0]
    assert other[2] != other[1], "the line under a tab that is not active is not seen"
    underlines = page.evaluate(
        """[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
          .filter((rule) => rule.conditionText === "(forced-colors: active)").flatMap((rule) => [...rule.cssRules])
          .filter((rule) => /highlight\\(passage/.test(rule.selectorText))
          .map((rule) => rule.style.textDecorationStyle)"""
    )
    assert len(set(underlines)) == 2


def test_the_levels_of_the_semantic_types_have_names(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("v")
    page.keyboard.press("Alt+4")
    for name in ("Phrase level: an entity", "Phrase level: not an entity", "Discourse level: over several sentences"):
        group = page.get_by_role("group", name=name, exact=True)
        expect(group).to_be_visible()
        assert group.get_by_role("checkbox").count() > 0
    assert accessibility_errors(page) == []
