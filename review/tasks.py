"""Background work. A message only wakes a worker; the rows say what there is to do."""

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
    """Called by the clock: deals rounds whose message was lost or whose worker died."""
    for round_id in dealing.rounds_to_deal().values_list("pk", flat=True):
        dealing.deal_round(round_id)


@shared_task
def finish_closing_rounds() -> None:
    """Called by the clock: closes rounds whose process died while closing them."""
    for round in Round.objects.filter(state=RoundState.CLOSING):
        rounds.finish_closing(round=round)


@shared_task
def complete_pairs() -> None:
    """Called by the clock: what can no longer be taken back counts from now on."""
    pairing.complete_pairs()
