from .actions import ReviewAction
from .final_answers import FinalAnswers, HowMerged
from .final_verdicts import (
    Adjudication,
    AdjudicationCause,
    Facets,
    FinalVerdict,
    How,
    Pair,
    Pseudonym,
    SetAside,
)
from .imported import EvaluatedRecord
from .judgments import Judgment, JudgmentQuerySet, TakenBack, TakenBackWhy
from .numbers import CATEGORY_NUMBERS, CELLS, OTHER_CATEGORY, SAME, VERDICT_NUMBERS, verdict_number
from .rounds import (
    FEWEST_EACH,
    MOST_EACH,
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
    "CATEGORY_NUMBERS",
    "CELLS",
    "FEWEST_EACH",
    "MOST_EACH",
    "OTHER_CATEGORY",
    "SAME",
    "VERDICT_NUMBERS",
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
    "ReviewAction",
    "Round",
    "RoundReviewer",
    "RoundState",
    "Saw",
    "SeenJudgments",
    "SetAside",
    "TakenBack",
    "TakenBackWhy",
    "verdict_number",
]
