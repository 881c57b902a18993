"""The actions that the activity log of WikiContradict records: the stored value, and the words people read."""

from core.models import Action


class WikicontradictAction(Action):
    """Actions on human evaluations and resolved passages."""

    IMPORTED = "imported", "imported"
    RESOLVED = "resolved", "resolved"
