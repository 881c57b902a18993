"""What the commands about rounds print."""

from collections.abc import Iterator

from core.lists.pages import plural

from ..models import Round
from .forms import form_of
from .rounds import RoundProgress


def lines_about(round: Round, progress: RoundProgress) -> Iterator[str]:
    """The round and how far it is."""
    yield f"Round {round.pk} “{round.name}”, {round.get_state_display().lower()}"
    form = form_of(round.form)
    judged = plural(progress.responses, form.singular, form.plural)
    yield f"  {progress.judgments:,} of {progress.asked:,} judgments of {judged} count"
    yield f"  {progress.complete:,} {form.plural} are complete, {progress.agreed:,} of them agreed on"
    yield f"  {progress.open_disagreements:,} wait to be adjudicated, {progress.adjudicated:,} were"
    yield f"  {progress.final:,} have {form.final}, {progress.without_verdict:,} have none"
