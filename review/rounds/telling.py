"""The output of commands about rounds."""

from collections.abc import Iterator

from core.lists.pages import plural

from ..models import Round
from .forms import form_of
from .rounds import RoundProgress


def lines_about(round: Round, progress: RoundProgress) -> Iterator[str]:
    """The round and its progress."""
    yield f"Round {round.pk} “{round.name}”, {round.get_state_display().lower()}"
    form = form_of(round.form)
    judged = plural(progress.responses, form.singular, form.plural)
    yield f"  {progress.judgments:,} of {progress.asked:,} judgments of {judged} count"
    complete = plural(progress.complete, f"{form.singular} is", f"{form.plural} are")
    yield f"  {complete} complete, {progress.agreed:,} of them agreed on"
    waiting = plural(progress.open_disagreements, "waits", "wait")
    yield f"  {waiting} to be adjudicated, {progress.adjudicated:,} adjudicated"
    yield f"  {progress.final:,} have {form.final}, {progress.without_verdict:,} have none"
