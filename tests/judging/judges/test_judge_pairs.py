"""Agreement of two judge models: the database keeps it, whichever statement changes their judgments."""

import random
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import combinations, product

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from core.models import Batch
from judging.models import JudgePairSums, LanguageModel, ModelJudgment, Response, Run, RunKind, RunState
from judging.protocol.verdicts import Unreadable, Verdict
from judging.responses.judge_verdicts import Judge, agreement, comparable_runs
from tests.core.accounts.test_people_at_once import at_once
from tests.factories.judging import make_instance, make_model, templates
from tests.interleaving.schedules import UndoneMachine, try_schedules
from tests.judging.run_sums import check_pairs

pytestmark = pytest.mark.django_db
RUNS, MODELS, RESPONSES = 2, 3, 4
SAYS = [*Verdict, ""]


def said(verdict: str) -> dict[str, str]:
    return {"verdict": verdict, "unreadable_reason": "" if verdict else Unreadable.NOT_STATED}


class World:
    def __init__(self) -> None:
        [template] = templates("5")
        source = Run.objects.create(kind=RunKind.IMPORT, state=RunState.FINISHED, started_at=timezone.now())
        self.runs = [
            Run.objects.create(kind=RunKind.JUDGE, state=RunState.FINISHED, started_at=timezone.now())
            for _ in range(RUNS)
        ]
        self.models = [make_model() for _ in range(MODELS)]
        for run in self.runs:
            run.language_models.set(self.models)
        self.responses = [
            Response.objects.create(
                run=source, instance=make_instance(), model=self.models[0], template=template, imported={}
            )
            for _ in range(RESPONSES)
        ]

    def all_halves(self) -> list[tuple[Run, Response, LanguageModel]]:
        return list(product(self.runs, self.responses, self.models))

    def judgments(self, chance: random.Random, batch: Batch | None = None) -> Iterator[ModelJudgment]:
        """Some that are not there yet."""
        there = set(ModelJudgment.everything.values_list("run", "response", "model"))
        for run, response, model in self.all_halves():
            if (run.pk, response.pk, model.pk) not in there and chance.random() < 0.4:
                verdict = said(chance.choice(SAYS))
                yield ModelJudgment(run=run, response=response, model=model, imported={}, batch=batch, **verdict)


class Judging(UndoneMachine):
    """Judgments come and go and change, many with one statement."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.batch: Batch | None = None

    @rule(seed=st.integers(0, 10_000))
    def come(self, seed):
        ModelJudgment.objects.bulk_create(self.world.judgments(random.Random(seed), self.batch))

    @rule(seed=st.integers(0, 10_000))
    def come_again_and_are_left_out(self, seed):
        again = [
            ModelJudgment(run=run, response=response, model=model, imported={}, **said("correct"))
            for run, response, model in random.Random(seed).sample(self.world.all_halves(), 5)
        ]
        ModelJudgment.objects.bulk_create(again, ignore_conflicts=True)

    @rule(verdict=st.sampled_from(SAYS), seed=st.integers(0, 10_000))
    def are_read_anew(self, verdict, seed):
        keys = list(ModelJudgment.everything.values_list("pk", flat=True))
        some = random.Random(seed).sample(keys, len(keys) // 2)
        ModelJudgment.everything.filter(pk__in=some).update(**said(verdict))

    @rule(seed=st.integers(0, 10_000))
    def go(self, seed):
        keys = list(ModelJudgment.everything.values_list("pk", flat=True))
        ModelJudgment.everything.filter(pk__in=random.Random(seed).sample(keys, len(keys) // 3)).delete()

    @rule()
    def change_without_being_read_anew(self):
        ModelJudgment.everything.update(comment="Read.")

    @rule()
    def an_import_begins_or_ends(self):
        if self.batch:
            Batch.objects.update(is_open=False)
            self.batch = None
        else:
            self.batch = Batch.objects.create(what="import", alive_until=timezone.now() + timedelta(hours=1))

    @invariant()
    def the_sums_are_what_would_be_counted(self):
        check_pairs()

    @invariant()
    def pages_say_what_is_visible(self):
        runs = self.world.runs
        visible = list(ModelJudgment.objects.values_list("response", "run", "model", "verdict"))
        for one, other in combinations(product(runs, self.world.models), 2):
            by = [{r: v for r, *of, v in visible if of == [run.pk, model.pk] and v} for run, model in (one, other)]
            both = by[0].keys() & by[1].keys()
            found = agreement(Judge(*one, 1), Judge(*other, 2))
            assert (found.judged, found.same) == (len(both), sum(by[0][r] == by[1][r] for r in both))
        of_run = [{r for r, of, *_ in visible if of == run.pk} for run in runs]
        assert list(comparable_runs(runs[0])) == ([runs[1]] if of_run[0] & of_run[1] else [])


def test_sums_of_pairs_are_what_would_be_counted_whatever_is_done():
    try_schedules(Judging, count=12, steps=12)


@pytest.mark.django_db(transaction=True)
def test_judgments_that_arrive_at_the_same_time_meet():
    world = World()

    def judge(model: LanguageModel) -> None:
        for response in world.responses:
            with transaction.atomic():
                ModelJudgment.objects.create(
                    run=world.runs[0], response=response, model=model, imported={}, **said("correct")
                )

    assert at_once(*(partial(judge, model) for model in world.models)) == ["done"] * MODELS
    assert [each.same for each in JudgePairSums.objects.all()] == [RESPONSES] * 3
    check_pairs()
