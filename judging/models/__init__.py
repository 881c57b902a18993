from .actions import JudgingAction
from .call_batches import BatchState, CallBatch
from .calls import Attempt, AttemptOutcome, Call, CallState
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
from .templates import PromptTemplate, ResolvedPassages
from .workers import WorkerSettings

__all__ = [
    "Attempt",
    "AttemptOutcome",
    "BatchState",
    "Call",
    "CallBatch",
    "CallState",
    "Candidate",
    "CandidateState",
    "Check",
    "CheckOutcome",
    "CheckSettings",
    "Document",
    "JudgingAction",
    "LanguageModel",
    "Mark",
    "Measured",
    "Measurement",
    "ModelJudgment",
    "ModelKind",
    "Operation",
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
