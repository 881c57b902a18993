"""Reads documents of ContraDoc's shape as tasks of the finder: the counterpart of a text is sought among others."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from annotation.assisting.counterparts.words import Words, words_of
from annotation.reading.sentences import sentences

# A sentence shorter than this, in letters, is not found by being part of a reference.
SHORTEST = 15


@dataclass
class Document:
    """One document with a contradiction.

    Attributes:
        article: the article that it was made from: several documents can be from one.
        query: the inserted or replaced sentence.
        texts: the document's sentences.
        at: the positions of the query's own sentences.
        positions: the positions of the others.
        is_hit: for each of these, whether it is part of a reference.
    """

    name: str
    article: str
    query: str
    texts: list[str]
    at: list[int]
    positions: list[int]
    is_hit: np.ndarray

    @cached_property
    def words(self) -> list[Words]:
        return [words_of(text) for text in self.texts]

    @cached_property
    def query_words(self) -> Words:
        return words_of(self.query)


def read_documents(path: Path) -> list[Document]:
    """The documents with a contradiction in a file."""
    return [_document(name, record) for name, record in json.loads(path.read_text())["pos"].items()]


def read_texts(path: Path, kind: str) -> Iterator[tuple[str, str, str]]:
    """Name, text and evidence ("" where there is none) of the documents of a kind: pos or neg."""
    for name, record in json.loads(path.read_text())[kind].items():
        yield name, record["text"], record.get("evidence", "")


def letters(text: str) -> str:
    """A text without blanks and capitals, for comparing."""
    return re.sub(r"\s+", "", text).lower()


def _document(name: str, record: dict) -> Document:
    texts = [span.of(record["text"]) for span in sentences(record["text"])]
    evidence = letters(record["evidence"])
    own = own_sentences(texts, evidence)
    positions = [position for position, text in enumerate(texts) if position not in own and letters(text) != evidence]
    references = [letters(text) for text in record.get("ref sentences") or []]
    hits = [any(_is_of(letters(texts[position]), reference) for reference in references) for position in positions]
    return Document(
        name, name.partition("_")[0], record["evidence"], texts, own, positions, np.array(hits, dtype=bool)
    )


def own_sentences(texts: list[str], evidence: str) -> list[int]:
    """The positions of the sentences that consist of this evidence, or contain it."""
    found, end = [], 0
    start = "".join(map(letters, texts)).find(evidence)
    for position, text in enumerate(map(letters, texts)):
        begin, end = end, end + len(text)
        shared = min(end, start + len(evidence)) - max(begin, start)
        if start >= 0 and shared > 0 and (text in evidence or evidence in text or shared > (end - begin) / 2):
            found.append(position)
    return found


def _is_of(text: str, reference: str) -> bool:
    return (len(text) >= SHORTEST and text in reference) or (reference != "" and reference in text)
