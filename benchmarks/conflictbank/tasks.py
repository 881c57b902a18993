"""ConflictBank's tasks: one for each protocol, with a template for each condition and order of two texts; and the
answerers that need no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.languages import say
from judging.protocol.prompts import Template
from judging.protocol.replies import Reply, ReplySpec, Token
from judging.protocol.tasks import Content, Read, Task, TaskReader

from . import items as item
from .conditions import CONFLICT_FIRST, DRAWN, NONE, ORDER_SEED, ORDER_WORDS
from .prompts import PLACEHOLDERS, Asked, asked_by, values_of, wordings_of
from .readers import OPTION, TEXT, read_option, read_text
from .readers.options import BLANK, BRACKETS, FORMS, FORMS_OF, PLAIN

# Chat endpoints give the log-probabilities of at most 20 tokens.
TOP_TOKENS = 20
# An answer in words may be longer than a letter.
MOST_TOKENS = {OPTION: 2, TEXT: 64}
OPENING = "("

# The choices of an answer, by the field that has the letter.
DEFAULT, REPLACED, UNCERTAIN, OTHER = "default", "replaced", "uncertain", "other"
CHOICES = {item.CORRECT_OPTION: DEFAULT, item.REPLACE_OPTION: REPLACED, item.UNCERTAIN_OPTION: UNCERTAIN}


def choice_of(content: Content, letter: str) -> str:
    """The choice of an answer that names the option with this letter."""
    return next((choice for name, choice in CHOICES.items() if content[name] == letter), OTHER)


def read_tokens(reply: Reply) -> Read:
    """The option by the log-probabilities of the first token; of the second one if the first is an opening
    bracket by itself, which has the letter alone. If the model's labels are set, only labels of that form count.
    """
    tokens = reply.tokens
    if not tokens:
        return read_option(None)
    forms = FORMS_OF.get(reply.option_labels, FORMS)
    first = tokens[0]
    if BRACKETS in forms and len(tokens) > 1 and first.text.strip() == OPENING:
        first, forms = tokens[1], (*forms, PLAIN, BLANK)
    return read_option(first.top or {first.text: first.logprob}, forms=forms)


def no_text(reply: Reply) -> Read:
    """A text alone names no option: `TextTask.read` knows the options."""
    return Read(problem=say("the options are not known"))


@dataclass(frozen=True, slots=True)
class Score:
    """The choice of an answer: one of the values of `CHOICES`, or OTHER."""

    choice: str = ""


class ItemTask(Task[Mapping[str, Any], Score]):
    """The common part of both protocols."""

    benchmark = item.CODE
    placeholders, needed = PLACEHOLDERS, "question"
    template = "conflictbank/_reading.html"
    score_shape = Score
    has_composition = True
    protocol: str

    def values(self, content: Content) -> Mapping[str, str | None]:
        return values_of(content)

    def composition(self, content: Content, template: str) -> Mapping[str, Any] | None:
        """The order of the two texts, and the seed by which it was drawn; None if there are not two."""
        asked = ASKED.get(template)
        if asked is None or not asked.order:
            return None
        return {"order": asked.order_for(content), **({"seed": ORDER_SEED} if asked.order == DRAWN else {})}

    def composed_words(self, composition: Mapping[str, Any]) -> str:
        order = ORDER_WORDS[composition["order"]]
        how = f"drawn for the item with seed {composition['seed']}" if "seed" in composition else "forced"
        return f"Order of the two texts: {order}, {how}."

    def baseline_reply(self, name: str, content: Content, template: Template, variant: Content | None) -> Reply:
        if name not in FLOORS:
            raise KeyError(name)
        return reply_by_floor(name, content, ASKED[template.id])

    def score(self, content: Content, value: Mapping[str, Any]) -> Score:
        return Score(choice_of(content, value["letter"]))

    def in_a_word(self, score: Score) -> str:
        return score.choice

    def about(self, content: Content, value: Mapping[str, Any]) -> Mapping[str, object]:
        """The four options with their roles and, where they are known, their probabilities."""
        logprobs = value.get("logprobs", {})
        return {
            "options": [
                {
                    "letter": letter,
                    "text": item.option(content, letter),
                    "choice": choice_of(content, letter),
                    "is_chosen": letter == value["letter"],
                    "logprob": logprobs.get(letter),
                }
                for letter in item.LETTERS
            ],
            "bits": value.get("bits"),
            "form": value.get("form", ""),
        }


class OptionTask(ItemTask):
    code, name, protocol = "conflictbank-option", say("ConflictBank: the most probable option"), OPTION
    reader = TaskReader("first-token", 1, read_tokens)
    reply_spec = ReplySpec(top_logprobs=TOP_TOKENS, most_tokens=MOST_TOKENS[OPTION])


class TextTask(ItemTask):
    code, name, protocol = "conflictbank-text", say("ConflictBank: the option that a text names"), TEXT
    reader = TaskReader("one-option", 1, no_text)
    reply_spec = ReplySpec(most_tokens=MOST_TOKENS[TEXT])

    def read(self, content: Content, reply: Reply) -> Read:
        return read_text(reply.text, content[item.OPTIONS])


OPTION_TASK, TEXT_TASK = OptionTask(), TextTask()
TASKS: tuple[ItemTask, ...] = (OPTION_TASK, TEXT_TASK)
# The subject of each template, by its code.
ASKED: Mapping[str, Asked] = {asked.code: asked for task in TASKS for asked in asked_by(task.protocol)}
for _task in TASKS:
    _task.wordings = {code: wordings_of(asked) for code, asked in ASKED.items() if asked.protocol == _task.protocol}


# --- Floors that need no model --------------------------------------------------------------------------------------

# The log-probability of the option that a floor chooses, and of each other one: probabilities of 0.97 and 0.01.
SURE, UNSURE = -0.030459, -4.605170
FLOORS = (LAST, FIRST, MEMORY, ALWAYS_UNCERTAIN) = (
    "believes the last text",
    "believes the first text",
    "believes its memory",
    "always uncertain",
)


def letter_by_floor(name: str, content: Content, asked: Asked) -> str:
    """The letter that a floor answers; "" if it says uncertain and the item has no such option. Floors know every
    fact: without evidence, all but the last one choose the default option.
    """
    if name == ALWAYS_UNCERTAIN:
        return content[item.UNCERTAIN_OPTION]
    shown = list(asked.condition.shown)
    if asked.order_for(content) == CONFLICT_FIRST:
        shown.reverse()
    believed = {LAST: shown[-1:], FIRST: shown[:1], MEMORY: []}[name]
    return content[item.CORRECT_OPTION if set(believed) <= {item.DEFAULT} else item.REPLACE_OPTION]


def reply_by_floor(name: str, content: Content, asked: Asked) -> Reply:
    """The reply of a floor, with log-probabilities of the four labels where the protocol needs them."""
    letter = letter_by_floor(name, content, asked)
    if asked.protocol == TEXT:
        return Reply(letter or "I cannot say.")
    if not letter:
        return Reply("I", tokens=(Token("I", SURE),))
    top = {f" {each}": SURE if each == letter else UNSURE for each in item.LETTERS}
    return Reply(f" {letter}", tokens=(Token(f" {letter}", SURE, top),))


def _without_evidence(name: str, protocol: str, content: Content) -> Reply:
    return reply_by_floor(name, content, Asked(protocol, NONE))


for _task in TASKS:
    _task.baselines = {name: partial(_without_evidence, name, _task.protocol) for name in FLOORS}
