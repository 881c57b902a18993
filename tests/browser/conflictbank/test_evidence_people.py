"""Five people check ConflictBank's evidence by keys, blind, and what they find bars a release until an admin gives a
reason. And from a file of facts to whom models believe, on pages."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Release
from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.claims.worker import make_claims_asked_for
from benchmarks.conflictbank.evidence.components import ENTAILMENT, NAMES, components_for
from benchmarks.conflictbank.evidence.generation import PATTERN_LABEL
from benchmarks.conflictbank.evidence.measuring import run_checks
from benchmarks.conflictbank.models import Claim, Conflict, Evidence
from benchmarks.conflictbank.questionnaires.evidence import PAIRS_CODE
from core.models import Role
from judging.models import LanguageModel, Response
from review.models import FinalAnswers, Judgment, Round
from review.rounds.final_verdicts.pairing import complete_pairs
from tests.browser.conftest import errors_of_look, read
from tests.conflictbank.making.test_people import FINE, judge_all
from tests.conftest import make_person
from tests.factories.conflictbank import as_lines, bring_in, residents, write_evidence
from tests.factories.contradoc import make_questionnaire_round
from tests.factories.judging import work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("engine"), pytest.mark.thorough]
# The keys of the answers to each question of a text that conflicts with a fact; a default text has the first only.
GOOD, BAD = ("1", "4", "8"), ("2", "5", "8")
SECRETS = (PATTERN_LABEL, "Misinformation", "refusal features", "names of subject", "Ours")


@pytest.fixture
def five(reviewer, other_reviewer):
    return [reviewer, other_reviewer, *(make_person(name, Role.REVIEWER) for name in ("rosa", "rolf", "ruth"))]


@pytest.fixture
def evidence():
    """Evidence whose automatic check by names passed."""
    bring_in(residents(6))
    make_claims(seed=7)
    Conflict.objects.update(semantic_description="invented bridge")
    write_evidence(LanguageModel.objects.get(name=PATTERN_LABEL), Claim.objects.order_by("pk"))
    run_checks(components=components_for({ENTAILMENT: NAMES}))


def judge(page: Page, keys: Sequence[str]) -> None:
    """Judge by keys alone until nothing is left."""
    page.goto("/review/judge/")
    while page.locator("#judge-item .judge-item").count():
        shown = page.locator("#judge-item .judge-item").get_attribute("data-item")
        expect(page.get_by_text("Made to mislead")).to_be_visible()
        for secret in SECRETS:
            assert secret not in page.locator("main").inner_text()
        asked = page.locator("#judge-item fieldset.form-question").count()
        read(page)
        for key in keys[:asked]:
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect(page.locator(f'#judge-item .judge-item[data-item="{shown}"]')).to_have_count(0)
        expect(page.locator("#judge[aria-busy]")).to_have_count(0)
    expect(page.get_by_role("heading", name="Nothing left to judge")).to_be_visible()


def plan_release(page: Page, name: str) -> None:
    page.goto("/judging/claims/")
    page.get_by_role("main").get_by_role("button", name="Release").click()
    page.get_by_label("Name of the release").fill(name)
    page.get_by_role("button", name="Show the plan").click()


def test_five_people_find_a_check_wanting_and_a_reason_lifts_the_bar(evidence, five, open_page, admin):
    boss = open_page(admin, "/review/rounds/")
    boss.get_by_role("link", name="Evidence of ConflictBank, common to all").click()
    assert not errors_of_look(boss)
    expect(boss.get_by_text("by the settings of conflicts")).to_be_visible()
    boss.get_by_label("Name", exact=True).fill("Common texts")
    for box in boss.locator("[name=reviewers]").all():
        box.check()
    boss.get_by_label("Sample").fill("4")
    boss.get_by_label("Minutes for taking a judgment back").fill("0")
    boss.get_by_role("button", name="Begin the round").click()
    expect(boss.get_by_role("heading", name="Common texts")).to_be_visible()
    assert Judgment.objects.filter(round=Round.objects.get()).count() == 20

    pages = [open_page(person, "/", clock=True) for person in five]
    pages[0].goto("/review/judge/")
    assert not errors_of_look(pages[0])
    for number, page in enumerate(pages):
        judge(page, GOOD if number == 0 else BAD)
    complete_pairs()
    assert FinalAnswers.objects.filter(outcome="not_supported").count() == 4
    pairs = make_questionnaire_round(PAIRS_CODE, admin, five, sample_size=4, judgments_each=2, undo_minutes=0, seed=3)
    judge_all(pairs, lambda person, item: FINE)

    boss.goto("/review/reports/conflictbank-people/")
    said = boss.get_by_role("main")
    expect(said).to_contain_text("Alpha over the texts common to all people")
    for name in ("Rates", "Agreement"):
        expect(boss.get_by_role("heading", name=name)).to_be_visible()
    expect(said).to_contain_text("floor: the names of subject and object stand in the text")
    expect(said).to_contain_text("Precision 50.0%: of 8 texts that it passed, people say the same of 4.")
    expect(said).to_contain_text("less precise than 90.0%, which bars releases until an admin gives a reason.")
    assert not errors_of_look(boss)

    plan_release(boss, "Ours")
    expect(boss.get_by_text("By people, a check is less precise than 90%")).to_be_visible()
    expect(boss.get_by_role("main").get_by_role("button", name="Release conflicts", exact=True)).to_have_count(0)
    boss.goto("/judging/claims/settings/")
    boss.get_by_label("Reason to release nevertheless").fill("Only to try the whole path.")
    boss.get_by_role("button", name="Save").click()
    expect(boss.get_by_text("Saved.")).to_be_visible()
    plan_release(boss, "Ours")
    boss.get_by_role("main").get_by_role("button", name="Release conflicts", exact=True).click()
    expect(boss.get_by_role("heading", name="Release 1")).to_be_visible()
    assert Release.objects.get().instances.count() == 6


def test_from_a_file_of_facts_to_whom_models_believe(open_page, admin):
    page = open_page(admin, "/judging/facts/")
    assert not errors_of_look(page)
    page.get_by_role("button", name="Import").click()
    page.locator("main input[type=file]").set_input_files(
        {"name": "facts.jsonl", "mimeType": "application/jsonl", "buffer": as_lines(residents(6))}
    )
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("6 new facts")).to_be_visible()

    page.goto("/judging/claims/sets/")
    page.get_by_label("Seed").first.fill("7")
    page.get_by_label("Leave out facts about living people").uncheck()
    page.get_by_role("button", name="Show the plan").first.click()
    page.get_by_role("button", name="Make the claims").click()
    expect(page.get_by_text("are being made")).to_be_visible()
    make_claims_asked_for()
    for method in ("descriptions", "evidence"):
        page.goto("/judging/claims/evidence/new/")
        page.locator(f"[name=method][value={method}], [name=method]").first.evaluate(
            "(field, method) => { const radio = document.querySelector(`[name=method][value=${method}]`); "
            "radio ? radio.click() : field.value = method }",
            method,
        )
        page.get_by_label(PATTERN_LABEL).check()
        page.get_by_role("button", name="Show the plan").click()
        page.get_by_role("button", name="Start the run").click()
        expect(page.get_by_role("button", name="Start the run")).to_have_count(0)
        work()
    assert Evidence.objects.count() == 24
    page.goto("/judging/claims/checks/")
    page.locator("[name=entailment]").select_option(NAMES)
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Start the checks").click()
    expect(page.get_by_text("no calls are needed")).to_be_visible()
    plan_release(page, "Ours")
    page.get_by_role("main").get_by_role("button", name="Release conflicts", exact=True).click()
    expect(page.get_by_role("heading", name="Release 1")).to_be_visible()
    assert not errors_of_look(page)

    page.goto("/judging/runs/new/?release=1")
    for name in ("Baseline: believes the last text", "Baseline: believes its memory"):
        page.get_by_label(name).check()
    for code in ("default", "correct", "misinformation", "correct-temporal"):
        page.get_by_label(f"conflictbank-option-{code}", exact=False).first.check()
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("button", name="Start the run")).to_have_count(0)
    work()
    assert Response.objects.count() == 48
    page.goto("/review/reports/conflictbank-ratios/")
    expect(page.get_by_text("Baseline: believes the last text knows 6 of 6 items")).to_be_visible()
    assert not errors_of_look(page)
    page.goto(f"/judging/responses/{Response.objects.earliest('pk').key}/")
    expect(page.get_by_role("columnheader", name="Log-probability")).to_be_visible()
    assert not errors_of_look(page)
