"""The common part of other programs' logs, as records of responses."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from annotation.models import Release
from core.files.problems import ShapeError, broken
from core.languages import say
from core.words import plural

from ..models import PromptTemplate
from ..protocol.tasks import task_of, variant_columns

Record = dict[str, Any]
MOST_LISTED = 20


class Log:
    """The records of a log, and the samples without one."""

    def __init__(self, name: str, release: Release | None):
        self.name, self.wanted = name, release
        self.left_out: list[str] = []
        self.left_out_count = 0

    def records(self, parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
        raise NotImplementedError

    @cached_property
    def read_by_probability(self) -> set[str]:
        """The codes of the templates whose task requests log-probabilities of replies."""
        codes = PromptTemplate.objects.values_list("code", "task").distinct()
        return {code for code, task in codes if task_of(task).reply_spec.top_logprobs}

    def is_read_by_probability(self, asked: Record) -> bool:
        return isinstance(asked["template"], str) and asked["template"] in self.read_by_probability

    def check_probabilities(self, asked: Record, path: str, *, are_there: bool) -> None:
        """Raises ShapeError if a reply has no log-probabilities and its task reads nothing else."""
        if not are_there and self.is_read_by_probability(asked):
            raise ShapeError(
                path,
                say(
                    "has no log-probabilities, and a reply to the template “{asked}” is read by them",
                    asked=asked["template"],
                ),
            )

    def leave_out(self, sample: str, why: str) -> None:
        self.left_out_count += 1
        if len(self.left_out) < MOST_LISTED:
            self.left_out.append(f"{sample[:100]}: {' '.join(why.split())[:200]}")

    def lines(self) -> Iterator[str]:
        if self.left_out_count:
            samples = plural(self.left_out_count, "sample has", "samples have")
            yield f"{samples} no reply, so no response was imported:"
            yield from (f"  {each}" for each in self.left_out)
            if self.left_out_count > len(self.left_out):
                yield f"  … and {self.left_out_count - len(self.left_out):,} more."


def release_of(said: object, wanted: Release | None) -> Release:
    """The release here that a task was written from. Raises Refusal if there is none, or if it is not `wanted`."""
    number, content_hash = (said.get("number"), said.get("content_hash")) if isinstance(said, dict) else (None, None)
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(content_hash, str):
        raise broken(say("It is not the log of a task that this program wrote: it names no release."))
    found = list(Release.objects.filter(content_hash=content_hash).order_by("number"))
    same = next((each for each in found if each.number == number), None) or next(iter(found), None)
    if same is None:
        raise broken(
            say(
                "It is about release {number} with the hash {content_hash}…, which is not here.",
                number=number,
                content_hash=content_hash[:12],
            )
        )
    if wanted is not None and wanted != same:
        raise broken(say("It is about {same}, not about {wanted}.", same=same, wanted=wanted))
    return same


def about_question(about: object, release: Release) -> Record:
    """The fields of a record about the instance and the template, from the task's data about a question. Raises
    ShapeError.
    """
    if not isinstance(about, dict):
        raise ShapeError("metadata", say("must be an object"))
    if about.get("content_hash") != release.content_hash:
        raise ShapeError("content_hash", say("is of another release"))
    own = [column.name for column in variant_columns()]
    names = ("question_ID", "question", "template", "template_version", *own)
    return {"release": release.number, **{name: about.get(name) or None for name in names}}


def sample_id(about: Record) -> str:
    """The name of a question in a task, as the code of a written task makes it."""
    return "r{release}-q{question_ID}-t{template}-v{template_version}".format_map(Blank(about))


class Blank(dict):
    def __missing__(self, key: str) -> str:
        return "?"


def at(value: object, *path: str | int) -> Any:
    """The value at this path of a JSON value; None without one."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and len(value) > step else None
    return value
