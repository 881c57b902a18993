"""Replies to the free-format prompt, judged by two people (ContraDoc, section 5): whether the reply finds the
contradiction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.kinds.contradoc.item import EVIDENCE, TEXT, refs_of
from judging.kinds.contradoc.tasks import Free
from judging.models import Response
from judging.protocol.judge import shown_response

from ...models import Item, Round
from ...rounds.choosing import choose_responses
from ...rounds.forms import Answers, Field, Form, Judges, Merged, Needs, Option, Subject
from ...rounds.verdict_form import barred
from ..merging import DIFFER, equal

FORM = "contradoc-free-format"
FINDING = "finding"
ANSWERS_NO, WRONG, RIGHT = "no", "wrong", "right"
OPTIONS = (
    Option(ANSWERS_NO, "Answers no", "1", "says that the document does not contradict itself"),
    Option(WRONG, "Incorrect evidence", "2", "says that it does, and gives other evidence only"),
    Option(RIGHT, "Correct evidence", "3", "gives the contradiction above, perhaps beside others"),
)


@dataclass(frozen=True)
class ShownReply:
    """A reply with the document and the evidence to judge it by; nothing that tells the model."""

    response: Response

    @property
    def content(self) -> dict[str, Any]:
        return self.response.instance.content

    @property
    def document(self) -> str:
        return self.content[TEXT]

    @property
    def text(self) -> str:
        return shown_response(self.response.text)

    @property
    def evidence(self) -> str:
        return self.content.get(EVIDENCE, "")

    @property
    def refs(self) -> list[str]:
        return refs_of(self.content)


def decide(answers: Answers) -> Merged:
    return Merged(answers[FINDING], answers)


def merge(answers: Sequence[Answers]) -> Merged | None:
    """What both say; None where they differ, and another person decides."""
    found = equal([each[FINDING] for each in answers])
    return None if found is DIFFER else Merged(str(found), {FINDING: found})


def tasks() -> list[str]:
    return [Free.code]


def choose(round: Round) -> tuple[list[Subject], dict[str, int]]:
    """Replies of the runs to the free-format task."""
    chosen, left_out = choose_responses(round.runs.all(), tasks(), sample_size=round.sample_size, seed=round.seed)
    return [Subject(response, instance, None, like=instance) for response, instance in chosen], left_out


def show(items: Sequence[Item]) -> list[ShownReply]:
    return [ShownReply(item.response) for item in items]


def describe(item: Item) -> dict[str, Any]:
    """A reply for programs."""
    shown = ShownReply(item.response)
    return {"document": shown.document, "evidence": shown.evidence, "refs": shown.refs, "reply": shown.text}


FREE_FORMAT = Form(
    code=FORM,
    name="Free-format replies",
    about="Whether a reply to the free-format prompt finds the contradiction. Two people judge each, blind.",
    judges=Judges.RESPONSE,
    singular="reply",
    plural="replies",
    fields=(Field(FINDING, "What does the reply say?", OPTIONS),),
    subject="review/kinds/contradoc/_reply.html",
    related=("item__response__instance",),
    show=show,
    merge=merge,
    decide=decide,
    outcomes={option.value: option.label for option in OPTIONS},
    needs=Needs.RUNS,
    tasks=tasks,
    choose=choose,
    barred=barred,
    describe=describe,
)
