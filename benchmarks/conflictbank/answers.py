"""Imports answers to the items of a release from JSON Lines: `{"item", "condition", "order", "model"}` and either
`logprobs` or `text`. They become responses through the ordinary import.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from django.urls import reverse

from annotation.kinds.registry import name_of
from annotation.models import Release
from core.files.problems import ShapeError, check_storable
from core.languages import say
from core.refusals import Refusal
from judging.files.imported_rows import MoreJudgments, Planned
from judging.files.imports import ResponseImport
from judging.runs.blinding import refuse_names

from . import items as item
from .conditions import CONDITIONS, ORDERS
from .prompts import Asked
from .readers import OPTION, TEXT
from .readers.options import problem_of
from .tasks import TASKS

# An answers file is about the first token: its probabilities are those of one token.
OWN = {"item", "condition", "order", "logprobs", "text"}
VERSIONS = {code: len(wordings) for task in TASKS for code, wordings in task.wordings.items()}


def import_answers(
    stream: BinaryIO, *, release: Release, version: int = 1, name: str = "", **how: Any
) -> "AnswerImport":
    """Store the answers of a file as responses to the items of this release, with the arguments of every
    `FileImport`. The models were asked in the wording with this `version`: 1 is the paper's, 2 the code's.

    Raises Refusal, naming line and field, if any line cannot be imported, or if the release is not of ConflictBank;
    importing a file again changes nothing. With `skipped`, bad lines go there and the others are stored.
    """
    refuse_names(how.get("actor"))
    if release.benchmark != item.CODE:
        raise Refusal(
            say(
                "Release {number} is for {benchmark}, so answers to items of ConflictBank cannot be imported for "
                "it. Nothing was imported.",
                number=release.number,
                benchmark=name_of(release.benchmark),
            )
        )
    found = AnswerImport(name=name or say("Imported answers"), release=release, **how)
    found.version, found.items = version, release.released_instances.count()
    found.runs.release = release
    return found.bring_in(stream)


def where_else(begun: str) -> str:
    """Return where a file with this beginning is imported, if it is a file of answers; "" for any other."""
    try:
        record = json.loads(begun.lstrip("\ufeff \t\r\n").partition("\n")[0])
    except (ValueError, RecursionError):
        return ""
    if not isinstance(record, dict) or not {"item", "condition", "model"} <= record.keys():
        return ""
    return (
        "These are answers to ConflictBank. Import them on the page “Import answers to ConflictBank” "
        f"({reverse('answers_import')}), or with manage.py import_conflictbank_answers."
    )


class AnswerImport(ResponseImport):
    version = 1
    # How many items the release has; in the file they are counted from 0.
    items = 0

    def check_beginning(self, begun: str) -> None:
        """Accept every beginning: this is where answers are imported."""

    def check(self, record: object) -> None:
        """Raises ShapeError if a line is not an answer to an item of the release."""
        if not isinstance(record, dict):
            raise ShapeError("", say("it must be an object"))
        check_storable(record)
        self.check_item(record.get("item"))
        if not isinstance(record.get("model"), str):
            raise ShapeError("model", say("is missing") if record.get("model") is None else say("must be a text"))
        check_asked(record)
        check_answer(record)
        super().check(self.as_response(record))

    def check_item(self, number: object) -> None:
        if isinstance(number, bool) or not isinstance(number, int):
            raise ShapeError(
                "item", say("is missing") if number is None else say("must be a whole number, counted from 0")
            )
        if not 0 <= number < self.items:
            raise ShapeError(
                "item",
                say(
                    "is {number}, which is not in the release: it has {items:,} items, from 0",
                    number=number,
                    items=self.items,
                ),
            )

    def as_response(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The line as a record of a response; its other fields are kept."""
        code = asked_in(record).code
        more = {name: value for name, value in record.items() if name not in OWN}
        return {
            **more,
            "question_ID": record["item"] + 1,
            "template": code,
            "template_version": min(self.version, VERSIONS[code]),
            **({"text": record["text"]} if "text" in record else tokens_of(record["logprobs"])),
        }

    def look_up(self, records: Sequence[dict[str, Any]]) -> None:
        super().look_up([self.as_response(record) for record in records])

    def plan(self, where: str, record: dict[str, Any]) -> Iterator[Planned | MoreJudgments]:
        return super().plan(where, self.as_response(record))


def check_asked(record: Mapping[str, object]) -> None:
    """Raises ShapeError if condition or order of a line is unknown."""
    condition = record.get("condition")
    if not isinstance(condition, str) or condition not in CONDITIONS:
        raise ShapeError("condition", say("is not one of {options}", options=", ".join(CONDITIONS)))
    order = record.get("order")
    if CONDITIONS[condition].has_order:
        if order not in ORDERS:
            raise ShapeError(
                "order", say("is not one of {options}, and the condition shows two texts", options=", ".join(ORDERS))
            )
    elif order is not None:
        raise ShapeError("order", say("is given, and the condition does not show two texts"))


def check_answer(record: Mapping[str, object]) -> None:
    """Raises ShapeError if a line has not exactly one kind of answer, or a log-probability is none."""
    if ("text" in record) == ("logprobs" in record):
        raise ShapeError("", say("it must have either logprobs or text"))
    if "text" in record:
        if not isinstance(record["text"], str):
            raise ShapeError("text", say("must be a text"))
        return
    if not isinstance(record["logprobs"], dict):
        raise ShapeError("logprobs", say("must be an object: a log-probability by token"))
    for token, value in record["logprobs"].items():
        if problem := problem_of(value):
            raise ShapeError(
                "logprobs",
                say("has, for {token}, a wrong value: {problem}", token=ascii(token)[:40], problem=problem),
            )


def asked_in(record: Mapping[str, Any]) -> Asked:
    """The prompt that a line's model received."""
    protocol = TEXT if "text" in record else OPTION
    return Asked(protocol, CONDITIONS[record["condition"]], record.get("order") or "")


def tokens_of(logprobs: Mapping[str, float]) -> dict[str, object]:
    """Text and log-probabilities of a response whose first token has these."""
    if not logprobs:
        return {"text": "", "logprobs": []}
    first = max(logprobs, key=lambda token: logprobs[token])
    return {"text": first, "logprobs": [{"token": first, "logprob": logprobs[first], "top": dict(logprobs)}]}
