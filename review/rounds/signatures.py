"""The signatures of a questionnaire's functions: their arguments, results and errors.

They know their benchmark. None of them writes unless its docstring says so. No returned value reveals other people's
answers, or whether there are any.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from django.db.models import QuerySet

from annotation.models import Release
from core.models import User

from ..models import AdjudicationCause, FinalAnswers, Item, Round

if TYPE_CHECKING:
    from .questionnaires import Merged, Subject, Wanted

# A person's answers by the names of the fields: the value of an option, a list of them, or numbers of spots.
Answers = dict[str, Any]


class SpotsOf(Protocol):
    def __call__(self, item: Item, /) -> int:
        """Return how many spots the document of an item has; answers are numbers below it, from 0."""


class SpotInWords(Protocol):
    def __call__(self, item: Item, number: int, /) -> str:
        """Return where a spot of an item is, in words, for reading an answer beside the document.

        Args:
            item: the item.
            number: the spot, from 0.
        """


class IsAsked(Protocol):
    def __call__(self, item: Item, /) -> bool:
        """Return whether a question is asked about this item. It is the same for all who judge it."""


class Show(Protocol):
    def __call__(self, items: Sequence[Item], /) -> Sequence[object]:
        """Return the subject of each item as the fragment `subject` shows it, in the order of the items.

        Args:
            items: items of one questionnaire, with the relations in `related`.
        """


class Describe(Protocol):
    def __call__(self, item: Item, /) -> Mapping[str, object]:
        """Return the subject for programs, as values of JSON; nothing in it that the page does not show."""


class Texts(Protocol):
    """The texts of a subject that programs are given: the question, the passages that the model saw, the gold
    answers, the prompt, the text of the response, and the verdicts on offer.
    """

    @property
    def question(self) -> str: ...
    @property
    def passages(self) -> Sequence[object]: ...
    @property
    def answers(self) -> Sequence[object]: ...
    @property
    def prompt(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def offered(self) -> Sequence[object]: ...


class TextsOf(Protocol):
    def __call__(self, item: Item, /) -> Texts:
        """Return the texts of a subject for programs."""


class Merge(Protocol):
    def __call__(self, answers: "Sequence[Answers]", /) -> "Merged | None":
        """Merge the answers of all who judged an item, in the order of their slots. The order does not matter.

        Returns:
            The outcome and its answers; None if another person has to decide.
        """


class Decide(Protocol):
    def __call__(self, answers: Answers, /) -> "Merged":
        """Return the outcome of the answers of the person who decides."""


class CauseOf(Protocol):
    def __call__(self, answers: "Sequence[Answers]", /) -> AdjudicationCause:
        """Return why these answers, which do not merge, go to another person."""


class NothingWaits(Protocol):
    def __call__(self, wanted: "Wanted", /) -> str:
        """Return why a round would have nothing to deal, as the beginning of a sentence; "" if it would have."""


class Choose(Protocol):
    def __call__(self, wanted: "Wanted", /) -> "tuple[list[Subject], dict[str, int]]":
        """Choose what a round deals.

        Returns:
            The subjects, each once, and how many others were left out, by the reason as pages show it.

        Raises:
            Refusal: if the round cannot be dealt as it is wanted.
        """


class Barred(Protocol):
    def __call__(self, people: Collection[int], subjects: "Sequence[Subject]", /) -> set[tuple[int, int]]:
        """Return (person, number of the subject) where one of these people has seen a judgment of it: they do not
        judge it.
        """


class Knowing(Protocol):
    def __call__(self, subjects: "Sequence[Subject]", /) -> set[tuple[int, int]]:
        """Return (person, number of the subject) for people who know the subject from what they judged elsewhere:
        they neither judge nor decide on it.
        """


class RulesOut(Protocol):
    def __call__(self, item: Item, answers: Answers | None, /) -> QuerySet[Item]:
        """Return the items that a person who gave these answers about an item must not judge from now on; None is
        given by a person who could not judge.
        """


class Follows(Protocol):
    def __call__(self, item: Item, final: FinalAnswers | None, /) -> None:
        """Write what follows from an item's final answers, or from their withdrawal (None), in the rows of the
        benchmark. Called in the transaction that does that, with the item's round locked.
        """


class TaskCodes(Protocol):
    def __call__(self) -> Collection[str]:
        """Return the codes of the tasks whose replies are judged. Called on use, as tasks are registered later."""


class MakeRelease(Protocol):
    def __call__(self, round: Round, name: str, admin: User, /) -> Release:
        """Make a release of a finished round's outcome. This writes, in a transaction of its own.

        Raises:
            Refusal: with the reason, if there is nothing to release or the name is taken.
        """
