"""Helpers of the desk's browser tests: a worked example, played with the mouse or with keys alone."""

from playwright.sync_api import Page, expect

from annotation.desk.assignments.assignment import claim_next_tag
from annotation.models import Annotation
from core.models import User
from tests.factories import TagFactory

PARAGRAPH = "The Harbour Bridge crosses the river. It opened in 1903.{{Inconsistent|date=May 2024}} It is 300 m long."
EXAMPLE = {
    "paragraphA_information": "The Harbour Bridge crosses the river. It opened in 1903. It is 300 m long.",
    "paragraphB_information": "The first cars crossed it in 1899.",
    "relevantInfo_comment_A": "the bridge opened in 1903",
    "relevantInfo_comment_A_Span": "opened in 1903",
    "relevantInfo_comment_B": "cars crossed it in 1899",
    "relevantInfo_comment_B_Span": "in 1899",
    "question1": "Was the Harbour Bridge in use in 1900?",
    "question1_answer1": "No",
    "question1_answer2": "Yes",
}

# Requests of a page to IndexedDB are answered in their order: after these, all that it asked for as it opened was.
COPIES_ARE_READ = """async () => {
  const open = await new Promise(done => {
    const opening = indexedDB.open("workbench-drafts", 1);
    opening.onsuccess = () => done(opening.result);
  });
  for (let reads = 0; reads < 3; reads += 1) {
    const drafts = open.transaction("drafts", "readwrite").objectStore("drafts");
    await new Promise(done => { drafts.count().onsuccess = done; });
  }
  open.close();
}"""


def make_tag(title: str = "Harbour Bridge", **more):
    """A tag in an article from a file: no wiki is asked for anything."""
    return TagFactory(
        article__title=title,
        paragraph=PARAGRAPH,
        paragraph_clean=EXAMPLE["paragraphA_information"],
        raw="Inconsistent|date=May 2024",
        **{"article__wiki__is_allowed": False, "article__wikitext": PARAGRAPH} | more,
    )


def take_tag(page: Page, person: User) -> Annotation:
    """The tag that comes next for this person, whose page shows its form then."""
    annotation = claim_next_tag(annotator=person)
    page.goto(f"/annotation/desk/{annotation.pk}/")
    expect_form(page)
    return annotation


def second_tab(page: Page) -> Page:
    """Another tab with the same tag, which has looked for text that earlier tabs kept: what comes later it hears from
    the server alone."""
    other = page.context.new_page()
    other.goto(page.url)
    expect_form(other)
    other.evaluate(COPIES_ARE_READ)
    return other


def expect_form(page: Page) -> None:
    expect(page.locator("#desk-form")).to_be_visible()
    # The script has put the cursor where work begins.
    expect(page.locator(":focus")).to_be_attached()
    # The page has asked for the article when it was opened, and goes to the tag once htmx is done with it.
    expect(page.locator("#panel-article :is(.pane-wait, [class*='htmx-'])")).to_have_count(0)


def field(page: Page, name: str):
    return page.locator(f"[name='{name}']")


def show_found(page: Page, letter: str) -> None:
    """Opens the field with passage A or B as it was found."""
    page.locator(f"[data-shows-found='{letter}']").click()


def choose(page: Page, name: str, value: str):
    page.locator(f"[name='{name}'][value='{value}']").check()


def expect_saved(page: Page) -> None:
    expect(page.locator("#saved-state")).to_have_attribute("data-state", "saved")


def play_with_mouse(page: Page) -> None:
    """The six steps, ready to be submitted."""
    choose(page, "wikitag_label_valid", "Valid")
    page.get_by_role("button", name="Use the tagged paragraph").click()
    field(page, "paragraphB_information_standalone").fill(EXAMPLE["paragraphB_information"])
    page.get_by_role("button", name="Continue to statements").click()
    for name in ("relevantInfo_comment_A", "relevantInfo_comment_A_Span"):
        field(page, name).fill(EXAMPLE[name])
        field(page, name.replace("_A", "_B")).fill(EXAMPLE[name.replace("_A", "_B")])
    page.get_by_role("button", name="Continue to types").click()
    page.get_by_label("Date/time").check()
    page.get_by_label("Text - Text").check()
    page.get_by_label("Within the same article").check()
    page.get_by_label("Implicit").check()
    page.get_by_role("button", name="Continue to questions").click()
    for name in ("question1", "question1_answer1", "question1_answer2"):
        field(page, name).fill(EXAMPLE[name])
    page.get_by_role("button", name="Continue to confidence").click()
    choose(page, "confidence", "5")


class Keys:
    """Plays keys and counts those that are not text."""

    def __init__(self, page: Page, texts: dict[str, str]):
        self.page = page
        self.texts = texts
        self.count = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.count += 1

    def type(self, name: str) -> None:
        focused = self.page.evaluate("document.activeElement.name")
        assert focused == name, f"the cursor is in {focused}, not in {name}"
        # At once, as a keyboard of a phone does: each letter of its own draws the form anew.
        self.page.keyboard.insert_text(self.texts[name.removesuffix("_standalone")])


def play_with_keys(page: Page, texts: dict[str, str] = EXAMPLE) -> int:
    """The six steps and the submission with the keyboard alone; returns how many keys were not text."""
    keys = Keys(page, texts)
    keys.press("v", "Alt+u")
    # Past the choice of the same passage, the suggestions (a practice run has none) and the article.
    keys.press(*["Tab"] * (4 if page.locator("[data-counterparts]").is_visible() else 3))
    keys.type("paragraphB_information_standalone")
    keys.press("Alt+Enter")
    for name in ("relevantInfo_comment_A", "relevantInfo_comment_A_Span"):
        keys.type(name)
        keys.press("Tab")
    keys.type("relevantInfo_comment_B")
    keys.press("Tab")
    keys.type("relevantInfo_comment_B_Span")
    keys.press("Alt+Enter", "Space", "Alt+ArrowDown", "Space", "Alt+ArrowDown", "Space", "Alt+ArrowDown", "ArrowDown")
    keys.press("Alt+Enter")
    keys.type("question1")
    keys.press("Tab")
    keys.type("question1_answer1")
    keys.press("Tab")
    keys.type("question1_answer2")
    keys.press("Alt+Enter", "5", "Control+Enter")
    return keys.count
