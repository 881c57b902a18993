"""The way in which a questionnaire keeps what people say: where judgments go, their outcome, how it is counted.

Rounds, slots, leases, undo and adjudication use the round's way and know no questionnaire.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from django.db.models import Exists, OuterRef, QuerySet

from core.languages import say

from ...models import Adjudication, Item, Judgment, JudgmentQuerySet, Round, RoundState
from ..signatures import Answers

# A person's input: a verdict, answers, or the reason why there are none.
Given = tuple[str, Answers | None, str]


def open_slot(slot: int, person: int) -> JudgmentQuerySet:
    """The slot to be filled, if it is open, this person's, and in an open round: each may have changed since the page
    was read.
    """
    open_round = Round.objects.filter(pk=OuterRef("round"), state=RoundState.OPEN)
    return Judgment.objects.open().filter(Exists(open_round), pk=slot, reviewer=person)


class Then(Protocol):
    def __call__(self) -> None:
        """Write the consequences of what a person gave, in the same transaction."""


class Keeping(ABC):
    """One way of keeping.

    final: the relation of an item to its outcome.
    has_pairs: whether each two judgments of an item are a pair, so that pages show how often people agree, and items
    with a known outcome can be mixed in.
    """

    final: str
    has_pairs = False

    def from_page(self, answers: Answers) -> tuple[str, Answers | None]:
        """The verdict and the answers in what a page sent as answers to the questions of the questionnaire."""
        return "", answers

    @abstractmethod
    def checked(self, slot: Judgment, verdict: str, answers: Answers | None, cannot_judge: str) -> Given:
        """A person's input for a slot, as it is kept. Raises `Refusal` (400) if the round does not ask for it."""

    @abstractmethod
    def give(self, slot: Judgment, person: int, given: dict[str, object], answers: Answers | None, then: Then) -> int:
        """Fill the slot if it is still an `open_slot`; returns whether it was. `then` is called in the same
        transaction where a questionnaire of this way can have consequences.
        """

    @abstractmethod
    def complete(self, due: Sequence[Mapping[str, object]], items: Collection[int], at: datetime) -> int:
        """Write the outcomes of these items of a round whose judgments are all fixed; returns the number of them.
        Call it with the round locked, in a transaction. `due` are judgments with the facets of their items.
        """

    @abstractmethod
    def decided(self, item: Item, verdict: str, answers: Answers | None) -> tuple[str, Answers | None]:
        """The verdict and the answers of an adjudicator, as they are kept. Raises `Refusal` (400) if they are not on
        offer.
        """

    @abstractmethod
    def finish(self, adjudication: Adjudication, verdict: str, answers: Answers | None, at: datetime) -> None:
        """Write the final verdict or the final answers that a person decided."""

    @abstractmethod
    def withdraw(self, item: Item) -> None:
        """Withdraw the outcome of an item's judgments, with its pairs."""

    @abstractmethod
    def withdraw_final(self, item: Item) -> None:
        """Withdraw the final verdict or the final answers of an item, to be decided again."""

    @abstractmethod
    def completed_at(self, judgment: Judgment) -> datetime | None:
        """The time since which the outcome of all judgments of this judgment's item can be seen; None if some are
        missing.
        """

    @abstractmethod
    def final_count(self, round: Round) -> int:
        """The number of items of a round with a final verdict or final answers."""

    @abstractmethod
    def counts(self, round: Round, adjudications: Mapping[str, int]) -> dict[str, int]:
        """The numbers `complete`, `agreed`, `could_not` and `final` of a round's progress."""

    @abstractmethod
    def outcomes(self, round: Round) -> list[tuple[str, int]]:
        """The number of items by outcome, in the order of the questionnaire; none where reports count them."""

    def asked(self, round: Round, items: int, slots: QuerySet[Judgment]) -> int:
        """The total number of judgments of a round with this many items and these slots."""
        return slots.count()

    def in_words(self, verdict: str) -> str:
        """An adjudicator's decision, as a sentence."""
        return say("Decided.")

    def in_log(self, round: Round) -> dict[str, str]:
        """The log's words for the questions of a round."""
        return {"questionnaire": round.questionnaire}

    def related(self, *, finished: bool) -> list[str]:
        """The columns that a list of a person's judgments reads of their items, in a finished round and before."""
        return [f"item__{self.final}"]
