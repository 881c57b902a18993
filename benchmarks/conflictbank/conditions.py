"""The twelve conditions under which a question is asked: the evidence before it, and the addition to it.

Plain values. The codes are those of the released program; `default` there means without any evidence.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from core.languages import say

from .items import CAUSES, DEFAULT, MISINFORMATION, SEMANTIC, TEMPORAL

# The order of two texts: as drawn for each item, or forced for a whole run.
DRAWN, DEFAULT_FIRST, CONFLICT_FIRST = "drawn", "default_first", "conflict_first"
ORDERS = (DEFAULT_FIRST, CONFLICT_FIRST)
ORDER_WORDS = {DEFAULT_FIRST: say("default evidence first"), CONFLICT_FIRST: say("conflict evidence first")}
# The seed of the drawn orders. Another seed would change the orders, and with them the messages to models.
ORDER_SEED = 1


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: its code, the kinds of the evidence shown, and whether the question has a description."""

    code: str
    label: str
    shown: tuple[str, ...] = ()
    has_description: bool = False

    @property
    def cause(self) -> str:
        """The cause of the conflict evidence; "" if none is shown."""
        return next((kind for kind in self.shown if kind != DEFAULT), "")

    @property
    def has_order(self) -> bool:
        return len(self.shown) > 1


WITH_DESCRIPTION = (TEMPORAL, SEMANTIC)
NONE = Condition("default", say("no evidence"))
CORRECT = Condition("correct", say("default evidence"), (DEFAULT,))
# Whole texts: other languages join the words in another way.
OF_CAUSE = {
    MISINFORMATION: say("misinformation evidence"),
    TEMPORAL: say("temporal evidence"),
    SEMANTIC: say("semantic evidence"),
}
OF_BOTH = {
    MISINFORMATION: say("default and misinformation evidence"),
    TEMPORAL: say("default and temporal evidence"),
    SEMANTIC: say("default and semantic evidence"),
}
OF_CAUSE_DESCRIBED = {
    TEMPORAL: say("temporal evidence, with description"),
    SEMANTIC: say("semantic evidence, with description"),
}
OF_BOTH_DESCRIBED = {
    TEMPORAL: say("default and temporal evidence, with description"),
    SEMANTIC: say("default and semantic evidence, with description"),
}
CONDITIONS: Mapping[str, Condition] = {
    each.code: each
    for each in (
        NONE,
        CORRECT,
        *(Condition(cause, OF_CAUSE[cause], (cause,)) for cause in CAUSES),
        *(Condition(f"correct_{cause}", OF_BOTH[cause], (DEFAULT, cause)) for cause in CAUSES),
        *(
            Condition(f"{cause}_description", OF_CAUSE_DESCRIBED[cause], (cause,), has_description=True)
            for cause in WITH_DESCRIPTION
        ),
        *(
            Condition(
                f"correct_{cause}_description", OF_BOTH_DESCRIBED[cause], (DEFAULT, cause), has_description=True
            )
            for cause in WITH_DESCRIPTION
        ),
    )
}


def drawn_order(item: str, cause: str, *, seed: int = ORDER_SEED) -> str:
    """The order of the default text and the text of this cause for an item, drawn by the seed with equal chances.

    Args: item: the identity of the item (`items.identity`), so that its order is the same in every release.
    """
    drawn = hashlib.sha256(f"{seed}/{cause}/{item}".encode()).digest()
    return ORDERS[drawn[0] % len(ORDERS)]
