"""The second half of the story: models answer, two people judge, a third adjudicates, the reports say what it was."""

import os
import tempfile
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from docs.studio import Studio

ROUND = "November"
RELEASED = Path(os.environ.get("WIKICONTRADICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
MILD = "It names the conflict and gives both sides."
STERN = "It quotes both passages, but the question is not answered: the reader has to work the numbers out."
REASON = "Both answers can be read from the quotations, and neither is preferred."


def admin_runs_models(studio: Studio) -> None:
    page = studio.page_of("admin")
    page.goto("/judging/models/")
    studio.photograph("models", page)
    page.goto("/judging/runs/new/")
    for label in ("Baseline: passage 1 only", "Baseline: both passages", "4 Both passages", "5 Both passages"):
        page.get_by_role("checkbox", name=label).check()
    page.get_by_label("Name").fill("Baselines on November")
    studio.photograph("run-new", page)
    page.get_by_role("button", name="Show the plan").click()
    studio.photograph("run-plan", page)
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("h1")).not_to_contain_text("Plan")
    expect(page.locator(".chip.state").first).to_have_text("Finished", timeout=90_000)
    studio.photograph("run", page)
    page.goto("/judging/responses/")
    studio.photograph("responses", page)
    page.locator("tbody a").first.press("Enter")
    studio.photograph("response", page)


def admin_begins_a_round(studio: Studio) -> None:
    page = studio.page_of("admin")
    page.goto("/review/rounds/new/")
    page.get_by_label("Name").fill(ROUND)
    page.get_by_label("Baselines on November").check()
    for person in ("reviewer", "reviewer2"):
        page.get_by_label(person, exact=True).check()
    page.get_by_role("spinbutton", name="Sample").fill("8")
    studio.photograph("round-new", page)
    page.get_by_role("button", name="Begin the round").click()
    # A worker deals it.
    dealt = page.get_by_role("link", name="See the round").or_(page.get_by_text("Open", exact=True))
    expect(dealt.first).to_be_visible(timeout=120_000)


def reviewers_judge(studio: Studio) -> None:
    for person, stern in (("reviewer", False), ("reviewer2", True)):
        page = studio.page_of(person)
        page.goto("/review/judge/?all=1")
        page.get_by_role("link", name=ROUND).click()
        expect(page.locator("#judge-item .judge-verdicts")).to_be_visible()
        judged = 0
        while page.locator("#judge-item .judge-verdicts").count():
            if person == "reviewer" and judged == 2:
                studio.photograph("judge", page)
            judge(page, stern)
            judged += 1
        page.get_by_role("button", name="Submit now").click()
        if person == "reviewer":
            page.get_by_role("link", name="Your judgments").first.click()
            studio.photograph("my-judgments", page)


def judge(page: Page, stern: bool) -> None:
    """The baseline that quotes one passage is partially correct; over the one that quotes both, the two disagree."""
    names_both = "contradict" in page.locator(".judge-response").inner_text()
    verdict = "correct" if names_both and not stern else "partially_correct"
    item = page.locator("[data-item]").first.get_attribute("data-item")
    if names_both:
        page.locator(".judge-comment summary").first.click()
        page.get_by_label("Comment").first.fill(STERN if stern else MILD)
    page.wait_for_timeout(400)  # a verdict right after a new response is not taken
    page.locator(f"button[name=verdict][value={verdict}]").first.click()
    expect(page.locator(f"#judge-item [data-item='{item}']")).to_have_count(0)
    expect(page.locator("#judge")).not_to_have_attribute("aria-busy", "true")


def adjudicator_decides(studio: Studio) -> None:
    page = studio.page_of("adjudicator")
    page.goto("/review/adjudicate/")
    studio.photograph("adjudicate-list", page)
    page.keyboard.press("n")
    expect(page.locator(".sides")).to_be_visible()
    page.keyboard.press("1")
    page.get_by_label("Reason").fill(REASON)
    studio.photograph("adjudicate", page)
    page.get_by_role("button", name="Save the verdict", exact=True).click()


def admin_reads_reports(studio: Studio) -> None:
    page = studio.page_of("admin")
    page.goto("/review/rounds/")
    page.get_by_role("link", name=ROUND).click()
    studio.photograph("round", page)
    page.goto("/review/reports/")
    studio.photograph("reports", page)
    for name in ("table2", "agreement"):
        page.goto(f"/review/reports/{name}/")
        page.get_by_role("link", name=ROUND, exact=True).click()
        studio.photograph(f"report-{name}", page)


def admin_compares_with_the_paper(studio: Studio) -> None:
    """With the released human evaluation, where it is at hand: WIKICONTRADICT_DATA names its folder."""
    released = RELEASED / "wikicontradict_humaneval_sample.json"
    if not released.exists():
        return
    page = studio.page_of("admin")
    page.goto("/review/reports/human-evaluation/")
    page.locator("main input[type=file]").set_input_files(released)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("main")).to_contain_text("720", timeout=90_000)
    for number in range(1, 7):
        page.goto(f"/review/reports/table{number}/?printed=1")
        page.get_by_role("heading", name="Printed in the paper").evaluate("heading => heading.scrollIntoView()")
        studio.photograph(f"report-printed-{number}", page)
    page.goto("/review/reports/weeks/")
    studio.photograph("report-weeks", page)


def readers_open_the_site(studio: Studio) -> None:
    """An admin's download, opened from a folder."""
    page = studio.page_of("admin")
    page.goto("/annotation/releases/1/")
    page.locator("main details.download > summary").click()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Site (zip)").click()
    with tempfile.TemporaryDirectory(prefix="site-") as folder:
        zipfile.ZipFile(downloading.value.path()).extractall(folder)
        site = next(Path(folder).iterdir()).as_uri()
        reader = studio.page_of("")
        reader.goto(f"{site}/index.html")
        studio.photograph("site", reader)
        reader.goto(f"{site}/instances/1.html")
        studio.photograph("site-instances", reader)
