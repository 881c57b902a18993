from .actions import AnnotationAction
from .annotations import Annotation, AnnotationState, ReviewState, SamePassage, SeenAnnotation, Validity
from .articles import (
    Article,
    Candidate,
    CandidateKind,
    CandidateState,
    DumpRange,
    Family,
    Harvest,
    HarvestProblem,
    HarvestSource,
    HarvestState,
    Tag,
    Wiki,
)
from .assignments import Assignment, BulkChange, ChangedTag, Quota, ReviewShare, Skip
from .contents import ContradictionType, Passage, Question
from .desk import (
    PARTS_OF_A_QUARTER,
    QUARTER_SECONDS,
    Comment,
    DraftSave,
    FirstSubmission,
    Notice,
    NoticeKind,
    PassageSource,
    StepTime,
    SubmissionCounts,
    Suggestion,
    SuggestionOutcome,
)
from .edits import Contribution, EditState, SuggestedEdit
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
from .guideline import GUIDED_STEPS, GuidelineRead, GuidelineVersion
from .mailing import Mailing, MailState
from .model_suggestions import CounterpartOffer, CounterpartRanking, ModelSuggestion, SuggestionState, TakenWith
from .practice import CheckTag, PracticeAttempt, PracticeTag
from .releases import Instance, Listed, Release, ReleasedInstance, ReleasedRecord
