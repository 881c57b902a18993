"""The edits that put a contradiction into a document: a sentence replaced, or one inserted at a gap.

Gaps are ranked by the words that the new sentence shares with its neighbours there, then by how near they are to the
original sentence. Those beside the original sentence are left out, as both sides would stand next to each other.
"""

from annotation.kinds.contradoc.sentences import Span, sentences

from ...making.registry import Edit, Gap, Method, ReadStatement
from .generation import INSERT
from .statements import LONGEST_SENTENCE, same_words, words_of

# So many gaps are tried for each sentence to insert.
MOST_GAPS = 3


def edits_for(text: str, original: tuple[int, int], statement: ReadStatement, method: Method) -> list[Edit]:
    """The edits for a statement: with its contradiction, and with the rewording where there is one."""
    replaced = text[original[0] : original[1]]
    new: list[tuple[str, bool]] = []
    for sentence, is_rewording in ((statement.contradiction, False), (statement.rewording, True)):
        if sentence and not same_words(sentence, replaced) and sentence not in [each for each, _ in new]:
            new.append((sentence, is_rewording))
    if method.operation != INSERT:
        return [Edit(*original, sentence, is_rewording) for sentence, is_rewording in new]
    spans = sentences(text)
    return [
        edit
        for sentence, is_rewording in new
        for edit in insertions(text, spans, original, sentence, is_rewording=is_rewording)
    ]


def insertions(
    text: str, spans: list[Span], original: tuple[int, int], sentence: str, *, is_rewording: bool
) -> list[Edit]:
    offsets = ranked_gaps(text, spans, original, sentence)[:MOST_GAPS]
    return [
        Edit(offset, offset, spaced(text, offset, sentence), is_rewording, rank)
        for rank, offset in enumerate(offsets, start=1)
    ]


def insertion(text: str, offset: int, sentence: str) -> Edit:
    """The edit that inserts a sentence at a gap."""
    return Edit(offset, offset, spaced(text, offset, sentence))


def spaced(text: str, offset: int, sentence: str) -> str:
    """The sentence with the blanks that it needs between what stands before and after it."""
    before = " " if offset and not text[offset - 1].isspace() else ""
    after = " " if offset < len(text) and not text[offset].isspace() else ""
    return f"{before}{sentence}{after}"


def gaps_of(text: str) -> list[Gap]:
    """Every gap of a text: before the first sentence, between two, and after the last."""
    spans = sentences(text)
    if not spans:
        return []
    told = [text[span.start : span.end] for span in spans]
    between = [Gap(span.end, before, after) for span, before, after in zip(spans, told, [*told[1:], ""], strict=True)]
    return [Gap(spans[0].start, "", told[0]), *between]


def ranked_gaps(text: str, spans: list[Span], original: tuple[int, int], sentence: str) -> list[int]:
    """The offsets of the gaps between two sentences, the best first, without those beside the original sentence."""
    words = words_of(sentence)
    shared = [len(words & words_of(text[span.start : span.end][:LONGEST_SENTENCE])) for span in spans]
    touched = [number for number, span in enumerate(spans) if span.start < original[1] and original[0] < span.end]
    if not touched:
        return []
    first, last = touched[0], touched[-1]
    # The gap with this number stands after the sentence with this number.
    free = [number for number in range(len(spans) - 1) if not first - 1 <= number <= last]
    free.sort(key=lambda number: (-shared[number] - shared[number + 1], min(abs(number - first), abs(number - last))))
    return [spans[number].end for number in free]
