"""Why a text may contradict another, in a few words for the person who decides. Texts in, words out."""

from core.languages import joined, say

from ..clashes import clash_between
from ..values import DATE, NUMBER
from .features import opposed
from .words import denies, stems_of, words_of

_OTHER = {DATE: say("other date"), NUMBER: say("other number")}
_MOST_WORDS = 3


def reason_for(one: str, other: str) -> str:
    """The reason in words: the values that clash, opposites, a denial, or the words that both have."""
    if clash := clash_between(one, other):
        other = _OTHER.get(clash.kind, say("other name"))
        return say("{one} ≠ {two}, {other}", one=clash.words_1, two=clash.words_2, other=other)
    stems = stems_of(one), stems_of(other)
    if pairs := opposed(*stems):
        return say("opposites: {one} ≠ {two}", one=_written(one, pairs[0][0]), two=_written(other, pairs[0][1]))
    if denies(one) != denies(other):
        return say("only one of them says “not”")
    shared = sorted(stems[0] & stems[1], key=lambda stem: one.lower().find(stem))
    if shared:
        words = joined((_written(one, stem) for stem in shared[:_MOST_WORDS]), ", ")
        return say("same words: {words}", words=words)
    return say("near the tag") if words_of(other).beginnings else ""


def _written(text: str, stem: str) -> str:
    """The word of a text that has this stem, as written."""
    return next((word.strip(".,;:()“”\"'") for word in text.split() if stem in word.lower()), stem)
