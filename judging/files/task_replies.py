"""Imports replies to the tasks of a benchmark from a file with its scripts' names for documents and tasks:
`{"document", "task", "model", "text"}`, one per line. They become responses through the ordinary import.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from django.db.models.fields.json import KeyTextTransform

from annotation.kinds.registry import benchmark, name_of
from annotation.models import Instance, Release
from core.files.problems import ShapeError, check_storable
from core.languages import say
from core.refusals import Refusal

from ..protocol.tasks import templates_in_files
from ..runs.blinding import refuse_names
from .imported_rows import MoreJudgments, Planned
from .imports import ResponseImport

NAMES = ("document", "task", "model", "text")


def import_task_replies(
    stream: BinaryIO, *, release: Release, version: int = 1, name: str = "", **how: Any
) -> "TaskReplies":
    """Store the replies of a file as responses to instances of this release, with the arguments of every
    `FileImport`. The models were asked in the published wording with this `version`, or the last one for tasks that
    have fewer.

    Raises Refusal, naming line and field, if any part of the file cannot be imported, or if the benchmark of the
    release accepts no such files; importing it again changes nothing. With `skipped`, bad lines go there and the
    others are stored.
    """
    refuse_names(how.get("actor"))
    templates = templates_in_files(release.benchmark, version)
    if not templates:
        kind = name_of(release.benchmark)
        raise Refusal(
            say(
                "Release {number} is for {kind}, and replies to its tasks cannot be imported from a "
                "file. Nothing was imported.",
                number=release.number,
                kind=kind,
            )
        )
    return TaskReplies(
        templates=templates,
        instances=instances_by_name(release, benchmark(release.benchmark).identifier),
        name=name or "Imported replies",
        release=release,
        **how,
    ).bring_in(stream)


def instances_by_name(release: Release, identifier: str) -> dict[str, str]:
    """The keys of the release's instances by the names in their content. Raises Refusal if two have one name."""
    named_so = KeyTextTransform(identifier, "content")
    rows = Instance.objects.filter(releases=release).annotate(named=named_so).values_list("named", "key")
    found: dict[str, str] = {}
    for named, key in rows.iterator():
        if found.setdefault(named, key) != key:
            raise Refusal(
                say(
                    "Release {number} has two instances called “{named}”. Nothing was imported.",
                    number=release.number,
                    named=named,
                )
            )
    return found


class TaskReplies(ResponseImport):
    def __init__(self, *, templates: Mapping[str, tuple[str, int]], instances: Mapping[str, str], **values: Any):
        super().__init__(**values)
        self.templates_of, self.instances_of = templates, instances
        self.runs.release = self.release

    def check(self, record: object) -> None:
        """Raises ShapeError if a line is not a reply to a task about an existing document."""
        if not isinstance(record, dict):
            raise ShapeError("", say("it must be an object"))
        check_storable(record)
        for each in NAMES:
            if not isinstance(record.get(each), str):
                raise ShapeError(each, say("is missing") if record.get(each) is None else say("must be a text"))
        if record["task"] not in self.templates_of:
            raise ShapeError("task", say("is not one of {options}", options=", ".join(self.templates_of)))
        if record["document"] not in self.instances_of:
            raise ShapeError("document", say("is not in the release"))
        super().check(self.as_response(record))

    def as_response(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The line as a record of a response; its other fields are kept."""
        code, version = self.templates_of[record["task"]]
        more = {name: value for name, value in record.items() if name not in ("document", "task")}
        return {
            **more,
            "instance": self.instances_of[record["document"]],
            "template": code,
            "template_version": version,
        }

    def look_up(self, records: Sequence[dict[str, Any]]) -> None:
        super().look_up([self.as_response(record) for record in records])

    def plan(self, where: str, record: dict[str, Any]) -> Iterator[Planned | MoreJudgments]:
        return super().plan(where, self.as_response(record))
