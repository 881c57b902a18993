"""Replies to the free-format prompt, judged by two people (ContraDoc, section 5): whether the reply finds the
contradiction.
"""

from core.languages import say
from review.models import Item
from review.rounds.questionnaires import Field, Option
from review.rounds.reply_questionnaire import ShownReply, reply_questionnaire

from ..items import EVIDENCE, TEXT, refs_of
from ..tasks import Free
from .knowing import FREE_FORMAT as QUESTIONNAIRE
from .knowing import know_source, ruled_out_by_reading

FINDING = "finding"
ANSWERS_NO, WRONG, RIGHT = "no", "wrong", "right"
OPTIONS = (
    Option(ANSWERS_NO, say("Answers no"), "1", say("says that the document does not contradict itself")),
    Option(WRONG, say("Incorrect evidence"), "2", say("says that it does, and gives other evidence only")),
    Option(RIGHT, say("Correct evidence"), "3", say("gives the contradiction above, perhaps beside others")),
)


class ShownFreeReply(ShownReply):
    """A reply with the document and the evidence."""

    @property
    def document(self) -> str:
        return self.instance.content[TEXT]

    @property
    def evidence(self) -> str:
        return self.instance.content.get(EVIDENCE, "")

    @property
    def refs(self) -> list[str]:
        return refs_of(self.instance.content)


def describe(item: Item) -> dict[str, object]:
    """A reply for programs."""
    shown = ShownFreeReply(item.response)
    return {"document": shown.document, "evidence": shown.evidence, "refs": shown.refs, "reply": shown.text}


FREE_FORMAT = reply_questionnaire(
    code=QUESTIONNAIRE,
    name=say("Free-format replies"),
    about=say(
        "Whether a reply to the free-format prompt finds the contradiction. Two people judge each, independently."
    ),
    fields=(Field(FINDING, say("What does the reply say?"), OPTIONS),),
    tasks=(Free.code,),
    subject="contradoc/judge/_reply.html",
    shown=ShownFreeReply,
    describe=describe,
    knowing=know_source,
    rules_out=ruled_out_by_reading,
)
