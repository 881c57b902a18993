"""Suggested edits in a real browser: a reviewer suggests with keys alone, and the annotator takes with keys alone."""

import pytest
from playwright.sync_api import Page, expect

from annotation.content.rows import content_of
from annotation.desk.decisions import return_annotation
from annotation.models import Annotation, SuggestedEdit
from tests.annotation.desk_helpers import claim, save, submit
from tests.annotation.reviewing.test_annotation_reviews import LIST
from tests.browser.conftest import accessibility_errors, errors_of_look
from tests.browser.desk_driver import expect_saved, field, make_tag

pytestmark = pytest.mark.django_db(transaction=True)
STANDALONE = "paragraphA_information_standalone"
SHORTER = "The Harbour Bridge opened in 1903."


@pytest.fixture
def submitted(annotator) -> Annotation:
    make_tag()
    annotation = claim(annotator)
    submit(annotation)
    annotation.refresh_from_db()
    return annotation


@pytest.fixture
def returned(submitted, reviewer) -> Annotation:
    """With three suggestions: for a passage, its span, and a question."""
    for name, text in ((STANDALONE, SHORTER), ("relevantInfo_comment_A_Span", "1903"), ("question1", "Was it open?")):
        SuggestedEdit.objects.create(
            annotation=submitted,
            field=name,
            before=content_of(submitted)[name],
            text=text,
            reason="Shorter.",
            suggested_by=reviewer,
        )
    return_annotation(annotation=submitted, reviewer=reviewer, message="See the fields.")
    submitted.refresh_from_db()
    return submitted


def states() -> list[str]:
    return list(SuggestedEdit.objects.order_by("pk").values_list("state", flat=True))


def edit_at(page: Page, name: str):
    return page.locator(".field", has=field(page, name)).locator("[data-edit]")


def test_a_reviewer_suggests_with_keys_and_returns(open_page, submitted, reviewer):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    page.keyboard.press("Alt+2")
    page.keyboard.press("s")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    expect(page.get_by_label("Passage 1, stand-alone")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(SHORTER)
    page.keyboard.press("Tab")
    page.keyboard.insert_text("Applause is beside the point.")
    page.keyboard.press("Enter")
    expect(page.locator(".edit")).to_contain_text("rita suggested: Applause is beside the point. Open")
    assert accessibility_errors(page) == []
    page.keyboard.press("r")
    expect(page.get_by_role("dialog")).to_contain_text("1 suggested edit goes with it")
    page.keyboard.type("A little shorter.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Nothing is waiting.")).to_be_visible()
    edit = SuggestedEdit.objects.get()
    assert (edit.text, edit.reason, edit.state) == (SHORTER, "Applause is beside the point.", "open")


@pytest.mark.thorough
def test_what_cannot_be_suggested_says_so_and_keeps_what_was_typed(open_page, submitted, reviewer):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    save_elsewhere = Annotation.objects.filter(pk=submitted.pk)
    save_elsewhere.update(version=submitted.version + 1)
    suggest = page.locator(f"#edits-f-{STANDALONE} .suggest")
    suggest.locator("summary").click()
    suggest.locator("textarea").fill(SHORTER)
    suggest.get_by_role("button", name="Suggest").click()
    expect(page.locator("#notices")).to_contain_text("Read it again; nothing was changed")
    expect(suggest.locator("textarea")).to_have_value(SHORTER)
    assert states() == []


def test_the_annotator_takes_and_declines_with_one_key_each(open_page, returned, annotator):
    page = open_page(annotator, f"/annotation/desk/{returned.pk}/")
    expect(page.locator("#returned")).to_contain_text("3 suggested edits are shown at their fields")
    page.keyboard.press("Alt+t")
    expect(edit_at(page, STANDALONE)).to_be_focused()
    expect(field(page, STANDALONE)).not_to_have_value(SHORTER)  # the first press only goes there
    page.keyboard.press("Alt+t")
    expect(edit_at(page, "relevantInfo_comment_A_Span")).to_be_focused()
    expect(field(page, STANDALONE)).to_have_value(SHORTER)
    expect_saved(page)
    page.keyboard.press("Alt+x")
    expect(edit_at(page, "question1")).to_be_focused()
    page.keyboard.press("Alt+t")
    expect(page.locator("[data-edit]")).to_have_count(0)
    expect(field(page, "question1")).to_be_focused()
    assert states() == ["taken", "declined", "taken"]
    returned.refresh_from_db()
    content = content_of(returned)
    assert (content[STANDALONE], content["question1"]) == (SHORTER, "Was it open?")
    assert content["relevantInfo_comment_A_Span"] == "opened in 1903"


def test_the_difference_follows_what_is_typed_and_taking_can_be_undone(open_page, returned, annotator):
    page = open_page(annotator, f"/annotation/desk/{returned.pk}/")
    edit = edit_at(page, STANDALONE)
    expect(edit.locator("del")).to_have_text("to great applause")
    field(page, STANDALONE).fill("The Harbour Bridge opened in May 1903.")
    expect(edit.locator("del")).to_have_text("May")
    edit.get_by_role("button", name="Take").click()
    expect(page.get_by_text("Suggested edit taken.")).to_be_attached()
    field(page, STANDALONE).press("Control+z")
    expect(field(page, STANDALONE)).to_have_value("The Harbour Bridge opened in May 1903.")


def test_a_copy_that_is_older_than_the_draft_takes_nothing(open_page, returned, annotator):
    page = open_page(annotator, f"/annotation/desk/{returned.pk}/")
    save(returned, content_of(returned) | {STANDALONE: "From another tab."})
    edit_at(page, STANDALONE).get_by_role("button", name="Take").click()
    expect(page.get_by_role("heading", name="Two versions of this draft")).to_be_visible()
    expect(page.locator("#notices")).to_contain_text("the suggestion stays open")
    assert states() == ["open"] * 3


@pytest.mark.thorough
def test_the_suggestions_are_accessible_and_fit(open_page, returned, annotator, reviewer):
    for person, address in ((annotator, f"/annotation/desk/{returned.pk}/"), (reviewer, f"{LIST}{returned.pk}/")):
        assert errors_of_look(open_page(person, address)) == []
