"""A person signs in anew in another tab: the first press in the tab that was open before counts."""

import pytest
from playwright.sync_api import Page, expect

from core.models import User
from judging.models import LanguageModel
from review.models import Judgment
from tests.browser.conftest import awaited, read
from tests.factories.review import make_imported_run, make_round

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in_anew(page: Page, name: str) -> None:
    """In another tab. The password of everybody here is their name."""
    other = page.context.new_page()
    other.context.clear_cookies(name="sessionid")
    other.goto("/account/login/")
    other.locator("[name=login]").fill(name)
    other.locator("[name=password]").fill(name)
    other.keyboard.press("Enter")
    expect(other.get_by_role("navigation").first).to_be_visible()
    other.close()


def test_the_first_verdict_counts(open_page, admin, reviewer, other_reviewer):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(3, models=("Mist",)))
    page = open_page(reviewer, "/review/judge/", clock=True)
    sign_in_anew(page, reviewer.username)
    read(page)
    page.keyboard.press("1")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    assert Judgment.objects.given().count() == 1


def open_model(open_page, admin, **options) -> Page:
    model = LanguageModel.objects.create(name="Mist", endpoint_name="mist", base_url="http://127.0.0.1:9/v1")
    return open_page(admin, f"/judging/models/{model.pk}/", **options)


def open_import(open_page, admin, **options) -> Page:
    page = open_page(admin, "/judging/responses/import/", **options)
    file = {"name": "r.csv", "mimeType": "text/csv", "buffer": b"nothing\n1\n"}
    page.locator("input[type=file]").first.set_input_files(file)
    return page


def press_with_late_token(page: Page, button: str) -> list[int]:
    """The statuses of what one press sends while the token changes on the way."""
    statuses: list[int] = []
    page.on("response", lambda answer: statuses.append(answer.status) if answer.request.method == "POST" else None)
    page.context.clear_cookies(name="csrftoken")
    page.locator(button).first.click()
    return statuses


def test_the_first_test_call_counts(open_page, admin):
    page = open_model(open_page, admin)
    sign_in_anew(page, admin.username)
    with page.expect_response(lambda answer: answer.request.method == "POST") as sent:
        page.get_by_role("button", name="Test call").click()
    assert sent.value.status != 403


def test_the_first_plain_form_counts(open_page, admin):
    page = open_page(admin, "/account/")
    sign_in_anew(page, admin.username)
    page.locator("[name=first_name]").fill("Ada")
    page.locator("[name=first_name]").press("Enter")
    assert awaited(lambda: User.objects.get(pk=admin.pk).first_name == "Ada")


def test_the_first_import_counts(open_page, admin):
    page = open_import(open_page, admin)
    sign_in_anew(page, admin.username)
    with page.expect_response(lambda answer: answer.request.method == "POST") as sent:
        page.locator("main form button[type=submit]").first.click()
    assert sent.value.status != 403


def test_a_token_that_changes_while_the_verdict_is_on_its_way_is_no_obstacle(
    open_page, admin, reviewer, other_reviewer
):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(3, models=("Mist",)))
    page = open_page(reviewer, "/review/judge/", clock=True)
    page.context.clear_cookies(name="csrftoken")  # as a browser that cleans up does
    read(page)
    page.keyboard.press("1")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    assert Judgment.objects.given().count() == 1


def test_a_test_call_whose_token_changes_on_the_way_is_sent_once_more(open_page, admin):
    page = open_model(open_page, admin, is_new=True)
    statuses = press_with_late_token(page, "form[hx-target='#trial'] button")
    expect(page.locator("#trial")).not_to_be_empty()
    assert [status == 403 for status in statuses] == [True, False]
    expect(page.locator("#notices")).to_be_empty()


def test_an_import_whose_token_changes_on_the_way_is_sent_once_more_with_its_file(open_page, admin):
    page = open_import(open_page, admin, is_new=True)
    statuses = press_with_late_token(page, "main form button[type=submit]")
    expect(page.get_by_text("Line 2: the field “model” is missing.")).to_be_visible()
    assert [status == 403 for status in statuses] == [True, False]
