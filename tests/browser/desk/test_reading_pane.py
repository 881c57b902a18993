"""The reading pane in a real browser: selecting with mouse and keys, resolving words, tabs, find, narrow screens."""

import json
import re

import pytest
from django.templatetags.static import static
from playwright.sync_api import Page, expect

from annotation.models import Evidence, EvidencePage, EvidenceRequest, PassageSource, StepTime, Suggestion
from tests.browser.conftest import accessibility_errors, awaited, drawn, errors_of_look
from tests.browser.desk_driver import expect_saved, field, make_tag, show_found, take_tag

pytestmark = pytest.mark.django_db(transaction=True)

WIKITEXT = (
    "'''Harbour Bridge''' crosses the river.<ref>Annals</ref>\n\n== Early years ==\n"
    + "\n\n".join(f"In 17{year} the ferry carried {year} carts." for year in range(10, 60))
    + "\n\n== Opening ==\nIt opened in 1903.{{Inconsistent|date=May 2024}} It is 300 m long.\n\n"
    + "== Traffic ==\nThe first cars crossed it in 1899.\n\n"
    + "\n\n".join(f"In 19{year} there were {year} cars." for year in range(10, 60))
)


def desk(open_page, annotator, **options) -> Page:
    make_tag(article__wikitext=WIKITEXT)
    page = open_page(annotator, **options)
    take_tag(page, annotator)
    return page


def select(page: Page, words: str) -> None:
    """Drag over these words, as a hand would."""
    box = page.evaluate(
        """async ([module, words]) => {
          const { rangesOf } = await import(module);
          const range = rangesOf(document.querySelector("#panel-article .ev-text"), words.toLowerCase())[0];
          range.startContainer.parentElement.scrollIntoView({ block: "center", behavior: "instant" });
          const boxes = range.getClientRects();
          const [first, last] = [boxes[0], boxes[boxes.length - 1]];
          return { x1: first.left + 1, y1: first.top + first.height / 2,
                   x2: last.right - 0.5, y2: last.top + last.height / 2 };
        }""",
        [static("scripts/pane/ranges.js"), words],
    )
    page.mouse.move(box["x1"], box["y1"])
    page.mouse.down()
    page.mouse.move(box["x2"], box["y2"], steps=4)
    page.mouse.up()


def test_the_article_opens_at_the_tagged_paragraph(open_page, annotator):
    page = desk(open_page, annotator)
    tagged = page.locator("#panel-article .ev-tagged")
    expect(tagged).to_be_in_viewport()
    expect(tagged).to_contain_text("It opened in 1903.")
    expect(page.locator("[name=wikitag_label_valid]").first).to_be_focused()


def test_selected_text_becomes_a_passage_on_one_key_and_adds_up(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    select(page, "It opened in 1903")
    page.keyboard.press("1")
    expect(field(page, "paragraphA_information")).to_have_value("It opened in 1903")
    expect(field(page, "paragraphA_information_standalone")).to_have_value("It opened in 1903")
    select(page, "crosses the river")
    page.keyboard.press("1")
    expect(field(page, "paragraphA_information")).to_have_value("crosses the river\nIt opened in 1903")
    select(page, "The first cars crossed it in 1899.")
    page.get_by_role("button", name="Passage 2").click()
    expect(field(page, "paragraphB_information")).to_have_value("The first cars crossed it in 1899.")
    expect_saved(page)
    assert PassageSource.objects.count() == 3
    page.reload()
    page.keyboard.press("Alt+2")
    link = page.locator("[data-sources-of='2'] [data-source]")
    expect(link).to_have_text("Harbour Bridge")
    assert "characters" in (link.get_attribute("title") or "")
    page.locator("#panel-article").evaluate("panel => { panel.scrollTop = 0; }")
    link.click()
    expect(page.get_by_text("The first cars crossed it in 1899.").first).to_be_in_viewport()


def test_the_buttons_do_not_stand_in_the_way_of_a_drag_over_several_lines(open_page, annotator):
    words = "The keeper of the ferry wrote down every cart, horse and traveller that he took across the river. " * 4
    make_tag(article__wikitext=WIKITEXT.replace("It is 300 m long.", words))
    page = open_page(annotator)
    take_tag(page, annotator)
    lines = page.evaluate(
        """async ([module, words]) => {
          const { rangesOf } = await import(module);
          const range = rangesOf(document.querySelector("#panel-article .ev-text"), words)[0];
          range.startContainer.parentElement.scrollIntoView({ block: "center", behavior: "instant" });
          return [...range.getClientRects()].map(box => [box.left, box.top + box.height / 2, box.right]);
        }""",
        [static("scripts/pane/ranges.js"), words.strip().lower()],
    )
    page.mouse.move(lines[0][0] + 1, lines[0][1])
    page.mouse.down()
    for line in lines:
        page.mouse.move(line[2] - 1, line[1], steps=3)
        drawn(page)
        expect(page.locator("#pick")).to_be_hidden()
    page.mouse.up()
    expect(page.locator("#pick")).to_be_visible()
    page.keyboard.press("1")
    expect(field(page, "paragraphA_information")).to_have_value(words.strip())


def test_marks_and_tags_are_left_out_of_a_selection_over_them(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    select(page, "It opened in 1903. It is 300 m long.")
    page.keyboard.press("1")
    expect(field(page, "paragraphA_information")).to_have_value("It opened in 1903. It is 300 m long.")


def test_the_keyboard_alone_selects_sentences(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    page.keyboard.press("Alt+a")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    expect(field(page, "paragraphA_information")).to_have_value("It opened in 1903. It is 300 m long.")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("2")
    expect(field(page, "paragraphB_information")).not_to_have_value("")


def test_a_passage_changed_by_hand_shows_the_difference(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    select(page, "It opened in 1903")
    page.keyboard.press("1")
    by_hand = page.locator("[data-by-hand='1']")
    expect(field(page, "paragraphA_information")).to_have_value("It opened in 1903")
    expect(by_hand).to_be_hidden()
    show_found(page, "A")
    field(page, "paragraphA_information").fill("It was opened in 1903")
    expect(by_hand).to_be_visible()
    expect(page.locator("[data-found-marks=A] ins")).to_have_text("was ")
    page.get_by_role("button", name="Start over").first.click()
    expect(field(page, "paragraphA_information")).to_have_value("")
    expect(by_hand).to_be_hidden()


def test_picks_come_in_the_article_s_order_and_each_is_undone(open_page, annotator):
    page = desk(open_page, annotator)
    found, standalone = field(page, "paragraphB_information"), field(page, "paragraphB_information_standalone")
    page.keyboard.press("v")
    for words in ("It is 300 m long.", "crosses the river.", "It opened in 1903."):
        select(page, words)
        page.keyboard.press("2")
    expect(found).to_have_value("crosses the river.\nIt opened in 1903. It is 300 m long.")
    expect(page.locator("[data-sources-of='2'] [data-source]")).to_have_text(["Harbour Bridge", "part 2"])
    page.keyboard.press("Control+z")
    expect(found).to_have_value("crosses the river.\nIt is 300 m long.")
    # The browser first undoes typing, then the selection is undone.
    standalone.focus()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(" Indeed.")
    expect(standalone).to_have_value("crosses the river.\nIt is 300 m long. Indeed.")
    page.keyboard.press("Control+z")
    expect(standalone).to_have_value("crosses the river.\nIt is 300 m long.")
    expect(found).to_have_value("crosses the river.\nIt is 300 m long.")
    page.keyboard.press("Control+z")
    expect(found).to_have_value("It is 300 m long.")
    expect(standalone).to_have_value("It is 300 m long.")
    page.keyboard.press("Alt+a")
    page.keyboard.press("Control+z")
    expect(found).to_have_value("")
    expect_saved(page)
    assert not PassageSource.objects.exists()


def test_starting_over_is_undone_by_its_button_and_by_the_key(open_page, annotator):
    page = desk(open_page, annotator)
    standalone = field(page, "paragraphA_information_standalone")
    page.keyboard.press("v")
    select(page, "It opened in 1903")
    page.keyboard.press("1")
    expect(standalone).to_have_value("It opened in 1903")
    standalone.fill("The bridge opened in 1903")
    start_over = page.get_by_role("button", name="Start over").first
    start_over.click()
    expect(standalone).to_have_value("")
    expect(page.get_by_text("Passage 1 is empty.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(standalone).to_have_value("The bridge opened in 1903")
    expect(field(page, "paragraphA_information")).to_have_value("It opened in 1903")
    expect(page.get_by_text("Passage 1 is empty.")).to_be_hidden()
    start_over.click()
    expect(standalone).to_have_value("")
    page.keyboard.press("Control+z")
    expect(standalone).to_have_value("The bridge opened in 1903")
    assert PassageSource.objects.count() == 1
    # The selection itself is not undone: its text was edited after it.
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Passage 1 was edited")).to_be_visible()
    expect(standalone).to_have_value("The bridge opened in 1903")


def test_one_key_puts_the_title_for_a_pronoun_and_the_change_is_shown(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    select(page, "It opened in 1903")
    page.keyboard.press("1")
    view = page.locator("[data-marks=A]")
    expect(view.locator(".reference")).to_have_text("It")
    page.keyboard.press("Alt+r")
    expect(field(page, "paragraphA_information_standalone")).to_have_value("Harbour Bridge opened in 1903")
    expect(view.locator(".gone")).to_have_attribute("data-gone", "It")
    expect(view.locator("ins")).to_have_text("Harbour Bridge ")
    expect(page.locator("[data-changes-of=A]")).to_have_text("1 change")
    expect(field(page, "paragraphA_information_standalone")).to_have_accessible_description(
        re.compile("^1 change: “It” became “Harbour Bridge”")
    )
    page.keyboard.press("Control+z")
    expect(field(page, "paragraphA_information_standalone")).to_have_value("It opened in 1903")


def test_a_suggestion_is_taken_with_one_key_and_recorded(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    field(page, "relevantInfo_comment_A_Span").evaluate("field => { field.value = 'in 1903'; }")
    page.keyboard.press("Alt+3")
    page.keyboard.press("Alt+4")
    field(page, "relevantInfo_comment_B_Span").evaluate("field => { field.value = 'in 1899'; }")
    page.locator("#desk-form").dispatch_event("change")
    expect(page.locator("[data-suggestion='Contradict type I']")).to_be_visible()
    assert page.locator("[data-list]:checked").count() == 0
    page.keyboard.press("Alt+s")
    expect(page.get_by_label("Date/time")).to_be_checked()
    expect(page.locator("[data-suggestion='Contradict type I']")).to_be_hidden()
    page.get_by_label("Across different articles").check()
    expect_saved(page)
    outcomes = {"Contradict type I": "accepted", "Contradict type III": "own"}
    assert awaited(lambda: dict(Suggestion.objects.values_list("field", "outcome")) == outcomes)


def test_find_goes_from_match_to_match_without_leaving(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("/")
    page.keyboard.type("cars")
    expect(page.locator("[data-found]")).to_have_text("1 of 51")
    page.keyboard.press("Shift+Enter")
    expect(page.locator("[data-found]")).to_have_text("51 of 51")
    page.keyboard.press("Escape")
    expect(page.locator("[data-found]")).to_have_text("")
    page.locator("[data-sections]").select_option(label="Early years")
    expect(page.locator(".ev-text h2", has_text="Early years")).to_be_in_viewport()
    page.keyboard.press("t")
    expect(page.locator("#panel-article .ev-tagged")).to_be_in_viewport()


def test_a_tab_is_fetched_when_it_is_first_looked_at_and_keys_go_along(open_page, annotator):
    page = desk(open_page, annotator)
    page.locator("#tab-article").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-history")).to_be_focused()
    expect(page.locator("#panel-history")).to_be_visible()
    expect(page.locator("#panel-article")).to_be_hidden()
    expect(page.locator("#panel-history")).not_to_contain_text("loading …")


@pytest.mark.thorough
def test_divider_and_text_size_are_remembered(open_page, annotator):
    page = desk(open_page, annotator)
    divider = page.locator("#divider")
    divider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.locator("[data-extras]").click()
    page.get_by_title("Larger text").click()
    width = page.locator("#pane").evaluate("pane => pane.offsetWidth")
    page.reload()
    expect(divider).to_have_attribute("aria-valuenow", "52")
    assert abs(page.locator("#pane").evaluate("pane => pane.offsetWidth") - width) < 2
    assert page.locator(".ev-text").first.evaluate("text => getComputedStyle(text).fontSize") == "19px"


@pytest.mark.thorough
def test_on_a_narrow_screen_the_article_stands_above_and_can_be_put_away(open_page, annotator):
    page = desk(open_page, annotator, viewport={"width": 390, "height": 800})
    pane, form = page.locator("#panel-article"), page.locator("#desk-form")
    assert pane.bounding_box()["y"] < form.bounding_box()["y"]  # type: ignore[index]
    page.get_by_role("button", name="Hide the article").click()
    expect(pane).to_be_hidden()
    page.get_by_role("button", name="Show the article").click()
    expect(pane).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_time_is_counted_during_work_and_not_when_idle(open_page, annotator):
    page = open_page(annotator, clock=True)
    make_tag(article__wikitext=WIKITEXT)
    take_tag(page, annotator)
    page.keyboard.press("v")
    page.clock.run_for(30_000)
    page.keyboard.press("Shift")
    page.clock.run_for(600_000)
    expect(page.locator("#active-time")).to_have_text("1 min")
    assert sum(row.seconds for row in StepTime.objects.all()) <= 95
    assert sum(row.actions or 0 for row in StepTime.objects.all()) == 1


def test_actions_and_typed_characters_are_counted_without_being_named(open_page, annotator):
    page = open_page(annotator)
    make_tag(article__wikitext=WIKITEXT)
    take_tag(page, annotator)
    page.keyboard.press("v")
    page.keyboard.down("Shift")
    page.keyboard.up("Shift")
    page.keyboard.press("Alt+5")
    page.keyboard.type("When?")
    page.locator("#step-5 summary").first.click()
    page.keyboard.press("Control+z")
    with page.expect_request("**/time/") as sent:
        page.evaluate("dispatchEvent(new Event('pagehide'))")
    said = json.loads(sent.value.post_data or "")
    assert (sum(said["actions"].values()), sum(said["typed"].values())) == (4, 5)
    assert set(said) == {"page", "seconds", "actions", "typed"}


@pytest.mark.thorough
def test_axe_finds_nothing_with_passages_taken(open_page, annotator):
    page = desk(open_page, annotator)
    page.keyboard.press("v")
    select(page, "It opened in 1903")
    assert accessibility_errors(page) == []
    page.keyboard.press("1")
    expect(page.locator(".reference").first).to_be_attached()
    page.keyboard.press("Alt+r")
    show_found(page, "A")
    field(page, "paragraphA_information").fill("It was opened in 1903")
    assert errors_of_look(page) == []
    page.locator("#tab-talk").click()
    expect(page.locator("#panel-talk")).not_to_contain_text("loading …")
    assert errors_of_look(page) == []


LIST = (
    "'''Harbour Bridge''' crosses the river.\n\n== Spans ==\n* The northbound span has 10<sup>6</sup> rivets."
    "{{Inconsistent|date=May 2024}}\n* The southbound span is new.\n"
)


def test_the_button_takes_the_tagged_paragraph_as_a_selection_by_hand_does(open_page, annotator):
    tag = make_tag(article__wikitext=LIST)
    tag.paragraph = "* The northbound span has 10⁶ rivets.{{Inconsistent|date=May 2024}}"
    tag.paragraph_clean = "* The northbound span has 10⁶ rivets."
    tag.save()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("v")
    reads = "The northbound span has 10⁶ rivets."

    def taken() -> dict:
        expect(field(page, "paragraphA_information")).to_have_value(reads)
        expect(field(page, "paragraphA_information_standalone")).to_have_value(reads)
        expect(field(page, "paragraphA_article")).to_have_value("Harbour Bridge")
        expect(page.locator("[data-sources-of='1'] [data-source]")).to_have_text("Harbour Bridge")
        source = PassageSource.objects.values("evidence", "start", "end", "text", "kind").get()
        painted = page.evaluate("[...CSS.highlights.get('passage-1')].map(range => range.toString())")
        return source | {"painted": painted}

    page.get_by_role("button", name="Use the tagged paragraph").click()
    by_button = taken()
    assert by_button["painted"] == [reads]
    page.get_by_role("button", name="Use the tagged paragraph").click()
    expect(page.get_by_text("Passage 1 already contains this text.")).to_be_visible()
    expect(field(page, "paragraphA_information")).to_have_value(reads)
    page.get_by_role("button", name="Start over").first.click()
    expect(field(page, "paragraphA_information")).to_have_value("")
    select(page, "The northbound span has 10⁶ rivets.")
    page.keyboard.press("1")
    assert taken() == by_button


def test_raised_text_is_found_as_a_passage_writes_it(open_page, annotator):
    make_tag(article__wikitext=LIST)
    page = open_page(annotator)
    take_tag(page, annotator)
    # A wiki's own page has elements for it.
    page.locator("#panel-article .ev-text").evaluate(
        "text => { const p = document.createElement('p');"
        " p.innerHTML = 'It weighs 10<sup>7</sup> kg, x<sup>2q</sup> in all, CO<sub>2</sub> apart.';"
        " text.append(p); }"
    )
    page.locator("[data-extras]").click()
    for wanted in ("10⁷ kg", "10^7 kg", "x^2q in", "CO₂ apart", "co2 apart"):
        page.get_by_role("searchbox").fill(wanted)
        expect(page.locator("[data-found]")).to_have_text("1 of 1")


def test_a_passage_of_the_talk_page_says_so_and_offers_the_article_s_title(open_page, annotator):
    tag = make_tag(article__wikitext=WIKITEXT)
    page = open_page(annotator)
    take_tag(page, annotator)
    talk = Evidence.objects.create(
        tag=tag,
        kind="talk",
        wiki=tag.article.wiki,
        title="Talk:Harbour Bridge",
        revision_id=7,
        page=EvidencePage.of("<p>The ferry book says 1899, not 1903.</p>"),
    )
    EvidenceRequest.objects.filter(tag=tag, kind="talk").update(state="done", evidence=talk, lease_expires_at=None)
    page.reload()
    page.locator("#tab-talk").click()
    words = page.locator("#panel-talk .ev-text p")
    expect(words).to_be_visible()
    words.evaluate("words => getSelection().selectAllChildren(words)")
    page.get_by_role("button", name="Passage 2").click()
    title = field(page, "paragraphB_article")
    expect(title).to_have_value("Talk:Harbour Bridge")
    said = page.locator("[data-talk-title=B]")
    expect(said).to_contain_text("This is the talk page, not the article.")
    expect(page.locator("[data-talk-title=A]")).to_be_hidden()
    assert accessibility_errors(page) == []
    expect_saved(page)
    with page.expect_response("**/save/"):
        said.get_by_role("button").click()
    expect(title).to_have_value("Harbour Bridge")
    expect(said).to_be_hidden()
    expect(page.locator("[data-sources-of='2'] [data-source]")).to_have_text("Talk:Harbour Bridge (talk page)")
    expect_saved(page)
    page.reload()
    expect(title).to_have_value("Harbour Bridge")
