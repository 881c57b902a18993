"""The six steps in a real browser: with the mouse, with keys alone, without script; problems, skip, flag, my work."""

import pytest
from playwright.sync_api import Page, expect

from annotation.content.rows import content_of
from annotation.desk.decisions import return_annotation
from annotation.models import Annotation, AnnotationState, Skip, Tag
from tests.annotation.desk_helpers import submit
from tests.browser.conftest import errors_of_look
from tests.browser.desk_driver import (
    EXAMPLE,
    choose,
    expect_form,
    expect_saved,
    field,
    make_tag,
    play_with_keys,
    play_with_mouse,
    show_found,
    take_tag,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_six_steps_with_the_mouse(open_page, annotator):
    make_tag()
    make_tag("River Ferry")
    page = open_page(annotator, "/", reduced_motion="no-preference")
    page.get_by_role("navigation").get_by_role("link", name="Annotate").click()
    page.get_by_role("button", name="Next tag").click()
    expect_form(page)
    play_with_mouse(page)
    first = Annotation.objects.get()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Submitted “Harbour Bridge”. This is the next tag.")).to_be_visible()
    expect(page.get_by_role("heading", name="River Ferry")).to_be_visible()
    first.refresh_from_db()
    assert first.state == AnnotationState.SUBMITTED
    stored = content_of(first)
    assert {name: stored[name] for name in EXAMPLE} == EXAMPLE
    # The stand-alone version started as the passage.
    assert stored["paragraphA_information_standalone"] == EXAMPLE["paragraphA_information"]
    assert stored["paragraphB_information_standalone"] == EXAMPLE["paragraphB_information"]
    assert (stored["Contradict type I"], stored["Contradict type IV"], stored["confidence"]) == (
        ["DATE"],
        ["IMP"],
        "5",
    )


def test_the_six_steps_with_keys_alone(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    first = take_tag(page, annotator)
    keys = play_with_keys(page)
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    first.refresh_from_db()
    assert first.state == AnnotationState.SUBMITTED
    stored = content_of(first)
    assert {name: stored[name] for name in EXAMPLE} == EXAMPLE
    assert keys <= 25


def test_from_sign_in_to_submit_with_the_keyboard_alone(open_page, annotator):
    """Both passages are selected in the article, sentence by sentence: no caret browsing, nothing typed for them."""
    make_tag()
    page = open_page(None, "/")
    keys = page.keyboard
    expect(page.locator("[name=login]")).to_be_focused()
    keys.type(annotator.username)
    keys.press("Tab")
    keys.type(annotator.username)
    keys.press("Enter")
    expect(page.get_by_role("button", name="Next tag")).to_be_visible()
    # Past the navigation to what the first page is there for.
    keys.press("Tab")
    keys.press("Enter")
    keys.press("Tab")
    expect(page.get_by_role("button", name="Next tag")).to_be_focused()
    keys.press("Enter")
    expect_form(page)
    for key in ("v", "Alt+a", "ArrowRight", "ArrowRight", "1"):
        keys.press(key)
    expect(field(page, "paragraphA_information")).to_have_value("It opened in 1903.")
    for key in ("ArrowRight", "2"):
        keys.press(key)
    expect(field(page, "paragraphB_information")).to_have_value("It is 300 m long.")
    keys.press("Alt+3")
    for name, words in (("A", "it opened"), ("A_Span", "1903"), ("B", "it is long"), ("B_Span", "300 m")):
        expect(field(page, f"relevantInfo_comment_{name}")).to_be_focused()
        keys.type(words)
        if name != "B_Span":
            keys.press("Tab")
    for key in ("Alt+4", "Space", *("Alt+ArrowDown", "Space") * 2, "Alt+ArrowDown", "ArrowDown", "Alt+5"):
        keys.press(key)
    for words in ("Is it long?", "No", "Yes"):
        keys.type(words)
        keys.press("Tab")
    for key in ("Alt+6", "5", "Control+Enter"):
        keys.press(key)
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    annotation = Annotation.objects.get()
    assert annotation.state == AnnotationState.SUBMITTED
    sources = annotation.passages.order_by("position").values_list("position", "sources__text")
    assert list(sources) == [(1, "It opened in 1903."), (2, "It is 300 m long.")]


def test_an_invalid_tag_is_done_after_step_1(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    first = take_tag(page, annotator)
    page.keyboard.press("i")
    expect(page.locator("#step-2")).to_be_hidden()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#f-valid_comment")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#f-valid_comment")).to_be_focused()
    page.keyboard.insert_text("Both give the same year by now.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    first.refresh_from_db()
    assert (first.state, first.validity) == (AnnotationState.SUBMITTED, "Invalid")


def test_every_problem_is_listed_and_marked_at_its_field(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    play_with_mouse(page)
    field(page, "relevantInfo_comment_A_Span").evaluate("field => { field.value = 'opened in 1904'; }")
    page.get_by_label("Date/time").evaluate("box => { box.checked = false; }")
    page.keyboard.press("Control+Enter")
    problems = page.locator("#problems")
    expect(problems).to_be_visible()
    expect(problems.locator("li")).to_have_count(2)
    span = field(page, "relevantInfo_comment_A_Span")
    expect(span).to_be_focused()
    expect(span).to_be_in_viewport()
    expect(span).to_have_attribute("aria-invalid", "true")
    described = span.get_attribute("aria-describedby").split()[-1]
    expect(page.locator(f"#{described}")).to_contain_text("are not in passage 1")
    problems.get_by_role("link", name="Semantic Type").click()
    expect(page.get_by_label("Date/time")).to_be_focused()
    page.get_by_label("Date/time").check()
    span.fill("opened in 1903")
    expect(span).not_to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()


def test_an_origin_that_disagrees_with_the_titles_can_be_confirmed(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    first = take_tag(page, annotator)
    play_with_mouse(page)
    page.keyboard.press("Alt+4")
    page.get_by_label("Across different articles").check()
    warning = page.locator("[data-origin-check]")
    expect(warning).to_contain_text("both passages are from “Harbour Bridge”")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#f-origin_confirmed")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    first.refresh_from_db()
    assert first.origin_confirmed


def test_a_removed_question_is_put_back_with_its_text_and_the_numbers_follow(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    annotation = take_tag(page, annotator)
    page.keyboard.press("v")
    page.keyboard.press("Alt+5")
    for number in range(1, 4):
        if number > 1:
            page.keyboard.press("Alt+q")
        page.keyboard.insert_text(f"Question number {number}?")
        field(page, f"question{number}_answer1").fill(f"answer {number}")
    page.get_by_role("button", name="Remove question 2").click()
    expect(field(page, "question2")).to_have_value("Question number 3?")
    expect(field(page, "question2_answer1")).to_have_value("answer 3")
    expect(field(page, "question3")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(field(page, "question2")).to_have_value("Question number 2?")
    expect(field(page, "question3")).to_have_value("Question number 3?")
    for _ in range(7):
        page.get_by_role("button", name="Add a question").click()
    expect(page.get_by_role("button", name="Add a question")).to_be_disabled()
    field(page, "question10").fill("The tenth?")
    field(page, "question10").blur()
    expect_saved(page)
    page.reload()
    expect(field(page, "question10")).to_have_value("The tenth?")
    assert content_of(Annotation.objects.get(pk=annotation.pk))["question2_answer1"] == "answer 2"


def test_the_same_passage_asks_for_one_text_and_restores_the_other(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("v")
    field(page, "paragraphB_information_standalone").fill("another passage")
    choose(page, "wikitag_label_samepassage", "Same")
    expect(field(page, "paragraphB_information_standalone")).to_be_hidden()
    choose(page, "wikitag_label_samepassage", "Different")
    expect(field(page, "paragraphB_information")).to_have_value("another passage")


def test_a_stand_alone_version_follows_its_passage_until_it_is_changed(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("v")
    passage, standalone = field(page, "paragraphB_information"), field(page, "paragraphB_information_standalone")
    standalone.fill("It opened once.")
    expect(passage).to_have_value("It opened once.")
    show_found(page, "B")
    passage.fill("It opened.")
    passage.blur()
    expect(standalone).to_have_value("It opened.")
    passage.fill("It opened in 1899.")
    passage.blur()
    expect(standalone).to_have_value("It opened in 1899.")
    standalone.fill("The bridge opened in 1899.")
    passage.fill("It opened in May 1899.")
    passage.blur()
    expect(standalone).to_have_value("The bridge opened in 1899.")


def test_one_key_goes_back_to_what_was_found_and_forth_again(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("v")
    page.keyboard.press("Alt+u")
    text, found = field(page, "paragraphA_information_standalone"), field(page, "paragraphA_information")
    original = EXAMPLE["paragraphA_information"]
    expect(text).to_have_value(original)
    own = original.replace("It opened", "The bridge opened")
    text.fill(own)
    page.keyboard.press("Alt+o")
    expect(text).to_have_value(original)
    expect(page.locator("[data-text-said=A]")).to_contain_text("The text as found")
    page.keyboard.press("Alt+o")
    expect(text).to_have_value(own)
    page.keyboard.press("Control+z")
    expect(text).to_have_value(original)
    expect(found).to_have_value(original)
    # Words of the text that is edited can become the span, without going to step 3 first.
    text.evaluate("text => text.setSelectionRange(text.value.indexOf('opened'), text.value.indexOf('1903') + 4)")
    page.keyboard.press("Alt+m")
    expect(field(page, "relevantInfo_comment_A_Span")).to_have_value("opened in 1903")
    expect(field(page, "relevantInfo_comment_A")).to_be_focused()
    expect(page.locator("[data-passage-view=A]")).to_be_hidden()  # the passage is on the page already


def test_a_selected_piece_of_the_passage_becomes_its_span(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("v")
    field(page, "paragraphA_information_standalone").fill("It opened in 1903.")
    page.keyboard.press("Alt+3")
    page.locator("[data-passage-view=A]").evaluate(
        "view => getSelection().setBaseAndExtent(view.firstChild, 3, view.firstChild, 17)"
    )
    page.keyboard.press("Alt+m")
    expect(field(page, "relevantInfo_comment_A_Span")).to_have_value("opened in 1903")
    expect(page.locator("[data-passage-view=A] mark.span")).to_have_text("opened in 1903")


PASTED = """<html><body><p>About 10<sup>6</sup>
cells, CO<sub>2</sub>,<sup class="reference">[1]</sup> x<sup>2q</sup>, the 19<sup>th</sup> century,
<span><sup>14</sup><br><sub>6</sub></span>C.</p><p>5 km<sup>−2</sup><script>alert(1)</script></p></body></html>"""


def paste(page: Page, name: str, markup: str) -> None:
    field(page, name).focus()
    page.evaluate(
        """markup => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/html", markup);
            const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
            document.activeElement.dispatchEvent(event);
        }""",
        markup,
    )


def test_what_is_pasted_keeps_what_is_raised_and_lowered(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    choose(page, "wikitag_label_valid", "Valid")
    paste(page, "paragraphB_information_standalone", PASTED)
    expect(field(page, "paragraphB_information")).to_have_value(
        "About 10⁶ cells, CO₂,[1] x^2q, the 19th century, ¹⁴₆C.\n5 km⁻²"
    )
    page.keyboard.press("Control+z")
    expect(field(page, "paragraphB_information")).to_have_value("")
    expect(field(page, "paragraphB_information_standalone")).to_have_value("")


def test_letters_are_text_while_one_types(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    comment = field(page, "valid_comment")
    comment.focus()
    page.keyboard.type("vivid? 12345 I say")
    expect(comment).to_have_value("vivid? 12345 I say")
    expect(page.locator("[name=wikitag_label_valid]:checked")).to_have_count(0)
    expect(page.locator("#keys-dialog")).to_be_hidden()


def test_the_keys_are_told_on_one_key(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("?")
    expect(page.locator("#keys-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys-dialog")).to_be_hidden()


@pytest.mark.thorough
def test_folded_steps_tell_what_was_decided(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    play_with_mouse(page)
    said = [page.locator(f"#step-{n} [data-said]") for n in range(1, 7)]
    expect(said[0]).to_have_text("Valid")
    expect(said[1]).to_have_text("15 + 7 words")
    expect(said[3]).to_have_text("Date/time · Text - Text · Within the same article · Implicit")
    expect(said[4]).to_contain_text("1 question: Was the Harbour Bridge")
    expect(page.locator("#step-2")).not_to_have_attribute("open", "")
    page.locator("#step-2 > summary").click()
    expect(field(page, "paragraphA_information_standalone")).to_be_visible()
    expect(field(page, "paragraphA_information")).to_be_hidden()


def test_skip_with_a_reason_brings_the_next_tag(open_page, annotator):
    make_tag()
    make_tag("River Ferry")
    page = open_page(annotator)
    annotation = take_tag(page, annotator)
    field(page, "valid_comment").fill("too hard for me")
    page.keyboard.press("Alt+k")
    page.keyboard.type("not my field")
    page.get_by_role("button", name="Skip the tag").click()
    expect(page.get_by_role("heading", name="River Ferry")).to_be_visible()
    expect(page.get_by_text("Skipped “Harbour Bridge”.")).to_be_visible()
    annotation.refresh_from_db()
    assert content_of(annotation)["valid_comment"] == "too hard for me"
    assert Skip.objects.get().reason == "not my field"


def test_flag_with_a_reason_puts_the_tag_aside(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.get_by_role("button", name="Flag").click()
    page.get_by_label("What should the admin look at?").fill("two tags in one")
    page.get_by_role("button", name="Flag the tag").click()
    expect(page.get_by_text("There is no tag for you right now.")).to_be_visible()
    expect(page.get_by_text("1 is flagged and waiting for an admin.")).to_be_visible()
    assert Tag.objects.get().flag_reason == "two tags in one"


def test_a_returned_annotation_shows_its_message_on_top_and_is_submitted_again(open_page, annotator, reviewer):
    make_tag()
    page = open_page(annotator)
    annotation = take_tag(page, annotator)
    submit(annotation)
    return_annotation(annotation=annotation, reviewer=reviewer, message="Passage 2 says too much.")
    page.goto("/annotation/work/")
    page.get_by_role("link", name="Harbour Bridge").click()
    expect(page.locator("#returned")).to_contain_text("Passage 2 says too much.")
    page.locator("#step-6 > summary").click()
    choose(page, "confidence", "4")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    annotation.refresh_from_db()
    assert (annotation.state, annotation.confidence) == (AnnotationState.SUBMITTED, 4)


def test_my_work_takes_back_what_nobody_has_looked_at(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    annotation = take_tag(page, annotator)
    submit(annotation)
    page.goto("/annotation/work/")
    page.get_by_role("link", name="Waiting for review 1").click()
    page.get_by_role("button", name="Take it back").click()
    expect(field(page, "question1")).to_have_value("Was the Harbour Bridge in use in 1900?")
    annotation.refresh_from_db()
    assert annotation.state == AnnotationState.DRAFT


def test_it_works_without_script(open_page, annotator):
    make_tag()
    page = open_page(annotator, "/annotation/desk/", java_script_enabled=False)
    page.get_by_role("button", name="Next tag").click()
    choose(page, "wikitag_label_valid", "Valid")
    for number in range(2, 7):
        page.locator(f"#step-{number} > summary").click()
    for name, text in EXAMPLE.items():
        field(page, name).fill(text)
    page.get_by_role("button", name="Add a question").click()
    expect(field(page, "question2")).to_be_attached()
    expect(field(page, "question1")).to_have_value(EXAMPLE["question1"])
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problems li")).to_have_count(5)
    for name, value in (("I", "DATE"), ("II", "TT"), ("III", "SAME"), ("IV", "IMP")):
        choose(page, f"Contradict type {name}", value)
    choose(page, "confidence", "5")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    assert Annotation.objects.get().state == AnnotationState.SUBMITTED


@pytest.mark.thorough
def test_axe_finds_nothing_on_the_desk(open_page, annotator):
    make_tag()
    page = open_page(annotator, "/annotation/desk/")
    assert errors_of_look(page) == []
    take_tag(page, annotator)
    page.keyboard.press("v")
    page.keyboard.press("Alt+u")
    for step in page.locator("details.step").all():
        step.evaluate("step => { step.open = true; }")
    assert errors_of_look(page) == []
    page.keyboard.press("Control+Enter")
    expect(page.locator("#problems")).to_be_visible()
    assert errors_of_look(page) == []
    page.goto("/annotation/work/")
    assert errors_of_look(page) == []
