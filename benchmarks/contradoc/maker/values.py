"""The values and functions that make documents contradict themselves: `maker.py` puts them together, and
`making/` asks, pays and stores by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from core.languages import say
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
    """The thresholds of checks: probabilities from 0 to 1 (`_over`), and rises of the perplexity. And the number of
    sentences beside the edit that are used (0: the whole document).
    """

    @property
    def contradiction_over(self) -> float: ...
    @property
    def insertion_rise(self) -> float: ...
    @property
    def replacement_rise(self) -> float: ...
    @property
    def next_sentence_over(self) -> float: ...
    @property
    def window(self) -> int: ...


class HasText(Protocol):
    """A document, as checks see it."""

    @property
    def text(self) -> str: ...


class Stated(Protocol):
    """A statement, as checks see it: where its original sentence begins and ends in the document, and its words."""

    @property
    def start(self) -> int | None: ...
    @property
    def end(self) -> int | None: ...
    @property
    def statement(self) -> str: ...


class Edited(Protocol):
    """The parts of a candidate that checks need."""

    @property
    def document(self) -> HasText: ...
    @property
    def statement(self) -> Stated: ...
    @property
    def operation(self) -> str: ...
    @property
    def is_rewording(self) -> bool: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def new_text(self) -> str: ...

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


class NeedsOf(Protocol):
    def __call__(self, candidate: Edited, window: int, /) -> list[Need]:
        """Return the questions of a check about a candidate; empty if it cannot be checked.

        Args:
            candidate: the edited document.
            window: how many sentences beside the edit are used; 0 is the whole document.
        """


class DecideCheck(Protocol):
    def __call__(self, candidate: Edited, values: Mapping[str, float], limits: Limits, /) -> Decision:
        """Decide a check.

        Args:
            candidate: the edited document.
            values: the measured values by their parts, all of those in `NeedsOf`.
            limits: the thresholds.
        """


class ReadStatements(Protocol):
    def __call__(self, text: str, method: Method, /) -> ReadReply:
        """Read a model's reply of any text: its statements, or why there are none. It raises nothing."""


class Locate(Protocol):
    def __call__(self, text: str, sentence: str, /) -> Found:
        """Find a sentence in a document; offsets are in characters."""


class EditsOf(Protocol):
    def __call__(self, text: str, span: tuple[int, int], statement: ReadStatement, method: Method, /) -> list[Edit]:
        """Return the edits for a statement, the best first.

        Args:
            text: the document.
            span: where the original sentence begins and ends in it, in characters.
            statement: the statement, without a problem.
            method: how it was made.
        """


class GapsIn(Protocol):
    def __call__(self, text: str, /) -> Sequence[Gap]:
        """Return every spot where a sentence could be inserted, in the order of the text."""


class InsertionAt(Protocol):
    def __call__(self, text: str, offset: int, sentence: str, /) -> Edit:
        """Return the edit that inserts a sentence at the offset of a gap."""


class PromptFor(Protocol):
    def __call__(self, measure: str, first: str, second: str, /) -> str:
        """Return the prompt by which a language model measures something about one or two texts."""


class ReadValue(Protocol):
    def __call__(self, measure: str, reply: str, /) -> tuple[str, float] | None:
        """Return the label in a model's reply with its value; None if it has none."""


class PerplexityOf(Protocol):
    def __call__(self, logprobs: Sequence[float], /) -> float | None:
        """Return the perplexity of a text from the log-probabilities of its tokens, in natural logarithms; None
        without any.
        """


@dataclass(frozen=True, slots=True)
class CheckKind:
    """A check of a benchmark's candidates. `measure` is the question for components, about the texts from `needs`."""

    code: str
    name: str
    measure: str
    needs: NeedsOf
    decide: DecideCheck
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
    read: ReadStatements
    locate: Locate
    edits: EditsOf
    gaps: GapsIn
    insertion: InsertionAt
    checks: Sequence[CheckKind]
    # A measure in `prompted` is asked for by a prompt; any other by the probabilities of a text's tokens.
    prompt_for: PromptFor
    read_value: ReadValue
    perplexity: PerplexityOf
    prompt_version: int = 1
    prompted: Sequence[str] = ()


def method_of(maker: Maker, code: str) -> Method:
    """The method with this code. Raises Refusal if there is none."""
    if code not in maker.methods:
        raise Refusal(
            say("There is no method “{code}”. There are: {methods}.", code=code, methods=", ".join(maker.methods)),
            status=400,
        )
    return maker.methods[code]
