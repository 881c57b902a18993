"""Judge models, as tasks declare them: what is sent to one, and how its verdict is read in the reply.

Values in, values out; no models here. A task whose responses get verdicts has a `Judge`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .verdicts import ParsedVerdict, Verdict

Messages = list[dict[str, str]]


class ReadVerdict(Protocol):
    def __call__(self, reply: str, /, *, allowed: Collection[Verdict] = ..., finish_word: str = ...) -> ParsedVerdict:
        """Read the verdict in a judge's reply.

        Args:
            reply: the text, of any content.
            allowed: the verdicts on offer; another one is unreadable.
            finish_word: why the judge stopped writing, in the endpoint's word; an incomplete reply has no verdict.

        Returns:
            The verdict, or why it is unreadable. It raises nothing.
        """


@dataclass(frozen=True, slots=True)
class VerdictReader:
    """A way of reading a judge's reply. `version` changes whenever it would read some reply differently; `reads_json`
    says whether it reads a verdict in the form of a JSON schema.
    """

    code: str
    label: str
    version: str
    read: ReadVerdict
    reads_json: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A response as its judge gets it, with the correct answers, the content of a good one, the verdicts on offer."""

    question: str
    answers: Sequence[str]
    text: str
    expects: str
    offered: tuple[Verdict, ...]


class Judge:
    """The judge of a task's responses."""

    name: str
    # The arrangement of the prompt, stored with each judgment; the second one with a JSON schema.
    assembly: str
    assembly_as_json: str
    # The first one is used unless another is chosen.
    readers: Sequence[VerdictReader]
    # Judges without a model: their labels by their names.
    baselines: Mapping[str, str] = {}

    def messages(self, judged: Judged) -> Messages:
        """The messages that ask for a verdict on a response."""
        raise NotImplementedError

    def schema(self, offered: Sequence[Verdict]) -> dict[str, Any]:
        """The `response_format` that requests one of the offered verdicts as JSON."""
        raise NotImplementedError

    def baseline_reply(self, name: str, judged: Judged) -> str:
        """The reply of the baseline with this name. Raises KeyError if there is none of that name."""
        raise KeyError(name)
