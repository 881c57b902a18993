"""Typed text is safe: saved after a pause, kept while the server is away, over closed tabs and stale copies."""

import json
import os
import signal

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Browser, Dialog, Page, Route, expect

from annotation.content.rows import content_of
from annotation.models import Annotation, DraftSave
from tests.annotation.desk_helpers import save, submit
from tests.browser.desk_driver import expect_saved, field, make_tag, second_tab, take_tag

pytestmark = pytest.mark.django_db(transaction=True)


def stored_comment(annotation: Annotation) -> str:
    return content_of(Annotation.objects.get(pk=annotation.pk))["valid_comment"]


def state_is(page: Page, name: str) -> None:
    expect(page.locator("#saved-state")).to_have_attribute("data-state", name)


def processes(browser: Browser) -> set[int]:
    """The numbers of those that show pages."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return {process["id"] for process in found if process["type"] == "renderer"}


@pytest.fixture
def at_desk(open_page, annotator):
    """The page with a tag taken, and its annotation."""
    make_tag()
    page = open_page(annotator, is_new=True)  # its process ends with its last page
    return page, take_tag(page, annotator)


def test_a_pause_in_typing_saves(at_desk):
    page, annotation = at_desk
    held: list[Route] = []
    page.route("**/save/", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/save/"):
        field(page, "valid_comment").press_sequentially("typed and not left")
    state_is(page, "saving")
    held[0].continue_()
    state_is(page, "saved")
    assert stored_comment(annotation) == "typed and not left"
    page.reload()
    expect(field(page, "valid_comment")).to_have_value("typed and not left")


def test_leaving_a_field_saves_at_once(at_desk):
    page, annotation = at_desk
    with page.expect_response("**/save/"):
        field(page, "valid_comment").fill("left")
        page.keyboard.press("Tab")
    assert stored_comment(annotation) == "left"


def test_a_save_moves_neither_cursor_nor_selection(at_desk):
    page, _ = at_desk
    field(page, "valid_comment").press_sequentially("one two three")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    state_is(page, "saved")
    selected = "(field => [field.name, field.selectionStart, field.selectionEnd])(document.activeElement)"
    assert page.evaluate(selected) == ["valid_comment", 0, 1]


def test_offline_keeps_the_text_and_back_online_saves_it(at_desk):
    page, annotation = at_desk
    page.context.set_offline(True)
    field(page, "valid_comment").fill("written on the train")
    state_is(page, "offline")
    expect(page.locator("#saved-state")).to_contain_text("kept in this browser")
    assert stored_comment(annotation) == ""
    page.context.set_offline(False)
    state_is(page, "saved")
    assert stored_comment(annotation) == "written on the train"


def cut_off(page):
    """Nothing that this page sends arrives, not even what it sends while it closes, which may be after the browser
    is back online."""
    page.evaluate("() => { globalThis.fetch = () => Promise.reject(new TypeError('cut off')); }")


def test_text_of_a_tab_closed_offline_comes_back(at_desk):
    page, annotation = at_desk
    context = page.context
    cut_off(page)
    field(page, "valid_comment").fill("closed in the tunnel")
    page.close()
    page = context.new_page()
    page.goto(f"/annotation/desk/{annotation.pk}/")
    expect(field(page, "valid_comment")).to_have_value("closed in the tunnel")
    expect(page.get_by_text("had not reached the server")).to_be_visible()
    state_is(page, "saved")
    assert stored_comment(annotation) == "closed in the tunnel"
    # Text that has reached the server is no longer offered.
    page.reload()
    expect(page.get_by_text("had not reached the server")).to_have_count(0)


@pytest.mark.thorough
def test_text_of_a_killed_tab_comes_back(browser, request):
    of_others = processes(browser)
    page, annotation = request.getfixturevalue("at_desk")
    context = page.context
    context.set_offline(True)
    field(page, "valid_comment").fill("killed while writing")
    state_is(page, "offline")  # which says that this browser has kept it
    for process in processes(browser) - of_others:
        os.kill(process, signal.SIGKILL)
    page.close()
    context.set_offline(False)
    page = context.new_page()
    page.goto(f"/annotation/desk/{annotation.pk}/")
    expect(field(page, "valid_comment")).to_have_value("killed while writing")
    state_is(page, "saved")
    assert stored_comment(annotation) == "killed while writing"


def test_kept_text_can_be_declined(at_desk):
    page, annotation = at_desk
    field(page, "valid_comment").fill("first")
    field(page, "valid_comment").blur()
    expect_saved(page)
    context = page.context
    cut_off(page)
    field(page, "valid_comment").fill("second thoughts")
    page.close()
    page = context.new_page()
    page.goto(f"/annotation/desk/{annotation.pk}/")
    page.get_by_role("button", name="Use the saved version instead").click()
    expect(field(page, "valid_comment")).to_have_value("first")
    state_is(page, "saved")
    page.reload()
    expect(field(page, "valid_comment")).to_have_value("first")
    assert stored_comment(annotation) == "first"


def test_a_tab_closed_while_typing_is_saved_on_the_way_out(at_desk):
    page, annotation = at_desk
    context = page.context
    field(page, "valid_comment").press_sequentially("no time to wait")
    page.close()
    page = context.new_page()
    page.goto(f"/annotation/desk/{annotation.pk}/")
    expect(field(page, "valid_comment")).to_have_value("no time to wait")


def test_a_save_whose_answer_was_lost_is_no_conflict(at_desk):
    page, annotation = at_desk
    lost: list[str] = []

    def lose_the_first_answer(route: Route) -> None:
        if lost:
            route.continue_()
            return
        route.fetch()
        lost.append(json.loads(route.request.post_data or "")["operation"])
        route.abort()

    page.route("**/save/", lose_the_first_answer)
    field(page, "valid_comment").fill("saved once")
    field(page, "valid_comment").blur()
    state_is(page, "offline")
    state_is(page, "saved")
    assert stored_comment(annotation) == "saved once"
    assert [str(save.operation) for save in DraftSave.objects.all()] == lost


@pytest.mark.parametrize("is_stored", [True, False], ids=["stored", "in flight"])
def test_a_page_reloaded_before_its_save_was_answered_goes_on_with_the_newest_text(at_desk, is_stored):
    page, annotation = at_desk
    held: list[Route] = []

    def hold_the_first_answer(route: Route) -> None:
        if held:
            return route.continue_()
        held.append(route)
        if is_stored:
            route.fetch()
        return None

    page.route("**/save/", hold_the_first_answer)
    with page.expect_request("**/save/"):
        field(page, "valid_comment").fill("one")
        field(page, "valid_comment").blur()
    field(page, "valid_comment").fill("one and two")
    page.reload()
    expect(field(page, "valid_comment")).to_have_value("one and two")
    state_is(page, "saved")
    assert stored_comment(annotation) == "one and two"
    expect(page.locator("#conflict")).to_be_hidden()
    first = json.loads(held[0].request.post_data or "")
    saves = DraftSave.objects.order_by("version").values_list("operation", "version")
    assert [(str(saves[0][0]), saves[0][1]), saves[1][1], len(saves)] == [(first["operation"], 1), 2, 2]


@pytest.mark.thorough
def test_signed_out_while_writing_nothing_is_lost(at_desk, annotator, open_page):
    page, annotation = at_desk
    Session.objects.all().delete()
    field(page, "valid_comment").fill("written without a session")
    state_is(page, "signed-out")
    link = page.get_by_role("link", name="Sign in in a new tab")
    with page.context.expect_page() as opened:
        link.click()
    sign_in = opened.value
    sign_in.get_by_label("Password").fill("anna")
    sign_in.locator("[name=login]").fill("anna")
    sign_in.get_by_role("button", name="Sign in", exact=True).click()
    expect(sign_in.get_by_role("heading", name="My work")).to_be_visible()
    sign_in.close()
    page.bring_to_front()
    page.evaluate("dispatchEvent(new Event('focus'))")
    state_is(page, "saved")
    expect(page.get_by_text("You are signed out.")).to_have_count(0)
    assert stored_comment(annotation) == "written without a session"


def test_two_tabs_show_both_versions_and_the_person_chooses(at_desk):
    page, annotation = at_desk
    other = second_tab(page)
    field(page, "valid_comment").fill("from the first tab")
    field(page, "valid_comment").blur()
    state_is(page, "saved")
    # Its save waits, or the question that it leads to might push the next choice from below the pointer.
    held: list[Route] = []
    other.route("**/save/", lambda route: route.continue_() if held else held.append(route))
    field(other, "valid_comment").fill("from the second tab")
    with other.expect_request("**/save/"):
        other.locator("[name=wikitag_label_valid][value=Valid]").check()
    held[0].continue_()
    state_is(other, "stale")
    conflict = other.locator("#conflict")
    expect(conflict).to_contain_text("from the first tab")
    expect(conflict).to_contain_text("from the second tab")
    assert stored_comment(annotation) == "from the first tab"
    assert {save.content["valid_comment"] for save in DraftSave.objects.all()} == {
        "from the first tab",
        "from the second tab",
    }
    expect(conflict.locator("section")).to_have_count(1)  # what only one of them changed is not asked for
    conflict.locator("section").get_by_role("button", name="Keep mine").click()
    expect(conflict).to_be_hidden()
    state_is(other, "saved")
    assert stored_comment(annotation) == "from the second tab"
    assert content_of(Annotation.objects.get(pk=annotation.pk))["wikitag_label_valid"] == "Valid"


def test_the_other_version_can_be_taken(at_desk):
    page, annotation = at_desk
    save(annotation, content_of(annotation) | {"valid_comment": "from another browser"})
    field(page, "valid_comment").fill("mine")
    state_is(page, "stale")
    page.get_by_role("button", name="Take all of the other").click()
    expect(field(page, "valid_comment")).to_have_value("from another browser")
    state_is(page, "saved")
    assert stored_comment(annotation) == "from another browser"


def test_submitting_or_skipping_offline_changes_nothing_and_says_so(at_desk):
    page, annotation = at_desk
    field(page, "valid_comment").fill("Both years are the same.")
    page.locator("[name=wikitag_label_valid][value=Invalid]").check()
    page.context.set_offline(True)
    field(page, "valid_comment").fill("Both years are the same by now.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#desk-alerts")).to_contain_text("Not submitted: the server cannot be reached")
    page.keyboard.press("Alt+k")
    page.keyboard.type("no network")
    page.get_by_role("button", name="Skip the tag").click()
    expect(page.locator("#desk-alerts")).to_contain_text("Nothing was changed")
    page.context.set_offline(False)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Submitted “Harbour Bridge”.")).to_be_visible()
    assert stored_comment(annotation) == "Both years are the same by now."


def test_a_stale_form_is_not_submitted(at_desk):
    page, annotation = at_desk
    save(annotation, content_of(annotation) | {"valid_comment": "newer"})
    page.keyboard.press("Control+Enter")
    expect(page.locator("#desk-alerts")).to_contain_text("Not submitted: read these fields first")
    expect(field(page, "valid_comment")).to_have_value("newer")
    assert Annotation.objects.get(pk=annotation.pk).state == "draft"


def test_a_page_left_open_after_submitting_elsewhere_says_so(at_desk):
    page, annotation = at_desk
    submit(annotation)
    field(page, "valid_comment").fill("too late")
    state_is(page, "closed")
    expect(page.locator("#desk-alerts")).to_contain_text("cannot be changed here")
    expect(field(page, "valid_comment")).to_have_value("too late")


def test_text_that_cannot_be_stored_is_refused_and_stays_in_the_form(at_desk):
    page, annotation = at_desk
    field(page, "valid_comment").fill("x" * 200_001)
    state_is(page, "refused")
    expect(page.locator("#desk-alerts")).to_contain_text("200 kB")
    field(page, "valid_comment").fill("short")
    state_is(page, "saved")
    expect(page.locator("#desk-alerts")).not_to_contain_text("200 kB")
    assert stored_comment(annotation) == "short"


def test_leaving_asks_only_while_something_is_unsaved(at_desk):
    page, _ = at_desk
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    field(page, "valid_comment").fill("saved")
    field(page, "valid_comment").blur()
    state_is(page, "saved")
    page.goto("/annotation/work/")
    assert asked == []
    page.go_back()
    expect(field(page, "valid_comment")).to_have_value("saved")
    page.context.set_offline(True)
    field(page, "valid_comment").press_sequentially(" and more")
    with page.expect_event("close"):
        page.close(run_before_unload=True)
    assert asked == ["beforeunload"]
