"""Tasks of prompt templates. A task defines the benchmark of its instances, the filling of prompts, the reading of
replies, and the scoring of readings. Values in, values out; no models here. Benchmarks register theirs when the
program starts.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .judges import Judge, VerdictReader
from .prompts import ALL, ANSWERS, MissingValue, Template, placeholders, render
from .replies import ORDINARY, Reply
from .scores import Chip, chips_of

Content = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Read:
    """The result of a reader on a reply: a value, or the reason why there is none."""

    value: Any = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TaskReader:
    """The reader of a task's replies. Another way of reading is another version: old readings are kept."""

    code: str
    version: int
    read: Callable[[Reply], Read]


def of_text(read: Callable[[str], Read]) -> Callable[[Reply], Read]:
    """The reader of replies that needs their text only."""
    return lambda reply: read(reply.text)


@dataclass(frozen=True, slots=True)
class Wording:
    """A wording of a task's prompt that ships with the program: its versions are in this order, from 1."""

    name: str
    text: str
    source: str
    system: str = ""


class Task:
    """A task on instances whose content is one JSON value. Defaults apply unless overridden."""

    code: str
    name: str
    benchmark: str
    # The placeholders that a prompt may contain.
    placeholders: frozenset[str] = frozenset()
    # The placeholder that every prompt must contain: otherwise all instances get the same message.
    needed: str = ""
    reader: TaskReader | None = None
    # By the code of their template.
    wordings: Mapping[str, tuple[Wording, ...]] = {}
    # Its templates that ship with the program, where they are more than a wording.
    templates: Sequence[Template] = ()
    # The judge of its responses, where they are compared with gold answers: they get one of the three verdicts, from
    # people and judge models.
    judge: Judge | None = None
    # The kinds of instances that a template can be asked about, and of good responses, in words by their codes.
    applies_to: Mapping[str, str] = {ALL: "All instances"}
    expects: Mapping[str, str] = {ANSWERS: "The answers"}
    # The codes in `applies_to` of templates about passages that a person has resolved, and of those whose responses
    # are reported only over instances with two different passages.
    resolved_only = different_only = ""
    # Its name in files of replies; "" if none are read.
    in_files = ""
    # The type of its scores: a frozen dataclass of plain fields with defaults. None: it scores nothing.
    score_shape: type | None = None
    # The requested properties of replies besides an answer, such as log-probabilities.
    reply_spec = ORDINARY
    # Answerers without a model, by name: from the content of an instance to a reply or its text.
    baselines: Mapping[str, Callable[..., Reply | str]] = {}
    # Runs may use any version of its templates, as each is another published wording.
    offers_all_versions = True
    # It records how its prompts are composed.
    has_composition = False
    # The template that shows a reading beside its instance; "" shows the value as it is.
    template = ""

    @property
    def is_judged(self) -> bool:
        """Return whether its responses get verdicts."""
        return self.judge is not None

    def values(self, content: Content) -> Mapping[str, str | None]:
        """The values of the placeholders: the fields of these names."""
        return {name: str(content[name]) for name in self.placeholders if name in content}

    def why_not(self, content: Content) -> str:
        """The reason why an instance with this content is not asked; "" if it is."""
        return ""

    def read(self, content: Content, reply: Reply) -> Read:
        """The reading of a reply about an instance with this content. The task has a reader."""
        if self.reader is None:
            raise TypeError(f"the task {self.code} reads no replies")
        return self.reader.read(reply)

    def parts(self, content: Content) -> int:
        """The number of calls for one answer about an instance with this content."""
        return 1

    def composition(self, content: Content, template: str) -> Mapping[str, Any] | None:
        """A record of how the prompt of this template's code was composed for an instance, such as the order of its
        texts; it is stored with the response. None if there is nothing to record.
        """
        return None

    def composed_words(self, composition: Mapping[str, Any]) -> str:
        """The record of `composition` in words."""
        return ""

    def part_values(self, content: Content, part: int) -> Mapping[str, str | None]:
        """The values of the placeholders in the prompt of a part, from 1, where an answer takes several calls."""
        return self.values(content)

    def read_parts(self, content: Content, replies: Sequence[Reply]) -> Read:
        """The reading of the replies to all parts of an answer, in their order."""
        return self.read(content, replies[0])

    def score(self, content: Content, value: Any) -> Any:
        """The score of a reading, of the type in `score_shape`; None if there is nothing to score."""
        return None

    def chips(self, score: Any) -> Sequence[Chip]:
        """The score on the page of a response."""
        return chips_of(score)

    def in_a_word(self, score: Any) -> str:
        """The meaning of a reading with this score, in a word; "" if that takes more."""
        return ""

    def load_components(self) -> str:
        """Load the components that score many replies, as named in the settings; returns a note about them. Raises
        Refusal if one cannot be loaded.
        """
        return ""

    def about(self, content: Content, value: Any) -> Mapping[str, Any]:
        """The values for the template of a reading."""
        return {}

    # --- As rows ask ----------------------------------------------------------------------------------------------

    def check_can_be_asked(self, instance: Any, template: Template, resolved: Any, *, same_passage: bool) -> None:
        """Raises MissingValue, with the reason, if the template is not asked of this instance. `same_passage`
        includes instances whose passages are the same.
        """
        if reason := self.why_not(instance.content):
            raise MissingValue(reason)

    def prompt(self, instance: Any, template: Template, resolved: Any) -> str:
        """The prompt; the instance's text goes in unchanged."""
        return render(template.text, self.values(instance.content))

    def correct_answers(self, instance: Any, template: Template, resolved: Any) -> list[str]:
        """The gold answers that a judge compares a response with."""
        return []

    def part_prompt(self, instance: Any, template: Template, resolved: Any, part: int) -> str:
        """The prompt of a part of an answer."""
        if self.parts(instance.content) == 1:
            return self.prompt(instance, template, resolved)
        return render(template.text, self.part_values(instance.content, part))

    def part_baseline(self, name: str, content: Content, template: Template, resolved: Any, part: int) -> Reply | str:
        """A baseline's reply to a part of an answer. Raises KeyError if there is none of this name."""
        return self.baseline_reply(name, content, template, resolved)

    def baseline_reply(self, name: str, content: Content, template: Template, resolved: Any) -> Reply | str:
        """The reply of the baseline with this name. Raises KeyError if the task has none of that name."""
        return self.baselines[name](content)

    def problem_with_answers(self, template: Template) -> str:
        """The problem of the answers with which responses to a template are compared; "" if there is none."""
        return ""

    def problem(self, template: Template) -> str:
        """The problem of a template for this task; "" if it can be used."""
        asked = placeholders(template.text)
        if unknown := asked - self.placeholders:
            known = ", ".join(f"{{{name}}}" for name in sorted(self.placeholders))
            return f"No instance has {', '.join(sorted(unknown))}. A prompt for “{self.name}” may contain {known}."
        if not asked:
            needs = f"A prompt for “{self.name}” needs {{{self.needed}}}"
            return f"{needs}: otherwise every instance gets the same message."
        return ""


@dataclass(slots=True)
class _Known:
    tasks: dict[str, Task] = field(default_factory=dict)


_known = _Known()


def register(task: Task) -> None:
    """Register a task; a later registration with the same code replaces the earlier one."""
    _known.tasks[task.code] = task


def task_of(code: str) -> Task:
    """The task with this code. Raises KeyError if its module is gone."""
    return _known.tasks[code]


def tasks() -> tuple[Task, ...]:
    return tuple(_known.tasks.values())


def first_task() -> str:
    """The code of the task that new templates are for unless another one is chosen: the first registered one."""
    return next(iter(_known.tasks))


def task_codes() -> list[str]:
    return list(_known.tasks)


def tasks_of(benchmark: str) -> list[str]:
    """The codes of the tasks on instances of a benchmark."""
    return [task.code for task in _known.tasks.values() if task.benchmark == benchmark]


def judged_tasks() -> list[str]:
    """The codes of the tasks whose responses get verdicts."""
    return [task.code for task in _known.tasks.values() if task.is_judged]


def judges() -> list[Judge]:
    """The judges of all tasks, each once, in the order of registration."""
    return list(dict.fromkeys(task.judge for task in _known.tasks.values() if task.judge))


def _all_of(name: str) -> dict[str, str]:
    return {code: words for task in _known.tasks.values() for code, words in getattr(task, name).items()}


def all_applies_to() -> list[tuple[str, str]]:
    """The kinds of instances that templates are asked about, of all tasks: codes and words."""
    return list(_all_of("applies_to").items())


def all_expects() -> list[tuple[str, str]]:
    """The kinds of good responses of all tasks: codes and words."""
    return list(_all_of("expects").items())


def different_only() -> set[str]:
    """The codes in `applies_to` of templates whose responses are reported only where the two passages differ."""
    return {task.different_only for task in _known.tasks.values() if task.different_only}


def verdict_readers() -> dict[str, VerdictReader]:
    """The readers of judges' replies, by their codes."""
    return {reader.code: reader for judge in judges() for reader in judge.readers}


def first_reader() -> str:
    """The code of the reader that reads judges' replies unless another one is chosen."""
    return next(iter(verdict_readers()), "")


def judge_baselines() -> dict[str, str]:
    """The labels of the judges without a model, by their names."""
    return {name: label for judge in judges() for name, label in judge.baselines.items()}


def benchmarks_of(codes: Collection[str]) -> set[str]:
    """The benchmarks that these tasks belong to."""
    return {_known.tasks[code].benchmark for code in codes}


def templates_in_files(benchmark: str, version: int = 1) -> dict[str, tuple[str, int]]:
    """Code and version of the template for a file's name of a task of this benchmark: this version, or the last
    published wording if there are fewer.
    """
    mine = [task for task in _known.tasks.values() if task.benchmark == benchmark and task.in_files]
    return {task.in_files: (code, min(version, len(some))) for task in mine for code, some in task.wordings.items()}


def benchmarks_in_files() -> list[str]:
    """The benchmarks that accept files of replies."""
    return sorted({task.benchmark for task in _known.tasks.values() if task.in_files})
