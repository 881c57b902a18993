"""The prompts of the twelve conditions: the paper's wording is version 1, that of the released code version 2.

Each template has one condition and one order of its two texts: as drawn for the item, or forced. Conditions whose
wording is the same in both have one version. The texts of an item go in unchanged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judging.protocol.tasks import Wording

from . import items as item
from .conditions import CONDITIONS, CONFLICT_FIRST, DEFAULT_FIRST, DRAWN, ORDER_WORDS, ORDERS, Condition, drawn_order
from .content.spans import in_words
from .items import CAUSES, DEFAULT, SEMANTIC, TEMPORAL, Content

PAPER, CODE = "paper", "code"
BY_MEMORY = "According to your knowledge, choose the best choice from the following options."
BY_EVIDENCE = (
    "According to the evidence provided and your knowledge, choose the best choice from the following options."
)
FIGURES = {0: "Figure 10", 1: "Figure 11", 2: "Figure 12"}
SOURCES = {
    PAPER: "ConflictBank (Su et al., NeurIPS 2024), {figure}",
    CODE: "ConflictBank's released code (github.com/zhaochen0110/conflictbank), prompt.py",
}
# The addition to the question; the code spells “question” so.
ADDED = {
    TEMPORAL: {PAPER: "{span}", CODE: "{span}"},
    SEMANTIC: {
        PAPER: "\n{subject} in this question means {semantic_description}",
        CODE: "\n{subject} in this quesion means {semantic_description}",
    },
}
FIRST, SECOND = "first_{cause}", "second_{cause}"
EVIDENCE = "{kind}_evidence"
PLACEHOLDERS = frozenset(
    {
        *("question", "subject", "span", item.SEMANTIC_DESCRIPTION, *item.LETTERS),
        *(EVIDENCE.format(kind=kind) for kind in item.KINDS),
        *(name.format(cause=cause) for name in (FIRST, SECOND) for cause in CAUSES),
    }
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The subject of a template: the protocol of its answers, its condition, and the order of the two texts."""

    protocol: str
    condition: Condition
    order: str = ""

    @property
    def code(self) -> str:
        forced = self.order if self.order in ORDERS else ""
        parts = ("conflictbank", self.protocol, self.condition.code, forced)
        return "-".join(filter(None, parts)).replace("_", "-")

    def order_for(self, content: Content) -> str:
        """The order of the two texts in the prompt of this item; "" if it has fewer than two."""
        return order_of(content, self.condition.cause) if self.order == DRAWN else self.order


def asked_by(protocol: str) -> Iterator[Asked]:
    """The questions of a protocol's prompts, in the order of the conditions."""
    for condition in CONDITIONS.values():
        orders = (DRAWN, *ORDERS) if condition.has_order else ("",)
        yield from (Asked(protocol, condition, order) for order in orders)


def order_of(content: Content, cause: str) -> str:
    """The order that is drawn for an item."""
    return drawn_order(item.identity(content), cause)


# --- Wordings -------------------------------------------------------------------------------------------------------


def wordings_of(asked: Asked) -> tuple[Wording, ...]:
    """The published wordings of a template: the paper's and, where it differs, the code's."""
    figure = FIGURES[len(asked.condition.shown)]
    name = f"{asked.condition.label[:1].upper()}{asked.condition.label[1:]}"
    order = f", {ORDER_WORDS[asked.order]}" if asked.order in ORDER_WORDS else ""
    found: dict[str, Wording] = {}
    for which in (PAPER, CODE):
        text = text_of(asked, which)
        source = SOURCES[which].format(figure=figure)
        found.setdefault(text, Wording(f"{name}{order} ({which})", text, source))
    return tuple(found.values())


def text_of(asked: Asked, which: str) -> str:
    """The text of a template in the wording of the paper or of the code."""
    condition = asked.condition
    added = ADDED[condition.cause][which] if condition.has_description else ""
    options = "\n".join(f"{letter}. {{{letter}}}" for letter in item.LETTERS)
    asking = f"Question: {{question}}{added}\n{options}\nAnswer:"
    if not condition.shown:
        return f"{BY_MEMORY}\n\n{asking}"
    return f"{BY_EVIDENCE}\n\n{_shown(asked, which)}\n{asking}"


def _shown(asked: Asked, which: str) -> str:
    """The lines of the evidence."""
    if not asked.condition.has_order:
        return f"Evidence: {{{EVIDENCE.format(kind=asked.condition.shown[0])}}}"
    first, second = (f"{{{name}}}" for name in _names_of_two(asked))
    return f"Evidence1: {first}\nEvidence2: {second}" if which == PAPER else f"Evidence: {first}\n{second}"


def _names_of_two(asked: Asked) -> tuple[str, str]:
    """The placeholders of the two texts."""
    cause = asked.condition.cause
    default, conflict = EVIDENCE.format(kind=DEFAULT), EVIDENCE.format(kind=cause)
    return {
        DRAWN: (FIRST.format(cause=cause), SECOND.format(cause=cause)),
        DEFAULT_FIRST: (default, conflict),
        CONFLICT_FIRST: (conflict, default),
    }[asked.order]


# --- Values ---------------------------------------------------------------------------------------------------------


def values_of(content: Content) -> Mapping[str, str | None]:
    """The values of the placeholders for an item."""
    found: dict[str, str | None] = {
        "question": content[item.QUESTION],
        "subject": content[item.SUBJECT],
        "span": in_words(content[item.SPAN]),
        item.SEMANTIC_DESCRIPTION: content[item.SEMANTIC_DESCRIPTION],
        **dict(zip(item.LETTERS, content[item.OPTIONS], strict=True)),
        **{EVIDENCE.format(kind=kind): item.evidence(content, kind) for kind in item.KINDS},
    }
    for cause in CAUSES:
        two = (item.evidence(content, DEFAULT), item.evidence(content, cause))
        first, second = two if order_of(content, cause) == DEFAULT_FIRST else two[::-1]
        found |= {FIRST.format(cause=cause): first, SECOND.format(cause=cause): second}
    return found
