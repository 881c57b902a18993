"""The registry of benchmarks that make documents contradict themselves: each registers plain values and functions.
Paying, storing and showing are the same for all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from core.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Method:
    """A way to have a model find statements and contradict them. `prompt` comes before the document."""

    code: str
    name: str
    prompt: str
    asks_for: int
    operation: str


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A statement as a model wrote it. `problem` gives the reason if it is refused, otherwise ""."""

    original: str = ""
    statement: str = ""
    contradiction: str = ""
    rewording: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The result of reading a reply: its statements, or why there are none."""

    statements: tuple[ReadStatement, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The position of the original sentence in the document; if it is not there, the nearest sentence, if any."""

    start: int | None = None
    end: int | None = None
    near_start: int | None = None
    near_end: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a text: the text from `start` to `end` becomes `new_text`."""

    start: int
    end: int
    new_text: str
    is_rewording: bool = False
    rank: int = 1

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new_text + text[self.end :]

    def undo(self, edited: str, replaced: str) -> str:
        """The text before the edit; `replaced` is the original text from `start` to `end`."""
        return edited[: self.start] + replaced + edited[self.start + len(self.new_text) :]


class Gap(NamedTuple):
    """A position for another sentence: its offset in the text, and the text of its neighbours ("" at an end)."""

    offset: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Need:
    """A question of a check: the part of the candidate, and its texts."""

    part: str
    first: str
    second: str = ""


class Limits(Protocol):
    """The thresholds of checks, and the number of sentences beside the edit that are used (0: the whole document)."""

    contradiction_over: Any
    insertion_rise: Any
    replacement_rise: Any
    next_sentence_over: Any
    window: Any


class Edited(Protocol):
    """The parts of a candidate that checks need."""

    document: Any
    statement: Any
    operation: Any
    is_rewording: Any
    start: Any
    end: Any
    new_text: Any

    @property
    def sentence(self) -> str: ...

    @property
    def text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a check: its value against the threshold."""

    value: float
    threshold: float
    is_passed: bool


@dataclass(frozen=True, slots=True)
class CheckKind:
    """A check of a benchmark's candidates. `measure` is the question for components, about the texts from `needs`;
    without any it cannot be checked. `decide` gets the values by their parts.
    """

    code: str
    name: str
    measure: str
    needs: Callable[[Edited, int], list[Need]]
    decide: Callable[[Edited, Mapping[str, float], Limits], Decision]
    # Whether it looks at a window around the edit, and not only at the sentences beside it.
    has_window: bool = False
    version: int = 1


@dataclass(frozen=True, slots=True)
class Maker:
    """A benchmark's way of making documents."""

    benchmark: str
    doc_types: tuple[str, ...]
    methods: Mapping[str, Method]
    # The reader of replies, with its version.
    reader: str
    read: Callable[[str, Method], ReadReply]
    locate: Callable[[str, str], Found]
    # The edits for a text, the span of the original sentence in it, and the statement.
    edits: Callable[[str, tuple[int, int], ReadStatement, Method], list[Edit]]
    # Every spot where a sentence could be inserted, in the order of the text.
    gaps: Callable[[str], Sequence[Gap]]
    # The edit that inserts a sentence at such a spot.
    insertion: Callable[[str, int, str], Edit]
    checks: Sequence[CheckKind]
    # The question to a language model for a measurement, and the value of each label in its reply; None if it has
    # none. What is in neither is measured by the probabilities of a text's tokens.
    prompt_for: Callable[[str, str, str], str]
    read_value: Callable[[str, str], tuple[str, float] | None]
    perplexity: Callable[[Sequence[float]], float | None]
    prompt_version: int = 1
    prompted: Sequence[str] = ()


_makers: dict[str, Maker] = {}


def register(maker: Maker) -> None:
    _makers[maker.benchmark] = maker


def maker_of(benchmark: str) -> Maker:
    """The way of making documents of this benchmark. Raises Refusal if it has none."""
    if benchmark not in _makers:
        there = ", ".join(_makers) or "none"
        raise Refusal(f"No documents are made for the benchmark “{benchmark}”, only for: {there}.", status=404)
    return _makers[benchmark]


def makers() -> Sequence[Maker]:
    return tuple(_makers.values())


def method_of(maker: Maker, code: str) -> Method:
    """The method with this code. Raises Refusal if there is none."""
    if code not in maker.methods:
        raise Refusal(f"There is no method “{code}”. There are: {', '.join(maker.methods)}.", status=400)
    return maker.methods[code]
