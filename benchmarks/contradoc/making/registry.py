"""How the documents of a benchmark are made to contradict themselves: what a benchmark that has such documents says
about it, as plain values and functions. What is paid for, written and shown is the same for all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from core.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Method:
    """A way to have a model find statements and write against them. `prompt` stands before the document."""

    code: str
    name: str
    prompt: str
    asks_for: int
    operation: str


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A statement as a model wrote it. `problem` says why it is refused; "" if it is not."""

    original: str = ""
    statement: str = ""
    contradiction: str = ""
    rewording: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReadReply:
    """What was read from a reply: its statements, or why there are none."""

    statements: tuple[ReadStatement, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Where the original sentence stands in the document; or, where it does not, the nearest sentence, if any."""

    start: int | None = None
    end: int | None = None
    near_start: int | None = None
    near_end: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a text: what stands from `start` to `end` becomes `new_text`."""

    start: int
    end: int
    new_text: str
    is_rewording: bool = False
    rank: int = 1

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new_text + text[self.end :]

    def undo(self, edited: str, replaced: str) -> str:
        """The text before the edit, where `replaced` is what stood from `start` to `end`."""
        return edited[: self.start] + replaced + edited[self.start + len(self.new_text) :]


class Gap(NamedTuple):
    """A spot for another sentence: its offset in the text, and the text of its neighbours ("" at an end)."""

    offset: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Need:
    """A question that a check has: which of the candidate's texts it is about, and the texts."""

    part: str
    first: str
    second: str = ""


class Limits(Protocol):
    """The thresholds of checks, and how many sentences beside the edit are looked at (0: the whole document)."""

    contradiction_over: Any
    insertion_rise: Any
    replacement_rise: Any
    next_sentence_over: Any
    window: Any


class Edited(Protocol):
    """A candidate, as far as checks need it."""

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
    """What came of a check: its value against the threshold."""

    value: float
    threshold: float
    is_passed: bool


@dataclass(frozen=True, slots=True)
class CheckKind:
    """A check that candidates of a benchmark go through. `measure` is what it asks components for, about the texts
    that `needs` gives; without any it cannot be checked. `decide` gets the values by their parts."""

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
    """What a benchmark says about the making of its documents."""

    benchmark: str
    doc_types: tuple[str, ...]
    methods: Mapping[str, Method]
    # What reads replies, with its version.
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
    # What a language model is asked to measure something, and the label in its reply with its value; None if it has
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
    """How documents of this benchmark are made. Raises Refusal if the benchmark has no such documents."""
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
