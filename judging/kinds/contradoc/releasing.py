"""Verified candidates, candidates that do not contradict themselves, and untouched documents as a release in the
shape of ContraDoc's own."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.kinds.contradoc.item import CODE, NEGATIVE, POSITIVE
from annotation.kinds.registry import benchmark
from annotation.kinds.releasing import content_key, release_contents
from annotation.models import Release
from core.models import User

from ...models import Candidate, Document, Operation


@dataclass(frozen=True, slots=True)
class Verified:
    """A candidate that people verified, with the scope and the types that they agreed on."""

    candidate: Candidate
    scope: str
    types: Sequence[str]


@dataclass(frozen=True, slots=True)
class Released:
    """The release, and the key of the instance that each candidate became, by the candidate's primary key."""

    release: Release
    keys: Mapping[int, str]


def release_candidates(
    *,
    verified: Iterable[Verified],
    negatives: Iterable[Candidate] = (),
    untouched: Iterable[Document] = (),
    name: str,
    notes: str = "",
    how_made: Mapping[str, Any] | None = None,
    admin: User | None = None,
) -> Released:
    """Freeze these as the next release. `negatives` are candidates that do not contradict themselves, `untouched`
    documents without an edit. Raises Refusal, having released nothing, as `release_contents` does."""
    keys: dict[int, str] = {}
    contents: list[dict[str, Any]] = []
    for candidate, content in contents_of(list(verified), list(negatives)):
        keys[candidate.pk] = content_key(CODE, content)
        contents.append(content)
    contents += [untouched_content(document) for document in untouched]
    release = release_contents(
        benchmark=benchmark(CODE), name=name, notes=notes, contents=contents, how_made=how_made, admin=admin
    )
    return Released(release, keys)


def contents_of(
    verified: Sequence[Verified], negatives: Sequence[Candidate]
) -> Iterator[tuple[Candidate, dict[str, Any]]]:
    """The released records of candidates, those that contradict themselves first. Candidates of one document are
    numbered in the order of their primary keys, whatever order they come in."""
    numbers: Counter[int] = Counter()
    ids: dict[int, str] = {}
    for candidate in sorted([*(each.candidate for each in verified), *negatives], key=lambda each: each.pk):
        numbers[candidate.document_id] += 1
        ids[candidate.pk] = f"{source_of(candidate.document)}_{numbers[candidate.document_id]}"
    for each in sorted(verified, key=lambda each: each.candidate.pk):
        yield each.candidate, positive_content(each, ids[each.candidate.pk])
    for candidate in sorted(negatives, key=lambda each: each.pk):
        yield candidate, negative_content(candidate.text, ids[candidate.pk], candidate.document)


def source_of(document: Document) -> str:
    """The number that the ids of a document's records begin with: what they hang together by."""
    return document.code if document.code.isascii() and document.code.isdigit() else str(document.pk)


def positive_content(verified: Verified, unique_id: str) -> dict[str, Any]:
    candidate = verified.candidate
    content = {
        **negative_content(candidate.text, unique_id, candidate.document),
        "label": POSITIVE,
        "evidence": candidate.sentence,
        "contra_plug": candidate.operation,
        "contra_type": list(verified.types),
        "scope": verified.scope,
    }
    # After a replacement, the original sentence does not stand in the document any more.
    if candidate.operation == Operation.INSERT:
        statement = candidate.statement
        content["ref sentences"] = [candidate.document.text[statement.start : statement.end]]
    return content


def negative_content(text: str, unique_id: str, document: Document) -> dict[str, Any]:
    return {"text": text, "unique id": unique_id, "doc_type": document.doc_type, "label": NEGATIVE}


def untouched_content(document: Document) -> dict[str, Any]:
    return negative_content(document.text, f"{source_of(document)}_0", document)
