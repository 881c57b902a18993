"""The released human evaluation in and out: responses with people's final verdicts.

All of a file is imported or nothing; what is already here changes nothing; and what was imported is exported again to
the byte, including what rows could not hold.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.db.models import Model

from annotation.content.instances import instance_key
from annotation.models import Instance
from core.models import Event, User
from core.refusals import Refusal
from core.writing.batches import last_batch, written_together
from core.writing.inserts import give_keys
from judging.files.human_evaluation import Evaluated, read_human_evaluation
from judging.files.imported_responses import Answers, evaluated_instances, evaluated_models, human_evaluation_run
from judging.models import LanguageModel, PromptTemplate, Run

from ..models import EvaluatedRecord, Facets, FinalVerdict, How, ReviewAction

PROBLEMS_SHOWN = 5
CHUNK = 200


@dataclass(slots=True)
class HumanEvaluationResult:
    """What an import did, or would do."""

    records: int = 0
    unchanged: int = 0
    models: int = 0
    instances: int = 0
    responses: int = 0
    verdicts: int = 0
    # Answers to prompts whose template is not known here: kept with their record, and exported again.
    kept_only: int = 0

    @property
    def new(self) -> int:
        return self.records - self.unchanged

    def lines(self) -> Iterator[str]:
        """The result as lines of text."""
        if not self.records:
            yield "The file holds no records."
        elif not self.new:
            yield f"Nothing changed: all {self.records:,} records are here already."
        else:
            yield (
                f"{self.new:,} new records of {self.models:,} models on {self.instances:,} instances: "
                f"{self.responses:,} responses, {self.verdicts:,} with a final verdict."
            )
            if self.unchanged:
                yield f"{self.unchanged:,} records were here already and stay as they are."
        if self.kept_only:
            yield (
                f"{self.kept_only:,} answers belong to a prompt that is no template here: they are kept and exported "
                "again, but in no report."
            )


@dataclass(frozen=True, slots=True)
class _Located:
    """A record of the file with its rows, whether they were here or not."""

    evaluated: Evaluated
    model: LanguageModel
    instance: Instance
    repetition: int


def import_human_evaluation(
    stream: BinaryIO, *, admin: User | None = None, check_only: bool = False
) -> HumanEvaluationResult:
    """Read a file in the released shape into responses with final verdicts; returns what was new.

    A record that is already here changes nothing. With `check_only` nothing is written. Raises Refusal, having
    written nothing, if the file is not valid, or if a record's model and instance are here with other content, as
    final verdicts do not change.
    """
    records = read_human_evaluation(stream)
    result = HumanEvaluationResult(records=len(records))
    planned_after = last_batch()
    run = human_evaluation_run()
    new = _new_ones(_located(records), run, result)
    _count(new, result)
    if check_only or not new:
        return result
    with written_together("human evaluation", planned_after=planned_after, actor=admin) as writing:
        writing.create(_rows(new, run))
        after = {"records": result.new, "responses": result.responses, "verdicts": result.verdicts}
        writing.finish(lambda: Event.record(ReviewAction.IMPORTED, run, actor=admin, after=after))
    return result


def _count(new: list[_Located], result: HumanEvaluationResult) -> None:
    known = {template.label for template in PromptTemplate.objects.all()}
    answers = [answer for located in new for answer in located.evaluated.answers]
    stored = [answer for answer in answers if answer.template in known]
    result.models = len({located.model.name for located in new})
    result.instances = len({located.instance.key for located in new})
    result.responses = len(stored)
    result.verdicts = sum(answer.verdict is not None for answer in stored)
    result.kept_only = len(answers) - len(stored)


def _located(records: list[Evaluated]) -> list[_Located]:
    """Each record with its model and instance. The second one of the same two is a repetition."""
    models = evaluated_models(record.model for record in records)
    instances = evaluated_instances(records)
    seen: Counter[tuple[str, str]] = Counter()
    located = []
    for record in records:
        key = instance_key(record.instance)
        seen[record.model, key] += 1
        located.append(_Located(record, models[record.model], instances[key], seen[record.model, key]))
    return located


def _new_ones(located: list[_Located], run: Run, result: HumanEvaluationResult) -> list[_Located]:
    """The records that are not here yet. Raises Refusal if one is here with different content."""
    here = {
        (model, instance, repetition): content
        for model, instance, repetition, content in EvaluatedRecord.objects.filter(run_id=run.pk)
        .order_by()
        .values_list("model", "instance", "repetition", "content")
    }
    new, problems = [], []
    for each in located:
        content = here.get((each.model.pk, each.instance.pk, each.repetition))
        if content is None:
            new.append(each)
        elif json.loads(content) == each.evaluated.record:
            result.unchanged += 1
        else:
            problems.append(f"{each.evaluated.name}: {_differing(json.loads(content), each.evaluated.record)}")
    if problems:
        more = f" So do {len(problems) - PROBLEMS_SHOWN:,} more." if len(problems) > PROBLEMS_SHOWN else ""
        raise Refusal(
            f"{'. '.join(problems[:PROBLEMS_SHOWN])}.{more} What is here stands, and nothing was written. "
            "Take these records out of the file."
        )
    return new


def _differing(one: dict[str, Any], other: dict[str, Any]) -> str:
    keys = [key for key in one | other if one.get(key) != other.get(key)]
    return f"is here already and differs in {', '.join(keys[:8])}"


def _rows(located: list[_Located], run: Run) -> Iterator[Model]:
    """All rows that the records are stored as."""
    models = {each.model.name: each.model for each in located}
    instances = {each.instance.key: each.instance for each in located}
    made = [row for row in (run, *models.values(), *instances.values()) if row.pk is None]
    give_keys(made)
    yield from made
    answers = Answers(run)
    for start in range(0, len(located), CHUNK):
        yield from _answer_rows(located[start : start + CHUNK], answers)


def _answer_rows(located: list[_Located], answers: Answers) -> Iterator[Model]:
    rows = [
        (answer, response)
        for each in located
        for answer, response in answers.of(
            each.evaluated, model=each.model, instance=each.instance, repetition=each.repetition
        )
    ]
    give_keys(response for _, response in rows)
    for answer, response in rows:
        yield response
        if answer.verdict is not None:
            yield FinalVerdict(response=response, verdict=answer.verdict, how=How.IMPORTED, **Facets.of(response))
    for each in located:
        yield EvaluatedRecord(
            run=answers.run,
            model=each.model,
            instance=each.instance,
            repetition=each.repetition,
            content=json.dumps(each.evaluated.record),
        )
