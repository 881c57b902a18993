"""Documents, models' statements about them, candidates made of these, and the checks of candidates."""

from judging.models.checks import CheckOutcome, MeasuredState

from .actions import ContradocAction
from .candidates import (
    Candidate,
    CandidateState,
    Check,
    CheckSettings,
    Measurement,
    Operation,
)
from .documents import Document
from .read_sources import ReadSource
from .statements import Statement, StatementReply

__all__ = [
    "Candidate",
    "CandidateState",
    "Check",
    "CheckOutcome",
    "CheckSettings",
    "ContradocAction",
    "Document",
    "MeasuredState",
    "Measurement",
    "Operation",
    "ReadSource",
    "Statement",
    "StatementReply",
]
