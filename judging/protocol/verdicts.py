"""The three verdicts on a response, and a verdict as it is read in a judge model's reply.

How a judge is asked, and its reply read, belongs to its task: `judging.protocol.judges`.
"""

from dataclasses import dataclass

from .choices import TextChoices


class Verdict(TextChoices):
    """The verdicts on a response, in the order of tables."""

    CORRECT = "correct", "Correct"
    PARTIALLY_CORRECT = "partially_correct", "Partially correct"
    INCORRECT = "incorrect", "Incorrect"


class Unreadable(TextChoices):
    """The reason why a reply has no verdict."""

    EMPTY = "empty", "The reply is empty"
    NOT_STATED = "no_evaluation_line", "It states no verdict in a known form"
    UNKNOWN_VALUE = "unknown_value", "What it states is none of the verdicts"
    TWO_VERDICTS = "two_verdicts", "It gives more than one verdict"
    NOT_OFFERED = "not_offered", "The verdict is not among those offered"
    TRUNCATED = "truncated", "The reply was cut off before its verdict"
    BROKEN_OFF = "broken_off", "The reply was interrupted"


@dataclass(frozen=True)
class ParsedVerdict:
    """A verdict, or the reason for none. `comment` is the text before it, `hint` a verdict merely mentioned."""

    verdict: Verdict | None
    reason: Unreadable | None = None
    comment: str = ""
    hint: Verdict | None = None
