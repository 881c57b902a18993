"""Facts, the claims made of them, the evidence that models write for these, and the checks of evidence."""

from .actions import ConflictbankAction
from .claims import Cause, Claim, ClaimSet, Conflict, Style
from .classifiers import FEWEST_LABELS, ConflictClassifier, TrainingState
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
    "FEWEST_LABELS",
    "Cause",
    "CheckName",
    "Claim",
    "ClaimSet",
    "Conflict",
    "ConflictClassifier",
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
    "TrainingState",
    "TrueObject",
]
