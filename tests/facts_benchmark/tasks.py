"""The task: each option is offered in a call of its own, and the one with the most probable "true" is the answer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judging.protocol.replies import Reply, ReplySpec, Token
from judging.protocol.tasks import Content, Read, Task, TaskReader, Wording

from .items import CODE, LETTERS

TRUE = "true"


@dataclass(frozen=True, slots=True)
class Belief:
    """The option that a model believes, whether it is right, and how probable the model finds it among the four."""

    option: str = ""
    is_right: bool = False
    probability: float | None = None

    def __post_init__(self) -> None:
        if self.probability is not None and not 0 <= self.probability <= 1:
            raise ValueError("a probability is from 0 to 1")


def log_of_true(reply: Reply) -> float | None:
    """The log-probability that the reply begins with "true"; None if the endpoint did not give it."""
    top = reply.tokens[0].top if reply.tokens else {}
    return next((value for text, value in top.items() if text.strip().lower() == TRUE), None)


def no_single(reply: Reply) -> Read:
    return Read(problem="one reply is no answer")


def of_first(content: Content, option: str) -> Reply:
    value = -0.1 if option == content["options"][0] else -3.0
    return Reply(TRUE, tokens=(Token(TRUE, value, {TRUE: value}),))


class EachOption(Task):
    code, name, benchmark = "facts-each", "Facts: is this option true?", CODE
    placeholders, needed = frozenset({"subject", "relation", "option"}), "option"
    wordings = {"facts-each": (Wording("Plain", "{subject}, {relation}: {option}. True or false?", "Made up"),)}
    reader = TaskReader("most-probable", 1, no_single)
    reply_spec = ReplySpec(top_logprobs=5, most_tokens=1)
    score_shape = Belief
    baselines = {"believes the first option": of_first}

    def parts(self, content: Content) -> int:
        return len(LETTERS)

    def part_values(self, content: Content, part: int) -> dict[str, str]:
        return {**self.values(content), "option": content["options"][part - 1]}

    def part_baseline(self, name: str, content: Content, template: Any, variant: Any, part: int) -> Reply:
        return self.baselines[name](content, content["options"][part - 1])

    def read_parts(self, content: Content, replies: Sequence[Reply]) -> Read:
        values = [value for reply in replies if (value := log_of_true(reply)) is not None]
        if len(values) < len(replies):
            return Read(problem="the endpoint gave no log-probability of “true”")
        weights = [math.exp(value) for value in values]
        return Read({"probabilities": [weight / sum(weights) for weight in weights]})

    def score(self, content: Content, value: Any) -> Belief:
        probabilities = value["probabilities"]
        best = max(range(len(probabilities)), key=lambda at: (probabilities[at], -at))
        option = content["options"][best]
        return Belief(LETTERS[best], option == content["right"], probabilities[best])

    def in_a_word(self, score: Belief) -> str:
        return score.option
