"""The pages of models and runs in a real browser: live progress, one click for what is in doubt, a preview as one
types; accessible, in light and dark, wide and narrow."""

from decimal import Decimal

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from benchmarks.wikicontradict.resolved_passages import resolve_passages
from judging.catalogue.standard import judge_baseline
from judging.models import Call, CallState, Run, RunState
from judging.runs.runs import create_judge_run, start_run
from tests.browser.conftest import errors_of_look
from tests.factories.judging import make_instance, make_model, make_release, make_run, templates, work
from tests.servers.llm_server import LlmServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def engine(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    settings.CALL_BACKOFF_SECONDS = 0.02
    # Other tests have emptied the tables, templates and baselines with them.
    templates()


def end(run: Run, count: int, **values) -> None:
    """Let this many of the calls that are left end like this."""
    left = run.calls.filter(state=CallState.PENDING).values("pk")[:count]
    Call.objects.filter(pk__in=list(left.values_list("pk", flat=True))).update(
        attempts_made=1, ended_at=timezone.now(), **values
    )


def test_progress_moves_by_itself_keeps_the_focus_and_stops_at_the_end(open_page, admin):
    run = make_run(make_model(), instances=4)
    page = open_page(admin, f"/judging/runs/{run.pk}/")
    legend = page.locator(".bar-legend")
    expect(legend).to_contain_text("Left 4")
    page.get_by_role("button", name="Pause").focus()
    end(run, 2, state=CallState.DONE)
    end(run, 1, state=CallState.FAILED, reason="key", error="Not accepted", failure_group="0" * 12)
    expect(legend).to_contain_text("Done 2")
    expect(legend).to_contain_text("Failed 1")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    expect(page.get_by_role("rowheader", name="The key is not accepted")).to_be_visible()
    end(run, 1, state=CallState.DONE)
    Run.objects.filter(pk=run.pk).update(state=RunState.FINISHED, finished_at=timezone.now())
    expect(page.get_by_text("No calls are left")).to_be_visible()
    expect(page.locator("[hx-trigger]")).to_have_count(0)


@pytest.mark.thorough
def test_an_opened_budget_stays_open_while_the_page_refreshes(open_page, admin):
    run = make_run(make_model(price_in=1, price_out=1), instances=2)
    page = open_page(admin, f"/judging/runs/{run.pk}/")
    page.get_by_text("Budget: no limit").click()
    page.get_by_label("Budget (US$)").fill("12")
    end(run, 1, state=CallState.DONE)
    expect(page.locator(".bar-legend")).to_contain_text("Done 1")
    expect(page.get_by_label("Budget (US$)")).to_have_value("12")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Budget: US$12.00")).to_be_visible()


def test_from_the_form_over_the_plan_to_the_responses(open_page, admin):
    make_release(2)
    page = open_page(admin, "/judging/runs/new/")
    page.get_by_label("Baseline: both passages").check()
    page.get_by_label("All", exact=True).check()
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_text("14 calls")).to_be_visible()
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator(".bar-legend")).to_contain_text("Done 14")
    page.get_by_role("button", name="Responses", exact=True).click()
    page.wait_for_url("**/responses/**")  # with its scripts: keys that come before are the other page's
    expect(page.get_by_role("heading", name="Responses")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Messages sent")).to_be_visible()


def test_what_is_in_doubt_is_repeated_with_one_click(open_page, admin):
    with LlmServer(faults=["drop"]) as server:
        run = make_run(make_model(server.base_url, price_in=1, price_out=1), instances=3)
        work(run)
        page = open_page(admin, f"/judging/runs/{run.pk}/")
        server.levers.faults = []
        page.get_by_role("button", name="Repeat all 3").click()
        expect(page.get_by_text("3 calls will be repeated.")).to_be_visible()
        expect(page.locator(".bar-legend")).to_contain_text("Done 3")


def test_the_preview_follows_what_is_typed(open_page, admin):
    make_release([make_instance(1), make_instance(2)])
    [template] = templates("5")
    page = open_page(admin, f"/judging/templates/new/?from={template.pk}")
    preview = page.locator("#preview")
    expect(preview).to_contain_text("Bridge 1 opened in 1903.")
    page.get_by_label("Text", exact=True).fill("Briefly: {question} {passage2}")
    expect(preview).to_contain_text("Briefly: When did bridge 1 open? Bridge 1 opened in 1899.")
    page.get_by_label("Instance", exact=True).select_option("When did bridge 2 open?")
    expect(preview).to_contain_text("Briefly: When did bridge 2 open?")
    page.get_by_label("Text", exact=True).fill("Briefly: {passage2}")
    expect(preview).to_contain_text("A prompt needs {question}")


def test_a_test_call_is_answered_on_the_page(open_page, admin):
    model = make_model("http://127.0.0.1:1/v1")
    page = open_page(admin, f"/judging/models/{model.pk}/")
    page.get_by_role("button", name="Test call").click()
    expect(page.get_by_role("alert")).to_contain_text("The connection was refused")


@pytest.fixture
def everything(admin, annotator) -> list[str]:
    """One of each kind of row, with long words in each; the addresses of all pages that show them."""
    long = "Verylongword" * 16
    release = make_release(
        [
            make_instance(1, question=f"When {long}?", passage_1=long, answer_1=long),
            make_instance(2, passage_1="one " * 200),
            make_instance(3),
        ]
    )
    first = release.instances.order_by("pk")[0]
    resolve_passages(instance=first, passage_1=long + "x", passage_2="p", answer=long, resolver=annotator)
    with LlmServer(faults=["drop/3", "400/5", "length/4"], verdict=long) as server:
        model = make_model(server.base_url, name=long[:90], price_in=Decimal(1), price_out=Decimal(1), notes=long)
        run = make_run(model, release=release, codes=("1", "5", "5.3"), name=long, repetitions=2)
        work(run)
        server.levers.faults = ["drop/4"]
        judge_run = create_judge_run(language_models=[model, judge_baseline()], source_runs=[run])
        start_run(run=judge_run)
        work(judge_run)
    planned = create_judge_run(language_models=[model], source_runs=[run])
    response, judgment = run.responses.all()[0], judge_run.judgments.all()[0]
    running = make_run(model, release=release, codes=("1",))
    return [
        "runs/",
        "runs/new/",
        f"runs/new/judge/?run={run.pk}",
        f"runs/{run.pk}/",
        f"runs/{judge_run.pk}/",
        f"runs/{planned.pk}/",
        f"runs/{running.pk}/",
        f"runs/{run.pk}/calls/?state=in_doubt",
        f"runs/{judge_run.pk}/judgments/",
        "responses/",
        "responses/import/",
        f"responses/{response.key}/",
        f"calls/{judgment.attempt.call.key}/",
        "models/",
        f"models/{model.pk}/",
        f"models/{model.pk}/edit/",
        "models/new/",
        "templates/",
        "templates/new/",
        "resolved-passages/",
        f"resolved-passages/{first.pk}/",
    ]


@pytest.mark.thorough
def test_axe_finds_nothing_and_nothing_sticks_out(open_page, admin, everything):
    page, wrong = open_page(admin), []
    for address in everything:
        assert page.goto(f"/judging/{address}").ok, address
        wrong += errors_of_look(page)
    assert not wrong, "\n".join(wrong)
