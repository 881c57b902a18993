"""Facts, the claims made of them, the evidence that models write for these, and the checks of evidence."""

from .actions import ConflictbankAction

__all__ = ["ConflictbankAction"]
