"""Facts, the claims made of them, the evidence that models write for these, and the checks of evidence."""

from judging.models.checks import CheckOutcome, MeasuredState

from .actions import ConflictbankAction
from .claims import Cause, Claim, ClaimSet, Conflict, Style
from .classifiers import FEWEST_LABELS, ConflictClassifier, TrainingState
from .evidence import (
    CheckName,
    ConflictSettings,
    Evidence,
    EvidenceCheck,
    MeasuredPair,
)
from .facts import DropReason, Entity, Fact, FactFile, FactState, RelationTemplate, TrueObject

__all__ = [
    "FEWEST_LABELS",
    "Cause",
    "CheckName",
    "CheckOutcome",
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
    "MeasuredState",
    "RelationTemplate",
    "Style",
    "TrainingState",
    "TrueObject",
]
