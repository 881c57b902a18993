"""Annotation reviews in a real browser: with keys alone, in light and dark, wide and narrow."""

import pytest
from playwright.sync_api import Page, expect

from annotation import tasks
from annotation.content.rows import passages_of
from annotation.models import Annotation, Evidence, WatchResult
from tests.annotation.desk_helpers import complete_content, save, submit
from tests.annotation.reading.test_reading_pane import WIKITEXT, have_fetched, take
from tests.annotation.reviewing.test_annotation_review_desk import make_draft
from tests.annotation.reviewing.test_annotation_reviews import LIST, submit_annotation
from tests.browser.conftest import accessibility_errors, errors_of_look
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db(transaction=True)


def states() -> list[tuple[str, str]]:
    return list(Annotation.objects.order_by("pk").values_list("state", "review_message"))


def go_on(page: Page, annotation: Annotation) -> None:
    page.wait_for_url(f"**{LIST}{annotation.pk}/")


def test_three_decisions_with_keys_alone(open_page, annotator, reviewer):
    first, second, third = (submit_annotation(annotator) for _ in range(3))
    page = open_page(reviewer, LIST)
    page.keyboard.press("n")
    go_on(page, first)
    page.keyboard.press("a")
    go_on(page, second)
    page.locator("#notices").get_by_role("button", name="Undo").click()
    go_on(page, first)
    page.keyboard.press("a")
    go_on(page, second)
    page.keyboard.press("r")
    page.keyboard.type("Are these two bridges?")
    page.keyboard.press("Control+Enter")
    go_on(page, third)
    expect(page.locator("#notices")).to_contain_text(f"Returned: {second.tag.article.title}.")
    page.keyboard.press("x")
    page.keyboard.type("ambiguous")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is waiting.")).to_be_visible()
    assert states() == [("accepted", ""), ("returned", "Are these two bridges?"), ("excluded", "ambiguous")]


def test_a_letter_typed_in_a_message_decides_nothing(open_page, annotator, reviewer):
    annotation = submit_annotation(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.keyboard.press("r")
    page.keyboard.type("a x n r")
    expect(page.get_by_label("What should be changed?")).to_have_value("a x n r")
    assert states() == [("submitted", "")]


def test_a_dialog_that_was_closed_lets_the_next_key_through(open_page, annotator, reviewer):
    annotation = submit_annotation(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.keyboard.press("x")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.get_by_text("Nothing is waiting.")).to_be_visible()
    assert states() == [("accepted", "")]


def test_a_return_without_a_message_is_not_sent(open_page, annotator, reviewer):
    annotation = submit_annotation(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert states() == [("submitted", "")]


@pytest.mark.thorough
def test_what_was_written_while_the_session_ended_is_sent_after_signing_in(open_page, annotator, reviewer):
    annotation = submit_annotation(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.keyboard.press("r")
    page.keyboard.type("Are these two bridges?")
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in in a new tab").click()
    beside = opened.value
    beside.get_by_label("User name or email address").fill("rita")
    beside.get_by_label("Password").fill("rita")
    beside.keyboard.press("Enter")
    expect(beside.get_by_role("heading", name="Waiting for you")).to_be_visible()
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_text("Nothing is waiting.")).to_be_visible()
    assert states() == [("returned", "Are these two bridges?")]


@pytest.mark.thorough
def test_the_pages_are_accessible_and_fit(open_page, annotator, other_annotator, reviewer):
    tag = TagFactory(annotations_needed=2)
    annotation = submit_annotation(annotator, tag)
    submit_annotation(other_annotator, tag, confidence=2)
    page = open_page(reviewer)
    for address in (LIST, f"{LIST}?state=excluded", f"{LIST}{annotation.pk}/"):
        assert page.goto(address).ok, address
        assert errors_of_look(page) == []
    for key in "rx":
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert errors_of_look(page) == []
        page.keyboard.press("Escape")


LONG_ARTICLE = WIKITEXT.replace(
    "|}", "|}\n\n" + "Cars crossed it every day, says the chronicle. " * 200 + "\n\n== Later ==\n"
)
LONG_ARTICLE += "The first cars crossed it in 1899.\n\n" + "It was painted again. " * 200


@pytest.fixture
def submitted(annotator, sign_in) -> Annotation:
    """Of a long article: passage 1 was selected in it, passage 2, which stands far below, was typed."""
    draft, client = make_draft(annotator, article__wikitext=LONG_ARTICLE), sign_in(annotator)
    have_fetched(client, draft)
    take(client, draft, Evidence.objects.get(tag=draft.tag, kind="article"), "It opened in 1903.")
    content = complete_content(paragraphA_information="It opened in 1903.")
    save(draft, content)
    submit(draft, content)
    return draft


def scrolled(page: Page) -> int:
    return page.locator("#panel-article").evaluate("panel => Math.round(panel.scrollTop)")


def painted(page: Page, name: str) -> list[str]:
    return page.evaluate("name => [...(CSS.highlights.get(name) ?? [])].map(range => range.toString())", name)


def test_the_passages_are_painted_in_the_article_and_gone_to_with_a_key(open_page, submitted, reviewer):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    assert painted(page, "passage-1") == ["It opened in 1903."]
    assert painted(page, "span-1") == ["opened in 1903"]
    assert painted(page, "passage-2") == ["The first cars crossed it in 1899."]
    at_tag = scrolled(page)
    page.keyboard.press("p")
    page.keyboard.press("p")
    expect(page.locator("#panel-article")).to_be_focused()
    assert scrolled(page) > at_tag + 500
    page.keyboard.press("t")
    assert scrolled(page) == at_tag
    page.get_by_role("link", name="Harbour Bridge", exact=True).first.click()
    assert page.url.endswith(f"{LIST}{submitted.pk}/")


def test_the_desk_to_be_read_is_worked_with_keys_and_picks_nothing(open_page, submitted, reviewer):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    page.keyboard.press("Alt+5")
    expect(page.locator("#step-5 > summary")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#step-5")).not_to_have_attribute("open", "")
    expect(page.locator("#step-5 [data-said]")).to_have_text("1: Was the Harbour Bridge in use in 1900?")
    page.keyboard.press("/")
    page.keyboard.type("carts")
    expect(page.locator("[data-found]")).to_have_text("1 of 1")
    page.keyboard.press("Escape")
    page.locator(".ev-tagged").select_text()
    page.keyboard.press("1")
    expect(page.locator("#pick")).to_have_count(0)
    page.keyboard.press("r")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert passages_of(Annotation.objects.get())[0].text == "It opened in 1903."


@pytest.mark.thorough
def test_the_desk_to_be_read_is_accessible_and_fits(open_page, submitted, annotator, reviewer):
    for person, address in ((reviewer, f"{LIST}{submitted.pk}/"), (annotator, f"/annotation/desk/{submitted.pk}/")):
        assert errors_of_look(open_page(person, address)) == []


@pytest.mark.thorough
def test_looking_again_says_what_was_found_without_leaving_the_page(open_page, submitted, reviewer, monkeypatch):
    asked: list[int] = []
    monkeypatch.setattr(tasks.watch_tag, "apply_async", lambda args, **more: asked.append(args[0]))
    monkeypatch.setattr(tasks.fetch_evidence, "delay", lambda tag_id: None)
    wiki = submitted.tag.article.wiki
    type(wiki).objects.update(is_allowed=True)
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    expect(page.locator("#pane-watch")).to_contain_text("Not checked yet")
    page.locator("#pane-watch").get_by_role("button", name="Check now").click()
    expect(page.locator("#pane-watch")).to_contain_text("Checking")
    assert asked == [submitted.tag_id]
    WatchResult.objects.create(
        tag=submitted.tag, state="tag gone", message="The tag is no longer in the article.", revision_id=2000
    )
    expect(page.locator("#pane-watch")).to_contain_text("▲ Still tagged? The tag is no longer in the article.")
    expect(page.locator("#pane-watch").get_by_role("button", name="Check again")).to_be_visible()
    assert accessibility_errors(page) == []
