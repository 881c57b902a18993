"""Questionnaires of rounds, by their codes.

A questionnaire defines its subjects (responses, instances, or rows of a registered kind), its questions, and the
merging of several people's answers. Benchmarks register theirs; the three verdicts on a response are one. Rounds,
slots, leases, undo, blindness and adjudication name no questionnaire.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from django.db.models import QuerySet

from core.languages import joined, say
from core.refusals import Refusal
from judging.models import Response
from judging.protocol.tasks import tasks

from ..models import AdjudicationCause, Item, Round
from ..models.questionnaires import declare
from .signatures import (
    Answers,
    Barred,
    CauseOf,
    Choose,
    Decide,
    Describe,
    Follows,
    IsAsked,
    Knowing,
    MakeRelease,
    Merge,
    NothingWaits,
    RulesOut,
    Show,
    SpotInWords,
    SpotsOf,
    TaskCodes,
    TextsOf,
)


@dataclass(frozen=True, slots=True)
class TitleOnly:
    """The texts, for programs, of a subject that is no response."""

    question: str
    passages: Sequence[object] = ()
    answers: Sequence[object] = ()
    prompt: str = ""
    text: str = ""
    offered: Sequence[object] = ()


class Subject(NamedTuple):
    """A subject to deal. Neighbours in a reviewer's order differ in `like`. Nobody is dealt two of one `source`; ""
    if there is none.
    """

    # The primary key of what the questionnaire judges.
    number: int
    like: int
    # The instance that a response is about, or that is judged by itself.
    instance: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A round to deal: its columns, its responses, and the primary keys of its reviewers. None of it need be
    saved.
    """

    round: Round
    responses: QuerySet[Response]
    people: list[int]
    # The responses were chosen one by one, and not by their runs.
    are_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    key: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A question. With `most` it asks for positions in the document, by their numbers from 0, instead of options."""

    name: str
    question: str
    options: tuple[Option, ...] = ()
    # Several options may be chosen.
    many: bool = False
    most: int = 0
    spots: SpotsOf = lambda item: 0
    where: SpotInWords | None = None
    required: bool = True
    is_asked: IsAsked = lambda item: True
    # Asked only where another field has this value: (field, value).
    only_if: tuple[str, str] | None = None
    # Asked of those who judge, and not of the adjudicator.
    of_judges_only: bool = False

    def words_for(self, value: Any, item: Item | None = None) -> str:
        """An answer for pages; with its item, a position in words."""
        if self.most and item is not None and self.where is not None:
            return joined([self.where(item, number) for number in value], "; ")
        if self.most:
            return ", ".join(str(number + 1) for number in value)
        labels = {option.value: option.label for option in self.options}
        return joined([labels[each] for each in (value if self.many else [value])], ", ")


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of all answers about an item."""

    outcome: str
    answers: Answers


class Needs(StrEnum):
    """The settings that a round of a questionnaire needs, besides people."""

    RUNS = "runs"
    RELEASE = "release"
    NOTHING = ""


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """A questionnaire. `review.rounds.signatures` says what each function gets and returns."""

    code: str
    name: str
    about: str
    # The subjects: RESPONSE, INSTANCE, or a registered kind (`review.models.subjects`).
    judges: str
    # How pages call the subjects.
    singular: str
    plural: str
    fields: tuple[Field, ...]
    # The fragment that shows the subject, and what it reads with a slot: relations, and columns where not all.
    subject: str
    related: tuple[str, ...]
    show: Show
    merge: Merge
    decide: Decide
    # The outcomes by their codes, with their words on pages.
    outcomes: Mapping[str, str]
    cause: CauseOf = lambda answers: AdjudicationCause.DISAGREE
    # The fragment of the judging page with the subject and the questions.
    template: str = "review/_judge_answers.html"
    # The keys that choose answers, in the dialog of the judging page.
    shortcuts: str = "review/_shortcuts.html"
    # The next subject is sent with the one at hand, and shown before the server has the answer to that. Not where the
    # server may say that an answer is missing.
    is_sent_ahead: bool = False
    columns: tuple[str, ...] = ()
    # The words on pages for a person's input, and for the outcome of one subject and of several.
    given: str = say("answers")
    final: str = say("final answers")
    finals: str = say("final answers")
    judgments_each: int = 2
    most_each: int = 2
    # Where all who take part judge everything: a round of fewer people than `judgments_each` has at least this many.
    fewest_each: int = 0
    # The size of a sample where none is given, in words for the form; "" for everything.
    default_sample: Callable[[], str] = str
    needs: Needs = Needs.NOTHING
    # The page on which its rounds are begun, where it has one of its own, by the name of its address.
    begin_page: str = ""
    # The page on which its subjects are made, by the name of its address.
    made_at: str = ""
    # None asks `choose`.
    nothing_waits: NothingWaits | None = None
    # How a sample of the subjects is drawn, in words.
    sampled: str = say("in proportion to model, template and category")
    # How answers become final, in words; "" is the round's rule for verdicts.
    final_by: str = ""
    # The subject for programs, which have no page: all of it, its texts, and whether its questions go with them.
    describe: Describe = lambda item: {}
    texts: TextsOf = lambda item: TitleOnly(item.title)
    asks_programs: bool = True
    # The columns of a subject in lists of judgments, if fewer than on the page.
    listed: tuple[str, ...] = ()
    # The page on which a person decides between answers.
    decide_page: str = "review/adjudicate_answers.html"
    # Only if it judges responses.
    tasks: TaskCodes = lambda: [task.code for task in tasks()]
    choose: Choose = lambda wanted: ([], {})
    barred: Barred = lambda people, subjects: set()
    knowing: Knowing = lambda subjects: set()
    # The other direction of `knowing`.
    rules_out: RulesOut | None = None
    follows: Follows = lambda item, final: None
    # None where no release is made of a finished round.
    release: MakeRelease | None = None

    def why_nothing(self, wanted: Wanted) -> str:
        """Why this round would have nothing to deal, as the beginning of a sentence; "" if it would have."""
        if self.nothing_waits is not None:
            return self.nothing_waits(wanted)
        return "" if self.choose(wanted)[0] else say("There are no {plural}", plural=self.plural)

    @property
    def read_in_lists(self) -> list[str]:
        """The relations that lists of judgments read."""
        return [*(self.listed or self.related)]

    @property
    def makes_release(self) -> bool:
        return self.release is not None

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    def questions(self, item: Item) -> list[dict[str, Any]]:
        """The questions about this item for programs, with the offered answers."""
        return [
            {
                "name": field.name,
                "question": field.question,
                "options": [option.value for option in field.options],
                "many": field.many,
                "spots": field.spots(item),
                "most": field.most,
                "required": field.required,
                "only_if": dict([field.only_if]) if field.only_if else None,
            }
            for field in self.asked(item)
        ]

    def asked(self, item: Item) -> list[Field]:
        """The questions about this item."""
        return [field for field in self.fields if field.is_asked(item)]


QUESTIONNAIRES: dict[str, Questionnaire] = {}


def register(questionnaire: Questionnaire) -> None:
    QUESTIONNAIRES[questionnaire.code] = questionnaire
    declare(questionnaire.code)


def questionnaire_of(code: str) -> Questionnaire:
    """The questionnaire with this code. Raises `Refusal` (404) without one."""
    if code not in QUESTIONNAIRES:
        raise Refusal(say("There is no such questionnaire."), status=404)
    return QUESTIONNAIRES[code]


def checked_answers(questionnaire: Questionnaire, item: Item, given: Mapping[str, Any]) -> Answers:
    """The answers to the questions about this item, in the order of the questionnaire. Raises `Refusal` (400) that
    names each question without an answer and each answer that is not offered.
    """
    answers: Answers = {}
    missing: list[str] = []
    for field in questionnaire.asked(item):
        if field.only_if and answers.get(field.only_if[0]) != field.only_if[1]:
            continue
        value = _checked(field, item, given.get(field.name))
        if value is not None:
            answers[field.name] = value
        elif field.required:
            missing.append(say("“{question}”", question=field.question))
    if missing:
        raise Refusal(
            say(
                "You have not answered these questions yet: {missing}. Nothing was recorded.",
                missing=joined(missing, ", "),
            ),
            status=400,
        )
    return answers


def _checked(field: Field, item: Item, value: Any) -> Any:
    """The answer to a question in its canonical form; None without one."""
    several = field.many or field.most
    values = value if isinstance(value, list) else [] if value in (None, "") else [value]
    if field.most:
        return _checked_spots(field, item, values)
    offered = [option.value for option in field.options]
    if any(each not in offered for each in values) or (len(values) > 1 and not several):
        raise Refusal(
            say(
                "The answers to “{question}” are: {offered}. Nothing was recorded.",
                question=field.question,
                offered=", ".join(offered),
            ),
            status=400,
        )
    chosen = [each for each in offered if each in values]
    return (chosen if field.many else chosen[0]) if chosen else None


def _checked_spots(field: Field, item: Item, values: list[Any]) -> list[int] | None:
    there = field.spots(item)
    numbers = {each for each in values if isinstance(each, int) and not isinstance(each, bool) and 0 <= each < there}
    if len(numbers) != len(values) or len(numbers) > field.most:
        raise Refusal(
            say(
                "“{question}” takes at most {most} of the {there} spots in this text. Nothing was recorded.",
                question=field.question,
                most=field.most,
                there=there,
            ),
            status=400,
        )
    return sorted(numbers) or None


def words_of(questionnaire: Questionnaire, answers: Answers, item: Item | None = None) -> list[tuple[Field, str]]:
    """Answers in words for pages, in the order of the questionnaire."""
    return [
        (field, field.words_for(answers[field.name], item)) for field in questionnaire.fields if field.name in answers
    ]
