"""What the desk says of the article as it is by now: is the tag still there, do the passages stand as annotated."""

from dataclasses import dataclass
from datetime import datetime

from core.models import User

from ..models import Annotation, AnnotationState, Tag, WatchState
from .watch import watch_state

WORDS = {
    WatchState.UNCHANGED: "The tag is still in the article, and what was annotated stands there as it did.",
    WatchState.CHANGED: "The tag is still there, but the article has changed.",
    WatchState.TAG_GONE: "The tag is no longer in the article.",
    WatchState.ARTICLE_GONE: "The article is no longer there.",
    WatchState.UNKNOWN: "The article could not be looked at.",
}
STILL_THERE = "The tag is still in the article."


@dataclass(frozen=True, slots=True)
class Watched:
    """What was found at the last look, in words; `looked_at` is None where nobody has looked yet."""

    words: str
    can_look: bool
    has_changed: bool = False
    looked_at: datetime | None = None
    url: str = ""
    # The tagged paragraph as it reads now, where that differs.
    paragraph: str = ""


def watched(annotation: Annotation, *, reader: User) -> Watched:
    """For a reviewer all that was found. For its writer, where others annotate the tag too, what concerns the tag
    alone: what is said of passages may be said of theirs."""
    tag = annotation.tag
    wiki = tag.article.wiki
    can_look = wiki is not None and wiki.is_allowed and tag.article.page_id is not None
    result = watch_state(tag)
    if result is None:
        return Watched("Nobody has looked yet whether the tag is still in the article." if can_look else "", can_look)
    state = WatchState(result.state)
    is_blind = annotation.annotator_id == reader.pk and _others_annotate(tag, reader)
    if is_blind and state in (WatchState.UNCHANGED, WatchState.CHANGED):
        words, state = STILL_THERE, WatchState.UNCHANGED
    elif is_blind and state == WatchState.TAG_GONE:
        words = WORDS[state]
    else:
        words = result.message or WORDS[state]
    return Watched(
        words,
        can_look,
        has_changed=state not in (WatchState.UNCHANGED, WatchState.UNKNOWN),
        looked_at=result.last_seen_at,
        url=result.url,
        paragraph="" if is_blind or result.paragraph == tag.paragraph_clean else result.paragraph,
    )


def _others_annotate(tag: Tag, annotator: User) -> bool:
    others = Annotation.objects.filter(tag=tag).exclude(annotator=annotator).exclude(state=AnnotationState.DRAFT)
    return tag.annotations_needed > 1 or others.exists()
