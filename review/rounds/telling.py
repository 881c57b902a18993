"""What the commands about rounds print."""

from collections.abc import Iterator

from ..models import Round
from .rounds import RoundProgress


def lines_about(round: Round, progress: RoundProgress) -> Iterator[str]:
    """The round and how far it is."""
    yield f"Round {round.pk} “{round.name}”, {round.get_state_display().lower()}"
    yield f"  {progress.judgments:,} of {progress.asked:,} judgments of {progress.responses:,} responses count"
    yield f"  {progress.complete:,} responses are complete, {progress.agreed:,} of them agreed on"
    yield f"  {progress.open_disagreements:,} wait to be adjudicated, {progress.adjudicated:,} were"
    yield f"  {progress.final:,} have a final verdict, {progress.without_verdict:,} have none"
