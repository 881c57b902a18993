"""Reads replies by their task, and scores the readings. A reading is a row beside the response."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from annotation.models import Instance

from ..models import Mark, PromptTemplate, Reading, Response
from ..protocol.replies import Reply, Usage, tokens_from
from ..protocol.scores import stored_score
from ..protocol.tasks import Read, Task
from ..protocol.thoughts import split_thoughts

# Replies that do not count: their outcome says nothing about the instance, or nobody knows whether they are whole.
NO_REPLY = {
    Mark.REFUSED: "the model refused to answer",
    Mark.FILTERED: "the provider filtered the reply",
    Mark.FAILED: "the provider broke the reply off",
    Mark.UNKNOWN: "the reply ended in an unknown way",
}
LONGEST_PROBLEM = 100


def reply_of(values: Mapping[str, Any]) -> Reply:
    """The reply in the columns of a response, as readers get it: its text is the answer without thoughts."""
    return Reply(
        text=split_thoughts(values["text"]).answer,
        finish=values["finish_reason"],
        tokens=None if values["logprobs"] is None else tokens_from(values["logprobs"]),
        usage=Usage(values["prompt_tokens"], values["completion_tokens"], values["cached_tokens"]),
        problem=NO_REPLY.get(Mark(values["mark"]), ""),
    )


def read_columns(task: Task, content: Mapping[str, Any], reply: Reply) -> dict[str, Any] | None:
    """The columns of the reading of a reply to a task about an instance; None if the task does not read replies. A
    reader gets no reply with a problem.
    """
    if task.reader is None:
        return None
    read = Read(problem=reply.problem) if reply.problem else task.read(content, reply)
    columns: dict[str, Any] = {"task": task.code, "reader": task.reader.code, "version": task.reader.version}
    if read.problem:
        return columns | {"problem": read.problem[:LONGEST_PROBLEM]}
    return columns | {"value": read.value, "scores": stored_score(task.score(content, read.value), task.score_shape)}


def store_readings(responses: QuerySet[Response], *, templates: Mapping[int, PromptTemplate]) -> None:
    """Read newly stored responses to these templates, by their keys. Call it in their transaction."""
    tasks = {pk: template.what for pk, template in templates.items() if template.what.reader}
    read = list(responses.filter(template__in=tasks).order_by("pk")) if tasks else []
    instances = Instance.objects.in_bulk({response.instance_id for response in read})
    Reading.objects.bulk_create(
        Reading(response=response, **columns)
        for response in read
        if (
            columns := read_columns(
                tasks[response.template_id], instances[response.instance_id].content, reply_of(vars(response))
            )
        )
    )
