"""Text outside the form of the desk is kept like a draft: over reload, Esc, a closed tab, a failed request; for its
person and its thing alone; until the server has accepted it."""

import pytest
from django.conf import settings
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation, Comment, SuggestedEdit
from review.models import Adjudication, Judgment
from tests.annotation.reviewing.test_annotation_reviews import LIST, submit_annotation
from tests.browser.conftest import accessibility_errors, awaited, read
from tests.browser.desk_driver import field, make_tag, take_tag
from tests.factories import AnnotationFactory
from tests.factories.review import make_imported_run, make_round

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
TYPED = "Are these two bridges? r a x 1"


def is_kept(text: Locator, value: str = TYPED) -> None:
    """It stands there again, and the page says so."""
    expect(text).to_have_value(value)
    expect(text.page.locator("p.kept:visible").first).to_contain_text("Not sent yet: this browser kept your text")


def nothing_is_kept(page: Page, but: str = "-") -> None:
    """The script of the page that came then has seen that the server accepted it; what names `but` may stay."""
    assert awaited(
        lambda: (
            not page.evaluate(
                "but => Object.keys(localStorage).some((key) => key.startsWith('kept:') && !key.includes(but))", but
            )
        )
    )


@pytest.fixture
def submitted(annotator) -> Annotation:
    return submit_annotation(annotator)


@pytest.mark.parametrize(("button", "name"), [("Return…", "message"), ("Exclude…", "reason")])
def test_a_reviewers_message_outlives_escape_reload_and_a_closed_tab_and_goes_when_it_is_sent(
    open_page, submitted, reviewer, button, name
):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    context, address = page.context, page.url
    text = page.locator(f"dialog[open] [name={name}]")
    page.get_by_role("button", name=button).click()
    page.keyboard.type(TYPED)
    page.keyboard.press("Escape")
    page.reload()
    page.get_by_role("button", name=button).click()
    is_kept(text)
    assert accessibility_errors(page) == []
    page.close()
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name=button).click()
    text = page.locator(f"dialog[open] [name={name}]")
    is_kept(text)
    # A request that fails keeps it.
    context.set_offline(True)
    page.locator("dialog[open] button[type=submit]").click()
    page.wait_for_url("chrome-error://**")
    context.set_offline(False)
    page.goto(address)
    page.get_by_role("button", name=button).click()
    is_kept(text)
    page.locator("dialog[open] button[type=submit]").click()
    expect(page.get_by_text("Nothing is waiting.")).to_be_visible()
    assert Annotation.objects.get().review_message == TYPED
    nothing_is_kept(page)


def test_a_refused_message_is_kept(open_page, submitted, reviewer):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    address = page.url
    page.keyboard.press("r")
    page.keyboard.insert_text(TYPED)
    Annotation.objects.filter(pk=submitted.pk).update(version=submitted.version + 1)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Read it again; nothing was changed")).to_be_visible()
    page.goto(address)
    page.keyboard.press("r")
    is_kept(page.locator("dialog[open] [name=message]"))


def test_another_person_in_the_same_browser_sees_nothing_of_it(
    open_page, submitted, reviewer, other_reviewer, sign_in, live_server
):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    page.keyboard.press("r")
    page.keyboard.insert_text(TYPED)

    def signed_in_as(person) -> None:
        session = sign_in(person).cookies[settings.SESSION_COOKIE_NAME].value
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
        page.reload()
        page.keyboard.press("r")

    signed_in_as(other_reviewer)
    expect(page.locator("dialog[open] [name=message]")).to_have_value("")
    signed_in_as(reviewer)
    is_kept(page.locator("dialog[open] [name=message]"))


def test_another_annotation_gets_nothing_of_it(open_page, annotator, reviewer):
    first, second = submit_annotation(annotator), submit_annotation(annotator)
    page = open_page(reviewer, f"{LIST}{first.pk}/")
    page.keyboard.press("r")
    page.keyboard.insert_text(TYPED)
    page.goto(f"{LIST}{second.pk}/")
    page.keyboard.press("r")
    expect(page.locator("dialog[open] [name=message]")).to_have_value("")


def test_a_suggested_edit_is_kept_with_its_reason_until_it_is_suggested(open_page, submitted, reviewer):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    fold = page.locator("#edits-f-paragraphA_information .suggest")
    fold.locator("summary").click()
    fold.locator("textarea").fill(TYPED)
    fold.locator("[name=reason]").fill("Shorter.")
    page.reload()
    is_kept(fold.locator("textarea"))  # in sight, without a click
    is_kept(fold.locator("[name=reason]"), "Shorter.")
    page.keyboard.press("r")  # and no text box that the person has opened
    expect(page.locator("dialog[open]")).to_have_count(1)
    page.keyboard.press("Escape")
    fold.get_by_role("button", name="Suggest").click()
    expect(page.locator(".edit")).to_contain_text("suggested: Shorter.")
    assert SuggestedEdit.objects.get().text == TYPED
    nothing_is_kept(page)


def test_kept_text_can_be_discarded(open_page, submitted, reviewer):
    page = open_page(reviewer, f"{LIST}{submitted.pk}/")
    page.keyboard.press("r")
    page.keyboard.insert_text(TYPED)
    page.reload()
    page.keyboard.press("r")
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator("dialog[open] [name=message]")).to_have_value("")
    nothing_is_kept(page)


@pytest.mark.parametrize(("link", "name"), [("Ask", "text"), ("Skip", "reason"), ("Flag", "reason")])
def test_on_the_desk_a_question_and_reasons_are_kept(open_page, annotator, link, name):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    foot = page.locator(".desk-foot").get_by_role("button", name=link, exact=True)
    text = page.locator(f"dialog[open] textarea[name={name}]")
    foot.click()
    page.keyboard.insert_text(TYPED)
    page.keyboard.press("Escape")
    page.reload()
    foot.click()
    is_kept(text)
    page.locator("dialog[open] button[type=submit]").click()
    expect(page.get_by_role("status").filter(has_text="Harbour Bridge")).to_be_visible()
    nothing_is_kept(page)


def test_a_comment_on_a_field_is_kept_apart_from_that_on_another(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    text = page.get_by_label("Write a comment")
    field(page, "valid_comment").focus()
    page.keyboard.press("Alt+c")
    expect(text).to_be_focused()
    page.keyboard.insert_text(TYPED)
    page.keyboard.press("Escape")
    page.reload()
    field(page, "valid_comment").focus()
    page.keyboard.press("Alt+c")
    is_kept(text)
    expect(text).to_be_focused()  # Escape closes what has the focus
    page.keyboard.press("Escape")
    page.locator("#comment-whole a").click()
    expect(text).to_have_value("")
    page.keyboard.press("Escape")
    field(page, "valid_comment").focus()
    page.keyboard.press("Alt+c")
    is_kept(text)
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator(".thread")).to_contain_text("Are these two bridges?")
    assert Comment.objects.get().text == TYPED
    nothing_is_kept(page)


def test_a_comment_that_was_refused_is_kept(open_page, annotator, reviewer):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("Alt+c")
    text = page.get_by_label("Write a comment")
    text.fill("What now, @nobody?")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="is not someone who can see")).to_be_visible()
    page.reload()
    page.keyboard.press("Alt+c")
    is_kept(text, "What now, @nobody?")


@pytest.mark.parametrize(("fold", "key"), [(".judge-comment", "c"), (".judge-cannot", "x")])
def test_on_the_judging_page_comment_and_reason_are_kept(open_page, admin, reviewer, other_reviewer, fold, key):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(2, models=("Mist",)))
    page = open_page(reviewer, "/review/judge/", clock=True)
    text = page.locator(f"#judge-item {fold} :is(textarea, input[name=cannot_judge])")
    page.keyboard.press(key)
    page.keyboard.insert_text(TYPED)
    page.reload()
    is_kept(text)
    page.locator("#judge-item .judge-question").click()
    read(page)
    if key == "c":
        page.keyboard.press("1")
    else:
        page.get_by_role("button", name="Send to an adjudicator").click()
    expect(page.get_by_text("1 of 2")).to_be_visible()
    given = Judgment.objects.given().get()
    assert TYPED in (given.comment, given.cannot_judge)
    nothing_is_kept(page)
    expect(text).to_have_value("")


def test_the_reason_of_an_adjudication_is_kept(open_page, admin, reviewer, other_reviewer, adjudicator):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)), undo_minutes=0)
    for person, key in ((reviewer, "1"), (other_reviewer, "3")):
        judged = open_page(person, f"/review/judge/{round.key}/", clock=True)
        read(judged)
        judged.keyboard.press(key)
        expect(judged.get_by_text("Nothing left to judge")).to_be_visible()
    page = open_page(adjudicator, "/review/adjudicate/?next")
    page.locator("#reason").fill(TYPED)
    page.get_by_role("button", name="Set the instance aside").click()
    page.keyboard.type("ambiguous")
    page.reload()
    is_kept(page.locator("#reason"))
    page.get_by_role("button", name="Set the instance aside").click()
    is_kept(page.locator("dialog[open] textarea"), "ambiguous")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.keyboard.press("1")
    expect(page.locator("[name=verdict][value=correct]")).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").filter(has_text="correct")).to_be_visible()
    assert Adjudication.objects.get().reason == TYPED
    nothing_is_kept(page, but="aside")


def test_a_message_form_of_an_admin_is_kept(open_page, admin):
    AnnotationFactory()  # without one there is nothing to freeze
    page = open_page(admin, "/annotation/releases/")
    notes = page.locator("main form[method=post] textarea").first
    expect(notes).to_be_attached()
    notes.fill(TYPED)
    page.reload()
    is_kept(notes)


def test_an_address_and_a_name_in_one_line_are_kept_until_they_are_sent(open_page, admin):
    page = open_page(admin, "/people/")
    email = page.get_by_label("Email address")
    email.fill("bo@example.org")
    page.reload()
    is_kept(email, "bo@example.org")
    page.get_by_label("Reviewer: reviews").check()
    page.get_by_role("button", name="Create link").click()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("row", name="bo@example.org")).to_be_visible()
    nothing_is_kept(page)
    expect(email).to_have_value("")


def test_a_password_is_not_kept(open_page, annotator):
    page = open_page(annotator, "/account/password/change/")
    password = page.locator("input[type=password]").first
    password.fill("five green bridges")
    page.reload()
    expect(password).to_have_value("")
    nothing_is_kept(page)
