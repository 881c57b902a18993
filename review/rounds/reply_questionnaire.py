"""The common part of benchmarks' questionnaires on replies to tasks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Instance
from core.languages import say
from judging.models import Response
from judging.protocol.thoughts import shown_response

from ..models import Item
from ..models.subjects import RESPONSE
from .dealing.choosing import choose_responses
from .questionnaires import Answers, Field, Merged, Needs, Questionnaire
from .turns.seen import seen_responses


@dataclass(frozen=True)
class ShownReply:
    """A reply with the instance to judge it by, without anything that reveals the model."""

    response: Response

    @property
    def instance(self) -> Instance:
        return self.response.instance

    @property
    def text(self) -> str:
        return shown_response(self.response.text)


def describe(item: Item) -> dict[str, Any]:
    """A reply for programs."""
    shown = ShownReply(item.response)
    return {"instance": shown.instance.content, "reply": shown.text}


def reply_questionnaire(
    *,
    code: str,
    name: str,
    fields: tuple[Field, ...],
    tasks: tuple[str, ...],
    about: str = "",
    shown: Callable[[Response], Any] = ShownReply,
    **more: Any,
) -> Questionnaire:
    """A questionnaire: two people answer `fields` about each reply to these `tasks`, blind, and another person if
    they differ. The answer to the first field is the outcome. `shown` returns the values for the template `subject`;
    `more` is passed on to the `Questionnaire`.
    """
    about_subject: dict[str, Any] = {"subject": "review/_reply.html", "describe": describe} | more

    def merged(answers: Answers) -> Merged:
        return Merged(answers[fields[0].name], answers)

    def merge(answers: Sequence[Answers]) -> Merged | None:
        return merged(answers[0]) if all(each == answers[0] for each in answers) else None

    return Questionnaire(
        code=code,
        name=name,
        about=about,
        judges=RESPONSE,
        singular=say("reply"),
        plural=say("replies"),
        fields=fields,
        related=("item__response__instance",),
        show=lambda items: [shown(item.response) for item in items],
        merge=merge,
        decide=merged,
        outcomes={option.value: option.label for option in fields[0].options},
        needs=Needs.RUNS,
        tasks=lambda: tasks,
        choose=lambda wanted: choose_responses(wanted, tasks),
        barred=lambda people, subjects: seen_responses(people),
        **about_subject,
    )
