"""A release, a model at a counting server, a run; and a worker within the test."""

import uuid
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.db.models import Sum

from annotation.content.instances import INSTANCE_FIELDS, Conflict
from annotation.kinds.registry import benchmark
from annotation.models import Instance, Release, ReleasedInstance
from annotation.releases.items.releasing import columns_of
from benchmarks.wikicontradict.items import CODE
from judging.catalogue.standard import install_standard
from judging.models import Attempt, LanguageModel, PromptTemplate, Run
from judging.runs.pump import pump_calls
from judging.runs.runs import create_run, start_run


def make_instance(number: int = 1, **values: Any) -> Instance:
    instance = unsaved_instance(number, **values)
    instance.save(force_insert=True)
    return instance


def unsaved_instance(number: int = 1, **values: Any) -> Instance:
    """An instance of WikiContradict; `values` are of its content or of its row."""
    content = {
        "question": f"When did bridge {number} open?",
        "passage_1": f"Bridge {number} opened in 1903.",
        "passage_2": f"Bridge {number} opened in 1899.",
        "answer_1": "1903",
        "answer_2": "1899",
        "reasoning_type": "EXP",
        **{name: values.pop(name) for name in INSTANCE_FIELDS if name in values},
    }
    columns = columns_of(benchmark(CODE), asdict(Conflict(**content)))
    return Instance(**{"key": uuid.uuid4().hex, **columns, **values})


def make_release(instances: int | list[Instance] = 3, *, content_hash: str = 64 * "0") -> Release:
    rows = [make_instance(n) for n in range(1, instances + 1)] if isinstance(instances, int) else instances
    number = Release.objects.count() + 1
    release = Release.objects.create(
        number=number, benchmark="wikicontradict", name="Bridges", content_hash=content_hash
    )
    for position, row in enumerate(rows, start=1):
        ReleasedInstance.objects.create(release=release, number=position, instance=row)
    return release


def make_model(base_url: str = "http://127.0.0.1:1/v1", **values: Any) -> LanguageModel:
    number = LanguageModel.objects.count()
    defaults = {"name": f"Model {number}", "endpoint_name": "a-model", "base_url": base_url, "timeout_seconds": 30}
    return LanguageModel.objects.create(**defaults | values)


def templates(*codes: str) -> list[PromptTemplate]:
    if not PromptTemplate.objects.exists():  # every response asks, and they are all there but after a flush
        install_standard()
    return list(PromptTemplate.objects.current().filter(code__in=codes))


def make_run(model: LanguageModel, *, instances: int = 3, codes: tuple[str, ...] = ("5",), **values: Any) -> Run:
    """A started run."""
    release = values.pop("release", None) or make_release(instances)
    run = create_run(release=release, language_models=[model], templates=templates(*codes), **values)
    return start_run(run=run)


def work(run: Run | None = None) -> None:
    """Make all calls that are left, as a worker would."""
    assert pump_calls()
    if run:
        run.refresh_from_db()


def spent(run: Run) -> Decimal:
    """The cost of the run's responses."""
    return run.responses.aggregate(cost=Sum("cost"))["cost"] or Decimal(0)


def states(run: Run) -> dict[str, int]:
    """Number of calls in each state."""
    found = list(run.calls.values_list("state", flat=True))
    return {state: found.count(state) for state in sorted(set(found))}


def committed_by_attempts(run: Run) -> Decimal:
    """The expected `Run.committed`: summed up from the attempts."""
    attempts = Attempt.objects.filter(call__run=run).values_list("outcome", "cost", "possible_cost")
    held = [most for outcome, cost, most in attempts if cost is None and outcome != "unpaid"]
    return sum((cost or Decimal(0) for _, cost, _ in attempts), Decimal(0)) + sum(held, Decimal(0))
