"""Facts, the claims made of them, the evidence that models write for these, and the checks of evidence."""

from .actions import ConflictbankAction
from .claims import Cause, Claim, ClaimSet, Conflict, Style
from .evidence import (
    CheckName,
    ConflictSettings,
    Evidence,
    EvidenceCheck,
    MeasuredPair,
    Outcome,
    PairState,
)
from .facts import DropReason, Entity, Fact, FactFile, FactState, RelationTemplate, TrueObject

__all__ = [
    "Cause",
    "CheckName",
    "Claim",
    "ClaimSet",
    "Conflict",
    "ConflictSettings",
    "ConflictbankAction",
    "DropReason",
    "Entity",
    "Evidence",
    "EvidenceCheck",
    "Fact",
    "FactFile",
    "FactState",
    "MeasuredPair",
    "Outcome",
    "PairState",
    "RelationTemplate",
    "Style",
    "TrueObject",
]
