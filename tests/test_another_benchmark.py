"""A third benchmark is data and one small module: a made-up one of sums is released, asked, read, judged by two
people and reported, without a line of other code."""

import json
import re
from dataclasses import dataclass

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.kinds import registry as benchmarks
from annotation.releases.items.releasing import release_contents
from judging.models import LanguageModel, PromptTemplate, Reading
from judging.protocol import tasks
from judging.runs.pump import pump_calls
from judging.runs.runs import create_run, start_run
from review.models import FinalAnswers
from review.reports import registry as reports
from review.reports.layout import Report
from review.rounds import questionnaires
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from review.rounds.questionnaires import Field, Option
from review.rounds.reply_questionnaire import reply_questionnaire
from tests.contradoc.rows import make_questionnaire_round

pytestmark = pytest.mark.django_db
SUMS = [{"sum": "1 + 1", "is": 2}, {"sum": "2 + 2", "is": 4}, {"sum": "3 + 3", "is": 6}]


# --- The module of the benchmark ------------------------------------------------------------------------------------

BENCHMARK = benchmarks.Benchmark("sums", "Sums", listed=lambda content: benchmarks.Listed(content["sum"]))


@dataclass(frozen=True, slots=True)
class Score:
    is_right: bool = False


class Result(tasks.Task):
    code, name, benchmark = "sums", "What is the sum?", "sums"
    placeholders, needed = frozenset({"sum"}), "sum"
    score_shape = Score
    reader = tasks.TaskReader("digits", 1, lambda reply: tasks.Read(re.findall(r"\d+", reply.text)[-1]))
    wordings = {"sums": (tasks.Wording("Plain", "What is {sum}?", "Made up"),)}
    baselines = {"always four": lambda content: f"{content['sum']} is 4"}

    def score(self, content, value):
        return Score(int(value) == content["is"])


def report(scope):
    right = Reading.objects.current().filter(task="sums", scores__is_right=True).count()
    return Report("Sums", [f"{right} right."], [], data={"right": right}, records=[{"right": right}])


POLITE = reply_questionnaire(
    code="sums", name="Politeness", tasks=("sums",),
    fields=(Field("polite", "Polite?", (Option("yes", "Yes"), Option("no", "No"))),),
)  # fmt: skip


# --- What becomes of it ---------------------------------------------------------------------------------------------


@pytest.fixture
def sums(monkeypatch):
    monkeypatch.setattr(benchmarks, "_benchmarks", dict(benchmarks._benchmarks))
    monkeypatch.setattr(tasks._known, "tasks", dict(tasks._known.tasks))
    monkeypatch.setattr(questionnaires, "QUESTIONNAIRES", dict(questionnaires.QUESTIONNAIRES))
    monkeypatch.setitem(reports.REPORTS, "sums", reports.Entry(report, "Sums", "How many are right."))
    benchmarks.register(BENCHMARK)
    tasks.register(Result())
    questionnaires.register(POLITE)


def test_it_is_released_asked_read_judged_and_reported(sums, admin, reviewer, other_reviewer, sign_in, capsys):
    release = release_contents(benchmark=BENCHMARK, name="Sums", contents=SUMS)
    run = create_run(
        release=release,
        language_models=[LanguageModel.objects.get(endpoint_name="always four")],
        templates=[PromptTemplate.objects.get(code="sums")],
    )
    start_run(run=run)
    pump_calls()
    response = run.responses.get(instance__question="2 + 2")
    assert response.messages[-1]["content"] == "What is 2 + 2?"

    round = make_questionnaire_round("sums", admin, [reviewer, other_reviewer], runs=[run], undo_minutes=0)
    page = sign_in(reviewer).get(reverse("judge_round", args=[round.key]))
    assert "Polite?" in page.text
    assert "is 4" in page.text
    for item in round.items.all():
        for slot in item.judgments.all():
            record_judgment(slot=slot, reviewer=slot.reviewer, answers={"polite": "yes"})
    complete_pairs(round=round)
    assert list(FinalAnswers.objects.values_list("outcome", flat=True)) == ["yes"] * 3

    capsys.readouterr()
    call_command("report", "sums", "--format", "json")
    assert json.loads(capsys.readouterr().out)["right"] == 1
    call_command("export_judgments", "--what", "final-answers", "--format", "jsonl")
    assert [json.loads(line)["outcome"] for line in capsys.readouterr().out.splitlines()] == ["yes"] * 3
    client = sign_in(admin)
    for page in (
        reverse("release", args=[release.number]),
        reverse("run", args=[run.pk]),
        reverse("response", args=[response.key]),
        reverse("templates"),
        reverse("run_new"),
        reverse("report", args=["sums"]),
    ):
        assert client.get(page).status_code == 200, page
