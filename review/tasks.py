"""Background work. A message only wakes a worker; the rows define the work."""

from celery import shared_task

from .models import Round, RoundState
from .rounds import rounds
from .rounds.dealing import dealing
from .rounds.final_verdicts import pairing


@shared_task
def deal_round(round_id: int) -> None:
    dealing.deal_round(round_id)


@shared_task
def deal_waiting_rounds() -> None:
    """Deal rounds whose message was lost or whose worker died. Called by the clock."""
    for round_id in dealing.rounds_to_deal().values_list("pk", flat=True):
        dealing.deal_round(round_id)


@shared_task
def finish_closing_rounds() -> None:
    """Close rounds whose process died while closing them. Called by the clock."""
    for round in Round.objects.filter(state=RoundState.CLOSING):
        rounds.finish_closing(round=round)


@shared_task
def complete_pairs() -> None:
    """Count judgments that can no longer be taken back. Called by the clock."""
    pairing.complete_pairs()
