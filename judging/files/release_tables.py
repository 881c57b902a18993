"""Tables of a release: models' responses, and judge models' judgments."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from annotation.models import Release, ReleasedInstance
from annotation.releases.files.tables import Column, Kind, Table

from ..models import ModelJudgment
from ..protocol.tasks import variant_columns
from ..runs.blinding import public_responses
from .exports import judgment_records, response_records

# A reply's own properties. Its cost and the provider's number for it are not published.
_OUTPUT = (
    Column("mark", "complete, cut, refused, filtered, empty, failed or unknown"),
    Column("finish_reason", "the provider's word for why the model stopped"),
    Column("refusal", "the model's refusal, if the provider reports one"),
    Column("reasoning", "the model's reasoning before its answer"),
    Column("prompt_tokens", "input tokens", Kind.WHOLE_NUMBER),
    Column("completion_tokens", "output tokens", Kind.WHOLE_NUMBER),
    Column("cached_tokens", "input tokens that were in the provider's cache", Kind.WHOLE_NUMBER),
    Column("seconds", "duration of the call, in seconds", Kind.NUMBER),
    Column("served_model", "the provider's name for the model that answered"),
    Column("reused", "whether the reply was copied from an earlier run", Kind.YES_NO),
    Column("answered_at", "time of the reply", Kind.TIME),
)
RESPONSE = (Column("response", "the response's key"), Column("run", "the key of its run"))
# The request, and the model that answered.
ASKED = (
    *RESPONSE,
    Column("question_ID", "the instance's number", Kind.WHOLE_NUMBER),
    Column("instance", "its SHA-256"),
    Column("model", "the model"),
    Column("template", "the prompt template's number in the paper"),
)
REPETITION = Column("repetition", "counted from 1", Kind.WHOLE_NUMBER)
_RESPONSE_COLUMNS = (
    *ASKED,
    Column("template_version", "version of its text", Kind.WHOLE_NUMBER),
    REPETITION,
    Column("text", "the model's answer"),
    Column("marks_left", "marks in the text that look like those around thoughts, in a form that is not known"),
    *_OUTPUT,
    *(Column(each.name, each.words) for each in variant_columns()),
)


def _response_rows(release: Release) -> Iterator[dict[str, Any]]:
    numbers = dict(ReleasedInstance.objects.filter(release=release).values_list("instance__key", "number"))
    for record in response_records(public_responses(release)):
        yield typed(record, _RESPONSE_COLUMNS) | {"question_ID": numbers.get(record["instance"])}


def _judgment_rows(release: Release) -> Iterator[dict[str, Any]]:
    return (typed(record, _JUDGMENT_COLUMNS) for record in judgment_records(_judgments(release)))


def _judgments(release: Release):
    responses = public_responses(release).order_by()
    return ModelJudgment.objects.filter(response__in=responses.values("pk")).order_by("pk")


def typed(record: dict[str, Any], columns: tuple[Column, ...]) -> dict[str, Any]:
    """The columns' values, with times (ISO 8601 in text files) as times."""
    values: dict[str, Any] = {column.name: record.get(column.name) for column in columns}
    times = [column.name for column in columns if column.kind == Kind.TIME]
    return values | {name: datetime.fromisoformat(values[name]) for name in times}


_JUDGMENT_COLUMNS = (
    *RESPONSE,
    Column("judge", "the judge model"),
    Column("verdict", "correct, partially_correct or incorrect; empty if none can be read"),
    Column("unreadable_reason", "the reason why none can be read"),
    Column("comment", "the judge's comment"),
    Column("text", "the whole reply"),
    *_OUTPUT,
    Column("assembly", "the arrangement of the judge's prompt"),
    Column("reader", "the reader of the verdict, and its version"),
)

RESPONSES = Table(
    "responses",
    "Models' responses, without those of runs that people still judge without knowing the models.",
    _RESPONSE_COLUMNS,
    _response_rows,
    lambda release: public_responses(release).count(),
)
MODEL_JUDGMENTS = Table(
    "model_judgments",
    "Judge models' judgments of these responses.",
    _JUDGMENT_COLUMNS,
    _judgment_rows,
    lambda release: _judgments(release).count(),
)
TABLES = (RESPONSES, MODEL_JUDGMENTS)
