"""Suggestions by a model in a real browser: with the key, shown as changes, used or left, marked until edited."""

import pytest
from playwright.sync_api import expect

from annotation.models import ModelSuggestion
from core.models import Project
from tests.browser.conftest import accessibility_errors
from tests.browser.desk_driver import choose, expect_saved, field, make_tag, play_with_mouse, take_tag
from tests.factories.judging import make_model, work
from tests.servers.llm_server import LlmServer

pytestmark = pytest.mark.django_db(transaction=True)
STANDALONE = "The Harbour Bridge crosses the Velm. It opened in 1903. It is 300 m long."
QUESTION = '{"question": "When did it open?", "answer1": "In 1903", "answer2": "By 1899"}'


@pytest.mark.thorough
def test_a_suggestion_is_asked_for_with_a_key_shown_as_changes_and_put_in_by_hand_only(
    open_page, annotator, settings, tmp_path, monkeypatch
):
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr("judging.tasks.pump_calls", lambda: None)
    make_tag()
    with LlmServer(answer=lambda asked: QUESTION if "answer1" in str(asked) else STANDALONE) as server:
        make_model(server.base_url, name="Small model")
        Project.get()
        Project.objects.update(suggestion_model="Small model")
        page = open_page(annotator)
        take_tag(page, annotator)
        choose(page, "wikitag_label_valid", "Valid")
        page.get_by_role("button", name="Use the tagged paragraph").click()
        standalone = field(page, "paragraphA_information_standalone")
        expect(standalone).not_to_have_value("")
        before = standalone.input_value()
        standalone.focus()
        page.keyboard.press("Alt+d")
        expect(page.get_by_text("Asking Small model")).to_be_visible()
        work()
        offered = page.locator("[data-suggestion-target=A] [data-suggestion-offered]")
        expect(offered.locator("ins")).to_have_text("Velm")
        expect(offered.locator("del")).to_have_text("river")
        expect(standalone).to_have_value(before)
        assert accessibility_errors(page) == []
        page.keyboard.press("Alt+d")
        expect(page.get_by_role("button", name="Use it")).to_be_focused()
        page.keyboard.press("Enter")
        expect(standalone).to_have_value(STANDALONE)
        expect(standalone).to_be_focused()
        mark = page.locator("[for=f-paragraphA_information_standalone] .machine-mark")
        expect(mark).to_have_text("Suggested by Small model")
        expect_saved(page)
        page.reload()
        expect(mark).to_be_visible()
        page.keyboard.press("Alt+2")
        standalone.press("End")
        standalone.press_sequentially(" Ever since.")
        expect(mark).to_have_count(0)

        play_with_mouse(page)
        page.keyboard.press("Alt+q")
        page.get_by_role("button", name="Ask Small model for a question").nth(1).click()
        expect(page.get_by_text("Asking Small model")).to_be_visible()
        work()
        page.get_by_role("button", name="Use it").click()
        expect(field(page, "question2_answer2")).to_have_value("By 1899")
        expect(page.locator(".machine-mark")).to_have_count(3)
        page.get_by_role("button", name="Ask Small model for a question").nth(0).click()
        expect(page.get_by_text("Asking Small model")).to_be_visible()
        work()
        page.get_by_role("button", name="Decline").click()
        expect(page.locator("[data-suggestion-offered]")).to_have_count(0)
        expect(field(page, "question1_answer2")).to_have_value("Yes")
        assert [suggestion.state for suggestion in ModelSuggestion.objects.all()] == ["accepted", "accepted", "own"]
        assert len(server.calls) == 3
