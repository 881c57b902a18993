"""Suggested counterparts in the browser, and the moves that an annotation takes with them and with drafts by rule."""

import pytest
from playwright.sync_api import expect

from annotation import evidence
from annotation.models import AnnotationState, Assignment, CounterpartOffer, Tag
from annotation.samples.articles import harvest_samples
from speed.desk_actions import BRIDGES, with_actions
from speed.playing.desk import EXAMPLES, play, play_with_mouse
from tests.browser.conftest import accessibility_errors
from tests.browser.desk_driver import choose, field, make_tag, take_tag

pytestmark = pytest.mark.django_db(transaction=True)
PARAGRAPH = (
    "The northbound bridge was the first of the present ones. It opened to traffic on 9 May 1950."
    "{{Inconsistent|date=May 2023|reason=see History}} It rests on 16 piers."
)
COUNTERPART = "The northbound bridge was opened in 1948, and the old Highway Bridge was closed."


def bridges():
    tag = make_tag(
        EXAMPLES[0].title,
        article__wikitext=BRIDGES,
        section="Spans",
        reason="see History",
    )
    tag.raw = "Inconsistent|date=May 2023|reason=see History"
    tag.paragraph = PARAGRAPH
    tag.paragraph_clean = PARAGRAPH.partition("{{")[0] + PARAGRAPH.rpartition("}}")[2]
    tag.save()
    evidence.ask_for_evidence(tag=tag)
    evidence.work_off(tag.pk)
    return tag


@pytest.fixture
def desk(open_page, annotator):
    bridges()
    page = open_page(annotator)
    take_tag(page, annotator)
    return page


def test_they_are_listed_under_step_2_and_walked_through_with_arrows(desk):
    choose(desk, "wikitag_label_valid", "Valid")
    lines = desk.locator("[data-counterpart]")
    expect(lines.first).to_contain_text(COUNTERPART)
    expect(lines.first).to_contain_text("9 May 1950 ≠ 1948, other date · History")
    expect(field(desk, "paragraphB_information")).to_have_value("")
    lines.first.focus()
    desk.keyboard.press("ArrowDown")
    expect(lines.nth(1 % lines.count())).to_be_focused()
    desk.keyboard.press("ArrowUp")
    expect(lines.first).to_be_focused()


def test_a_key_takes_the_best_and_ctrl_z_takes_it_back(desk):
    choose(desk, "wikitag_label_valid", "Valid")
    expect(desk.locator("[data-counterpart]").first).to_be_visible()
    desk.keyboard.press("Alt+b")
    expect(field(desk, "paragraphB_information")).to_have_value(COUNTERPART)
    expect(desk.locator("[data-counterparts]")).to_be_hidden()
    desk.wait_for_timeout(300)
    offer = CounterpartOffer.objects.get()
    assert (offer.taken, offer.taken_with) == (0, "key")
    desk.locator("#panel-article").focus()
    desk.keyboard.press("Control+z")
    expect(field(desk, "paragraphB_information")).to_have_value("")
    expect(desk.locator("[data-counterparts]")).to_be_visible()
    assert CounterpartOffer.objects.get().taken is None


def test_one_that_was_cleared_and_brought_back_counts_as_taken(desk):
    choose(desk, "wikitag_label_valid", "Valid")
    expect(desk.locator("[data-counterpart]").first).to_be_visible()
    desk.keyboard.press("Alt+b")
    desk.locator("[data-clears='2']").click()
    expect(field(desk, "paragraphB_information")).to_have_value("")
    assert CounterpartOffer.objects.get().taken is None
    with desk.expect_response(lambda answer: answer.url.endswith("/counterparts/take/")):
        desk.get_by_role("button", name="Undo").click()
    assert CounterpartOffer.objects.get().taken == 0


def test_ctrl_z_undoes_what_was_done_last(desk):
    choose(desk, "wikitag_label_valid", "Valid")
    expect(desk.locator("[data-counterpart]").first).to_be_visible()
    desk.keyboard.press("Alt+u")
    expect(field(desk, "paragraphA_information")).not_to_have_value("")
    desk.keyboard.press("Alt+b")
    expect(field(desk, "question1_answer2")).to_have_attribute("placeholder", "1948")
    desk.keyboard.press("Alt+e")
    expect(field(desk, "question1_answer2")).to_have_value("1948")
    desk.keyboard.press("Alt+2")
    desk.locator("[data-clears='2']").click()
    expect(field(desk, "paragraphB_information")).to_have_value("")
    desk.keyboard.press("Control+z")
    expect(field(desk, "paragraphB_information")).to_have_value(COUNTERPART)
    expect(field(desk, "question1_answer2")).to_have_value("1948")


def test_a_digit_chooses_where_the_cursor_is_at_choices(desk):
    """Text that is still selected in the article does not become a passage then."""
    choose(desk, "wikitag_label_valid", "Valid")
    desk.keyboard.press("Alt+a")
    desk.keyboard.press("ArrowRight")
    expect(desk.locator("#pick")).to_be_visible()
    desk.keyboard.press("Alt+6")
    desk.keyboard.press("2")
    expect(desk.locator("[name=confidence][value='2']")).to_be_checked()
    desk.wait_for_timeout(300)
    expect(field(desk, "paragraphB_information")).to_have_value("")


@pytest.fixture(params=EXAMPLES[:3], ids=lambda example: example.title)
def example(request):
    """A worked example whose tag comes next, and no other tag."""
    if request.param is EXAMPLES[0]:
        bridges()
        return request.param
    harvest_samples()
    first = request.param.selections[0]
    tag = Tag.objects.get(article__title=request.param.title, paragraph_clean__contains=first)
    Assignment.objects.filter(tag=tag).update(priority=9)
    evidence.ask_for_evidence(tag=tag)
    evidence.work_off(tag.pk)
    return request.param


@pytest.mark.parametrize(("way", "most"), [(play, 16), (play_with_mouse, 17)])
def test_each_example_takes_few_moves(open_page, annotator, example, way, most):
    page = open_page(annotator)
    take_tag(page, annotator)
    counts = with_actions(way(page, example))
    print(example.title, way.__name__, counts)
    assert counts["actions"] <= most, counts
    assert counts["typed"] <= 80
    assert CounterpartOffer.objects.get(taken=0).annotation.state == AnnotationState.SUBMITTED


def test_the_list_is_accessible(desk):
    choose(desk, "wikitag_label_valid", "Valid")
    expect(desk.locator("[data-counterparts]")).to_be_visible()
    assert accessibility_errors(desk) == []


BANNER = """The northbound bridge was opened to traffic in 1950.

== History ==
{{Self-contradictory|section|date=May 2023}}
The last tram crossed the old bridge on 4 May 1903. It had 12 spans of oak. The first toll was 3 cents.

== Later ==
The last tram crossed the old bridge on 9 June 1904. Its 14 spans rested on piers of oak. The first toll was 4 cents.
The northbound bridge was opened to traffic in 1948.
"""
PAIR = ("The last tram crossed the old bridge on 4 May 1903.", "The last tram crossed the old bridge on 9 June 1904.")


@pytest.fixture
def banner_desk(open_page, annotator):
    tag = make_tag("Bridges", article__wikitext=BANNER, section="History", family="self-contradictory")
    tag.raw = "Self-contradictory|section|date=May 2023"
    tag.paragraph = tag.paragraph_clean = "== History =="
    tag.placement = "section banner"
    tag.save()
    evidence.ask_for_evidence(tag=tag)
    evidence.work_off(tag.pk)
    page = open_page(annotator)
    take_tag(page, annotator)
    choose(page, "wikitag_label_valid", "Valid")
    return page


def passages(page) -> tuple[str, str]:
    one, two = (field(page, f"paragraph{letter}_information").input_value() for letter in "AB")
    return one, two


def test_a_pair_is_taken_with_one_key_and_undone_with_one(banner_desk):
    pairs = banner_desk.locator("[data-pairs]")
    lines = pairs.locator("[data-counterpart]")
    expect(lines.first).to_contain_text(PAIR[0])
    expect(lines.first).to_contain_text("4 May 1903 ≠ 9 June 1904, other date · History and Later")
    banner_desk.keyboard.press("Alt+b")
    expect(field(banner_desk, "paragraphB_information")).to_have_value(PAIR[1])
    assert passages(banner_desk) == PAIR
    expect(pairs).to_be_hidden()
    banner_desk.wait_for_timeout(300)
    assert (CounterpartOffer.objects.get().taken, CounterpartOffer.objects.get().taken_with) == (0, "key")
    banner_desk.locator("#panel-article").focus()
    banner_desk.keyboard.press("Control+z")
    expect(pairs).to_be_visible()
    assert passages(banner_desk) == ("", "")
    assert CounterpartOffer.objects.get().taken is None


def test_any_pair_of_the_list_is_taken_with_keys_and_work_goes_on(banner_desk):
    lines = banner_desk.locator("[data-pairs] [data-counterpart]")
    expect(lines.nth(2)).to_be_visible()
    lines.first.focus()
    banner_desk.keyboard.press("ArrowDown")
    texts = lines.nth(1).locator(".reading-line").all_inner_texts()
    banner_desk.keyboard.press("Enter")
    expect(field(banner_desk, "paragraphB_information")).to_have_value(texts[1])
    assert passages(banner_desk) == tuple(texts)
    expect(banner_desk.get_by_role("button", name="Continue to statements")).to_be_focused()
    banner_desk.keyboard.press("Alt+b")  # nothing more is added to a passage that is there
    banner_desk.wait_for_timeout(300)
    assert passages(banner_desk) == tuple(texts)


def test_the_list_of_pairs_is_short_until_more_are_wanted_and_accessible(banner_desk):
    lines = banner_desk.locator("[data-pairs] [data-counterpart]")
    expect(lines.first).to_be_visible()
    more = banner_desk.locator("[data-more-pairs]")
    if lines.count() > 3:
        expect(lines.nth(3)).to_be_hidden()
        more.click()
        expect(lines.nth(3)).to_be_focused()
    expect(more).to_be_hidden()
    assert accessibility_errors(banner_desk) == []
