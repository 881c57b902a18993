"""Reports in a real browser: from a number to the responses behind it; readable by all, on every screen."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import errors_of_look
from tests.factories.judge_models import say
from tests.factories.review import give_all, make_imported_run, make_round
from tests.wikicontradict.evaluation import evaluation_file, record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def judged(admin, reviewer, other_reviewer):
    run = make_imported_run(4, codes=["2", "5"])
    round = make_round(admin, [reviewer, other_reviewer], run, training_required=False)
    pairs = [("correct", "correct"), ("correct", "incorrect"), ("incorrect", "incorrect")]
    for number, item in enumerate(round.items.order_by("pk")[:12]):
        give_all(item, *pairs[number % 3])
    for number, response in enumerate(run.responses.order_by("pk")):
        say(response, ("correct", "incorrect", "")[number % 3])
    return round


def test_from_a_number_to_the_responses_behind_it(open_page, admin, judged):
    page = open_page(admin, "/")
    page.locator("summary", has_text="Results").click()
    page.get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="Table 2: final verdicts").click()
    expect(page.locator(".lead").first).to_contain_text("is correct in")
    row = page.locator(".report-table tbody tr").first
    count = row.locator("td.number").first.inner_text()
    row.locator("td.number a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{count} responses")
    page.get_by_role("link", name="has a final verdict").click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text(f"{count} responses")
    page.locator("table a").first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_chips_narrow_a_report_and_files_follow(open_page, admin, judged):
    page = open_page(admin, "/review/reports/table2/")
    page.get_by_role("link", name=judged.name).click()
    expect(page.get_by_role("link", name=judged.name)).to_have_attribute("aria-current", "true")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="CSV").click()
    assert downloading.value.suggested_filename == "wikicontradict-table2.csv"
    assert f"round={judged.pk}" in downloading.value.url


def test_a_human_evaluation_is_checked_refused_and_imported_on_one_page(open_page, admin, tmp_path):
    page = open_page(admin, "/review/reports/")
    page.get_by_role("button", name="Import a human evaluation").click()
    result = page.locator("#import-result")
    page.set_input_files("input[name=file]", evaluation_file(tmp_path, record()))
    page.get_by_role("button", name="Validate").click()
    expect(result).to_contain_text("Validated only: nothing was written")
    page.set_input_files("input[name=file]", evaluation_file(tmp_path, record(ModelAnswer_prompt_4_humanEval="Yes")))
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_contain_text("mist, record 1")
    expect(result).to_be_empty()
    page.set_input_files("input[name=file]", evaluation_file(tmp_path, record()))
    page.get_by_role("button", name="Import").click()
    expect(result).to_contain_text("2 responses, 2 with a final verdict")
    page.goto("/review/reports/table2/")
    expect(page.locator(".report-table")).to_contain_text("mist")


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_a_deadline_is_saved_by_the_button_on_its_line(open_page, admin, judged, width):
    page = open_page(admin, f"/review/rounds/{judged.pk}/", viewport={"width": width, "height": 900})
    field, button = page.get_by_label("Deadline"), page.get_by_role("button", name="Save")
    # Both at one moment: what stands above them may still change.
    form = page.locator("form", has=button).filter(has=field)
    boxes = form.evaluate(
        "form => ['[name=deadline]', 'button'].map(each => form.querySelector(each).getBoundingClientRect().toJSON())"
    )
    assert {round(box["y"]) for box in boxes} == {round(boxes[0]["y"])}
    assert {round(box["height"]) for box in boxes} == {round(boxes[0]["height"])}
    assert 0 < boxes[1]["x"] - boxes[0]["x"] - boxes[0]["width"] < 20
    assert boxes[1]["x"] + boxes[1]["width"] <= width
    field.fill("2026-12-24")
    button.click()
    expect(page.get_by_text("due on 24 December 2026")).to_be_visible()


@pytest.mark.thorough
def test_the_pages_are_accessible_and_fit(open_page, admin, judged):
    page = open_page(admin)
    addresses = ["", "table2/", "table4/", "table5/", "table6/", "agreement/?by=reviewers", "cost/", "annotators/"]
    addresses += ["comparison/", "comparison/?by=pooled", "weeks/"]
    addresses += ["responses/", "human-evaluation/"]
    for address in addresses:
        assert page.goto(f"/review/reports/{address}").ok, address
        assert errors_of_look(page) == []
