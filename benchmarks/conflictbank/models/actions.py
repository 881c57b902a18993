"""The actions that the activity log of ConflictBank records: the stored value, and the words people read."""

from core.models import Action


class ConflictbankAction(Action):
    """Actions on facts, claims, their evidence and its checks."""
