"""Exports responses and judge models' judgments: JSON Lines and CSV, made one record at a time."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from annotation.kinds.registry import named_fields
from annotation.models import ReleasedInstance
from core.files.spreadsheets import csv_chunks
from core.files.writing import json_lines

from ..models import LanguageModel, ModelJudgment, PromptTemplate, Response, Run
from ..protocol.replies import stored_tokens, tokens_from
from .response_records import COMPOSITION, LOGPROBS, OUTPUT, PART
from .response_records import columns as file_columns

M = TypeVar("M", bound=Model)
CHUNK = 200
JUDGMENT_COLUMNS = (
    "response",
    "run",
    "judge",
    "verdict",
    "unreadable_reason",
    "comment",
    "hint",
    "text",
    *OUTPUT,
    "assembly",
    "reader",
    "messages",
)
Record = dict[str, Any]


def response_records(responses: QuerySet[Response]) -> Iterator[Record]:
    """The records of responses, in their order. Extra fields of imported records are included."""
    rows = responses.select_related("instance", "variant", "attempt")
    numbers = Numbers()
    runs, models = Few(Run.objects.select_related("release")), Few(LanguageModel.objects.all())
    templates = Few(PromptTemplate.objects.all())
    for response in rows.iterator(chunk_size=CHUNK):
        response.run, response.model = runs[response.run_id], models[response.model_id]
        response.template = templates[response.template_id]
        yield response_record(response, number=numbers.of(response))


class Few(dict[int, M]):
    """Rows to which many others refer, by key: each is read once."""

    def __init__(self, rows: QuerySet[M]):
        super().__init__()
        self.rows = rows

    def __missing__(self, key: int) -> M:
        self[key] = row = self.rows.get(pk=key)
        return row


def response_record(response: Response, *, number: int | None) -> Record:
    variant, release = response.variant, response.run.release
    values: Record = {
        "response": str(response.key),
        "run": str(response.run.key),
        "run_name": response.run.name,
        "release": release.number if release else None,
        "question_ID": number,
        "model": response.model.name,
        "endpoint_name": response.model.endpoint_name,
        "template": response.template.code,
        "template_version": response.template.version,
        "repetition": response.repetition,
        "text": response.text,
        "marks_left": response.marks_left,
        **output_record(response),
        "messages": response.messages,
        "instance": response.instance.key,
        **named_fields(response.instance),
    }
    if variant:
        values |= {each.name: variant.content.get(each.key) for each in response.template.what.variant_columns}
    if response.answer_part > 1:
        values[PART] = response.answer_part
    if response.logprobs is not None:
        values[LOGPROBS] = stored_tokens(tokens_from(response.logprobs))
    if response.composition is not None:
        values[COMPOSITION] = response.composition
    return values | (response.imported or {}).get("more", {})


def output_record(output: Response | ModelJudgment) -> Record:
    values = {name: getattr(output, name) for name in OUTPUT}
    values["cost"] = None if output.cost is None else f"{output.cost.normalize():f}"
    values["answered_at"] = output.answered_at.isoformat()
    return values


class Numbers(dict[int, dict[int, int]]):
    """The published numbers of instances by release, each looked up once."""

    def __missing__(self, release: int) -> dict[int, int]:
        rows = ReleasedInstance.objects.filter(release=release).values_list("instance", "number")
        self[release] = numbers = dict(rows)
        return numbers

    def of(self, response: Response) -> int | None:
        release = response.run.release_id
        return None if release is None else self[release].get(response.instance_id)


def judgment_records(judgments: QuerySet[ModelJudgment]) -> Iterator[Record]:
    rows = judgments.select_related("run", "response", "model", "attempt")
    for judgment in rows.iterator(chunk_size=CHUNK):
        about = {"response": str(judgment.response.key), "run": str(judgment.run.key), "judge": judgment.model.name}
        about |= output_record(judgment)
        yield {name: about[name] if name in about else getattr(judgment, name) for name in JUDGMENT_COLUMNS}


def csv_lines(columns: Iterable[str], records: Iterable[Record]) -> Iterator[str]:
    columns = tuple(columns)
    return csv_chunks(columns, ({name: cell(record.get(name)) for name in columns} for record in records))


def cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool | list | dict) else value


def response_csv(responses: QuerySet[Response]) -> Iterator[str]:
    """CSV with a cell for each column, and one for all the extra fields of imported records."""
    more: dict[str, None] = {}
    for imported in responses.exclude(imported=None).values_list("imported", flat=True).iterator(chunk_size=CHUNK):
        more |= dict.fromkeys((imported or {}).get("more", {}))
    if responses.exclude(logprobs=None).exists():
        more = {LOGPROBS: None} | more
    if responses.filter(answer_part__gt=1).exists():
        more = {PART: None} | more
    if responses.exclude(composition=None).exists():
        more = {COMPOSITION: None} | more
    columns = dict.fromkeys(file_columns()) | more
    return csv_lines(columns, response_records(responses))


RESPONSE_FORMATS: Mapping[str, Callable[[QuerySet[Response]], Iterator[str]]] = {
    "jsonl": lambda responses: json_lines(response_records(responses)),
    "csv": response_csv,
}
JUDGMENT_FORMATS: Mapping[str, Callable[[QuerySet[ModelJudgment]], Iterator[str]]] = {
    "jsonl": lambda judgments: json_lines(judgment_records(judgments)),
    "csv": lambda judgments: csv_lines(JUDGMENT_COLUMNS, judgment_records(judgments)),
}
