from .actions import JudgingAction
from .call_batches import BatchState, CallBatch
from .calls import Attempt, AttemptOutcome, Call, CallState
from .language_models import LanguageModel, ModelKind, Throttle
from .responses import Mark, ModelJudgment, Response
from .runs import Run, RunKind, RunState
from .templates import PromptTemplate, ResolvedPassages
from .workers import WorkerSettings

__all__ = [
    "Attempt",
    "AttemptOutcome",
    "BatchState",
    "Call",
    "CallBatch",
    "CallState",
    "JudgingAction",
    "LanguageModel",
    "Mark",
    "ModelJudgment",
    "ModelKind",
    "PromptTemplate",
    "ResolvedPassages",
    "Response",
    "Run",
    "RunKind",
    "RunState",
    "Throttle",
    "WorkerSettings",
]
