"""Computes the changes from one text to another, word by word. Text in, pieces out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

# A word with the blanks after it; a character of a script written without blanks; a punctuation mark.
_TOKEN = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]\s*|\w+\s*|[^\w\s]\s*|\s+")
# Comparing takes time proportional to the product of the two lengths; longer texts are shown as replaced.
_MOST_COMPARED = 4_000_000

KEPT, ADDED, REMOVED = "kept", "added", "removed"


@dataclass(frozen=True, slots=True)
class Change:
    """A piece of text that is `kept`, `added` or `removed`."""

    kind: str
    text: str


def word_changes(before: str, after: str) -> list[Change]:
    """The changes from `before` to `after`. The kept and removed pieces joined give `before`, the kept and added ones
    `after`.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = _common(zip(old, new, strict=False))
    rest = min(len(old), len(new)) - start
    end = min(_common(zip(reversed(old), reversed(new), strict=False)), rest)
    middle = _compare(old[start : len(old) - end], new[start : len(new) - end])
    changes = [Change(KEPT, "".join(old[:start])), *middle, Change(KEPT, "".join(old[len(old) - end :]))]
    return [change for change in changes if change.text]


def replacements(changes: list[Change]) -> list[tuple[str, str]]:
    """The removed and added text of each change; either may be empty."""
    found: list[tuple[str, str]] = []
    previous = KEPT
    for change in changes:
        if change.kind != KEPT:
            if previous == KEPT:
                found.append(("", ""))
            old, new = found[-1]
            found[-1] = (old + change.text, new) if change.kind == REMOVED else (old, new + change.text)
        previous = change.kind
    return [(old.strip(), new.strip()) for old, new in found]


def _common(pairs: Iterator[tuple[str, str]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _compare(old: list[str], new: list[str]) -> Iterator[Change]:
    if len(old) * len(new) > _MOST_COMPARED:
        yield Change(REMOVED, "".join(old))
        yield Change(ADDED, "".join(new))
        return
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new).get_opcodes():
        if kind == "equal":
            yield Change(KEPT, "".join(old[i1:i2]))
            continue
        # A word with and without a blank after it is one word: only the blank goes with what is changed.
        word = old[i1].rstrip() if i1 < i2 and j1 < j2 and old[i1].rstrip() == new[j1].rstrip() else ""
        yield Change(KEPT, word)
        yield Change(REMOVED, "".join(old[i1:i2])[len(word) :])
        yield Change(ADDED, "".join(new[j1:j2])[len(word) :])
