"""The reading pane of a tag: the available evidence, and the reason for each missing piece."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from core.languages import say
from core.models import User

from .. import evidence
from ..models import Evidence, EvidenceKind, EvidenceRequest, Family, Rendering, RequestState, Tag
from .queue import fetch_claimed

LABELS = {
    EvidenceKind.ARTICLE: say("Article"),
    EvidenceKind.HISTORY: say("History"),
    EvidenceKind.TALK: say("Talk"),
    EvidenceKind.OTHER: say("Other article"),
    EvidenceKind.FURTHER: say("More articles"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One page within a tab. Without `evidence`, it is being fetched, or `reason` says why it is not available."""

    name: str
    evidence: Evidence | None
    is_coming: bool = False
    reason: str = ""
    request: EvidenceRequest | None = None


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


def shown(tag: Tag, kind: str, *, readers: Sequence[User]) -> Shown:
    """The tab of this kind in its current state. Of the additional articles, only those requested by `readers`: the
    others would reveal what another annotator of the same tag looked at.
    """
    if kind == EvidenceKind.ARTICLE:
        return _shown_article(tag, kept_article(tag))
    found = requests_shown(tag, kind, readers=readers).select_related("evidence__wiki", "evidence__page")
    return Shown(kind, LABELS[EvidenceKind(kind)], [_part(tag, request, request.evidence) for request in found])


def requests_shown(tag: Tag, kind: str, *, readers: Sequence[User]) -> QuerySet[EvidenceRequest]:
    """The requests behind the tab that `shown` shows."""
    found = _requests(tag, kind)
    return found.filter(requested_by__in=readers) if kind == EvidenceKind.FURTHER else found


def _shown_article(tag: Tag, kept: Evidence | None) -> Shown:
    request = _requests(tag, EvidenceKind.ARTICLE).last()
    if request is None:
        part = Part(tag.article.title, kept, reason=say("It was not requested."))
    else:
        is_kept = kept is not None and request.evidence_id in (None, kept.pk)
        part = _part(tag, request, kept if is_kept else request.evidence)
    return Shown(EvidenceKind.ARTICLE, LABELS[EvidenceKind.ARTICLE], [part])


def article_at_hand(tag: Tag) -> Shown | None:
    """The article's tab, if it can be shown from the stored page. Writes nothing."""
    kept = kept_article(tag)
    return _shown_article(tag, kept) if kept is not None else None


def have_fetched(tag: Tag) -> bool:
    """Request the tag's evidence for the person with the open tag, and build its article unless a worker has begun
    to; returns whether a worker should be woken.
    """
    is_coming = evidence.ask_for_evidence(tag=tag, urgent=True)
    if is_coming and kept_article(tag) is None:
        _make_article(tag)
    return is_coming


def _make_article(tag: Tag) -> None:
    for request in _requests(tag, EvidenceKind.ARTICLE).filter(state=RequestState.WAITING):
        fetch_claimed(request.pk)


def kept_article(tag: Tag) -> Evidence | None:
    """The article as the wiki shows it, otherwise as built from the stored text; None without either."""
    revision = tag.article.revision_id
    rows = Evidence.objects.filter(tag=tag, kind=EvidenceKind.ARTICLE, revision_id=revision)
    best = {row.rendering: row for row in rows.select_related("wiki", "page")}
    return next((best[rendering] for rendering in Rendering.values if rendering in best), None)


def _requests(tag: Tag, kind: str) -> QuerySet[EvidenceRequest]:
    return EvidenceRequest.objects.filter(tag=tag, article=tag.article_id, kind=kind).order_by("pk")


def _part(tag: Tag, request: EvidenceRequest, kept: Evidence | None) -> Part:
    is_open = request.state in RequestState.unanswered()
    name = request.subject or tag.article.title
    return Part(name, kept, is_open, request.reason, request)
