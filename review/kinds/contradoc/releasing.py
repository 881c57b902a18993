"""From verified candidates to a release of ContraDoc: positives, and what both verifiers called no contradiction."""

from collections.abc import Collection, Iterable
from typing import Any

from annotation.kinds.contradoc import item
from annotation.kinds.registry import benchmark
from annotation.kinds.releasing import content_hash, content_key, release_contents, release_with
from annotation.models import Instance, Release
from core.models import User
from core.refusals import Refusal
from judging.models import Candidate, Document, Operation

from ...models import FinalAnswers, ReleasedCandidate, Round
from ...rounds.rounds import is_finished
from .verification import FORM, KEPT, NEGATIVE, SCOPE, TYPE

# Numbers of documents whose code is no number begin here: ids name their source by a number.
NUMBERED_FROM = 10**12
Content = dict[str, Any]


def release_candidates(
    *, rounds: Collection[Round], name: str, admin: User | None = None, with_clean: bool = False
) -> Release:
    """Release what these verification rounds kept as positive documents, and what both verifiers called no
    contradiction as negative ones; `with_clean` adds the clean documents from which none of these was made.

    Doing it again gives the release that is there. Raises `Refusal` if a round is of another form or not finished, or
    if nothing was kept.
    """
    decided, contents = chosen(rounds=rounds, with_clean=with_clean)
    kind = benchmark(item.CODE)
    release = release_with(item.CODE, content_hash(contents)) or release_contents(
        benchmark=kind,
        name=name,
        contents=contents,
        how_made={"rounds": sorted(round.name for round in rounds), "with_clean": with_clean},
        admin=admin,
    )
    # The clean documents come last and are of no candidate.
    link(zip((final.item.candidate for final in decided), contents, strict=False))
    return release


def chosen(*, rounds: Collection[Round], with_clean: bool = False) -> tuple[list[FinalAnswers], list[Content]]:
    """What such a release would hold: the decided candidates, and the contents of its documents, theirs first.

    Raises `Refusal` as `release_candidates` does.
    """
    if not rounds or any(round.form != FORM for round in rounds):
        raise Refusal("Only rounds in which candidates were verified make such a release.", status=400)
    if waiting := [str(round) for round in rounds if not is_finished(round)]:
        raise Refusal(
            f"Not finished yet: {', '.join(waiting)}. Close each round and decide its disagreements first. Nothing "
            "was released."
        )
    finals = FinalAnswers.objects.filter(round__in=rounds, outcome__in=[KEPT, NEGATIVE])
    finals = finals.select_related("item__candidate__document", "item__candidate__statement")
    decided = sorted(finals, key=lambda final: (final.outcome != KEPT, final.item.candidate_id))
    contents = [content_of(final) for final in decided]
    if not any(map(item.is_positive, contents)):
        raise Refusal("None of these candidates was kept, so there is nothing to release.")
    made = {final.item.candidate.document_id for final in decided}
    return decided, [*contents, *(clean_contents(made) if with_clean else ())]


def content_of(final: FinalAnswers) -> Content:
    """What an instance of this candidate holds, in the shape of the released records."""
    candidate = final.item.candidate
    document = candidate.document
    shared = {item.ID: f"{source_number(document)}_{candidate.pk}", item.KIND: document.doc_type}
    if final.outcome == NEGATIVE:
        return {item.LABEL: item.NEGATIVE, item.TEXT: candidate.text, **shared}
    content = {
        item.LABEL: item.POSITIVE,
        item.TEXT: candidate.text,
        item.EVIDENCE: candidate.sentence,
        **shared,
        item.PLUG: candidate.operation,
        item.TYPE: final.answers[TYPE],
        item.SCOPE: final.answers[SCOPE],
    }
    if candidate.operation == Operation.INSERT:  # a replaced sentence is in the text no more
        said = candidate.statement
        content[item.REFS] = [document.text[said.start : said.end]]
    return content


def source_number(document: Document) -> str:
    """The number before the underscore of an id, by which documents of one source hang together."""
    is_number = document.code.isascii() and document.code.isdigit() and len(document.code) <= len(str(NUMBERED_FROM))
    return document.code if is_number else str(NUMBERED_FROM * 10 + document.pk)


def clean_contents(made: Collection[int]) -> Iterable[Content]:
    """The clean documents but for those of which a candidate is released."""
    for document in Document.objects.filter(benchmark=item.CODE).exclude(pk__in=made).order_by("pk"):
        yield {
            item.LABEL: item.NEGATIVE,
            item.TEXT: document.text,
            item.ID: document.code,
            item.KIND: document.doc_type,
        }


def link(released: Iterable[tuple[Candidate, Content]]) -> None:
    """Note which instance each candidate became. Nothing happens where that is noted already."""
    candidate_of = {content_key(item.CODE, content): candidate for candidate, content in released}
    instances = Instance.objects.filter(key__in=candidate_of, from_candidate=None)
    ReleasedCandidate.objects.bulk_create(
        (ReleasedCandidate(candidate=candidate_of[instance.key], instance=instance) for instance in instances),
        ignore_conflicts=True,
    )
