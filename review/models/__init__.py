from .actions import ReviewAction
from .final_answers import FinalAnswers, HowMerged, ReleasedCandidate
from .final_verdicts import Adjudication, AdjudicationCause, Facets, FinalVerdict, How, Pair, Pseudonym, SetAside
from .imported import EvaluatedRecord
from .judgments import Judgment, JudgmentQuerySet, TakenBack, TakenBackWhy
from .rounds import (
    FEWEST_EACH,
    MOST_EACH,
    VERDICTS,
    Item,
    ItemKind,
    KnownUse,
    KnownVerdict,
    Round,
    RoundReviewer,
    RoundState,
)
from .seen import Saw, SeenJudgments

__all__ = [
    "FEWEST_EACH",
    "MOST_EACH",
    "VERDICTS",
    "Adjudication",
    "AdjudicationCause",
    "EvaluatedRecord",
    "Facets",
    "FinalAnswers",
    "FinalVerdict",
    "How",
    "HowMerged",
    "Item",
    "ItemKind",
    "Judgment",
    "JudgmentQuerySet",
    "KnownUse",
    "KnownVerdict",
    "Pair",
    "Pseudonym",
    "ReleasedCandidate",
    "ReviewAction",
    "Round",
    "RoundReviewer",
    "RoundState",
    "Saw",
    "SeenJudgments",
    "SetAside",
    "TakenBack",
    "TakenBackWhy",
]
