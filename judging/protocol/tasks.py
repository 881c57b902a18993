"""Tasks of prompt templates. A task defines the benchmark of its instances, the filling of prompts, the reading of
replies, and the scoring of readings. Values in, values out; no models here. Benchmarks register theirs when the
program starts.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from core.languages import say

from .judges import Judge, VerdictReader
from .prompts import ALL, ANSWERS, MissingValue, Template, placeholders, render
from .replies import ORDINARY, Reply
from .scores import Chip, chips_of

# An instance as it is stored: an object of JSON. Each benchmark's code knows the fields of its own.
Content = Mapping[str, Any]
# The value of JSON that a task's reader finds in a reply, and its score, of the type in `Task.score_shape`.
Value = TypeVar("Value")
Score = TypeVar("Score")


class Asked(Protocol):
    """An instance as tasks see it."""

    @property
    def content(self) -> Content: ...


@dataclass(frozen=True, slots=True)
class Read(Generic[Value]):
    """The result of a reader on a reply: a value, or the reason why there is none."""

    value: Value | None = None
    problem: str = ""


class ReadReply(Protocol[Value]):
    def __call__(self, reply: Reply, /) -> Read[Value]:
        """Read a reply, by its text, finish word, log-probabilities or usage.

        Args:
            reply: any reply of a model, also an empty or a hostile one. Its log-probabilities are natural logarithms.

        Returns:
            The value, which JSON can hold, or the reason why there is none, as the end of a sentence. The same reply
            always gives the same value; it raises nothing.
        """


class ReadText(Protocol[Value]):
    def __call__(self, text: str, /) -> Read[Value]:
        """Read a reply by its text alone; otherwise as `ReadReply`."""


@dataclass(frozen=True, slots=True)
class TaskReader(Generic[Value]):
    """The reader of a task's replies. Another way of reading is another version: old readings are kept."""

    code: str
    version: int
    read: ReadReply[Value]


def of_text(read: ReadText[Value]) -> ReadReply[Value]:
    """The reader of replies that needs their text only."""
    return lambda reply: read(reply.text)


@dataclass(frozen=True, slots=True)
class VariantColumn:
    """A text in the content of variants: its key there, its name in files of responses, and what it is, in words."""

    key: str
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Wording:
    """A wording of a task's prompt that ships with the program: its versions are in this order, from 1."""

    name: str
    text: str
    source: str
    system: str = ""


class Task(Generic[Value, Score]):
    """A task on instances whose content is one JSON value. Defaults apply unless overridden.

    Its functions get values and return values: they read no rows, write nothing, and give the same for the same.
    `Value` is what its reader finds, and `Score` the type in `score_shape`.
    """

    code: str
    name: str
    benchmark: str
    # The placeholders that a prompt may contain.
    placeholders: frozenset[str] = frozenset()
    # The placeholder that every prompt must contain: otherwise all instances get the same message.
    needed: str = ""
    reader: TaskReader[Value] | None = None
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
    # The code in `applies_to` of templates about variants of instances; "" if there are none.
    on_variants = ""
    # The texts of a variant, how pages call one, the address where people write them (by name, for an instance), and
    # what is missing where there is none yet.
    variant_columns: Sequence[VariantColumn] = ()
    variant_name = variant_page = no_variant = ""
    # The subcategory of instances over which responses are not reported, by the code in `applies_to` of their prompt.
    reported_without: Mapping[str, str] = {}
    # Its name in files of replies; "" if none are read.
    in_files = ""
    # The type of its scores: a frozen dataclass of plain fields with defaults. None: it scores nothing.
    score_shape: type[Score] | None = None
    # The requested properties of replies besides an answer, such as log-probabilities.
    reply_spec = ORDINARY
    # Answerers without a model, by name: from the content of an instance to a reply or its text; with other arguments
    # where `baseline_reply` or `part_baseline` is the task's own.
    baselines: Mapping[str, Callable[..., Reply | str]] = {}
    # Runs may use any version of its templates, as each is another published wording.
    offers_all_versions = True
    # It records how its prompts are composed.
    has_composition = False
    # The codes of the templates that the command asks with unless told otherwise, and of the one that reports mention
    # first; the correct answers that the form of a new template suggests.
    usual_templates: Sequence[str] = ()
    first_reported = ""
    usual_answers: Sequence[str] = ()
    # Words for the form of prompts: what stands in their text and their answers, and when the other text is used.
    text_help = answers_help = other_text_label = other_text_help = ""
    # Words for the form of runs, if it usually leaves out instances: the choice to ask about them, too, and the rule.
    left_out_label = left_out_help = ""
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

    def read(self, content: Content, reply: Reply) -> Read[Value]:
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

    def read_parts(self, content: Content, replies: Sequence[Reply]) -> Read[Value]:
        """The reading of the replies to all parts of an answer, in their order."""
        return self.read(content, replies[0])

    def score(self, content: Content, value: Value) -> Score | None:
        """The score of a reading; None if there is nothing to score. Shares are between 0 and 1."""
        return None

    def chips(self, score: Score) -> Sequence[Chip]:
        """The score on the page of a response."""
        return chips_of(score)

    def in_a_word(self, score: Score) -> str:
        """The meaning of a reading with this score, in a word; "" if that takes more."""
        return ""

    def load_components(self) -> str:
        """Load the components that score many replies, as named in the settings; returns a note about them. Raises
        Refusal if one cannot be loaded.
        """
        return ""

    def about(self, content: Content, value: Value) -> Mapping[str, object]:
        """The values for the template of a reading."""
        return {}

    def note(self, content: Content) -> str:
        """A remark that pages add to the question of an instance with this content; "" for most."""
        return ""

    def variant_texts(self, content: Content) -> Mapping[str, tuple[str, str]]:
        """The texts of a variant that comments can be about, and their labels, by name."""
        return {}

    # --- As rows ask ----------------------------------------------------------------------------------------------

    def check_can_be_asked(
        self, instance: Asked, template: Template, variant: Content | None, *, include_left_out: bool
    ) -> None:
        """Raises MissingValue, with the reason, if the template is not asked of this instance. `include_left_out`
        includes instances that the task usually leaves out.
        """
        if reason := self.why_not(instance.content):
            raise MissingValue(reason)

    def prompt(self, instance: Asked, template: Template, variant: Content | None) -> str:
        """The prompt; the instance's text goes in unchanged. Raises MissingValue, with the reason, if the instance
        lacks a value of a placeholder.
        """
        return render(template.text, self.values(instance.content))

    def correct_answers(self, instance: Asked, template: Template, variant: Content | None) -> list[str]:
        """The gold answers that a judge compares a response with."""
        return []

    def part_prompt(self, instance: Asked, template: Template, variant: Content | None, part: int) -> str:
        """The prompt of a part of an answer, from 1. Raises MissingValue as `prompt` does."""
        if self.parts(instance.content) == 1:
            return self.prompt(instance, template, variant)
        return render(template.text, self.part_values(instance.content, part))

    def part_baseline(
        self, name: str, content: Content, template: Template, variant: Content | None, part: int
    ) -> Reply | str:
        """A baseline's reply to a part of an answer. Raises KeyError if there is none of this name."""
        return self.baseline_reply(name, content, template, variant)

    def baseline_reply(self, name: str, content: Content, template: Template, variant: Content | None) -> Reply | str:
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
            return say(
                "No instance has {unknown}. A prompt for “{task}” may contain {known}.",
                unknown=", ".join(sorted(unknown)),
                task=self.name,
                known=known,
            )
        if not asked:
            return say(
                "A prompt for “{task}” needs {needed}: otherwise every instance gets the same message.",
                task=self.name,
                needed=f"{{{self.needed}}}",
            )
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


def reported_without() -> dict[str, str]:
    """The subcategories of instances over which responses are not reported, by the code in `applies_to` of their
    template, of all tasks.
    """
    return _all_of("reported_without")


def usual_templates() -> list[str]:
    """The codes of the templates that a run of the command asks with unless told otherwise."""
    return [code for task in _known.tasks.values() for code in task.usual_templates]


def first_reported() -> set[str]:
    """The codes of the templates that reports mention first."""
    return {task.first_reported for task in _known.tasks.values() if task.first_reported}


def variant_columns() -> list[VariantColumn]:
    """The texts in variants of all tasks, each once."""
    return list(dict.fromkeys(column for task in _known.tasks.values() for column in task.variant_columns))


def verdict_readers() -> dict[str, VerdictReader]:
    """The readers of judges' replies, by their codes."""
    return {reader.code: reader for judge in judges() for reader in judge.readers}


def first_reader() -> str:
    """The code of the reader that reads judges' replies unless another one is chosen."""
    return next(iter(verdict_readers()), "")


def task_baselines() -> set[str]:
    """The names of the answerers without a model, of all tasks."""
    return {name for task in tasks() for name in task.baselines}


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
