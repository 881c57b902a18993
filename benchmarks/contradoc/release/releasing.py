"""Makes a release of ContraDoc from verified candidates: positives, and those that both verifiers judged to be no
contradiction.
"""

from collections.abc import Collection, Iterable
from typing import Any

from annotation.kinds.registry import benchmark
from annotation.models import Release
from annotation.releases.items.releasing import check_contents, content_hash, release_contents, release_with
from core.languages import say
from core.models import User
from core.refusals import Refusal
from review.models import FinalAnswers, Round
from review.models.subjects import load_subjects
from review.rounds.rounds import is_finished

from .. import items as item
from ..models import Document, Operation
from ..questionnaires.sources import source_number
from ..questionnaires.verification import KEPT, NEGATIVE, QUESTIONNAIRE, SCOPE, TYPE
from .made_facts import facts_of

Content = dict[str, Any]


def release_candidates(
    *, rounds: Collection[Round], name: str, admin: User | None = None, with_clean: bool = False
) -> Release:
    """Release the candidates kept in these verification rounds as positive documents, and those that both verifiers
    judged to be no contradiction as negative ones; `with_clean` adds the clean documents from which none of these was
    made.

    A repeated call returns the existing release. Raises `Refusal` if a round has another questionnaire or is not
    finished, or if nothing was kept.
    """
    contents, there = plan_candidates(rounds=rounds, name=name, with_clean=with_clean)
    return there or release_contents(
        benchmark=benchmark(item.CODE),
        name=name,
        contents=contents,
        how_made={
            "rounds": sorted(round.name for round in rounds),
            "with_clean": with_clean,
            "making": facts_of(rounds, contents, with_clean=with_clean),
        },
        admin=admin,
    )


def plan_candidates(
    *, rounds: Collection[Round], name: str, with_clean: bool = False
) -> tuple[list[Content], Release | None]:
    """The contents of the release that `release_candidates` would make, and an existing release with exactly these.
    Nothing is written. Raises `Refusal` as it does.
    """
    contents = chosen(rounds=rounds, with_clean=with_clean)
    there = release_with(item.CODE, content_hash(contents))
    if there is None:
        check_contents(benchmark(item.CODE), name.strip(), contents)
    return contents, there


def chosen(*, rounds: Collection[Round], with_clean: bool = False) -> list[Content]:
    """The contents of the documents that such a release would have, the clean ones last.

    Raises `Refusal` as `release_candidates` does.
    """
    if not rounds or any(round.questionnaire != QUESTIONNAIRE for round in rounds):
        raise Refusal(
            say("Such a release is made only from rounds in which candidates were verified. Nothing was released."),
            status=400,
        )
    if waiting := [str(round) for round in rounds if not is_finished(round)]:
        raise Refusal(
            say(
                "Not finished yet: {waiting}. Close each round and decide its disagreements first. Nothing was "
                "released.",
                waiting=", ".join(waiting),
            )
        )
    finals = FinalAnswers.objects.filter(round__in=rounds, outcome__in=[KEPT, NEGATIVE])
    finals = finals.select_related("item")
    decided = sorted(finals, key=lambda final: (final.outcome != KEPT, final.item.subject_number))
    load_subjects(final.item for final in decided)
    contents = [content_of(final) for final in decided]
    if not any(map(item.is_positive, contents)):
        raise Refusal(say("None of these candidates was kept, so there is nothing to release."))
    made = {final.item.subject.document_id for final in decided}
    return [*contents, *(clean_contents(made) if with_clean else ())]


def content_of(final: FinalAnswers) -> Content:
    """The content of an instance of this candidate, in the shape of the released records."""
    candidate = final.item.subject
    document = candidate.document
    shared = {item.ID: f"{source_number(document.pk, document.code)}_{candidate.pk}", item.KIND: document.doc_type}
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


def clean_contents(made: Collection[int]) -> Iterable[Content]:
    """The clean documents except those with a released candidate."""
    for document in Document.objects.filter(benchmark=item.CODE).exclude(pk__in=made).order_by("pk"):
        yield {
            item.LABEL: item.NEGATIVE,
            item.TEXT: document.text,
            item.ID: document.code,
            item.KIND: document.doc_type,
        }
