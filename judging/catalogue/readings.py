"""Reads replies by their task, and scores the readings. A reading is a row beside the response."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Instance

from ..models import LanguageModel, Mark, PromptTemplate, Reading, Response
from ..protocol.replies import Reply, Usage, tokens_from
from ..protocol.scores import stored_score
from ..protocol.tasks import Read, Task
from ..protocol.thoughts import split_thoughts

# Replies that do not count: they say nothing about the instance, or may be incomplete.
NO_REPLY = {
    Mark.REFUSED: "the model refused to answer",
    Mark.FILTERED: "the provider filtered the reply",
    Mark.FAILED: "the provider broke the reply off",
    Mark.UNKNOWN: "the reply ended for an unknown reason",
}
LONGEST_PROBLEM = 100
# The parts of one answer have these in common.
POSITION = ("run_id", "instance_id", "model_id", "template_id", "repetition")


def reply_of(values: Mapping[str, Any], option_labels: str = "") -> Reply:
    """The reply in the columns of a response, as readers get it: its text is the answer without thoughts."""
    return Reply(
        text=split_thoughts(values["text"]).answer,
        finish=values["finish_reason"],
        tokens=None if values["logprobs"] is None else tokens_from(values["logprobs"]),
        usage=Usage(values["prompt_tokens"], values["completion_tokens"], values["cached_tokens"]),
        problem=NO_REPLY.get(Mark(values["mark"]), ""),
        option_labels=option_labels,
    )


def read_columns(task: Task, content: Mapping[str, object], replies: Sequence[Reply]) -> dict[str, object] | None:
    """The columns of the reading of an answer to a task about an instance, from the replies to all of its parts; None
    if the task does not read replies. A reader gets no reply with a problem.
    """
    if task.reader is None:
        return None
    problem = next((reply.problem for reply in replies if reply.problem), "")
    read = Read(problem=problem) if problem else task.read_parts(content, replies)
    columns: dict[str, Any] = {"task": task.code, "reader": task.reader.code, "version": task.reader.version}
    if read.problem:
        return columns | {"problem": read.problem[:LONGEST_PROBLEM]}
    return columns | {"value": read.value, "scores": stored_score(task.score(content, read.value), task.score_shape)}


def store_readings(responses: QuerySet[Response], *, templates: Mapping[int, PromptTemplate]) -> None:
    """Read newly stored responses to these templates, by their keys; an answer of several parts once all are there.
    Call it in their transaction.
    """
    tasks = {pk: template.what for pk, template in templates.items() if template.what.reader}
    new = list(responses.filter(template__in=tasks).order_by("pk")) if tasks else []
    read = ((answer.first, answer.columns) for answer in whole_answers(new, tasks))
    Reading.objects.bulk_create(Reading(response=first, **columns) for first, columns in read if columns)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: the responses to its parts, in their order, and the content of its instance."""

    task: Task
    content: Mapping[str, Any]
    responses: Sequence[Response]
    option_labels: str = ""

    @property
    def first(self) -> Response:
        """The response that has the reading."""
        return self.responses[0]

    @property
    def columns(self) -> dict[str, Any] | None:
        """The columns of its reading; None if its task does not read replies."""
        return read_columns(
            self.task, self.content, [reply_of(vars(each), self.option_labels) for each in self.responses]
        )


def whole_answers(responses: Sequence[Response], tasks: Mapping[int, Task]) -> Iterator[Answer]:
    """The complete answers that these responses belong to, each once; `tasks` are those of their templates, by key.
    An answer that still lacks a part is left out.
    """
    contents = Instance.objects.in_bulk({response.instance_id for response in responses})
    labels = labels_of({each.model_id for each in responses if tasks[each.template_id].reply_spec.top_logprobs})
    partial: dict[tuple[Any, ...], int] = {}
    for response in responses:
        task, content = tasks[response.template_id], contents[response.instance_id].content
        if (parts := task.parts(content)) == 1:
            yield Answer(task, content, [response], labels.get(response.model_id, ""))
        else:
            partial[position_of(response)] = parts
    for position, found in parts_at(partial).items():
        if len(found) == partial[position]:
            first = found[0]
            content = contents[first.instance_id].content
            yield Answer(tasks[first.template_id], content, found, labels.get(first.model_id, ""))


def labels_of(models: Collection[int]) -> dict[int, str]:
    """The labels of options as these models write them, where that is set."""
    if not models:
        return {}
    chosen = LanguageModel.objects.filter(pk__in=models).exclude(option_labels="")
    return dict(chosen.values_list("pk", "option_labels"))


def position_of(response: Response) -> tuple[Any, ...]:
    """The position of the answer that a response belongs to."""
    return tuple(getattr(response, name) for name in POSITION)


def parts_at(positions: Collection[tuple[Any, ...]]) -> dict[tuple[Any, ...], list[Response]]:
    """All responses at these positions, in the order of their parts; those of an import in progress, too."""
    found: dict[tuple[Any, ...], list[Response]] = defaultdict(list)
    if positions:
        runs, instances = ({position[at] for position in positions} for at in (0, 1))
        rows = Response.everything.filter(run__in=runs, instance__in=instances).order_by("answer_part")
        for response in rows:
            if (position := position_of(response)) in positions:
                found[position].append(response)
    return found
