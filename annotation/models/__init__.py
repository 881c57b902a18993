from .actions import AnnotationAction
from .annotations import Annotation, AnnotationState, ReviewState, SamePassage, SeenAnnotation, Validity
from .articles import Article, Family, Harvest, HarvestProblem, HarvestSource, HarvestState, Tag, Wiki
from .assignments import Assignment, Skip
from .contents import ContradictionType, Passage, Question
from .desk import (
    Comment,
    DraftSave,
    FirstSubmission,
    Notice,
    NoticeKind,
    PassageSource,
    SourceKind,
    StepTime,
    Suggestion,
    SuggestionOutcome,
    WorkKind,
    WorkSums,
)
from .edits import EditState, SuggestedEdit
from .evidence import (
    Evidence,
    EvidenceKind,
    EvidencePage,
    EvidenceRequest,
    Rendering,
    RequestState,
    WatchResult,
    WatchState,
)
from .mailing import Mailing, MailState
from .merges import Contribution
from .model_suggestions import ModelSuggestion, SuggestionState
from .practice import PracticeAttempt, PracticeTag
from .releases import WIKICONTRADICT, Instance, Listed, Release, ReleasedInstance, ReleasedRecord

__all__ = [
    "WIKICONTRADICT",
    "Annotation",
    "AnnotationAction",
    "AnnotationState",
    "Article",
    "Assignment",
    "Comment",
    "ContradictionType",
    "Contribution",
    "DraftSave",
    "EditState",
    "Evidence",
    "EvidenceKind",
    "EvidencePage",
    "EvidenceRequest",
    "Family",
    "FirstSubmission",
    "Harvest",
    "HarvestProblem",
    "HarvestSource",
    "HarvestState",
    "Instance",
    "Listed",
    "MailState",
    "Mailing",
    "ModelSuggestion",
    "Notice",
    "NoticeKind",
    "Passage",
    "PassageSource",
    "PracticeAttempt",
    "PracticeTag",
    "Question",
    "Release",
    "ReleasedInstance",
    "ReleasedRecord",
    "Rendering",
    "RequestState",
    "ReviewState",
    "SamePassage",
    "SeenAnnotation",
    "Skip",
    "SourceKind",
    "StepTime",
    "SuggestedEdit",
    "Suggestion",
    "SuggestionOutcome",
    "SuggestionState",
    "Tag",
    "Validity",
    "WatchResult",
    "WatchState",
    "Wiki",
    "WorkKind",
    "WorkSums",
]
