"""The edits that put a contradiction into a document: a sentence replaced, or one inserted at a gap.

Both are tried for every statement, with its contradiction and with the rewording (section 3.2.1 of the paper),
regardless of the operation for which the prompt was written.

Gaps are ranked by the words that the new sentence shares with its neighbours there, then by how near they are to the
original sentence. Those beside the original sentence are left out, as both sides would be adjacent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import overload

from annotation.reading.sentences import Span, sentences

from .generation import INSERT
from .statements import LONGEST_SENTENCE, same_words, words_of
from .values import Edit, Gap, Method, ReadStatement

# The number of gaps tried for each sentence to insert.
MOST_GAPS = 3


def edits_for(text: str, original: tuple[int, int], statement: ReadStatement, method: Method) -> list[Edit]:
    """The edits for a statement: its sentence replaced, or another one inserted, each with its contradiction and with
    the rewording where there is one. Edits of the kind for which its prompt was written come first. A statement that
    is only a part of a sentence is not replaced, unless the model has given it as the sentence that it rewrote.
    """
    replaced = text[original[0] : original[1]]
    new: list[tuple[str, bool]] = []
    for sentence, is_rewording in ((statement.contradiction, False), (statement.rewording, True)):
        if sentence and not same_words(sentence, replaced) and sentence not in [each for each, _ in new]:
            new.append((sentence, is_rewording))
    replacements = [Edit(*original, sentence, is_rewording) for sentence, is_rewording in new]
    inserted = [
        edit
        for sentence, is_rewording in new
        for edit in insertions(text, original, sentence, is_rewording=is_rewording)
    ]
    if method.operation != INSERT:
        return [*replacements, *inserted]
    return [*inserted, *(replacements if are_sentences(text, original) else [])]


def are_sentences(text: str, span: tuple[int, int]) -> bool:
    """Return whether a span begins and ends at sentence boundaries."""
    found = split(text).spans
    return span[0] in {each.start for each in found} and span[1] in {each.end for each in found}


@dataclass(frozen=True, slots=True)
class Split:
    """The sentences of a text, and the words in each."""

    spans: Sequence[Span]
    words: list[set[str]]


@lru_cache(maxsize=2)
def split(text: str) -> Split:
    """The text's sentences. Cached for the next statement of the same document: one of 2 MB has 20,000 sentences."""
    spans = sentences(text)
    return Split(spans, [words_of(text[span.start : span.end][:LONGEST_SENTENCE]) for span in spans])


def insertions(text: str, original: tuple[int, int], sentence: str, *, is_rewording: bool) -> list[Edit]:
    offsets = ranked_gaps(split(text), original, sentence)[:MOST_GAPS]
    return [
        Edit(offset, offset, spaced(text, offset, sentence), is_rewording, rank)
        for rank, offset in enumerate(offsets, start=1)
    ]


def insertion(text: str, offset: int, sentence: str) -> Edit:
    """The edit that inserts a sentence at a gap."""
    return Edit(offset, offset, spaced(text, offset, sentence))


def spaced(text: str, offset: int, sentence: str) -> str:
    """The sentence with the blanks needed between the text before and after it."""
    before = " " if offset and not text[offset - 1].isspace() else ""
    after = " " if offset < len(text) and not text[offset].isspace() else ""
    return f"{before}{sentence}{after}"


@dataclass(frozen=True, slots=True)
class Gaps(Sequence[Gap]):
    """Every gap of a text: before the first sentence, between two, and after the last. Each is built on request, as a
    document of 2 MB has 20,000.
    """

    text: str
    spans: Sequence[Span]

    def __len__(self) -> int:
        return len(self.spans) + 1 if self.spans else 0

    @overload
    def __getitem__(self, number: int) -> Gap: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Gap]: ...
    def __getitem__(self, number: int | slice) -> Gap | Sequence[Gap]:
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        at = range(len(self))[number]
        before = self.spans[at - 1] if at else None
        after = self.spans[at] if at < len(self.spans) else None
        offset = before.end if before else self.spans[0].start
        return Gap(offset, before.of(self.text) if before else "", after.of(self.text) if after else "")


def gaps_of(text: str) -> Sequence[Gap]:
    return Gaps(text, sentences(text))


def ranked_gaps(found: Split, original: tuple[int, int], sentence: str) -> list[int]:
    """The offsets of the gaps between two sentences, the best first, without those beside the original sentence."""
    words, spans = words_of(sentence), found.spans
    shared = [len(words & others) for others in found.words]
    touched = [number for number, span in enumerate(spans) if span.start < original[1] and original[0] < span.end]
    if not touched:
        return []
    first, last = touched[0], touched[-1]
    # The gap with this number stands after the sentence with this number.
    free = [number for number in range(len(spans) - 1) if not first - 1 <= number <= last]
    free.sort(key=lambda number: (-shared[number] - shared[number + 1], min(abs(number - first), abs(number - last))))
    return [spans[number].end for number in free]
