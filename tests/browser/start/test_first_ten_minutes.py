"""The first ten minutes of the README, played in Chromium as told: each press by the name that its page gives."""

import re
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Annotation
from annotation.samples.articles import harvest_samples
from annotation.samples.work import release_samples
from benchmarks.contradoc.samples.work import demonstrate_documents
from benchmarks.wikicontradict.sample_rounds import OPEN
from core.accounts.sample_people import make_demo_people, run_preparations
from review.models import Adjudication, FinalVerdict, Judgment
from tests.browser.conftest import errors_of_look

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
README = Path(__file__).parents[3] / "README.md"
PRESSES, KEYS = 30, 10


class Newcomer:
    """A person who does what the README says; keeps the names and the keys that they pressed."""

    def __init__(self, page: Page):
        self.page = page
        self.pressed: list[str] = []
        self.keys: list[str] = []

    def press(self, name: str) -> None:
        """Press the first thing to press whose name has these words; its key may stand beside them."""
        words = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        dialog = self.page.locator("dialog[open]")
        within = dialog if dialog.count() else self.page
        menu = within.locator("summary").filter(has_text=words)  # has no role of its own for Playwright
        found = within.get_by_role("button", name=words).or_(within.get_by_role("link", name=words)).or_(menu)
        found.or_(within.get_by_role("radio", name=words)).first.click()
        self.pressed.append(name)

    def press_key(self, key: str) -> None:
        """Judge the response that is shown; a key right after it came is not taken."""
        shown = self.page.locator("#judge-item .judge-item").get_attribute("data-item")
        self.page.wait_for_timeout(500)
        self.page.keyboard.press(key)
        expect(self.page.locator(f'#judge-item .judge-item[data-item="{shown}"]')).to_have_count(0)
        expect(self.page.locator("#judge[aria-busy]")).to_have_count(0)
        self.keys.append(key)

    def sign_in(self, name: str) -> None:
        if self.pressed:
            self.press("Sample")
        self.press(f"Sign in as {name}")
        expect(self.page.get_by_text("This is a sample")).to_be_visible()

    def reads(self, words: str) -> None:
        expect(self.page.get_by_role("status").filter(has_text=words).first).to_be_visible()


@pytest.fixture
def samples(transactional_db):
    make_demo_people()
    harvest_samples()
    release_samples()
    run_preparations()
    demonstrate_documents()


def told() -> list[str]:
    """The names in bold of the README's first ten minutes, in their order."""
    text = README.read_text("utf-8")
    part = text[text.index("## The first ten minutes") :]
    return [" ".join(name.split()) for name in re.findall(r"\*\*(.+?)\*\*", part[: part.index("\n## ", 5)], re.S)]


def test_the_path_of_the_readme_is_played_as_it_is_told(samples, open_page, settings):
    settings.SITE_IS_LOCAL = True
    newcomer = Newcomer(open_page(None, reverse("sample_roles")))
    assert errors_of_look(newcomer.page) == []
    annotates(newcomer)
    reviews(newcomer)
    judges(newcomer, "1")
    newcomer.sign_in("reviewer2")
    judges(newcomer, "3")
    adjudicates(newcomer)
    reads_reports(newcomer)
    assert newcomer.pressed == told()
    assert (len(newcomer.pressed), len(newcomer.keys)) == (PRESSES, KEYS)


def annotates(newcomer: Newcomer) -> None:
    newcomer.sign_in("annotator")
    newcomer.press("Next tag")
    newcomer.press("Invalid")
    comment = newcomer.page.get_by_role("textbox", name="Comment").first
    comment.fill("Both numbers are right: they are about different years.")
    newcomer.press("Submit")
    newcomer.reads("Submitted")
    assert Annotation.objects.get(state="submitted").annotator.username == "annotator"


def reviews(newcomer: Newcomer) -> None:
    newcomer.sign_in("reviewer")
    newcomer.press("Review annotations")
    newcomer.press("Review the next one")
    expect(newcomer.page.get_by_text("Both numbers are right").filter(visible=True).first).to_be_visible()
    newcomer.press("Accept")
    newcomer.reads("Accepted")


def judges(newcomer: Newcomer, key: str) -> None:
    newcomer.press("Judge responses")
    newcomer.press("Sample, open: ten responses")
    expect(newcomer.page.get_by_text("0 of 10")).to_be_visible()
    newcomer.page.wait_for_load_state()
    for _ in range(5):
        newcomer.press_key(key)
    newcomer.press("Your judgments")
    newcomer.press("Submit now")
    newcomer.reads("Your judgments count")


def adjudicates(newcomer: Newcomer) -> None:
    """The two that wait from the start come first, then the five of the newcomer."""
    newcomer.sign_in("adjudicator")
    newcomer.press("Adjudicate")
    expect(newcomer.page.get_by_text("7 disagreements")).to_be_visible()
    own = Adjudication.objects.open().filter(round__name=OPEN)
    assert (own.count(), Judgment.objects.given().filter(round__name=OPEN).count()) == (5, 10)
    decided = FinalVerdict.objects.count()
    newcomer.press("Adjudicate the next one")
    newcomer.press("Correct")
    newcomer.page.get_by_role("textbox", name="Reason").fill("It names the answer.")
    newcomer.press("Save the verdict")
    newcomer.reads("Final verdict: correct")
    assert FinalVerdict.objects.count() == decided + 1


def reads_reports(newcomer: Newcomer) -> None:
    newcomer.sign_in("admin")
    newcomer.press("Results")
    newcomer.press("Reports")
    newcomer.press("Table 2: final verdicts")
    expect(newcomer.page.get_by_role("heading", name="Final verdicts by model and prompt").first).to_be_visible()
    expect(newcomer.page.get_by_role("table").first).to_be_visible()
    expect(newcomer.page.get_by_text("Verdicts of the sample round are invented").first).to_be_visible()
