"""Reads replies by their task, and scores the readings. A reading is a row beside the response."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet

from annotation.models import Instance

from ..models import Mark, PromptTemplate, Reading, Response
from ..protocol.tasks import Read, Task

# Replies that do not count: what came of them is nothing about the instance, or nobody knows whether it is all.
NO_REPLY = {
    Mark.REFUSED: "the model refused to answer",
    Mark.FILTERED: "the provider filtered the reply",
    Mark.FAILED: "the provider broke the reply off",
    Mark.UNKNOWN: "the reply ended in an unknown way",
}
LONGEST_PROBLEM = 100


def read_columns(task: Task, content: Mapping[str, Any], text: str, mark: str) -> dict[str, Any] | None:
    """The columns of the reading of a reply to a task about an instance; None if the task does not read replies."""
    if task.reader is None:
        return None
    reason = NO_REPLY.get(Mark(mark))
    read = Read(problem=reason) if reason else task.reader.read(text)
    columns: dict[str, Any] = {"task": task.code, "reader": task.reader.code, "version": task.reader.version}
    if read.problem:
        return columns | {"problem": read.problem[:LONGEST_PROBLEM]}
    return columns | {"value": read.value} | asdict(task.score(content, read.value))


def store_readings(responses: QuerySet[Response], *, templates: Iterable[int]) -> None:
    """Read newly stored responses to these templates. Call it in their transaction."""
    found = PromptTemplate.objects.in_bulk(templates)
    tasks = {pk: template.what for pk, template in found.items() if template.what.reader}
    read = list(responses.filter(template__in=tasks).order_by("pk")) if tasks else []
    instances = Instance.objects.in_bulk({response.instance_id for response in read})
    Reading.objects.bulk_create(
        Reading(response=response, **columns)
        for response in read
        if (
            columns := read_columns(
                tasks[response.template_id], instances[response.instance_id].content, response.answer, response.mark
            )
        )
    )
