"""The list of responses behind a number, a page at a time, with all judgments of each."""

from dataclasses import dataclass, field

from django.db.models import Model
from django.http import HttpRequest

from core.engine.queries.conditions import is_one_of
from core.engine.queries.instances import PreparedInstances
from core.engine.queries.parameters import Numbers
from core.languages import changed, say
from core.lists.pages import Page, page_of
from core.models import User
from judging.models import LanguageModel, ModelJudgment, PromptTemplate, Response
from judging.protocol.thoughts import shown_response
from judging.responses.listing import judgments_of

from ..models import FinalVerdict, Pair
from .kinds import LABELS
from .links import ResponseFilter, response_list

WORDS = {
    "any": say("any"),
    "none": say("no final verdict"),
    "unreadable": say("unreadable"),
    "cannot_judge": say("cannot judge"),
    "exp": say("explicit conflict"),
    "imp": say("implicit conflict"),
    "unset": say("kind of conflict not set"),
    "different": say("passages differ"),
    "same": say("one passage"),
    "reported": say("as the tables count"),
    **{verdict: changed(label, str.lower) for verdict, label in LABELS.items()},
}


@dataclass(slots=True)
class ResponseRow:
    response: Response
    final_verdict: FinalVerdict | None = None
    # The verdict of each person, in words; "" if they could not judge.
    verdicts: dict[User, str] = field(default_factory=dict)
    said: list[ModelJudgment] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The response as judges see it."""
        return shown_response(self.response.text)


def response_rows(chosen: ResponseFilter, request: HttpRequest) -> Page:
    """Responses with their final verdict, all people's judgments and judge models' judgments."""
    found = page_of(request, chosen.responses(), "pk", fetch=lambda keys: _responses.all(responses=keys))
    rows = {response.pk: ResponseRow(response) for response in found.object_list}
    shown = Numbers(rows)
    for final_verdict in _final_verdicts.all(responses=shown):
        rows[final_verdict.response_id].final_verdict = final_verdict
    for pair in _pairs.all(responses=shown):
        verdicts = rows[pair.response_id].verdicts
        verdicts[pair.reviewer_1] = pair.get_verdict_1_display()
        verdicts[pair.reviewer_2] = pair.get_verdict_2_display()
    for response, said in judgments_of(shown).items():
        rows[response].said = said
    found.object_list = list(rows.values())
    return found


SHOWN = ("key", "text", "mark", "instance__question", "model__name", "template__code", "template__version")
_responses = PreparedInstances(
    lambda responses: (
        Response.objects.filter(is_one_of("pk", responses))
        .select_related("instance", "model", "template")
        .only(*SHOWN)
    ),
    responses=Numbers,
)
_final_verdicts = PreparedInstances(
    lambda responses: FinalVerdict.objects.filter(is_one_of("response", responses)).order_by(), responses=Numbers
)
NAMES = [f"{reviewer}__{name}" for reviewer in ("reviewer_1", "reviewer_2") for name in User.NAMES]
_pairs = PreparedInstances(
    lambda responses: (
        Pair.objects.filter(is_one_of("response", responses))
        .select_related("reviewer_1", "reviewer_2")
        .only("response", "verdict_1", "verdict_2", *NAMES)
        .order_by("pk")
    ),
    responses=Numbers,
)


@dataclass(frozen=True, slots=True)
class Chip:
    """An active filter, in words, and the list without it."""

    words: str
    href: str


def chips_of(chosen: ResponseFilter) -> list[Chip]:
    """The active filters beyond the scope, each with the address of the list without it."""
    names = [name for name in chosen.parameters if name not in chosen.scope.parameters]
    return [Chip(_in_words(chosen, name), response_list(chosen.without(name))) for name in names]


def _in_words(chosen: ResponseFilter, name: str) -> str:
    value = getattr(chosen, name)
    match name:
        case "template":
            return say("prompt {prompt}", prompt=_named(PromptTemplate, value))
        case "model":
            return say("answered by {model}", model=_named(LanguageModel, value))
        case "against":
            return say("also answered by {model}", model=_named(LanguageModel, value))
        case "week":
            return say("both judgments in the week of {day}", day=value)
        case "given":
            return say("one gave: {words}", words=WORDS[value])
        case "counterpart":
            return say("the other model: correct") if value == "correct" else say("the other model: not correct")
        case "judge":
            return say("judged by {model}", model=_named(LanguageModel, value))
        case "person" | "other":
            return say("judged by {person}", person=_named(User, value))
        case "verdict":
            return {"any": say("has a final verdict"), "none": say("no final verdict")}.get(
                value, say("final: {words}", words=WORDS[value])
            )
        case "said":
            return {"any": say("judge's verdict readable")}.get(value, say("judge: {words}", words=WORDS[value]))
        case "first" | "second":
            if name == "first":
                return say("one: {words}", words=WORDS[value])
            return say("the other: {words}", words=WORDS[value])
        case "pairs":
            return {"both": say("two verdicts"), "many": say("in a round of three or more judgments")}.get(
                value, say("judged twice")
            )
        case "reopened":
            return say("adjudicated verdict reopened")
    return WORDS.get(value, str(value))


def _named(model: type[Model], pk: int) -> str:
    row = model._default_manager.filter(pk=pk).first()
    return str(row) if row else say("number {pk}", pk=pk)
