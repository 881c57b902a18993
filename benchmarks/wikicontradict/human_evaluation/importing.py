"""Imports and exports the released human evaluation: responses with people's final verdicts.

All of a file is imported or nothing; existing records change nothing; and imported records are exported again to the
byte, including data that rows cannot hold.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO

from django.db.models import Model
from django.utils import timezone

from annotation.content.instances import SAME_PASSAGE, InstanceValues, canonical, instance_key
from core.engine.writing.inserts import Insert, give_keys, keys_for
from core.files.imports import FileImport
from core.files.problems import Clash, ShapeError
from core.files.records import digest_of, read_lists
from core.files.skipping import Skipped
from core.languages import say, say_count
from core.models import Event, User
from core.words import plural
from judging.models import Response
from judging.runs.blinding import refuse_names
from review.models import EvaluatedRecord, FinalVerdict, How

from ..models import WikicontradictAction
from .rows import EvaluatedRows, human_evaluation_run
from .shape import MOST_MODEL_NAME, EvaluatedAnswer, answers_of, check_evaluated, instance_of, is_name, name_of

# The maximum number of question numbers in a message.
MOST_NUMBERS, MOST_DIGITS = 8, 40


@dataclass(slots=True)
class _New:
    """A new record. The second one of a model on an instance is a repetition."""

    model: str
    instance: str
    values: InstanceValues
    repetition: int
    record: dict[str, Any]
    # To prompts whose template is known here; none of a record that comes twice.
    answers: list[EvaluatedAnswer]


def import_human_evaluation(
    stream: BinaryIO, *, admin: User | None = None, check_only: bool = False, skipped: Skipped | None = None
) -> "EvaluationImport":
    """Read a file in the released shape into responses with final verdicts; returns the new ones.

    An existing record changes nothing. With `check_only` nothing is written. Raises Refusal, having written nothing,
    if the file is not valid, or if a record's model and instance exist with other content, as final verdicts do not
    change. With `skipped`, such records go there, and the others are imported.
    """
    refuse_names(admin)
    return EvaluationImport(actor=admin, check_only=check_only, skipped=skipped).bring_in(stream)


class Numbers:
    """The questions of a file by their `question_ID`."""

    def __init__(self) -> None:
        # By model and question_ID: the instance, the number of the first record, and digests of all records.
        self.records: dict[tuple[str, str], tuple[str, int, set[bytes]]] = {}
        self.instances: dict[str, str] = {}
        # Questions with other texts for another model.
        self.several: dict[str, None] = {}

    def is_repeated(self, where: tuple[str, int], record: dict[str, Any], instance: str) -> bool:
        """Return whether the whole record came before. Raises ShapeError if its question_ID named another question of
        the same model.
        """
        model, position = where
        told = record.get("question_ID")
        number = str(told).strip()[:MOST_DIGITS] if isinstance(told, int | str) else ""
        if not number:
            return False
        if self.instances.setdefault(number, instance) != instance:
            self.several[number] = None
        first, began, records = self.records.setdefault((model, number), (instance, position, set()))
        if first != instance:
            raise ShapeError(
                "question_ID",
                say("is {number}, which names another question in record {began}", number=number, began=began),
            )
        digest = digest_of([canonical(record)])
        is_repeated = digest in records
        records.add(digest)
        return is_repeated

    def lines(self) -> Iterator[str]:
        if self.several:
            shown = ", ".join([*self.several][:MOST_NUMBERS])
            more = ", …" if len(self.several) > MOST_NUMBERS else ""
            yield say_count(
                len(self.several),
                "{count:,} question_ID has other texts for one model than for another, so it is more than one "
                "instance: {shown}.",
                "{count:,} question_IDs have other texts for one model than for another, so each is more than one "
                "instance: {shown}.",
                shown=f"{shown}{more}",
            )


class EvaluationImport(FileImport):
    what = "human evaluation"

    def __init__(self, **values: Any):
        super().__init__(**values)
        self.responses = self.verdicts = 0
        # Answers to prompts whose template is not known here: kept with their record, and exported again.
        self.kept_only = 0
        self.models: set[str] = set()
        self.instances: set[str] = set()
        self.run, self.found = human_evaluation_run(), EvaluatedRows()
        # The current records: the key of the instance and its values.
        self.values: dict[int, tuple[str, InstanceValues]] = {}
        self.seen: Counter[bytes] = Counter()
        self.numbers, self.repeated = Numbers(), 0
        self.here: dict[tuple[str, str, int], str] = {}
        # The keys of the new responses.
        self.keys: Iterator[int] | None = None

    def lines(self) -> Iterator[str]:
        if not self.new + self.there:
            yield say("The file holds no records.")
        elif not self.new:
            yield say("Nothing changed: all {there:,} records are already here.", there=self.there)
        else:
            yield say(
                "{records} of {models} on {instances}: {responses}, {verdicts:,} with a final verdict.",
                records=plural(self.new, "new record"),
                models=plural(len(self.models), "model"),
                instances=plural(len(self.instances), "instance"),
                responses=plural(self.responses, "response"),
                verdicts=self.verdicts,
            )
            if self.there:
                yield say_count(
                    self.there,
                    "{count:,} record was already here and will not change.",
                    "{count:,} records were already here and will not change.",
                )
        if self.kept_only:
            yield say_count(
                self.kept_only,
                "{count:,} answer belongs to a prompt that is not known here: kept and exported again, but in no "
                "report.",
                "{count:,} answers belong to a prompt that is not known here: kept and exported again, but in no "
                "report.",
            )
        if self.repeated:
            yield say_count(
                self.repeated,
                "{count:,} record comes twice, with the same question_ID and the same content: its responses count "
                "once.",
                "{count:,} records come twice, with the same question_ID and the same content: their responses count "
                "once.",
            )
        if self.new:
            yield from self.numbers.lines()

    # --- Planned ------------------------------------------------------------------------------------------------

    def records(self, parts: Iterator[str]) -> Iterator[tuple[tuple[str, int], Any]]:
        for model, number, record in read_lists(parts):
            if not is_name(model):
                if number <= 1:
                    self.problems.add(
                        say("The file"), say("{model} is not a model name", model=ascii(model[:MOST_MODEL_NAME]))
                    )
            elif number:
                yield (model, number), record
            elif record != []:
                self.problems.add(model, say("its records must be a list"))

    def name(self, where: tuple[str, int], record: Any) -> str:
        return name_of(*where, record)

    def check(self, record: Any) -> None:
        check_evaluated(record)

    def look_up(self, records: Sequence[dict[str, Any]]) -> None:
        values = [instance_of(record) for record in records]
        self.values = {id(record): (instance_key(each), each) for record, each in zip(records, values, strict=True)}
        if self.run.pk is None:
            return
        keys = {key for key, _ in self.values.values()}
        rows = EvaluatedRecord.objects.filter(run=self.run, instance__key__in=keys).order_by()
        self.here = {
            (model, instance, repetition): content
            for model, instance, repetition, content in rows.values_list(
                "model__name", "instance__key", "repetition", "content"
            )
        }

    def plan(self, where: tuple[str, int], record: dict[str, Any]) -> Iterator[_New]:
        model, (key, values) = where[0], self.values[id(record)]
        counted = digest_of((model, key))
        self.seen[counted] += 1
        content = self.here.get((model, key, self.seen[counted]))
        is_repeated = self.numbers.is_repeated(where, record, key)
        self.repeated += is_repeated
        if content is None:
            answers = [] if is_repeated else answers_of(record)
            stored = [answer for answer in answers if answer.template in self.found.templates]
            self.count(model, key, stored)
            self.kept_only += len(answers) - len(stored)
            yield _New(model, key, values, self.seen[counted], record, stored)
        elif json.loads(content) == record:
            self.there += 1
        else:
            raise Clash(_differing(json.loads(content), record))

    def count(self, model: str, instance: str, stored: list[EvaluatedAnswer]) -> None:
        self.new += 1
        self.models.add(model)
        self.instances.add(instance)
        self.responses += len(stored)
        self.verdicts += sum(answer.verdict is not None for answer in stored)

    # --- Written ------------------------------------------------------------------------------------------------

    def rows(self, planned: list[_New]) -> Iterator[Model | Insert]:
        if self.run.pk is None:
            give_keys([self.run])
            yield self.run
        yield from self.found.look_up_models([one.model for one in planned])
        yield from self.found.look_up({one.instance: one.values for one in planned})
        self.keys = self.keys or keys_for({Response: self.responses})[Response]
        now = timezone.now()
        for one in planned:
            belongs = {
                "run_id": self.run.pk,
                "model_id": self.found.models.here[one.model],
                "instance_id": self.found.instances.made[one.instance],
            }
            for answer in one.answers:
                yield from self.answer_rows(answer, next(self.keys), one, belongs, now)
            content = json.dumps(one.record)
            yield Insert.of(EvaluatedRecord, repetition=one.repetition, content=content, **belongs)

    def answer_rows(
        self, answer: EvaluatedAnswer, pk: int, one: _New, belongs: dict[str, Any], at: datetime
    ) -> Iterator[Insert]:
        yield self.found.response(answer, pk=pk, repetition=one.repetition, answered_at=at, **belongs)
        if answer.verdict is not None:
            yield Insert.of(
                FinalVerdict,
                response_id=pk,
                verdict=answer.verdict.value,
                how=How.IMPORTED.value,
                at=at,
                template_id=self.found.templates[answer.template],
                category=one.values["reasoning_type"],
                subcategory=SAME_PASSAGE if one.values["same_passage"] else "",
                **belongs,
            )

    def at_last(self) -> None:
        after = {"records": self.new, "responses": self.responses, "verdicts": self.verdicts}
        Event.record(WikicontradictAction.IMPORTED, self.run, actor=self.actor, after=after)


def _differing(one: dict[str, Any], other: dict[str, Any]) -> str:
    keys = [key for key in one | other if one.get(key) != other.get(key)]
    return say("is already here and differs in {fields}", fields=", ".join(keys[:8]))
