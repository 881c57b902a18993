"""The actions that the activity log of ContraDoc records: the stored value, and the words people read."""

from core.models import Action


class ContradocAction(Action):
    """Actions on documents, candidates and their checks."""

    IMPORTED_DOCUMENTS = "imported_documents", "imported documents"
    READ_AGAIN = "read_again", "read replies again"
    CHECKED = "checked", "checked candidates"
    CHANGED_CHECKS = "changed_checks", "changed the thresholds of checks"
