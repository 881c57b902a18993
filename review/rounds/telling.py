"""The output of commands about rounds."""

from collections.abc import Iterator

from core.words import plural

from ..models import Round
from .questionnaires import questionnaire_of
from .rounds import RoundProgress


def lines_about(round: Round, progress: RoundProgress) -> Iterator[str]:
    """The round and its progress."""
    due = f", deadline {round.deadline}" if round.deadline else ""
    yield f"Round {round.pk} “{round.name}”, {round.get_state_display().lower()}{due}"
    questionnaire = questionnaire_of(round.questionnaire)
    judged = plural(progress.responses, questionnaire.singular, questionnaire.plural)
    yield f"  {progress.judgments:,} of {progress.asked:,} judgments of {judged} count"
    complete = plural(progress.complete, f"{questionnaire.singular} is", f"{questionnaire.plural} are")
    yield f"  {complete} complete, {progress.agreed:,} of them agreed on"
    waiting = plural(progress.open_disagreements, "waits", "wait")
    yield f"  {waiting} to be adjudicated, {progress.adjudicated:,} adjudicated"
    yield f"  {progress.final:,} have {questionnaire.final}, {progress.without_verdict:,} have none"
