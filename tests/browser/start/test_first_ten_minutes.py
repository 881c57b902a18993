"""The first ten minutes of the README, played in Chromium as told: each press by the name that its page gives."""

import re
from functools import reduce
from pathlib import Path
from typing import Literal

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation
from annotation.samples.articles import harvest_samples
from annotation.samples.work import release_samples
from benchmarks.contradoc.samples.work import demonstrate_documents
from benchmarks.wikicontradict.sample_rounds import OPEN
from core.accounts.sample_people import make_demo_people, run_preparations
from review.models import Adjudication, Round
from review.rounds.final_verdicts.pairing import complete_pairs

pytestmark = pytest.mark.django_db(transaction=True)
README = Path(__file__).parents[3] / "README.md"
PRESSES = 25
Role = Literal["button", "link", "radio"]


class Newcomer:
    """A person who does what the README says; keeps each name that they pressed."""

    def __init__(self, page: Page):
        self.page = page
        self.pressed: list[str] = []

    def press(self, name: str, *roles: Role) -> None:
        """Press the first button or link, or what else has this role, whose name has these words; its key may stand
        beside them.
        """
        words = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        dialog = self.page.locator("dialog[open]")
        within = dialog if dialog.count() else self.page
        found = [within.get_by_role(role, name=words) for role in roles or ("button", "link")]
        reduce(Locator.or_, found).first.click()
        self.pressed.append(name)

    def sign_in(self, name: str) -> None:
        self.page.goto(reverse("sample_roles"))
        self.press(f"Sign in as {name}")
        expect(self.page.get_by_text("This is a sample")).to_be_visible()


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
    return re.findall(r"\*\*(.+?)\*\*", part[: part.index("\n## ", 5)].replace("\n", " "))


def test_the_path_of_the_readme_is_played_as_it_is_told(samples, open_page, settings):
    settings.SITE_IS_LOCAL = True
    page = open_page(None, reverse("sample_roles"))
    newcomer = Newcomer(page)
    annotates(newcomer)
    reviews(newcomer)
    disagreed = Adjudication.objects.open().count()
    judges(newcomer, "reviewer", "1")
    judges(newcomer, "reviewer2", "3")
    complete_pairs(round=Round.objects.get(name=OPEN))
    assert Adjudication.objects.open().count() > disagreed == 2
    adjudicates(newcomer)
    reads_reports(newcomer)
    assert [" ".join(each.split()) for each in told()] == newcomer.pressed
    assert len(newcomer.pressed) == PRESSES


def annotates(newcomer: Newcomer) -> None:
    page = newcomer.page
    newcomer.sign_in("annotator")
    newcomer.press("Next tag")
    expect(page.locator("#desk-form")).to_be_visible()
    newcomer.press("Invalid", "radio")
    page.get_by_role("textbox", name="Comment").first.fill("Both numbers are right: they are about different years.")
    newcomer.press("Submit")
    expect(page.get_by_role("status").filter(has_text="Submitted").first).to_be_visible()
    assert Annotation.objects.filter(state="submitted").count() == 1


def reviews(newcomer: Newcomer) -> None:
    newcomer.sign_in("reviewer")
    newcomer.press("Review annotations")
    newcomer.press("Review the next one")
    newcomer.press("Accept…")
    newcomer.press("Accept")
    expect(newcomer.page.get_by_role("status").filter(has_text="Accepted").first).to_be_visible()


def judges(newcomer: Newcomer, person: str, key: str) -> None:
    """Five verdicts with the button of a key, which is there before its script is."""
    page = newcomer.page
    newcomer.sign_in(person)
    newcomer.press("Judge responses")
    newcomer.press("Sample, open: ten responses")
    for _ in range(5):
        shown = page.locator("#judge-item .judge-item").get_attribute("data-item")
        page.wait_for_timeout(500)  # a key right after a new response is not taken
        page.locator(f"#judge-item button[name=verdict][data-key='{key}']").click()
        expect(page.locator(f'#judge-item .judge-item[data-item="{shown}"]')).to_have_count(0)
        expect(page.locator("#judge[aria-busy]")).to_have_count(0)
    newcomer.press("Your judgments")
    newcomer.press("Submit now")
    expect(page.get_by_role("status").first).to_be_visible()


def adjudicates(newcomer: Newcomer) -> None:
    page = newcomer.page
    newcomer.sign_in("adjudicator")
    newcomer.press("Adjudicate")
    newcomer.press("Adjudicate the next one")
    newcomer.press("Incorrect", "radio")
    page.get_by_role("textbox", name="Reason").fill("It names neither answer.")
    newcomer.press("Save the verdict")


def reads_reports(newcomer: Newcomer) -> None:
    newcomer.sign_in("admin")
    newcomer.press("Results")
    newcomer.press("Reports")
    newcomer.press("Table 2: final verdicts")
    expect(newcomer.page.get_by_role("table").first).to_be_visible()
    expect(newcomer.page.get_by_text("Verdicts of the sample round are invented").first).to_be_visible()
