"""The next tag is there at once after submitting; what was set up for the last one is over."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation, AnnotationState, Assignment
from tests.browser.conftest import awaited, errors_of_look
from tests.browser.desk_driver import choose, expect_form, expect_saved, field, make_tag, take_tag

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(open_page, annotator) -> Page:
    for title in ("Harbour Bridge", "Lighthouse", "Old Mill"):
        make_tag(title)
    page = open_page(annotator)
    take_tag(page, annotator)
    return page


def is_ahead() -> bool:
    return Assignment.objects.filter(is_ahead=True).exists()


def write_invalid(page: Page, why: str = "Both years are the same.") -> None:
    """All that an invalid tag needs; the page of the next tag is here then."""
    choose(page, "wikitag_label_valid", "Invalid")
    with page.expect_response(lambda answer: answer.url.endswith("/ahead/")) as claimed:
        field(page, "valid_comment").fill(why)
    if claimed.value.json()["next"]:
        page.locator("#desk-form[data-next-is-ready]").wait_for(state="attached")


def submit(page: Page) -> None:
    expect_saved(page)
    page.keyboard.press("Control+Enter")


def is_same_document(page: Page) -> bool:
    return page.evaluate("window.stays === true")


def stay(page: Page) -> None:
    page.evaluate("window.stays = true")


def test_the_next_tag_is_shown_in_the_same_document_and_is_worked_on_like_the_first(page):
    stay(page)
    expect(page.get_by_text("3 remaining")).to_be_visible()
    write_invalid(page)
    submit(page)
    expect(page.get_by_text("Submitted “Harbour Bridge”. This is the next tag.")).to_be_visible()
    expect(page.get_by_text("2 remaining")).to_be_visible()
    expect(page.get_by_role("heading", name="Lighthouse")).to_be_visible()
    expect(page).to_have_title("Lighthouse · WikiContradict Workbench")
    assert is_same_document(page)
    assert awaited(lambda: not is_ahead())
    # One key does its work once, and the text goes to this tag.
    page.keyboard.press("i")
    expect(field(page, "valid_comment")).to_be_focused()
    write_invalid(page, "The light went on that year.")
    submit(page)
    expect(page.get_by_role("heading", name="Old Mill")).to_be_visible()
    assert is_same_document(page)
    submitted = Annotation.objects.filter(state=AnnotationState.SUBMITTED).order_by("pk")
    assert [each.valid_comment for each in submitted] == ["Both years are the same.", "The light went on that year."]
    assert errors_of_look(page) == []


def test_back_in_the_browser_shows_where_the_last_tag_stands(page):
    write_invalid(page)
    first = page.url
    submit(page)
    expect(page.get_by_role("heading", name="Lighthouse")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("button", name="Take it back")).to_be_visible()
    assert page.url == first
    page.go_forward()
    expect_form(page)
    expect(page.get_by_role("heading", name="Lighthouse")).to_be_visible()


def test_the_button_of_the_notice_takes_it_back(page):
    write_invalid(page)
    submit(page)
    expect(page.get_by_role("heading", name="Lighthouse")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("it is your draft again")).to_be_visible()
    expect(field(page, "valid_comment")).to_have_value("Both years are the same.")
    assert list(Annotation.objects.values_list("state", flat=True)) == [AnnotationState.DRAFT]
    assert Assignment.objects.unfinished().exclude(annotator=None).count() == 1


def test_whoever_leaves_without_submitting_hands_the_next_tag_back(page):
    write_invalid(page)
    assert awaited(is_ahead)
    expect_saved(page)
    page.goto("/annotation/work/")
    assert awaited(lambda: not is_ahead())
    assert Assignment.objects.unfinished().exclude(annotator=None).count() == 1


def test_a_page_that_is_out_of_date_is_not_shown(page):
    stay(page)
    write_invalid(page)
    # It was begun in another tab meanwhile.
    following = Annotation.objects.order_by("-pk")[0]
    Annotation.objects.filter(pk=following.pk).update(version=1)
    submit(page)
    expect(page.get_by_role("heading", name="Lighthouse")).to_be_visible()
    assert not is_same_document(page)


def test_skipping_instead_goes_on_to_what_was_claimed(page):
    write_invalid(page)
    assert awaited(is_ahead)
    page.keyboard.press("Alt+k")
    page.keyboard.type("no time")
    page.get_by_role("button", name="Skip the tag").click()
    expect(page.get_by_role("heading", name="Lighthouse")).to_be_visible()
    expect_form(page)
    assert Assignment.objects.unfinished().exclude(annotator=None).count() == 1
