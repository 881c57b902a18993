"""Single keys: none acts while a dialog or a text box is open, and a click puts the cursor where the key puts it."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation
from review.models import Adjudication, Judgment
from tests.annotation.reviewing.test_annotation_reviews import LIST, submit_annotation
from tests.browser.conftest import read
from tests.browser.desk_driver import make_tag, take_tag
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
RESTING = "A text box is open, so single keys do nothing."


def nothing_is_open(page: Page) -> None:
    expect(page.locator("dialog[open]")).to_have_count(0)


@pytest.fixture
def looking(open_page, annotator, reviewer) -> Page:
    annotation = submit_annotation(annotator)
    return open_page(reviewer, f"{LIST}{annotation.pk}/")


def suggest(page: Page) -> Locator:
    return page.locator("#edits-f-paragraphA_information .suggest")


def test_what_is_typed_after_a_click_on_suggest_is_text(looking):
    fold = suggest(looking)
    fold.locator("summary").click()
    expect(fold.locator("textarea")).to_be_focused()
    looking.keyboard.press("Control+a")
    looking.keyboard.type("a return, next")
    nothing_is_open(looking)
    expect(fold.locator("textarea")).to_have_value("a return, next")
    assert Annotation.objects.get().state == "submitted"


@pytest.mark.parametrize("where", ["#pane h1", "#panel-article", "#step-2 [data-passage-text]"])
def test_a_text_box_that_is_open_keeps_keys_from_acting_wherever_the_focus_is(looking, where):
    fold = suggest(looking)
    fold.locator("summary").click()
    fold.locator("textarea").fill("Half a sentence")
    looking.locator(where).first.click(position={"x": 2, "y": 2})
    looking.keyboard.type("arxn?st")
    nothing_is_open(looking)
    expect(looking.get_by_role("status").filter(has_text=RESTING)).to_be_visible()
    # Escape leaves the box; what was typed stays in sight, and keys are keys again.
    looking.keyboard.press("Escape")
    expect(fold.locator("textarea")).to_have_value("Half a sentence")
    expect(looking.get_by_text(RESTING)).to_have_count(0)
    looking.keyboard.press("r")
    expect(looking.get_by_role("dialog")).to_contain_text("What should be changed?")


@pytest.mark.parametrize(
    ("button", "key", "name"), [("Return…", "r", "message"), ("Exclude…", "x", "reason"), ("Shortcuts", "?", "")]
)
def test_a_dialog_takes_the_focus_alike_from_click_and_key_and_lets_no_key_through(looking, button, key, name):
    focused = []
    for opens in (lambda: looking.get_by_role("button", name=button).click(), lambda: looking.keyboard.press(key)):
        opens()
        dialog = looking.locator("dialog[open]")
        expect(dialog).to_have_count(1)
        focused.append(looking.evaluate("document.activeElement.name ?? ''"))
        for typed in "arxn":
            looking.keyboard.press(typed)
        expect(dialog).to_have_count(1)
        looking.keyboard.press("Escape")
        nothing_is_open(looking)
    assert focused == [name, name]
    assert Annotation.objects.get().state == "submitted"


def test_on_the_desk_ask_skip_and_flag_take_the_cursor_to_their_text(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    for link, key, name in (("Ask", "w", "text"), ("Skip", "k", "reason"), ("Flag", "l", "reason")):
        for opens in (
            lambda link=link: page.locator(".desk-foot").get_by_role("button", name=link, exact=True).click(),
            lambda key=key: page.keyboard.press(f"Alt+{key}"),
        ):
            opens()
            expect(page.locator(f"dialog[open] textarea[name={name}]")).to_be_focused()
            page.keyboard.press("Escape")
            nothing_is_open(page)


def test_on_the_desk_an_open_comment_lets_no_key_decide(open_page, annotator):
    make_tag()
    page = open_page(annotator)
    take_tag(page, annotator)
    page.keyboard.press("Alt+c")
    expect(page.get_by_label("Write a comment")).to_be_focused()
    page.locator("#pane h1").click(position={"x": 2, "y": 2})
    page.keyboard.press("v")
    expect(page.get_by_text(RESTING)).to_be_visible()
    expect(page.locator("[name=wikitag_label_valid]:checked")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".comments-panel")).to_have_count(0)
    page.locator("#pane h1").click(position={"x": 2, "y": 2})
    page.keyboard.press("v")
    expect(page.locator("[name=wikitag_label_valid][value=Valid]")).to_be_checked()


@pytest.fixture
def judging(open_page, admin, reviewer, other_reviewer) -> Page:
    make_round(admin, [reviewer, other_reviewer], make_imported_run(4, models=("Mist",)))
    return open_page(reviewer, "/review/judge/", clock=True)


@pytest.mark.parametrize("fold", [".judge-comment", ".judge-cannot details"])
def test_an_open_comment_or_reason_lets_no_key_judge(judging, fold):
    box = judging.locator(f"#judge-item {fold}")
    box.locator("summary").click()
    expect(box.locator("textarea, input:not([type=hidden])")).to_be_focused()
    judging.keyboard.type("1 of 3")
    judging.locator("#judge-item .judge-question").click()
    read(judging)
    judging.keyboard.press("1")
    expect(judging.get_by_text(RESTING)).to_be_visible()
    assert not Judgment.objects.given().exists()
    judging.keyboard.press("Escape")
    judging.keyboard.press("1")
    expect(judging.get_by_text("1 of 4")).to_be_visible()
    assert Judgment.objects.given().get().verdict == "correct"


def test_on_a_reviewers_page_an_open_reason_keeps_the_cursor_of_the_list_still(
    open_page, admin, reviewer, other_reviewer
):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(2, models=("Mist",)), undo_minutes=0)
    judged = open_page(reviewer, "/review/judge/", clock=True)
    read(judged)
    judged.keyboard.press("1")
    expect(judged.get_by_text("1 of 2")).to_be_visible()
    page = open_page(admin, f"/review/rounds/{round.pk}/reviewers/{reviewer.pk}/")
    page.locator(".reset > summary").click()
    expect(page.locator(".reset textarea")).to_be_focused()
    page.locator("h2#judgments").click()
    page.keyboard.press("j")
    expect(page.locator(".at-cursor")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator(".at-cursor")).to_have_count(1)


def test_adjudicating_lets_no_key_through_its_dialogs(open_page, admin, reviewer, other_reviewer, adjudicator):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)), undo_minutes=0)
    for person, key in ((reviewer, "1"), (other_reviewer, "3")):
        judged = open_page(person, f"/review/judge/{round.key}/", clock=True)
        read(judged)
        judged.keyboard.press(key)
        expect(judged.get_by_text("Nothing left to judge")).to_be_visible()
    page = open_page(adjudicator, "/review/adjudicate/?next")
    page.get_by_role("button", name="Set the instance aside").click()
    expect(page.locator("dialog[open] textarea")).to_be_focused()
    page.locator("dialog[open] h2").click()
    page.keyboard.press("1")
    page.keyboard.press("n")
    expect(page.locator("dialog[open]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("[name=verdict]:checked")).to_have_count(0)
    page.locator("label.judge-verdict").first.click()
    expect(page.locator("#reason")).to_be_focused()
    page.keyboard.type("1 n")
    expect(page.locator("[name=verdict]:checked")).to_have_value("correct")
    assert Adjudication.objects.get().adjudicated_at is None


def test_a_key_right_after_a_dialog_closed_keeps_the_cursor_where_it_put_it(
    open_page, admin, reviewer, other_reviewer, adjudicator
):
    """The dialog tells of its closing a moment later, and the button that had opened it took the focus."""
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)), undo_minutes=0)
    give_all(round.items.get(), "correct", "incorrect")
    page = open_page(adjudicator, "/review/adjudicate/?next")
    page.get_by_role("button", name="Set the instance aside").click()
    expect(page.locator("dialog[open] textarea")).to_be_focused()
    page.evaluate("""async () => {
        const dialog = document.querySelector("dialog[open]");
        const closed = new Promise((resolve) => dialog.addEventListener("close", () => setTimeout(resolve)));
        dialog.close();
        document.querySelector("[name=verdict][value=correct]").click();
        await closed;
    }""")
    expect(page.locator("#reason")).to_be_focused()
