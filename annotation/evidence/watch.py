"""Tracks tags after people worked on them: is the tag still in the article, are the passages?

Released text does not change; findings are shown beside it. One row for each finding at each revision.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from core.engine.writing.pieces import in_chunks
from core.killable import GivenUp
from core.languages import say, say_in
from core.models import Event
from core.words import joined_names

from ..assisting.untagged.standing import standing
from ..content.checks import same_title
from ..content.marking import normalised
from ..content.rows import passages_of
from ..harvesting.matching import match_tags
from ..harvesting.sources import known_names
from ..mediawiki import PageNow, RevisionText, WikiError
from ..mediawiki import Wiki as WikiClient
from ..models import (
    Annotation,
    AnnotationAction,
    AnnotationState,
    Passage,
    Release,
    Tag,
    WatchResult,
    WatchState,
    Wiki,
)
from ..wikitext.extraction import extract_tags, in_child
from ..wikitext.tags import FoundTag
from .whereabouts import revision_url

logger = logging.getLogger(__name__)

# No editor tagged it, so only the texts can be looked for.
BOTH_STAND = say("Both texts still stand in the article.")
PAGES_A_ROUND = 20  # texts of articles held in memory at a time


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of checking an article for one tag."""

    state: WatchState
    message: str = ""
    paragraph: str = ""
    tag_is_there: bool | None = None


def watch_state(tag: Tag) -> WatchResult | None:
    """The last finding; None if nobody has checked yet."""
    return WatchResult.objects.filter(tag=tag).order_by("-pk").first()


def watch_states(tags: Iterable[Tag]) -> dict[int, WatchResult]:
    """The last finding for each checked tag, by the tag's primary key."""
    return {result.tag_id: result for result in WatchResult.objects.filter(tag__in=tags).order_by("pk")}


def release_states(release: Release) -> Counter[WatchState]:
    """The number of a release's tags in each state, among those checked since."""
    tags = Tag.objects.filter(annotations__released_records__release=release).distinct()
    return Counter(WatchState(result.state) for result in watch_states(tags).values())


def tags_to_watch() -> list[Tag]:
    """Tags with annotation work, in articles whose wiki may be asked."""
    untouched = Q(version=0, state=AnnotationState.DRAFT)
    worked_on = Annotation.objects.filter(tag=OuterRef("pk")).exclude(untouched)
    tags = Tag.objects.filter(article__wiki__is_allowed=True, article__page_id__isnull=False)
    return list(tags.filter(Exists(worked_on)).select_related("article__wiki", "candidate").order_by("pk"))


def watch_all() -> Counter[WatchState]:
    """Check every watched tag; returns the number in each state. A wiki in trouble is left for the next night."""
    return watch_tags(tags_to_watch())


def watch_tags(tags: Iterable[Tag]) -> Counter[WatchState]:
    """Check these tags now; returns the number in each state."""
    by_wiki: dict[Wiki, list[Tag]] = defaultdict(list)
    for tag in tags:
        if tag.article.wiki is not None and tag.article.wiki.is_allowed and tag.article.page_id is not None:
            by_wiki[tag.article.wiki].append(tag)
    found: Counter[WatchState] = Counter()
    for wiki, of_wiki in by_wiki.items():
        try:
            found += Counter(WatchState(result.state) for result in _watch_wiki(wiki, of_wiki))
        except WikiError as error:
            logger.warning("Not all articles of %s were looked at: %s", wiki, error)
    return found


def ask_to_look(*, tag: Tag) -> None:
    """Have a worker check this tag soon. The caller wakes one up when this is committed."""
    Tag.objects.filter(pk=tag.pk).update(look_asked_at=timezone.now())


def tags_to_look_at(*, limit: int = 50) -> list[int]:
    """The tags to check again; the longest wait first."""
    asked = Tag.objects.filter(look_asked_at__isnull=False).order_by("look_asked_at")
    return list(asked.values_list("pk", flat=True)[:limit])


def look_as_asked(tag_id: int) -> None:
    """Check a tag if that was requested. A repeated call does no harm."""
    tag = (
        Tag.objects.filter(pk=tag_id, look_asked_at__isnull=False)
        .select_related("article__wiki", "candidate")
        .first()
    )
    if tag is None:
        return
    watch_tags([tag])
    # Asked for again meanwhile, it is looked at again.
    Tag.objects.filter(pk=tag_id, look_asked_at=tag.look_asked_at).update(look_asked_at=None)


def _watch_wiki(wiki: Wiki, tags: Sequence[Tag]) -> Iterator[WatchResult]:
    """Get the newest revisions, 50 pages per request, and the texts of unseen ones. One result per tag."""
    client = WikiClient(wiki.api_url, contact=settings.WIKI_CONTACT)
    by_page: dict[int, list[Tag]] = defaultdict(list)
    for tag in tags:
        by_page[tag.article.page_id or 0].append(tag)
    pages = client.pages_now(by_page)
    last = watch_states(tags)
    changed: list[PageNow] = []
    for page_id, of_page in by_page.items():
        page = pages.get(page_id)
        if page is None or not page.revision_id or page.is_redirect:
            gone = _article_gone(page)
            yield from (_record(tag, gone, wiki, page) for tag in of_page)
        elif all(tag.pk in last and last[tag.pk].revision_id == page.revision_id for tag in of_page):
            yield from (_seen_again(last[tag.pk]) for tag in of_page)
        else:
            changed.append(page)
    for round_ in in_chunks(changed, PAGES_A_ROUND):
        texts = client.texts(page.revision_id for page in round_)
        for page in round_:
            of_page, text = by_page[page.page_id], texts.get(page.revision_id)
            findings = _look(wiki, of_page, page, text)
            for tag, finding in zip(of_page, findings, strict=True):
                yield _record(tag, finding, wiki, page, text)


def _article_gone(page: PageNow | None) -> Finding:
    if page is not None and page.is_redirect:
        return Finding(WatchState.ARTICLE_GONE, say("The article has become a redirect to another one."), "", False)
    return Finding(WatchState.ARTICLE_GONE, say("The article has been deleted from the wiki."), "", False)


# --- Looking at one article ------------------------------------------------------------------------------------


def _look(wiki: Wiki, tags: Sequence[Tag], page: PageNow, text: RevisionText | None) -> list[Finding]:
    if text is None or text.wikitext is None:
        hidden = Finding(WatchState.UNKNOWN, say("The wiki hides the article's newest revision from readers."))
        return [hidden] * len(tags)
    if all(tag.article.revision_id == page.revision_id for tag in tags):
        return [_as_read(tag) for tag in tags]
    families = known_names(wiki)
    try:
        found = extract_tags(text.wikitext, seconds=settings.EXTRACTION_SECONDS, families=families)
        lines = _Lines(families, text.wikitext)
        there = _counterparts(tags, found)
        return [
            _finding_of_texts(tag, lines) if tag.is_found_by_program else _finding(tag, there.get(tag.pk), lines)
            for tag in tags
        ]
    except GivenUp as error:
        return [
            Finding(WatchState.UNKNOWN, say("The article could not be read. {reason}", reason=error.reason))
        ] * len(tags)


def _as_read(tag: Tag) -> Finding:
    """The finding while the article has the revision that was read."""
    if tag.is_found_by_program:
        return Finding(WatchState.UNCHANGED, BOTH_STAND)
    return Finding(WatchState.UNCHANGED, tag_is_there=True)


class _Lines:
    """The lines of the article now and at other revisions, computed when needed."""

    def __init__(self, families: dict[str, str], wikitext_now: str):
        self.families = families
        self.wikitext_now = wikitext_now
        self._texts: dict[str, str] = {}

    def now(self) -> str:
        return self.of(self.wikitext_now)

    def has(self, passage: Passage) -> bool:
        """Return whether the article has the passage now."""
        return normalised(passage.text) in self.now()

    def of(self, wikitext: str) -> str:
        if wikitext not in self._texts:
            lines = in_child(
                "plain_lines", seconds=settings.EXTRACTION_SECONDS, wikitext=wikitext, families=self.families
            )
            self._texts[wikitext] = normalised("\n".join(lines))
        return self._texts[wikitext]


def _counterparts(tags: Sequence[Tag], found: Sequence[FoundTag]) -> dict[int, FoundTag]:
    """For each earlier tag, its counterpart in the newest revision."""
    page = {tag.article.page_id for tag in tags}
    of_page = Tag.objects.filter(article__wiki=tags[0].article.wiki, article__page_id__in=page, candidate=None)
    known = list(of_page.order_by("start"))
    new = [
        SimpleNamespace(
            raw=one.tag,
            family=one.family,
            date=one.date,
            section=one.section,
            paragraph=one.paragraph,
            paragraph_clean=one.paragraph_clean,
        )
        for one in found
    ]
    earlier = match_tags(known, [], new)
    return {old.pk: one for old, one in zip(earlier, found, strict=True) if old is not None}


def _finding(tag: Tag, there: FoundTag | None, lines: _Lines) -> Finding:
    changed = list(_changed_passages(tag, there, lines))
    if there is None:
        gone = (
            say("The tag is no longer in the article; the passages have changed as well.")
            if changed
            else say("The tag is no longer in the article; the passages are still there.")
        )
        return Finding(WatchState.TAG_GONE, gone, "", False)
    if changed:
        return Finding(
            WatchState.CHANGED,
            say(
                "The tag is still there, but the article no longer says {texts} as it did.",
                texts=joined_names(changed),
            ),
            there.paragraph_clean,
            True,
        )
    return Finding(WatchState.UNCHANGED, tag_is_there=True)


def _finding_of_texts(tag: Tag, lines: _Lines) -> Finding:
    """The finding for a tag that the program made: whether the texts that it compared still stand."""
    assert tag.candidate is not None  # noqa: S101 - the caller asks only for these
    title, texts = tag.article.title, [tag.candidate.text_1, tag.candidate.text_2]
    then, now = (standing(title, wikitext, texts) for wikitext in (tag.article.wikitext, lines.wikitext_now))
    if not all(then):
        return Finding(WatchState.UNKNOWN, say("It cannot be told whether both texts still stand in the article."))
    changed: list[str] = [
        name for name, stands in zip((say("the first text"), say("the second text")), now, strict=True) if not stands
    ]
    changed += [_name_of(passage) for passage in _stood(tag, lines) if not lines.has(passage)]
    if changed:
        message = say("The article no longer has {texts} as found.", texts=joined_names(changed))
        return Finding(WatchState.CHANGED, message)
    return Finding(WatchState.UNCHANGED, BOTH_STAND)


def _changed_passages(tag: Tag, there: FoundTag | None, lines: _Lines) -> Iterator[str]:
    """The names of the annotated texts that are no longer in the article: passages, or the paragraph."""
    stood = _stood(tag, lines)
    yield from (_name_of(passage) for passage in stood if not lines.has(passage))
    if stood or not tag.paragraph_clean:
        return
    if there is not None:
        if normalised(there.paragraph_clean) != normalised(tag.paragraph_clean):
            yield say_in("in a list of texts", "the tagged paragraph")
    elif normalised(tag.paragraph_clean) not in lines.now():
        yield say_in("in a list of texts", "the tagged paragraph")


def _name_of(passage: Passage) -> str:
    return say("passage {position}", position=passage.position)


def _stood(tag: Tag, lines: _Lines) -> list[Passage]:
    """The annotated passages that were in the article when it was read."""
    passages = list(_passages_of(tag))
    then = lines.of(tag.article.wikitext) if passages and tag.article.wikitext else ""
    return [passage for passage in passages if then and normalised(passage.text) in then]


def _passages_of(tag: Tag) -> Iterator[Passage]:
    """The passages of this article in the annotation that counts: the accepted one, otherwise the newest
    submitted.
    """
    annotations = Annotation.objects.filter(tag=tag).exclude(state=AnnotationState.DRAFT)
    accepted = [one for one in annotations if one.state == AnnotationState.ACCEPTED]
    chosen = (accepted or list(annotations.order_by("-submitted_at")))[:1]
    for passage in (passage for annotation in chosen for passage in passages_of(annotation)):
        if passage.text.strip() and same_title(passage.article_title, tag.article.title):
            yield passage


# --- Rows ------------------------------------------------------------------------------------------------------


@transaction.atomic
def _record(
    tag: Tag, finding: Finding, wiki: Wiki, page: PageNow | None, text: RevisionText | None = None
) -> WatchResult:
    """Store the finding as a new row; if the same was found at the same revision before, record on that row that it
    was seen again.
    """
    revision_id = page.revision_id or None if page else None
    before = WatchResult.objects.select_for_update().filter(tag=tag).order_by("-pk").first()
    if before and (before.state, before.revision_id) == (finding.state, revision_id):
        return _seen_again(before)
    result = WatchResult.objects.create(
        tag=tag,
        state=finding.state,
        message=finding.message,
        title=(page.title if page else "")[:500],
        revision_id=revision_id,
        revised_at=text.at if text else None,
        url=revision_url(wiki, revision_id) if revision_id else "",
        paragraph=finding.paragraph,
        tag_is_there=finding.tag_is_there,
    )
    if (before.state if before else WatchState.UNCHANGED) != finding.state:
        Event.record(
            AnnotationAction.WATCHED,
            tag,
            before={"state": before.state} if before else {},
            after={"state": finding.state, "revision_id": revision_id},
            message=finding.message,
        )
    return result


def _seen_again(result: WatchResult) -> WatchResult:
    result.last_seen_at = timezone.now()
    result.save(update_fields=["last_seen_at"])
    return result
