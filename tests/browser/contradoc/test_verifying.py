"""From a clean document to a released one with a contradiction: a model writes it, two people verify it, each in a
browser of their own, an expert decides, and an admin makes the release."""

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation.models import Release
from benchmarks.contradoc.models import Candidate, CandidateState
from judging.models import Run
from review.models import Adjudication, FinalAnswers, Judgment, Round
from tests.browser.conftest import errors_of_look, read
from tests.contradoc.making.replies import CONTRADICTION, ORIGINAL, started_generation, writes
from tests.factories.contradoc import make_documents
from tests.factories.judging import make_model, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("engine"), pytest.mark.thorough]


def answer(page: Page, *keys: str) -> None:
    """Answer with keys alone, and save."""
    expect(page.get_by_role("heading", name="Two statements in one document")).to_be_visible()
    read(page)
    for key in keys:
        page.keyboard.press(key)
    page.keyboard.press("Control+Home")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", name="Nothing left to judge")).to_be_visible()


def test_from_generated_candidate_to_released_document(
    server, open_page, admin, reviewer, other_reviewer, adjudicator
):
    server.answer = writes()
    make_documents()
    work(started_generation(make_model(server.base_url, decoding={"max_tokens": 2_000, "temperature": 0})))
    call_command("run_checks", "--benchmark", "contradoc", "--yes")
    candidate = Candidate.objects.get(state=CandidateState.CHOSEN)

    boss = open_page(admin, "/review/rounds/")
    boss.get_by_role("link", name="Verification of ContraDoc candidates").click()
    boss.get_by_label("Name").fill("Verification")
    for box in boss.locator("[name=reviewers]").all():
        box.check()
    boss.get_by_label("Minutes for taking a judgment back").fill("0")
    boss.get_by_role("button", name="Begin the round").click()
    expect(boss.get_by_role("heading", name="Verification")).to_be_visible()
    assert Round.objects.get().items.get().subject == candidate

    one, two = (open_page(person, "/review/judge/", clock=True) for person in (reviewer, other_reviewer))
    marked = one.locator("mark.statement-introduced")
    expect(marked).to_contain_text(CONTRADICTION)
    expect(one.locator("mark.statement-original")).to_contain_text(ORIGINAL)
    expect(one.get_by_text("Select Type(s) of self-contradiction.", exact=True)).to_be_hidden()
    assert not errors_of_look(one)
    answer(one, "1", "3", "5", "l", "e")
    # The other one thinks that it should stand elsewhere: gaps appear once the position is not feasible.
    expect(two.locator(".gap").first).to_be_hidden()
    read(two)
    two.keyboard.press("4")
    expect(two.locator(".gap").first).to_be_visible()
    answer(two, "1", "4", "5", "g", "e", "q")
    assert Judgment.objects.get(reviewer=reviewer).answers == {
        "contradict": "yes",
        "feasible": "yes",
        "acceptable": "yes",
        "scope": "local",
        "types": ["Content"],
    }

    three = open_page(adjudicator, "/review/adjudicate/?next", clock=True)
    expect(three.get_by_text("Judgment A")).to_be_visible()
    for name in ("rita", "ralph"):
        assert name not in three.locator("main").inner_text()
    assert not errors_of_look(three)
    for key in ("1", "3", "5", "l", "e"):
        three.keyboard.press(key)
    three.get_by_label("Reason").fill("It reads well there.")
    three.get_by_role("button", name="Save the decision").click()
    expect(three.get_by_text("Nothing is waiting for you.")).to_be_visible()
    assert Adjudication.objects.get().answers["feasible"] == "yes"
    assert FinalAnswers.objects.get().outcome == "kept"

    boss.get_by_role("button", name="Close the round").first.click()
    boss.get_by_role("dialog").get_by_role("button", name="Close the round").click()
    boss.get_by_role("button", name="Make a release of the kept ones").click()
    expect(boss.get_by_role("heading", name="Verification")).to_be_visible()
    released = Release.objects.get().instances.get().content
    assert released["text"] == candidate.text
    assert released["evidence"] == CONTRADICTION
    assert (released["scope"], released["contra_type"]) == ("local", ["Content"])
    pages = ["documents/", f"documents/{candidate.document.key}/", "candidates/", f"candidates/{candidate.key}/"]
    for address in (*pages, "candidates/checks/", f"runs/{Run.objects.earliest('pk').pk}/statements/"):
        assert boss.goto(f"/judging/{address}").ok, address
        assert not errors_of_look(boss)
