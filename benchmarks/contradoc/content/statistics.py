"""ContraDoc in numbers: the statistics in its paper, counted from contents. Contents in, numbers out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from core.languages import joined, say

from ..items import (
    DOC_TYPES,
    EMOTION,
    EVIDENCE,
    ID,
    KIND,
    LABEL,
    NEGATIVE,
    PLUG,
    PLUGS,
    POSITIVE,
    REFS,
    SIDES,
    TEXT,
    TYPES,
    Content,
    group_of,
    is_positive,
    not_in_text,
    scope_words,
    scopes_of,
    types_of,
    words_in,
)
from .tokens import Tokens

# As the bins of the paper's Table 6; each begins at its first number and ends before its second. The paper's are of
# tokens, by a tokenizer that it does not name.
BINS = ((100, 500), (500, 1000), (1000, 1500), (1500, 2200))
BIN_NAMES = tuple(f"{low}-{high}" for low, high in BINS)
BELOW, ABOVE = f"under {BINS[0][0]}", f"{BINS[-1][1]} and more"
WORDS = "words (split at white space)"


def bin_of(length: int) -> str:
    """The name of the bin of a length."""
    if length < BINS[0][0]:
        return BELOW
    return next((name for (_, high), name in zip(BINS, BIN_NAMES, strict=True) if length < high), ABOVE)


# The names of the numbers below on pages; the others have their own names.
NAMES = {
    "positive": say("Positive"),
    "negative": say("Negative"),
    "source documents of the positive": say("Source documents of the positive"),
    "source documents of both": say("Source documents of both"),
    "doc_type": say("Kind of document"),
    "scope": say("Scope"),
    "contra_plug": say("Put in by"),
    "contra_type": say("Type"),
    "records with several types": say("Records with several types"),
    "records with several scopes": say("Records with several scopes"),
    "records with ref sentences": say("Records with ref sentences"),
    WORDS: say("Words"),
    "emotion by doc_type": say("Emotion/Mood/Feeling, kind of document"),
    "not in the text": say("Not in the text"),
}
# The same of groups within a number.
NAMES_WITHIN = {
    "positive": say("positive"),
    "negative": say("negative"),
    BELOW: say("under {length}", length=BINS[0][0]),
    ABOVE: say("{length} and more", length=BINS[-1][1]),
    "evidence": say("evidence"),
    "ref sentences": say("ref sentences"),
}


def labelled(numbers: Mapping[str, Any], above: tuple[str, ...] = ()) -> list[tuple[str, Any]]:
    """The numbers one below the other, each with its name in words: "Kind of document, positive: news"."""
    found: list[tuple[str, Any]] = []
    for name, value in numbers.items():
        inner = NAMES_WITHIN.get(name, name)
        names = (*above, inner) if above else (NAMES.get(name, name[:1].upper() + name[1:]),)
        if isinstance(value, Mapping):
            found += labelled(value, names)
        else:
            group = [joined(names[:-1], ", ")] if above else []
            found.append((joined([*group, names[-1]], ": "), value))
    return found


def statistics(contents: Iterable[Content], tokens: Tokens | None = None) -> dict[str, Any]:
    """The numbers of a release, under the names of the published figures of the benchmark. Lengths are in words; with
    a tokenizer in tokens, too, under its name.
    """
    counted, in_tokens = _Counted(), {side: Counter[str]() for side in SIDES}
    for content in contents:
        counted.add(content)
        if tokens:
            in_tokens[content[LABEL]][bin_of(tokens.count(content[TEXT]))] += 1
    data = counted.as_data()
    if not tokens:
        return data
    # Beside the lengths in words.
    after = {name: data.pop(name) for name in list(data)[list(data).index(WORDS) + 1 :]}
    return {**data, f"tokens ({tokens.name})": _by_side(in_tokens), **after}


def _by_side(lengths: Mapping[str, Counter[str]]) -> dict[str, dict[str, int]]:
    return {SIDES[side]: _in_order(lengths[side], BIN_NAMES, always=True) for side in SIDES}


class _Counted:
    def __init__(self) -> None:
        self.sides: Counter[str] = Counter()
        self.sources: dict[str, set[str]] = {POSITIVE: set(), NEGATIVE: set()}
        self.kinds: dict[str, Counter[str]] = {POSITIVE: Counter(), NEGATIVE: Counter()}
        self.words: dict[str, Counter[str]] = {POSITIVE: Counter(), NEGATIVE: Counter()}
        self.scopes: Counter[str] = Counter()
        self.plugs: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.emotion: Counter[str] = Counter()
        self.several_types = self.with_refs = self.several_scopes = 0
        self.missing: Counter[str] = Counter()

    def add(self, content: Content) -> None:
        side = content[LABEL]
        self.sides[side] += 1
        self.sources[side].add(group_of(content[ID]))
        self.kinds[side][content[KIND]] += 1
        self.words[side][bin_of(words_in(content[TEXT]))] += 1
        if is_positive(content):
            self.add_contradiction(content)

    def add_contradiction(self, content: Content) -> None:
        types = types_of(content)
        self.scopes[scope_words(content)] += 1
        self.plugs[content[PLUG]] += 1
        self.types.update(types)
        self.several_types += len(types) > 1
        self.several_scopes += len(scopes_of(content)) > 1
        self.with_refs += REFS in content
        self.missing.update(not_in_text(content))
        if EMOTION in types:
            self.emotion[content[KIND]] += 1

    def as_data(self) -> dict[str, Any]:
        positive, negative = self.sources[POSITIVE], self.sources[NEGATIVE]
        return {
            **{SIDES[side]: self.sides[side] for side in SIDES},
            "source documents of the positive": len(positive),
            "source documents of both": len(positive & negative),
            "doc_type": {SIDES[side]: {kind: self.kinds[side][kind] for kind in sorted(DOC_TYPES)} for side in SIDES},
            "scope": dict(sorted(self.scopes.items())),
            "contra_plug": {plug: self.plugs[plug] for plug in PLUGS},
            "contra_type": _in_order(self.types, TYPES),
            "records with several types": self.several_types,
            "records with several scopes": self.several_scopes,
            "records with ref sentences": self.with_refs,
            WORDS: _by_side(self.words),
            "emotion by doc_type": {kind: self.emotion[kind] for kind in sorted(DOC_TYPES)},
            "not in the text": {name: self.missing[name] for name in (EVIDENCE, REFS)},
        }


def _in_order(counts: Counter[str], names: Iterable[str], *, always: bool = False) -> dict[str, int]:
    """The counts in this order, other names last; zeros only if `always`."""
    order = [*names, *sorted(set(counts) - set(names))]
    return {name: counts[name] for name in order if counts[name] or always}
