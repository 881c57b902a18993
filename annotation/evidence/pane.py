"""What the reading pane shows for a tag: the evidence that is there, and the reason for what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import Length

from core.models import User

from .. import evidence
from ..models import Article, Evidence, EvidenceKind, EvidenceRequest, Family, Rendering, RequestState, Tag
from .queue import fetch_claimed

# Making longer wikitext readable takes more than a moment: the page comes first, and the article follows.
AT_ONCE = 60_000
LABELS = {
    EvidenceKind.ARTICLE: "Article",
    EvidenceKind.HISTORY: "History",
    EvidenceKind.TALK: "Talk",
    EvidenceKind.OTHER: "Other article",
    EvidenceKind.FURTHER: "Further articles",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One page within a tab. Without `evidence`, it is on its way, or `reason` says why it is not available."""

    name: str
    evidence: Evidence | None
    is_coming: bool
    reason: str
    request: EvidenceRequest | None


@dataclass(frozen=True, slots=True)
class Shown:
    """One tab of the pane."""

    kind: str
    label: str
    parts: list[Part]

    @property
    def is_coming(self) -> bool:
        return any(part.is_coming for part in self.parts)


def tabs_of(tag: Tag) -> list[tuple[str, str]]:
    """Kind and name of each tab, in order."""
    kinds = [kind for kind in LABELS if kind != EvidenceKind.OTHER or tag.family == Family.CONTRADICT_OTHER]
    return [(str(kind), LABELS[kind]) for kind in kinds]


def is_at_hand(tag: Tag) -> bool:
    """Whether the article can be shown without delay."""
    if kept_article(tag) is not None:
        return True
    if not _is_made_here(tag):
        return False
    sizes = Article.objects.filter(pk=tag.article_id).annotate(size=Length("wikitext")).values_list("size", flat=True)
    return (sizes[0] or 0) <= AT_ONCE


def shown(tag: Tag, kind: str, *, readers: Sequence[User]) -> Shown:
    """The tab of this kind as it stands now. Of the additional articles, only those that `readers` asked for: the
    others would show what another annotator of the same tag looked at."""
    found = _requests(tag, kind)
    if kind == EvidenceKind.FURTHER:
        found = found.filter(requested_by__in=readers)
    parts = [_part(tag, request) for request in found]
    if kind == EvidenceKind.ARTICLE:
        parts = parts[-1:] or [Part(tag.article.title, kept_article(tag), False, "It was not asked for.", None)]
    return Shown(kind, LABELS[EvidenceKind(kind)], parts)


def prepare(tag: Tag) -> bool:
    """Request the tag's evidence if that has not been done; returns whether a worker should be woken.

    An article that needs no wiki is made readable at once.
    """
    is_coming = evidence.ask_for_evidence(tag=tag, urgent=True)
    if _is_made_here(tag) and kept_article(tag) is None and is_at_hand(tag):
        make_article(tag)
    return is_coming


def make_article(tag: Tag) -> None:
    for request in _requests(tag, EvidenceKind.ARTICLE).filter(state=RequestState.WAITING):
        fetch_claimed(request.pk)


def kept_article(tag: Tag) -> Evidence | None:
    """The article as the wiki shows it, or else as made from the stored text; None if there is neither."""
    rows = Evidence.objects.filter(
        tag=tag, kind=EvidenceKind.ARTICLE, revision_id=tag.article.revision_id
    ).select_related("wiki")
    best = {row.rendering: row for row in rows}
    return next((best[rendering] for rendering in Rendering.values if rendering in best), None)


def _is_made_here(tag: Tag) -> bool:
    wiki = tag.article.wiki
    return wiki is None or not wiki.is_allowed or tag.article.revision_id is None


def _requests(tag: Tag, kind: str) -> QuerySet[EvidenceRequest]:
    found = EvidenceRequest.objects.filter(tag=tag, article=tag.article_id, kind=kind)
    return found.select_related("evidence__wiki").order_by("pk")


def _part(tag: Tag, request: EvidenceRequest) -> Part:
    kept = request.evidence
    if kept is None and request.kind == EvidenceKind.ARTICLE:
        kept = kept_article(tag)
    is_open = request.state in (RequestState.WAITING, RequestState.RUNNING)
    name = request.subject or tag.article.title
    return Part(name, kept, is_open, request.reason, request)
