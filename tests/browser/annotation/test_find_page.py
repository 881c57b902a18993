"""The page Find in a browser: the form of a search follows its source, progress moves by itself, keys suffice."""

import pytest
from playwright.sync_api import expect

from annotation.models import Candidate
from core.background import doing
from core.background.works import claim_next
from core.models import BackgroundWork
from tests.annotation.finding.pages import BRIDGE
from tests.browser.conftest import errors_of_look
from tests.factories import ArticleFactory

pytestmark = pytest.mark.django_db(transaction=True)
FORM = "/annotation/candidates/search/"


def test_the_form_shows_the_fields_of_the_chosen_source_only(open_page, admin):
    ArticleFactory()
    page = open_page(admin, FORM)
    shown = {
        "Articles and documents stored here": ("Titles", "Document"),
        "A list of titles from a wiki": ("Titles", "Dump file"),
        "An XML dump file": ("Dump file", "Titles"),
        "A document in plain text": ("Document", "Dump file"),
    }
    for source, (visible, hidden) in shown.items():
        page.get_by_label(source).check()
        expect(page.get_by_label(visible, exact=True)).to_be_visible()
        expect(page.get_by_label(hidden, exact=True)).to_be_hidden()
    assert not errors_of_look(page)


def test_a_search_is_started_and_followed_with_keys(open_page, admin, monkeypatch):
    monkeypatch.setattr("core.web.files.wake_background_work", lambda: None)  # the test is the worker
    ArticleFactory(title="Tarn Bridge", wikitext=BRIDGE)
    page = open_page(admin, "/annotation/candidates/")
    page.get_by_role("link", name="Start a search").press("Enter")
    page.get_by_role("button", name="Start the search").press("Enter")
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    page.get_by_role("button", name="Cancel").focus()
    work = claim_next()
    BackgroundWork.objects.update(step="Comparing pages", done=1, of=4)
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "25")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    assert not errors_of_look(page)
    doing.do_work(work)
    page.get_by_role("button", name="Show the results").press("Enter")
    expect(page.get_by_text("opened: 1868 ≠ 4 May 1871")).to_be_visible()
    assert Candidate.objects.count() == 1
