"""The questionnaire for people: whether a fact is true, with its right option shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Instance
from review.models import Item
from review.models.subjects import INSTANCE
from review.rounds.questionnaires import Answers, Field, Merged, Needs, Option, Questionnaire, Subject, Wanted

from .items import CODE


@dataclass(frozen=True)
class ShownFact:
    instance: Instance


def decide(answers: Answers) -> Merged:
    return Merged(answers["true"], answers)


def merge(answers: Sequence[Answers]) -> Merged | None:
    return decide(answers[0]) if all(each["true"] == answers[0]["true"] for each in answers) else None


def choose(wanted: Wanted) -> tuple[list[Subject], dict[str, int]]:
    facts = Instance.objects.filter(benchmark=CODE, releases=wanted.round.release_id).order_by("pk")
    return [Subject(pk, like=pk, instance=pk) for pk in facts.values_list("pk", flat=True)], {}


def show(items: Sequence[Item]) -> list[ShownFact]:
    return [ShownFact(item.instance) for item in items]


def describe(item: Item) -> dict[str, Any]:
    return {"fact": item.instance.content}


TRUTH = Questionnaire(
    code="facts-truth",
    name="Truth of facts",
    about="Whether a fact is true.",
    judges=INSTANCE,
    singular="fact",
    plural="facts",
    fields=(Field("true", "Is this fact true?", (Option("yes", "Yes", "y"), Option("no", "No", "n"))),),
    subject="facts/judge.html",
    related=("item__instance",),
    show=show,
    merge=merge,
    decide=decide,
    outcomes={"yes": "True", "no": "Not true"},
    needs=Needs.RELEASE,
    choose=choose,
    describe=describe,
)
