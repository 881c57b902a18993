from .imported import EvaluatedRecord
from .judgments import Judgment, JudgmentQuerySet, TakenBack, TakenBackWhy
from .rounds import Item, ItemKind, KnownUse, KnownVerdict, Round, RoundReviewer, RoundState
from .settled import (
    Adjudication,
    AdjudicationCause,
    Facets,
    How,
    Pair,
    Pseudonym,
    SetAside,
    Settlement,
)

__all__ = [
    "Adjudication",
    "AdjudicationCause",
    "EvaluatedRecord",
    "Facets",
    "How",
    "Item",
    "ItemKind",
    "Judgment",
    "JudgmentQuerySet",
    "KnownUse",
    "KnownVerdict",
    "Pair",
    "Pseudonym",
    "Round",
    "RoundReviewer",
    "RoundState",
    "SetAside",
    "Settlement",
    "TakenBack",
    "TakenBackWhy",
]
