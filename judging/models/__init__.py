from .actions import JudgingAction
from .call_batches import BatchState, CallBatch
from .calls import Attempt, AttemptOutcome, Call, CallState, IsUnanswered
from .candidates import (
    Candidate,
    CandidateState,
    Check,
    CheckOutcome,
    CheckSettings,
    Measured,
    Measurement,
    Operation,
)
from .documents import Document
from .language_models import LanguageModel, ModelKind, Throttle
from .readings import Reading
from .responses import Mark, ModelJudgment, Response, ResponseComment
from .runs import Run, RunKind, RunState
from .statements import Statement, StatementReply
from .sums import CallSums, JudgePairSums, OutputSums
from .templates import PromptTemplate, ResolvedPassages
from .workers import WorkerSettings

__all__ = [
    "Attempt",
    "AttemptOutcome",
    "BatchState",
    "Call",
    "CallBatch",
    "CallState",
    "CallSums",
    "Candidate",
    "CandidateState",
    "Check",
    "CheckOutcome",
    "CheckSettings",
    "Document",
    "IsUnanswered",
    "JudgePairSums",
    "JudgingAction",
    "LanguageModel",
    "Mark",
    "Measured",
    "Measurement",
    "ModelJudgment",
    "ModelKind",
    "Operation",
    "OutputSums",
    "PromptTemplate",
    "Reading",
    "ResolvedPassages",
    "Response",
    "ResponseComment",
    "Run",
    "RunKind",
    "RunState",
    "Statement",
    "StatementReply",
    "Throttle",
    "WorkerSettings",
]
