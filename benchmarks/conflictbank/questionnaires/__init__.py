"""Questionnaires about ConflictBank's evidence."""


def register() -> None:
    """Make the questionnaires of ConflictBank known."""
    from review.models import subjects
    from review.rounds import questionnaires

    from .evidence import COMMON, PAIRS, SUBJECT

    subjects.register(SUBJECT)
    for questionnaire in (COMMON, PAIRS):
        questionnaires.register(questionnaire)
