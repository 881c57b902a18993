"""Pages for judge runs: over runs or a selection, several judges side by side, unreadable replies apart."""

import pytest
from django.urls import reverse

from benchmarks.wikicontradict.protocol.judge import JUDGE
from judging.catalogue.standard import judge_baseline
from judging.models import LanguageModel, Run, RunKind
from judging.responses.judge_verdicts import verdict_table
from tests.factories.judging import make_model, make_run, work
from tests.servers.llm_server import LlmServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def client(sign_in, admin):
    return sign_in(admin)


@pytest.fixture
def answered(server) -> Run:
    """A finished run with four responses: two to template 2, two to template 5."""
    run = make_run(make_model(server.base_url), instances=2, codes=("2", "5"))
    work(run)
    return run


def judge(client, judges: list[LanguageModel], query: str = "", **values) -> Run:
    """A judge run made, started and finished through the pages."""
    before = set(Run.objects.values_list("pk", flat=True))
    response = client.post(reverse("judge_run_new") + query, {"language_models": [j.pk for j in judges], **values})
    assert response.status_code == 302, response.context["form"].errors
    run = Run.objects.exclude(pk__in=before).get()
    client.post(reverse("run_start", args=[run.pk]))
    work(run)
    return run


def cells(run: Run, others: list[Run] | None = None) -> dict[str, list[dict[str, int]]]:
    """Template to the counts of each judge, without noughts."""
    rows = verdict_table(run, others or []).rows
    return {row.template.label: [dict(+cell.counts) for cell in row.cells] for row in rows if row.template}


def test_judge_models_judge_the_responses_of_a_run_side_by_side(client, server, answered):
    run = judge(client, [make_model(server.base_url), judge_baseline()], source_runs=[answered.pk])
    assert run.kind == RunKind.JUDGE
    baseline, model = [{"incorrect": 2}, {"correct": 2}]
    assert cells(run) == {"2": [baseline, model], "5": [baseline, model]}
    page = client.get(reverse("run_judgments", args=[run.pk])).content.decode()
    assert "give the same verdict on <strong>0.0%</strong>" in page
    assert server.requests[-1]["json"]["messages"][0]["content"] == JUDGE["system"]


def test_a_run_without_a_chosen_source_is_not_planned(client, answered):
    response = client.post(reverse("judge_run_new"), {"language_models": [judge_baseline().pk]})
    assert response.status_code == 400
    assert "Choose at least one run" in response.content.decode()
    assert not Run.objects.filter(kind=RunKind.JUDGE).exists()


def test_a_selection_is_what_the_list_of_responses_shows(client, answered):
    template = answered.templates.get(code="5")
    query = f"?selection=yes&run={answered.pk}&template={template.pk}"
    assert "2 responses" in client.get(reverse("judge_run_new") + query).content.decode()
    run = judge(client, [judge_baseline()], query)
    assert set(cells(run)) == {"5"}
    assert run.judgments.count() == 2


def test_unreadable_replies_stand_apart_are_in_no_rate_and_can_be_asked_again(client, answered):
    with LlmServer(verdict="I like it.") as server:
        run = judge(client, [make_model(server.base_url)], source_runs=[answered.pk])
        assert cells(run) == {"2": [{"unreadable": 2}], "5": [{"unreadable": 2}]}
        page = client.get(reverse("run", args=[run.pk])).content.decode()
        assert "Read the 4 unreadable replies" in page
        listed = client.get(reverse("run_judgments", args=[run.pk]), {"show": "unreadable"}).content.decode()
        assert "I like it." in listed
        assert "It states no verdict in a known form" in listed
        server.levers.verdict = "Fine.\nevaluation: incorrect"
        client.post(reverse("run_ask_again", args=[run.pk]))
        work(run)
    assert cells(run) == {"2": [{"incorrect": 2}], "5": [{"incorrect": 2}]}
    assert run.judgments.count() == 4


def test_a_verdict_that_was_not_offered_is_unreadable(client, answered):
    with LlmServer(verdict="So so.\nevaluation: partially correct") as server:
        run = judge(client, [make_model(server.base_url)], source_runs=[answered.pk])
    assert cells(run) == {"2": [{"unreadable": 2}], "5": [{"partially_correct": 2}]}


def test_judge_runs_over_the_same_responses_are_compared(client, server, answered):
    one = judge(client, [judge_baseline()], source_runs=[answered.pk])
    other = judge(client, [make_model(server.base_url)], source_runs=[answered.pk])
    response = client.get(reverse("run_judgments", args=[one.pk]), {"with": other.pk})
    assert list(response.context["comparable"]) == [other]
    [agreement] = response.context["table"].agreements
    assert (agreement.judged, agreement.same) == (4, 0)
    rows = response.context["rows"]
    assert [[said.verdict for said in judgments] for _, judgments in rows] == [["incorrect", "correct"]] * 4
    differ = client.get(reverse("run_judgments", args=[one.pk]), {"with": other.pk, "show": "differ"})
    assert len(differ.context["page"]) == 4
    alone = client.get(reverse("run_judgments", args=[one.pk]), {"show": "differ"})
    assert len(alone.context["page"]) == 0


def test_responses_that_are_no_answers_are_judged_only_where_asked_for(client, server):
    server.levers.faults = ["length/2"]
    run = make_run(make_model(server.base_url), instances=4)
    work(run)
    without = judge(client, [judge_baseline()], source_runs=[run.pk])
    assert without.judgments.count() == 2
    assert judge(client, [judge_baseline()], source_runs=[run.pk], include_marked="on").judgments.count() == 4


def test_the_page_of_a_judgment_shows_question_prompt_and_reply(client, server, answered):
    run = judge(client, [make_model(server.base_url)], source_runs=[answered.pk])
    judgment = run.judgments.all()[0]
    page = client.get(reverse("call", args=[judgment.attempt.call.key])).content.decode()
    assert "Testing instance" in page
    assert "Thus, the response is correct." in page
    response = client.get(reverse("response", args=[judgment.response.key])).content.decode()
    assert reverse("call", args=[judgment.attempt.call.key]) in response


def test_only_judge_runs_have_judgments(client, answered):
    assert client.get(reverse("run_judgments", args=[answered.pk])).status_code == 404


@pytest.mark.parametrize("query", ["?with=x", "?with=99999999999999999999", "?show=x", "?template=x&page=-1"])
def test_rubbish_in_an_address_is_no_error(client, answered, query):
    run = judge(client, [judge_baseline()], source_runs=[answered.pk])
    assert client.get(reverse("run_judgments", args=[run.pk]) + query).status_code == 200
    assert client.get(reverse("judge_run_new") + query + "&selection=yes").status_code == 200
