"""Stores candidates, each once: a later pass over the same page or document finds nothing twice."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction

from core.languages import say
from core.models import Event, User
from core.refusals import Refusal

from ..assisting.untagged.candidates import Candidate as Found
from ..harvesting.revisions import article_of
from ..mediawiki import PageRevision
from ..models import AnnotationAction, Article, Candidate, Wiki


@transaction.atomic
def store_page_candidates(*, wiki: Wiki, page: PageRevision, found: Sequence[Found], by: User | None) -> int:
    """Store the candidates of a page of a wiki, with its text; returns how many are new. Raises `NotStored` if the
    page contradicts a stored one.
    """
    if not _new(found, f"{wiki.pk}:{page.page_id}"):
        return 0
    article, _ = article_of(wiki, page)
    return store_candidates(article=article, found=found, by=by)


@transaction.atomic
def store_text_candidates(*, title: str, text: str, found: Sequence[Found], by: User | None) -> int:
    """Store the candidates of a document, with its text; returns how many are new. Raises Refusal if a document with
    this title and another text is here.
    """
    if not found:
        return 0
    article, _ = Article.objects.get_or_create(title=title, url="", revision_id=None, defaults={"wikitext": text})
    if article.wikitext != text:
        raise Refusal(
            say(
                "A document “{title}” with another text is already here. Give the file another name. Nothing of "
                "it was stored.",
                title=title,
            )
        )
    return store_candidates(article=article, found=found, by=by)


@transaction.atomic
def store_candidates(*, article: Article, found: Sequence[Found], by: User | None) -> int:
    """Store the candidates of a stored article; returns how many are new."""
    new = _new(found, page_key(article))
    for fingerprint, each in new.items():
        row, is_new = Candidate.objects.get_or_create(
            fingerprint=fingerprint, defaults={"article": article} | asdict(each)
        )
        if is_new:
            after = {"article": article.pk, "kind": row.kind, "reason": row.reason}
            Event.record(AnnotationAction.FOUND, row, actor=by, after=after)
    return len(new)


def page_key(article: Article) -> str:
    """The key of a page over all its revisions, or of a document."""
    return f"{article.wiki_id}:{article.page_id}" if article.page_id is not None else f"document:{article.title}"


def _new(found: Sequence[Found], key: str) -> dict[str, Found]:
    """The new ones, by their fingerprints."""
    prints = {fingerprint_of(key, each): each for each in found}
    known = set(Candidate.objects.filter(fingerprint__in=prints).values_list("fingerprint", flat=True))
    return {fingerprint: each for fingerprint, each in prints.items() if fingerprint not in known}


def fingerprint_of(key: str, found: Found) -> str:
    said = json.dumps([key, found.kind, found.text_1, found.text_2])
    return hashlib.sha256(said.encode()).hexdigest()
