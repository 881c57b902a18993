"""The questionnaire of three verdicts on a response. Its answer has a separate column (`Judgment.verdict`), and its
outcome is a `FinalVerdict` by the rule of the round.
"""

from collections.abc import Collection, Sequence

from annotation.releases.spans import spans_of
from core.languages import say
from judging.protocol.tasks import judged_tasks
from judging.protocol.verdicts import Verdict
from review.models import Item
from review.models.subjects import RESPONSE
from review.rounds.dealing.choosing import choose_responses, count_left_out
from review.rounds.questionnaires import Answers, Field, Merged, Needs, Option, Questionnaire, Subject, Wanted
from review.rounds.turns.seen import seen_responses

from .showing import BOTH_ANSWERS, KEYS, ShownResponse

RELATED = ("item__response__template", "item__response__instance", "item__response__variant")
# The columns needed for the page: less than half of all.
COLUMNS = (
    *("item__kind", "item__round", "item__instance", "item__response__text"),
    *(f"item__response__instance__{name}" for name in ("benchmark", "tag", "question", "content")),
    *(
        f"item__response__template__{name}"
        for name in ("code", "name", "source", "system", "text", "other_text", "applies_to", "verdicts")
    ),
    *(f"item__response__template__{name}" for name in ("expects", "correct_answers", "task")),
    "item__response__variant__content",
)


def show(items: Sequence[Item]) -> list[ShownResponse]:
    spans = spans_of(item.response.instance for item in items)
    return [ShownResponse(item.response, spans[item.response.instance_id]) for item in items]


def choose(wanted: Wanted) -> tuple[list[Subject], dict[str, int]]:
    """The responses of the round."""
    return choose_responses(wanted, judged_tasks())


def barred(people: Collection[int], subjects: Sequence[Subject]) -> set[tuple[int, int]]:
    """People who have seen a judgment of a response."""
    return seen_responses(people)


def nothing_waits(wanted: Wanted) -> str:
    if count_left_out(wanted.responses, judged_tasks())[""]:
        return ""
    return say("These responses are not") if wanted.are_chosen else say("These runs have no responses")


def merge(answers: Sequence[Answers]) -> Merged | None:
    """Never called: `KeptVerdict` reads the column."""
    return None


def decide(answers: Answers) -> Merged:
    """Never called: `KeptVerdict` writes the final verdict."""
    return Merged(answers["verdict"], answers)


QUESTIONNAIRE = Questionnaire(
    code="verdicts",
    name=say("Verdicts on responses"),
    about=say("Correct, partially correct or incorrect, by the correct answers of the instance."),
    judges=RESPONSE,
    singular=say("response"),
    plural=say("responses"),
    given=say("verdict"),
    final=say("a final verdict"),
    finals=say("final verdicts"),
    fields=(
        Field(
            "verdict",
            say("Verdict"),
            tuple(Option(each.value, each.label, KEYS[each], BOTH_ANSWERS[each]) for each in Verdict),
        ),
    ),
    subject="wikicontradict/_shown.html",
    template="wikicontradict/_judge_item.html",
    shortcuts="wikicontradict/_shortcuts.html",
    is_sent_ahead=True,
    related=RELATED,
    columns=COLUMNS,
    show=show,
    merge=merge,
    decide=decide,
    outcomes={each.value: each.label for each in Verdict},
    most_each=5,
    sampled=say("in proportion to model, template and reasoning type"),
    needs=Needs.RUNS,
    tasks=judged_tasks,
    choose=choose,
    barred=barred,
    begin_page="round_new",
    nothing_waits=nothing_waits,
    texts=lambda item: ShownResponse(item.response),
    asks_programs=False,
    listed=("item__response__instance", "item__response__template"),
    decide_page="wikicontradict/adjudicate_item.html",
)
