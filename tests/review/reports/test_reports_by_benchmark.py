"""Each report is about the responses of one benchmark, whatever else was answered and judged here."""

import json
from io import StringIO
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Release
from benchmarks.wikicontradict.human_evaluation.exporting import human_evaluation_chunks
from benchmarks.wikicontradict.items import CODE
from judging.models import ModelJudgment, PromptTemplate, Response, Run, RunKind, RunState
from review.models import Round
from review.reports.formats import as_csv, as_json
from review.reports.links import ResponseFilter
from review.reports.registry import all_reports, make_report
from review.reports.scope import Scope
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.setting_aside import set_aside
from tests.factories.review import give_all, make_imported_run, make_named_model, make_round

pytestmark = pytest.mark.django_db
CONTRADOC = "contradoc"


def files(benchmark: str) -> dict[str, tuple[Any, str, list[str]]]:
    """The JSON, the CSV and the sentences of each of the benchmark's reports."""
    found = {}
    for name, entry in all_reports().items():
        if entry.benchmark == benchmark and name != "cost":
            report = make_report(name, Scope())
            found[name] = json.loads(as_json(report)), as_csv(report), list(report.lead)
    return found


def judged(round: Round) -> None:
    for number, item in enumerate(round.items.all()):
        give_all(item, "correct", ("correct", "incorrect")[number % 2])
    complete_pairs(round=round)


def second_opinion(run: Run) -> None:
    now = timezone.now()
    judge = Run.objects.create(name=f"judging {run}", kind=RunKind.JUDGE, state=RunState.FINISHED, started_at=now)
    for response in run.responses.all():
        ModelJudgment.objects.create(
            run=judge,
            response=response,
            model=make_named_model("Judge"),
            verdict="correct",
            reader="test 1",
            imported={},
        )


def answered_conflicts(admin, people) -> Run:
    run = make_imported_run(6)
    judged(make_round(admin, people, run))
    second_opinion(run)
    return run


def answered_documents(run: Run, admin) -> None:
    """Documents' responses with all that conflicts' responses can have."""
    template = PromptTemplate.objects.filter(benchmark=CONTRADOC, task="contradoc-binary").latest("pk")
    for instance in Release.objects.get(benchmark=CONTRADOC).instances.all():
        for model in ("Mist", "Llam"):
            Response.objects.create(
                run=run,
                instance=instance,
                model=make_named_model(model),
                template=template,
                repetition=2,
                text="No.",
                imported={},
            )
    second_opinion(run)
    set_aside(instance=Release.objects.get(benchmark=CONTRADOC).instances.all()[0], person=admin, reason="ambiguous")


def test_no_table_of_wikicontradict_has_anything_of_contradoc(free_replies, admin, reviewer, other_reviewer):
    people = [reviewer, other_reviewer]
    answered_conflicts(admin, people)
    before, evaluation = files(CODE), "".join(human_evaluation_chunks())
    answered_documents(free_replies, admin)
    for name, found in files(CODE).items():
        assert found == before[name], name
    assert "".join(human_evaluation_chunks()) == evaluation


def test_no_table_of_contradoc_has_anything_of_wikicontradict(free_replies, admin, reviewer, other_reviewer):
    before = files(CONTRADOC)
    answered_conflicts(admin, [reviewer, other_reviewer])
    for name, found in files(CONTRADOC).items():
        assert found == before[name], name


def test_a_release_or_run_of_another_benchmark_is_refused(free_replies, admin, client):
    release = Release.objects.get(benchmark=CONTRADOC)
    client.force_login(admin)
    for asked, part in (({"release": release.number}, release), ({"run": free_replies.pk}, free_replies)):
        expected = (
            f"“{part}” is of the benchmark ContraDoc, and this report is about WikiContradict. Choose a release or "
            "run of WikiContradict, or a report about ContraDoc."
        )
        for name in ("table2", "agreement"):
            page = client.get(reverse("report", args=[name]), asked)
            assert page.status_code == 404
            assert expected in page.text
            for kind in ("csv", "json", "latex"):
                assert client.get(reverse("report_download", args=[name, kind]), asked).status_code == 404
            told = client.get(reverse("api:report", args=[name]), asked)
            assert told.status_code == 404
            assert expected in told.json()["detail"]
            with pytest.raises(CommandError, match="is of the benchmark ContraDoc"):
                call_command("report", name, *(f"--{key}={value}" for key, value in asked.items()), stdout=StringIO())
        assert client.get(reverse("report", args=["contradoc-table2"]), asked).status_code == 200
        # They count all benchmarks, or nothing that the scope narrows.
        for name in ("cost", "annotators"):
            assert client.get(reverse("report", args=[name]), asked).status_code == 200


def test_filters_offer_runs_and_rounds_of_the_benchmark_only(free_replies, admin, reviewer, other_reviewer, client):
    people = [reviewer, other_reviewer]
    conflicts = answered_conflicts(admin, people)
    answered_documents(free_replies, admin)
    client.force_login(admin)

    def offered(name: str, kind: str) -> set[int]:
        chips = dict(client.get(reverse("report", args=[name])).context["chips"])
        queries = [choice.query for choice in chips.get(kind, ())]
        return {
            int(part.split("=")[1]) for each in queries for part in each.split("&") if part.startswith(kind.lower())
        }

    assert offered("table2", "Run") == {conflicts.pk}
    assert offered("contradoc-table2", "Run") == {free_replies.pk}
    assert offered("table2", "Round") == {Round.objects.get(runs=conflicts).pk}
    assert offered("contradoc-table2", "Round") == set()
    assert offered("cost", "Run") == {conflicts.pk, free_replies.pk}


def test_the_responses_behind_a_number_are_of_its_benchmark(free_replies, admin, reviewer, other_reviewer):
    answered_conflicts(admin, [reviewer, other_reviewer])
    answered_documents(free_replies, admin)
    for address in ("benchmark=wikicontradict", "benchmark=contradoc"):
        found = ResponseFilter.of(dict(parse_qsl(address))).responses()
        assert {response.instance.benchmark for response in found} == {address.split("=")[1]}
    cells = [cell for row in make_report("agreement", Scope()).sections[0].table.rows for cell in row if cell.href]
    assert cells
    assert all("benchmark=wikicontradict" in cell.href for cell in cells)


def test_an_unknown_benchmark_is_refused(client, admin):
    client.force_login(admin)
    assert client.get(reverse("report_responses"), {"benchmark": "nothing"}).status_code == 404
