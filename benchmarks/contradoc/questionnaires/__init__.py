"""Questionnaires about ContraDoc's documents, and who may answer them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any


def register(release: Callable[..., Any]) -> None:
    """Make the questionnaires of ContraDoc known.

    Args:
        release: makes a release of a round of verification, from the round, a name and the admin.
    """
    from annotation.releases import reading
    from review.models import subjects
    from review.rounds import questionnaires

    from ..items import CODE
    from .finding import FINDING, refuse_who_finds
    from .free_format import FREE_FORMAT
    from .knowing import note_sources_read
    from .verification import SUBJECT, VERIFICATION

    subjects.register(SUBJECT)
    for questionnaire in (replace(VERIFICATION, release=release), FINDING, FREE_FORMAT):
        questionnaires.register(questionnaire)
    reading.register(CODE, refuse=refuse_who_finds, note=note_sources_read)
