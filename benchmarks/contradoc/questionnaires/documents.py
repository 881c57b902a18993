"""Documents of ContraDoc for people: in pieces, some of which are marked or can be clicked."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotation.models import Instance
from annotation.reading.sentences import sentences

from ..items import TEXT
from ..maker.maker import MAKER
from ..making.listing import Piece, pieces_of
from ..models import Candidate
from ..models.candidates import Operation

# The number of other gaps offered on either side of an insertion: a document of 2 MB has 20,000.
GAPS_BESIDE = 200
# A document of more characters is laid out in stretches of about this many, each when it comes into sight: a browser
# needs minutes to lay out the 20,000 sentences of one of 2 MB.
LONG, STRETCH = 50_000, 8_000


def stretches(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of a long document in parts, each of which begins on a new line; those of another one unchanged.
    Only plain text is cut, where a line or a word ends.
    """
    if sum(len(piece.text) for piece in pieces) <= LONG:
        return [list(pieces)]
    found: list[list[Piece]] = [[]]
    length = 0
    for piece in pieces:
        for part in [piece] if piece.kind or len(piece.text) <= STRETCH else _parts(piece.text):
            if length >= STRETCH and not part.text[:1].isspace():
                found.append([])
                length = 0
            found[-1].append(part)
            length += len(part.text)
    return found


def _parts(text: str) -> Iterator[Piece]:
    at = 0
    while len(text) - at > STRETCH:
        # Behind the last line that ends there, or the last word.
        line, word = (text.rfind(end, at, at + STRETCH) + 1 for end in "\n ")
        end = line or word or at + STRETCH
        yield Piece("", text[at:end])
        at = end
    yield Piece("", text[at:])


@dataclass(frozen=True)
class ShownCandidate:
    """A candidate as it is verified: its document with the original and the introduced statement marked."""

    candidate: Candidate

    @property
    def is_insertion(self) -> bool:
        return self.candidate.operation == Operation.INSERT

    @property
    def original(self) -> str:
        """The original statement in the clean document."""
        statement = self.candidate.statement
        return self.candidate.document.text[statement.start : statement.end]

    @property
    def introduced(self) -> str:
        return self.candidate.sentence

    @cached_property
    def pieces(self) -> list[Piece]:
        """The edited document. A replaced original is shown struck out before its replacement."""
        return list(pieces_of(self.candidate, self._gaps() if self.is_insertion else {}))

    def _gaps(self) -> dict[int, int]:
        """The numbers of the gaps offered instead of the edit's own, by their offsets: the nearest ones."""
        edit = self.candidate
        gaps = MAKER.gaps(edit.document.text)
        own = bisect_left(gaps, edit.start, key=lambda gap: gap.offset)
        near = range(max(0, own - GAPS_BESIDE), min(len(gaps), own + GAPS_BESIDE + 1))
        return {gaps[number].offset: number for number in near if gaps[number].offset != edit.start}


@dataclass(frozen=True)
class ShownDocument:
    """A document in which people search for a contradiction: nothing is marked, and each sentence can be clicked."""

    instance: Instance

    @cached_property
    def pieces(self) -> list[Piece]:
        text = self.instance.content[TEXT]
        pieces, at = [], 0
        for number, (start, end) in enumerate(sentences(text)):
            if at < start:
                pieces.append(Piece("", text[at:start]))
            pieces.append(Piece("sentence", text[start:end], number))
            at = end
        return [*pieces, Piece("", text[at:])]
