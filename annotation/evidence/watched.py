"""The desk's message about the current article: is the tag still there, and are the passages as annotated?"""

from dataclasses import dataclass
from datetime import datetime

from core.languages import say
from core.models import User

from ..models import Annotation, AnnotationState, Tag, WatchState
from .watch import watch_state

WORDS = {
    WatchState.UNCHANGED: say("The tag is still in the article, and the annotated text has not changed."),
    WatchState.CHANGED: say("The tag is still there, but the article has changed."),
    WatchState.TAG_GONE: say("The tag is no longer in the article."),
    WatchState.ARTICLE_GONE: say("The article is no longer there."),
    WatchState.UNKNOWN: say("The article could not be checked."),
}
STILL_THERE = say("The tag is still in the article.")
NO_TAG = say("The program found this. No editor tagged it, so no tag is looked for.")


@dataclass(frozen=True, slots=True)
class Watched:
    """The last finding, in words; `looked_at` is None if nobody has checked yet."""

    words: str
    can_look: bool
    has_changed: bool = False
    looked_at: datetime | None = None
    url: str = ""
    # The tagged paragraph as it reads now, if it differs.
    paragraph: str = ""
    question: str = say("Still tagged?")


def watched(annotation: Annotation, *, reader: User, was_watched: bool = True) -> Watched:
    """The last finding for this reader. For a reviewer, all of it. For the annotation's writer, if others annotate
    the tag too, only the part about the tag itself: findings about passages may be about theirs.
    """
    tag = annotation.tag
    wiki = tag.article.wiki
    can_look = wiki is not None and wiki.is_allowed and tag.article.page_id is not None
    result = watch_state(tag) if was_watched else None
    if result is None:
        unknown = say("Not checked yet.")
        return Watched(unknown if can_look else "", can_look, question=_question(tag))
    words: str
    state = WatchState(result.state)
    is_blind = annotation.annotator_id == reader.pk and _others_annotate(tag, reader)
    if is_blind and tag.is_found_by_program and state in (WatchState.UNCHANGED, WatchState.CHANGED):
        words, state = NO_TAG, WatchState.UNCHANGED
    elif is_blind and state in (WatchState.UNCHANGED, WatchState.CHANGED):
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
        question=_question(tag),
    )


def _question(tag: Tag) -> str:
    return say("Still there?") if tag.is_found_by_program else say("Still tagged?")


def _others_annotate(tag: Tag, annotator: User) -> bool:
    others = Annotation.objects.filter(tag=tag).exclude(annotator=annotator).exclude(state=AnnotationState.DRAFT)
    return tag.annotations_needed > 1 or others.exists()
