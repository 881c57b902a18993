"""Table 3 of ConflictBank: the evidence before and after each step of the making, by cause."""

from typing import Any

from django.urls import reverse

from core.languages import say
from core.words import plural
from review.reports.layout import Cell, Column, Report, Section, Table
from review.reports.scope import Scope

from ..evidence.counting import CLAIMS, CONFIRMED, EVIDENCE, STEPS, Pipeline, Step, pipelines
from ..models import Cause
from .tables import MISLEADING

NAMES = (say("Left over"), say("Failed"), say("Not checked"), say("Waiting"))
# Table 3 of the paper, and the rows of its released files.
PRINTED = {
    CLAIMS: dict.fromkeys(Cause.values, 2_863_205),
    EVIDENCE: dict.fromkeys(Cause.values, 2_863_205),
    "refusal": dict(zip(Cause.values, (2_687_972, 2_601_469, 2_535_547, 2_657_879), strict=True)),
    "entailment": dict(zip(Cause.values, (1_991_218, 1_878_340, 1_650_026, 1_934_269), strict=True)),
    CONFIRMED: dict.fromkeys(Cause.values, 553_117),
}


def pipeline(scope: Scope) -> Report:
    """The steps of each model that wrote evidence, with the numbers of unchecked texts."""
    found = [each for each in pipelines() if any(step.inputs for step in each.steps)]
    return Report(
        title=say("Evidence by step and cause"),
        lead=[_in_words(each) for each in found],
        sections=[Section(each.model, table=_table(each, linked=not scope.public)) for each in found],
        data={
            "models": {each.model: {step: _data(each, step) for step in STEPS} for each in found},
            "printed": PRINTED,
        },
        records=[_record(each.model, step) for each in found for step in each.steps],
        notes=[MISLEADING],
        empty=say(
            "There are no claims. Import facts with manage.py import_facts FILE and make claims with manage.py "
            "make_claims --seed N."
        ),
        about=say(
            "Each number is what a step left: what passed, was not checked, or was overruled by an admin. A step "
            "has as input what the one above it left; what it has not reached yet waits. The last step counts "
            "conflicts whose evidence for all causes is left. In the paper all of it was confirmed; here, some may "
            "not be checked."
        ),
    )


def _in_words(found: Pipeline) -> str:
    whole = found.step(CONFIRMED, Cause.DEFAULT)
    written = sum(each.inputs for each in found.steps if each.step == EVIDENCE)
    if not found.model:
        return say("No evidence was written yet.")
    return say(
        "{model} wrote {texts}; {conflicts} left for all causes, {not_checked:,} of them with a check that was not "
        "made.",
        model=found.model,
        texts=plural(written, "text"),
        conflicts=plural(whole.inputs, "conflict"),
        not_checked=whole.not_checked,
    )


def _table(found: Pipeline, *, linked: bool) -> Table:
    columns = [Column(say("Step"), words=True)]
    # Nothing waits once all is checked, and the table is wide.
    names = NAMES if any(step.waiting for step in found.steps) else NAMES[:-1]
    for label in Cause.labels:
        columns += [Column(name, group=str(label)) for name in names]
    rows = []
    for step, name in STEPS.items():
        row = [Cell(name)]
        for cause in Cause.values:
            row += _cells(_step(found, step, cause), linked=linked)[: len(names)]
        rows.append(row)
    return Table(say("Texts left by step"), columns, rows)


def _step(found: Pipeline, step: str, cause: str) -> Step | None:
    return next((each for each in found.steps if (each.step, each.cause) == (step, cause)), None)


def _cells(step: Step | None, *, linked: bool) -> list[Cell]:
    if step is None:
        return [Cell(None)] * 4
    if step.step in (CLAIMS, EVIDENCE, CONFIRMED):
        unchecked = Cell(step.not_checked if step.step == CONFIRMED else None)
        return [Cell(step.inputs, href=_list(step) if linked else ""), Cell(None), unchecked, Cell(None)]
    return [
        Cell(step.survivors, title=say("of {n:,}", n=step.inputs)),
        Cell(step.failed, href=_list(step, "failed") if linked else ""),
        Cell(step.not_checked, href=_list(step, "not_checked") if linked else ""),
        Cell(step.waiting),
    ]


def _list(step: Step, outcome: str = "") -> str:
    """The list of the claims behind a number."""
    more = f"&check={step.step}&outcome={outcome}" if outcome else ""
    return f"{reverse('conflicts')}?cause={step.cause}{more}"


def _data(found: Pipeline, step: str) -> dict[str, dict[str, int]]:
    steps = [each for each in found.steps if each.step == step]
    return {each.cause: _numbers(each) for each in steps}


def _numbers(step: Step) -> dict[str, int]:
    return {
        "inputs": step.inputs,
        "left": step.survivors,
        "failed": step.failed,
        "not_checked": step.not_checked,
        "waiting": step.waiting,
        "overruled": step.overruled,
    }


def _record(model: str, step: Step) -> dict[str, Any]:
    return {"model": model, "step": step.step, "cause": step.cause, **_numbers(step)}
