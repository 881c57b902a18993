"""Lists and long choices in a real browser: header, ticks, a search in what is long."""

import json

import pytest
from playwright.sync_api import expect

from annotation.models import Tag
from annotation.releases.freezing import create_release
from core.models import Role
from tests.browser.conftest import errors_of_look
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory
from tests.factories.judging import make_model
from tests.factories.review import make_imported_run

pytestmark = pytest.mark.django_db(transaction=True)
TAGS = "/annotation/tags/"


@pytest.mark.thorough
def test_header_and_bar_of_a_long_list_stay_in_sight(open_page, admin):
    for _ in range(25):
        TagFactory()
    page = open_page(admin, TAGS)
    expect(page.get_by_label("Actions for the selection")).to_be_hidden()
    expect(page.locator(".scroll-x.fits")).to_have_count(1)
    for _ in range(20):
        page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("1 selected")).to_be_in_viewport()
    expect(page.get_by_label("Actions for the selection")).to_be_in_viewport()
    expect(page.get_by_role("columnheader", name="Article")).to_be_in_viewport()
    expect(page.locator(".at-cursor a")).to_be_in_viewport()
    page.get_by_label("Select all tags on this page").check()
    expect(page.get_by_text("25 selected")).to_be_visible()
    assert errors_of_look(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.querySelector('.scroll-x').scrollWidth <= innerWidth")
    assert page.locator("[data-row] td[data-column=State]").count() == 25


def test_a_long_choice_of_people_is_searched(open_page, admin):
    TagFactory()
    for number in range(10):
        make_person(f"writer-{number}", Role.ANNOTATOR)
    page = open_page(admin, TAGS)
    page.get_by_role("checkbox", name="Select ").nth(1).check()
    page.get_by_label("Actions for the selection").select_option("assign")
    search = page.get_by_role("searchbox", name="Search: Person")
    search.fill("ter-7")
    search.press("Enter")
    expect(page.get_by_label("Person", exact=True)).to_be_focused()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Done for 1 tag.")).to_be_visible()
    assert Tag.objects.get().assignments.get().annotator.username == "writer-7"


def test_many_models_are_searched_and_what_is_ticked_stays(open_page, admin, released):
    for number in range(12):
        make_model(name=f"Model {number:02}")
    page = open_page(admin, "/judging/runs/new/")
    search = page.get_by_role("searchbox", name="Search: Models")
    search.fill("model 07")
    search.press("Enter")
    expect(page.get_by_role("checkbox", name="Model 07")).to_be_checked()
    search.fill("model 03")
    expect(page.get_by_role("checkbox", name="Model 03")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Model 07")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Model 05")).to_be_hidden()
    assert errors_of_look(page) == []


def test_responses_are_ticked_with_keys_and_dealt_in_a_round(open_page, admin, reviewer, other_reviewer):
    make_imported_run(3)
    page = open_page(admin, "/judging/responses/")
    assert errors_of_look(page) == []
    for key in "jxjjx":
        page.keyboard.press(key)
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    assert errors_of_look(page) == []
    page.get_by_role("button", name="Begin a round").click()
    expect(page.get_by_text("2 responses, as selected in the list of responses.")).to_be_visible()
    page.get_by_label("Name").fill("Chosen")
    for box in page.locator("[name=reviewers]").all():
        box.check()
    expect(page.locator("#round-preview")).to_contain_text("2 responses, judged twice")
    assert errors_of_look(page) == []
    page.get_by_role("button", name="Begin the round").click()
    expect(page.get_by_role("heading", name="Chosen")).to_be_visible()
    page.goto("/judging/responses/")
    page.get_by_label("Select all responses on this page").check()
    page.get_by_role("button", name="Judge by models").click()
    expect(page.get_by_text("6 responses, as filtered in the list of responses.")).to_be_visible()


def test_accepted_annotations_are_ticked_and_exported(open_page, admin):
    AnnotationFactory.create_batch(3)
    page = open_page(admin, "/annotation/reviews/?state=accepted")
    for key in "jxjx":
        page.keyboard.press(key)
    expect(page.get_by_text("2 selected")).to_be_visible()
    assert errors_of_look(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as JSON").click()
    assert len(json.loads(download.value.path().read_text())) == 2


@pytest.fixture
def released(admin):
    AnnotationFactory()
    return create_release(name="First", admin=admin)
