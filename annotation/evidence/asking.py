"""Requests evidence for a tag: the standard evidence, and additional requests by people."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from core.languages import say
from core.models import Event, User
from core.refusals import Refusal

from ..models import AnnotationAction, EvidenceKind, EvidenceRequest, Family, RequestState, Tag
from ..models.evidence import EvidenceRequestQuerySet
from .whereabouts import find_page

# An annotator is waiting for it with the desk open.
URGENT = 10
MOST_SIBLINGS = 50  # requested along with a tag; further ones are requested one by one
MOST_OTHERS = 5  # articles that a tag names
MOST_FURTHER = 30  # of one tag, for one person


def ask_for_evidence(*, tag: Tag, urgent: bool = False) -> bool:
    """Make sure that the evidence for the tag and for the other tags on its page is requested, at the revision its
    text comes from; returns whether any of the tag's is still missing.

    The caller wakes a worker when this is committed. A repeated call changes and writes nothing, except that `urgent`
    requests come first from then on.
    """
    asked = _asked_for(tag)
    if not asked.is_complete:
        _ask_for_page(tag)
        asked = _asked_for(tag)
    if urgent and asked.can_hurry:
        _requests(tag).filter(priority__lt=URGENT).unanswered().update(priority=URGENT)
    return bool(asked.priorities)


def is_to_be_asked_for(tag: Tag) -> bool:
    """Return whether `ask_for_evidence` would write anything for the person with the open tag. Writes nothing
    itself.
    """
    asked = _asked_for(tag)
    return asked.can_hurry or not asked.is_complete


@dataclass(frozen=True, slots=True)
class _Asked:
    """The requests for a tag: whether they are complete, and the priorities of the unfinished ones."""

    is_complete: bool
    priorities: list[int]

    @property
    def can_hurry(self) -> bool:
        return any(priority < URGENT for priority in self.priorities)


def _asked_for(tag: Tag) -> _Asked:
    known = list(_requests(tag).values_list("wiki", "kind", "subject", "state", "priority"))
    there = {(wiki, kind, subject) for wiki, kind, subject, _, _ in known}
    return _Asked(
        there.issuperset((_wiki(tag), *each) for each in _wanted(tag)),
        [priority for *_, state, priority in known if state in RequestState.unanswered()],
    )


def _ask_for_page(tag: Tag) -> None:
    """Request evidence for all tags of the page, since the wiki is asked anyway."""
    siblings = list(Tag.objects.present().filter(article=tag.article_id).exclude(pk=tag.pk)[:MOST_SIBLINGS])
    EvidenceRequest.objects.bulk_create(
        (
            EvidenceRequest(tag=each, article_id=tag.article_id, wiki_id=_wiki(tag), kind=kind, subject=subject)
            for each in (tag, *siblings)
            for kind, subject in _wanted(each)
        ),
        ignore_conflicts=True,
    )


def _requests(tag: Tag) -> EvidenceRequestQuerySet:
    return EvidenceRequest.objects.filter(tag=tag, article=tag.article_id).order_by()


def _wiki(tag: Tag) -> int | None:
    return tag.article.wiki_id if tag.article.revision_id else None


def _wanted(tag: Tag) -> list[tuple[str, str]]:
    """Kind and subject of each piece of evidence that a tag needs."""
    kinds = [(EvidenceKind.ARTICLE.value, ""), (EvidenceKind.HISTORY.value, ""), (EvidenceKind.TALK.value, "")]
    if tag.family == Family.CONTRADICT_OTHER:
        kinds += [(EvidenceKind.OTHER.value, title[:500]) for title in tag.other_articles[:MOST_OTHERS]]
    return kinds


@transaction.atomic
def ask_for_article(*, tag: Tag, text: str, by: User) -> EvidenceRequest:
    """Request another article by its title, its address, or with a language in front (`de:Bremen`).

    The caller wakes a worker when this is committed. Raises `Refusal` if no allowed wiki has it.
    """
    page = find_page(text, tag)
    mine = EvidenceRequest.objects.filter(tag=tag, kind=EvidenceKind.FURTHER, requested_by=by)
    if mine.count() >= MOST_FURTHER:
        raise Refusal(
            say(
                "You have already fetched {most} more articles for this tag. Nothing was fetched.",
                most=MOST_FURTHER,
            )
        )
    request, is_new = EvidenceRequest.objects.get_or_create(
        tag=tag,
        article=tag.article,
        kind=EvidenceKind.FURTHER,
        wiki=page.wiki,
        subject=page.title,
        requested_by=by,
        defaults={"priority": URGENT},
    )
    if is_new:
        after = {"title": page.title, "wiki": page.wiki.name}
        Event.record(AnnotationAction.ASKED_FOR_ARTICLE, tag, actor=by, after=after)
    elif request.state != RequestState.RUNNING:
        ask_again(request=request)
    return request


@transaction.atomic
def ask_again(*, request: EvidenceRequest) -> None:
    """Request the evidence again, because it was not available or may have changed since. The caller wakes a worker.

    Earlier evidence is kept. Raises `Refusal` if a worker is fetching it now.
    """
    open_states = [RequestState.WAITING, RequestState.DONE, RequestState.MISSING]
    asked = EvidenceRequest.objects.filter(pk=request.pk, state__in=open_states).update(
        state=RequestState.WAITING, not_before=timezone.now(), tries=0, priority=URGENT
    )
    if not asked:
        raise Refusal(say("It is being fetched. Wait a moment."))
    request.refresh_from_db()


def tags_without_evidence(*, limit: int = 200) -> list[Tag]:
    """Tags still in their articles whose evidence has not been requested yet at the revision their text comes
    from."""
    asked = EvidenceRequest.objects.filter(tag=OuterRef("pk"), article=OuterRef("article"), kind=EvidenceKind.ARTICLE)
    tags = Tag.objects.present().filter(~Exists(asked)).select_related("article")
    return list(tags.order_by("-priority", "pk")[:limit])
