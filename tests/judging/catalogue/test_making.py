"""The general commands of making: each benchmark has its own methods, measures and purposes of calls."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from annotation.models import Tag
from core.refusals import Refusal
from judging.catalogue import purposes
from judging.making import registry
from judging.making.registry import Checking, GenerationAsked, Making, Measure, making_of, method_among
from judging.models import Call, Run, RunKind
from judging.runs.plan import PlannedCall, Planner, plan_with
from judging.runs.runs import save_planned
from tests.factories.judging import make_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


class ForRiddles(purposes.Purpose):
    code, kind = "riddles", RunKind.GENERATION
    template = "judging/_call_instance.html"

    def __init__(self):
        self.stored = []

    def planned(self, planner):
        there = set(planner.calls.values_list("subject_number", flat=True))
        for number in {1, 2} - there:
            for model in planner.language_models:
                columns = planner.columns(self.code, model.pk, subject_number=number)
                yield PlannedCall(columns, [{"role": "user", "content": f"Riddle {number}"}])

    def subjects(self):
        return Tag.objects.none()

    def messages(self, call):
        return [{"role": "user", "content": f"Riddle {call.subject_number}"}]

    def store(self, answered, *, now):
        self.stored += [reply.text for _, _, reply in answered]

    def title(self, call):
        return "A riddle"


class Riddles(Making):
    benchmark = "riddles"
    methods = {"short": "Short riddles"}
    measures = (Measure("wit", "wit", "how witty it is"),)

    def run_of(self, asked: GenerationAsked) -> Run:
        return Run(kind=RunKind.GENERATION, purpose="riddles", name=asked.name, options={"method": asked.method})

    def plan_generation(self, asked):
        return plan_with(Planner(self.run_of(asked), language_models=asked.language_models))

    def create_generation(self, asked, *, actor=None):
        return save_planned(self.run_of(asked), actor=actor, language_models=asked.language_models)

    def check_lines(self, asked):
        return [f"Measured by {asked.components['wit']}."]

    def plan_checks(self, asked):
        return plan_with(Planner(Run(kind=RunKind.CHECKS, purpose="riddles")))

    def run_checks(self, asked, *, actor=None):
        return Checking(remarks=["All are witty."])


@pytest.fixture
def riddles(monkeypatch):
    purpose = ForRiddles()
    monkeypatch.setattr(registry, "_registered", {**registry._registered, "riddles": Riddles()})
    monkeypatch.setattr(purposes, "_purposes", {**purposes._purposes, "riddles": purpose})
    return purpose


def run_command(*argv):
    out = io.StringIO()
    call_command(*argv, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_another_benchmark_has_things_made_by_the_same_command(riddles, server):
    server.answer = lambda request: f"{request['messages'][-1]['content']} solved"
    asked = ["start_generation", "--benchmark", "riddles", "--models", make_model(server.base_url).name]
    assert "2 calls" in run_command(*asked, "--plan")
    assert "finished: 2 of 2 done" in run_command(*asked, "--yes", "--here")
    assert sorted(riddles.stored) == ["Riddle 1 solved", "Riddle 2 solved"]
    run = Run.objects.get()
    assert (run.kind, run.purpose, run.options) == ("generation", "riddles", {"method": "short"})
    assert set(Call.objects.values_list("purpose", flat=True)) == {"riddles"}


def test_its_measures_are_options_and_those_of_others_are_refused(riddles):
    asked = ["run_checks", "--benchmark", "riddles", "--wit", "Ours"]
    assert "Measured by Ours." in run_command(*asked, "--plan")
    assert "All are witty.\nNo calls are needed." in run_command(*asked, "--yes")
    with pytest.raises(CommandError, match="--perplexity is no measurement"):
        run_command(*asked, "--perplexity", "Ours", "--yes")


def test_a_benchmark_without_making_is_refused():
    with pytest.raises(CommandError, match="only for: contradoc"):
        run_command("start_generation", "--benchmark", "wikicontradict", "--models", make_model().name)
    with pytest.raises(Refusal, match="A method must be chosen"):
        method_among(making_of("contradoc"), "")


def test_a_run_that_makes_names_its_purpose_and_no_other_does():
    for kind, purpose in ((RunKind.GENERATION, ""), (RunKind.CHECKS, ""), (RunKind.ANSWER, "riddles")):
        with pytest.raises(IntegrityError), transaction.atomic():
            Run.objects.create(kind=kind, purpose=purpose)
