"""Facts, the claims made of them, the evidence that models write for these, and the checks of evidence."""

from .actions import ConflictbankAction
from .claims import Cause, Claim, ClaimSet, Conflict, Style
from .facts import DropReason, Entity, Fact, FactFile, FactState, RelationTemplate, TrueObject

__all__ = [
    "Cause",
    "Claim",
    "ClaimSet",
    "Conflict",
    "ConflictbankAction",
    "DropReason",
    "Entity",
    "Fact",
    "FactFile",
    "FactState",
    "RelationTemplate",
    "Style",
    "TrueObject",
]
