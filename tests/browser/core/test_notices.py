"""Notices and panels: they lie over the page, say what happened and what is safe, and nothing moves for them."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation
from tests.annotation.reviewing.test_annotation_reviews import LIST, submit_annotation
from tests.browser.conftest import drawn, errors_of_look
from tests.browser.desk_driver import expect_form, field, make_tag, take_tag

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
# Sums up what moves without a person having caused it; it is read at the end of a test.
WATCH_SHIFTS = """() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shifted += entry.value;
    }).observe({ type: "layout-shift", buffered: false });
}"""


@pytest.fixture
def page(open_page, annotator) -> Page:
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    return page


def boxes(page: Page) -> list:
    """The boxes of the panes, the form and the foot."""
    return page.evaluate(
        """["#pane", ".desk-work", "#step-1", ".desk-foot"].map((each) => {
            const box = document.querySelector(each).getBoundingClientRect();
            return [box.x, box.y, box.width, box.height];
        })"""
    )


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"status": 500, "body": "broken"}, "Something went wrong on the server."),
        ({"status": 503, "body": "later"}, "The server is busy."),
        (None, "The server cannot be reached."),
    ],
)
def test_a_save_that_fails_says_why_moves_nothing_and_goes_once_the_text_is_saved(page, answer, says):
    page.evaluate(WATCH_SHIFTS)
    before = boxes(page)
    page.route("**/save/", lambda route: route.fulfill(**answer) if answer else route.abort())
    field(page, "valid_comment").fill("Two years are given.")
    told = page.locator("#desk-alerts .notice")
    expect(told).to_contain_text(says)
    expect(told).to_contain_text("Your text is kept in this browser")
    assert boxes(page)[0:2] == before[0:2]
    assert boxes(page)[3] == before[3]
    page.unroute("**/save/")
    page.keyboard.press("Control+s")
    expect(told).to_have_count(0)
    assert page.evaluate("window.shifted") < 0.01


def test_a_notice_goes_by_its_button(page):
    page.route("**/save/", lambda route: route.fulfill(status=500, body="broken"))
    field(page, "valid_comment").fill("Two years are given.")
    told = page.locator("#desk-alerts .notice")
    assert errors_of_look(page) == []
    told.get_by_role("button", name="Close").click()
    expect(told).to_be_hidden()
    # The next try fails, too, and says nothing new.
    with page.expect_response("**/save/"):
        page.keyboard.press("Control+s")
    expect(page.locator("#saved-state")).to_contain_text("kept in this browser")
    expect(told).to_be_hidden()


@pytest.mark.parametrize(("key", "opens"), [("k", "skip-dialog"), ("l", "flag-dialog"), ("w", "ask-dialog")])
def test_a_panel_leaves_the_page_in_use(page, key, opens):
    page.keyboard.press(f"Alt+{key}")
    panel = page.locator(f"#{opens}")
    expect(panel.locator("textarea")).to_be_focused()
    assert page.locator("dialog:modal").count() == 0
    # The page beside it takes the cursor and text; Escape there leaves the panel as it is.
    field(page, "valid_comment").fill("written beside it")
    page.keyboard.press("Escape")
    expect(panel).to_be_visible()
    panel.locator("textarea").click()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(field(page, "valid_comment")).to_have_value("written beside it")


def test_the_submitting_key_in_a_panel_does_not_submit_the_annotation(page):
    page.keyboard.press("Alt+w")
    page.keyboard.type("Which of them?")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("It is waiting for the answer and stays yours.")).to_be_visible()
    assert Annotation.objects.get().state == "draft"


def test_a_reviewer_reads_on_while_the_panel_is_open(open_page, annotator, reviewer):
    annotation = submit_annotation(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/")
    page.get_by_role("button", name="Return…").click()
    page.keyboard.type("Which bridge?")
    page.locator("#step-1 > summary").click()
    expect(page.locator("#return")).to_be_visible()
    expect(page.get_by_label("What should be changed?")).to_have_value("Which bridge?")
    assert errors_of_look(page) == []


def test_without_script_a_decision_opens_by_its_link(open_page, annotator, reviewer):
    annotation = submit_annotation(annotator)
    page = open_page(reviewer, f"{LIST}{annotation.pk}/", java_script_enabled=False)
    page.get_by_role("button", name="Return…").click()
    page.get_by_label("What should be changed?").fill("Which bridge?")
    page.get_by_role("button", name="Return", exact=True).click()
    expect(page.get_by_text("Returned: ")).to_be_visible()


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, {"width": 390, "height": 844}])
def test_nothing_moves_while_the_desk_loads(open_page, annotator, size):
    make_tag()
    page = open_page(annotator, viewport=size)
    take_tag(page, annotator)
    # The divider was moved and the text enlarged before; the second time the browser has parts of the page.
    page.evaluate("localStorage.setItem('pane-share', '60'); localStorage.setItem('pane-size', '1.375')")
    for _ in range(2):
        page.reload()
        expect_form(page)
        page.evaluate(WATCH_SHIFTS.replace("buffered: false", "buffered: true"))
        page.evaluate("document.fonts.ready.then(() => null)")
        drawn(page)
        assert page.evaluate("window.shifted") < 0.05
