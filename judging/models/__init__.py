from .actions import JudgingAction
from .call_batches import BatchState, CallBatch
from .calls import Attempt, AttemptOutcome, Call, CallState, IsUnanswered
from .checks import CheckOfMade, CheckOutcome, MeasuredOnce, MeasuredState
from .language_models import LanguageModel, ModelKind, OptionLabels, Throttle, TokenProbabilities
from .readings import Reading
from .responses import Mark, ModelJudgment, Response, ResponseComment
from .runs import Run, RunKind, RunState
from .sums import CallSums, JudgePairSums, OutputSums
from .templates import InstanceVariant, PromptTemplate
from .workers import WorkerSettings

__all__ = [
    "Attempt",
    "AttemptOutcome",
    "BatchState",
    "Call",
    "CallBatch",
    "CallState",
    "CallSums",
    "CheckOfMade",
    "CheckOutcome",
    "InstanceVariant",
    "IsUnanswered",
    "JudgePairSums",
    "JudgingAction",
    "LanguageModel",
    "Mark",
    "MeasuredOnce",
    "MeasuredState",
    "ModelJudgment",
    "ModelKind",
    "OptionLabels",
    "OutputSums",
    "PromptTemplate",
    "Reading",
    "Response",
    "ResponseComment",
    "Run",
    "RunKind",
    "RunState",
    "Throttle",
    "TokenProbabilities",
    "WorkerSettings",
]
