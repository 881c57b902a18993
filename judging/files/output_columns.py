"""The columns of a model's reply, of a response or of a judgment, from the record of a file."""

import json
import math
import uuid
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Field
from django.utils import timezone

from core.files.problems import ShapeError
from core.languages import say
from core.outside import Unreadable, moment

from ..endpoints.replies import ChatReply
from ..models import Mark, ModelJudgment, Response
from ..protocol.finish_words import LONGEST_WORD, Finish, finish_of
from ..protocol.thoughts import split_thoughts
from .response_records import OUTPUT

FIELDS: dict[str, Field] = {
    field.name: field for field in (*Response._meta.concrete_fields, *ModelJudgment._meta.concrete_fields)
}
# The defaults of the columns. The time is that of the import.
UNSAID = {name: FIELDS[name].get_default() for name in OUTPUT if name != "answered_at"}


def output_columns(record: dict[str, Any]) -> dict[str, Any]:
    """The reply's own columns. Raises ShapeError if one of them cannot be stored."""
    said = {name: record[name] for name in OUTPUT if record.get(name) not in (None, "")}
    if "answered_at" in said:
        said["answered_at"] = time_of("answered_at", said["answered_at"])
    word = said.get("finish_reason")
    if isinstance(word, str) and finish_of(word) != Finish.UNKNOWN:  # the explanation behind it may be long
        said["finish_reason"] = word[:LONGEST_WORD]
    values = UNSAID | {"text": record["text"], "answered_at": timezone.now()}
    values |= {name: cleaned(name, value) for name, value in said.items()}
    if values["mark"] == Mark.COMPLETE:  # the finish word decides, whatever the record says
        answer = split_thoughts(record["text"]).answer
        values["mark"] = Mark(ChatReply(answer, values["finish_reason"], values["refusal"]).outcome).value
    if values["seconds"] is not None and not 0 <= values["seconds"] < math.inf:
        raise ShapeError("seconds", say("must be a number, 0 or more"))
    return values


def cleaned(name: str, value: object) -> Any:
    """The value of the column with this name. Raises ShapeError if it cannot be stored there."""
    try:
        return FIELDS[name].clean(value, None)
    except ValidationError as error:
        raise ShapeError(name, say("cannot be stored: {messages}", messages=error.messages[0])) from error
    except OverflowError:
        raise ShapeError(name, say("cannot be stored: the number is too large")) from None


def time_of(name: str, value: object) -> datetime:
    try:
        return moment(value if isinstance(value, str) else json.dumps(value))
    except Unreadable as error:
        raise ShapeError(name, say("cannot be stored: {error}", error=error)) from error


def uuid_of(name: str, value: Any) -> uuid.UUID:
    try:
        return uuid.UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise ShapeError(name, say("must be a UUID")) from None
