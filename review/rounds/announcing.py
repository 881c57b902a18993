"""Announces finished rounds: to webhooks immediately, and in the feed. Numbers only: no verdict, no person."""

from django.db.models import Exists, OuterRef
from django.urls import reverse

from core.webhooks.feed import Entry
from core.webhooks.outbox import announce
from core.words import plural
from core.writing.locking import lock

from ..models import Adjudication, Item, ItemKind, Round, RoundState
from ..models.hooks import ROUND_FINISHED
from .keeping.registered import keeping_of
from .questionnaires import questionnaire_of


def announce_if_finished(round: int) -> None:
    """Call it in each transaction that may finish the round: its last disagreement is decided, or it is closed. These
    transactions wait for each other here, so that one of them sees that it was the last.
    """
    lock(Round.objects.filter(pk=round))
    if finished_rounds().filter(pk=round).exists():
        announce(ROUND_FINISHED, lambda: {"round": round} | _totals(Round.objects.get(pk=round)))


def finished_rounds():
    """Rounds that are closed, without open disagreements, and judged here."""
    left = Adjudication.objects.open().filter(round=OuterRef("pk"))
    return Round.objects.filter(~Exists(left), state=RoundState.CLOSED, is_import=False)


def _totals(round: Round) -> dict[str, int | str]:
    """The totals under the questionnaire's names: responses and final verdicts, documents and final answers."""
    questionnaire = questionnaire_of(round.questionnaire)
    return {
        # The key that receivers of webhooks expect.
        "form": questionnaire.code,
        questionnaire.plural: Item.objects.filter(round=round, kind=ItemKind.ORDINARY).count(),
        questionnaire.finals.replace(" ", "_"): final_count(round),
        "adjudicated": Adjudication.objects.adjudicated().filter(round=round).count(),
    }


def final_count(round: Round) -> int:
    """The number of items of a round with a final verdict or final answers."""
    return keeping_of(round.questionnaire).final_count(round)


def said_of(round: Round) -> str:
    """The number of subjects, and of those with final answers: "12 documents, 12 with final answers."."""
    questionnaire = questionnaire_of(round.questionnaire)
    judged = round.items.filter(kind=ItemKind.ORDINARY).count()
    subjects = plural(judged, questionnaire.singular, questionnaire.plural)
    return f"{subjects}, {final_count(round):,} with {questionnaire.final}."


def newest(most: int) -> list[Entry]:
    return [
        Entry(
            f"round-{row.pk}-{row.closed_at:%Y%m%d%H%M%S}",
            f"Round {row} is finished",
            said_of(row),
            row.closed_at,
            reverse("round", args=[row.pk]),
        )
        for row in finished_rounds().order_by("-closed_at")[:most]
        if row.closed_at
    ]
