"""Fetches and stores each kind of evidence. Stored evidence never changes; if something is not available, the reason
is stored.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from core.killable import GivenUp
from core.languages import say
from core.refusals import Refusal

from ..harvesting.sources import known_names
from ..mediawiki import ApiError, NotAnApi, NotAsked, RenderedPage, RevisionStub, WikiError
from ..mediawiki import Wiki as WikiClient
from ..mediawiki.revisions import GONE_CODES, HIDDEN_CODES
from ..models import Article, Evidence, EvidenceKind, EvidencePage, EvidenceRequest, Rendering, Tag, Wiki
from ..reading.marks import without_marks
from ..reading.sanitise import NOTE
from ..wikitext.extraction import in_child
from ..wikitext.languages import TALK
from .sharing import SharedClient
from .tag_history import Added, Search, TagNotThere
from .whereabouts import revision_url

# A person may be waiting: better to try a wiki in trouble again later than to hold on.
TIMEOUT, LONGEST_REPLY, LONGEST_WAIT = (5.0, 20.0), 60.0, 8.0
MOST_TRIES, MOST_TRIES_WITHOUT_API = 8, 3
NO_EDIT = say("The program found this contradiction. No editor tagged it, so no edit added a tag.")
FROM_A_FILE = say("This article came from a file, so there is no wiki to ask.")
SAMPLE = say("This is a sample article, not linked to a live wiki.")


class NotToBeHad(Exception):
    """Raised if there is no such evidence; the message says why, for the annotator."""


class TryLater(Exception):
    """Raised if it is not available now; the message says why."""

    def __init__(self, message: str, *, retry_after: float | None = None, most_tries: int = MOST_TRIES):
        super().__init__(message)
        self.retry_after = retry_after
        self.most_tries = most_tries


def fetch_request(request: EvidenceRequest, *, renew: Callable[[], None] = lambda: None) -> Evidence:
    """Fetch and store the requested evidence; returns it. `renew` is called from time to time.

    Raises `NotToBeHad` and `TryLater`.
    """
    fetch = {
        EvidenceKind.ARTICLE: _article,
        EvidenceKind.HISTORY: _history,
        EvidenceKind.TALK: _talk,
        EvidenceKind.OTHER: _other,
        EvidenceKind.FURTHER: _further,
    }[EvidenceKind(request.kind)]
    try:
        return fetch(request, renew)
    except GivenUp as error:
        raise NotToBeHad(say("The page could not be made readable. {reason}", reason=error.reason)) from error
    except Refusal as refusal:
        raise NotToBeHad(refusal.message) from refusal
    except WikiError as error:
        raise _in_words(error) from error


def location_of(tag: Tag) -> dict[str, Any]:
    """The location of a tag, as `tagged_block.TagLocation` takes it."""
    names = ("family", "paragraph", "paragraph_clean", "section", "placement", "occurrence")
    return {name: getattr(tag, name) for name in names}


# --- The article -----------------------------------------------------------------------------------------------


def _article(request: EvidenceRequest, renew: Callable[[], None]) -> Evidence:
    """The article as the wiki shows the tagged revision; otherwise built from the stored text, with the reason in its
    notes.
    """
    article, tag = request.article, request.tag
    if request.wiki is None:
        return _made_here(tag, article)
    if not request.wiki.is_allowed:
        return _made_here(tag, article, note=_not_allowed(request.wiki))
    try:
        page = _from_sibling(tag, article) or _arranged_article(request, tag, article)
    except ApiError as error:
        if not article.wikitext:
            raise
        return _made_here(tag, article, note=str(_in_words(error)))
    except GivenUp as error:
        if not article.wikitext:
            raise
        return _made_here(tag, article, note=f"The wiki's page could not be made readable. {error.reason}")
    except WikiError:
        if article.wikitext:
            _made_here(tag, article)  # to work with in the meantime
        raise
    return _keep_stored(tag, EvidenceKind.ARTICLE, article, page, rendering=Rendering.WIKI)


def _arranged_article(request: EvidenceRequest, tag: Tag, article: Article) -> dict[str, Any]:
    rendered = _client(request).rendered(revision_id=article.revision_id)
    page = _arranged(rendered, _page_url(request, article.url), prefix="article", location=location_of(tag))
    if rendered.title != article.title:
        page["renamed_to"] = rendered.title
        page["notes"].append(f"The article is now called “{rendered.title}”.")
    return page


def _from_sibling(tag: Tag, article: Article) -> dict[str, Any] | None:
    """The page already stored for another tag of the same revision, with the mark moved; None if there is none."""
    kept = Evidence.objects.filter(kind=EvidenceKind.ARTICLE, rendering=Rendering.WIKI, wiki=article.wiki)
    sibling = kept.filter(revision_id=article.revision_id).exclude(tag=tag).select_related("page").first()
    stored = sibling.page.html if sibling and sibling.page else ""
    if not sibling or not stored or NOTE in stored:  # a page that was cut may lack this tag's paragraph
        return None
    page = _in_child("marked_again", stored=stored, location=location_of(tag))
    kept_details = {name: sibling.details[name] for name in ("headings", "renamed_to") if name in sibling.details}
    return {**page, **kept_details}


def _made_here(tag: Tag, article: Article, *, note: str = "") -> Evidence:
    """The article built from the stored wikitext; for tasks JSON, from its paragraph."""
    if article.wikitext:
        rendering = Rendering.WIKITEXT
        page = _in_child(
            "readable_page",
            wikitext=article.wikitext,
            page_url=article.url,
            prefix="article",
            location=location_of(tag),
            families=known_names(article.wiki),
        )
    elif tag.paragraph:
        rendering = Rendering.PARAGRAPH
        page = _in_child("readable_text", text=tag.paragraph, prefix="article", location=location_of(tag))
    else:
        raise NotToBeHad(say("{note} Neither an article nor a paragraph is stored.", note=note or FROM_A_FILE))
    if note:
        page["notes"].append(note)
    return _keep_stored(tag, EvidenceKind.ARTICLE, article, page, rendering=rendering)


def _keep_stored(
    tag: Tag, kind: EvidenceKind, article: Article, page: dict[str, Any], *, rendering: Rendering
) -> Evidence:
    """Store the page of an article at the stored revision."""
    return _keep(
        tag,
        kind,
        rendering=rendering,
        wiki=article.wiki,
        title=article.title,
        language=article.wiki.language if article.wiki else "",
        revision_id=article.revision_id,
        revised_at=article.revised_at,
        url=_own_address(article),
        page=page,
    )


def _own_address(article: Article) -> str:
    """The address of the revision; imported tasks may name any address."""
    if article.wiki and article.wiki.is_allowed and article.revision_id:
        return revision_url(article.wiki, article.revision_id)
    return article.url if article.url.startswith(("https://", "http://")) else ""


# --- Its history -----------------------------------------------------------------------------------------------


class _History:
    """A page's history on its wiki, as `tag_history.Search` asks for it."""

    def __init__(self, client: SharedClient, page_id: int, renew: Callable[[], None]):
        self.client, self.page_id, self.renew = client, page_id, renew

    def before(self, revision_id: int) -> Sequence[RevisionStub]:
        self.renew()
        return self.client.revisions_before(self.page_id, revision_id)

    def at(self, moment: datetime) -> tuple[RevisionStub, str | None] | None:
        self.renew()
        return self.client.revision_at(self.page_id, moment)

    def texts(self, revision_ids: Iterable[int]) -> dict[int, str | None]:
        self.renew()
        return {one: text.wikitext for one, text in self.client.texts(revision_ids).items()}


def _history(request: EvidenceRequest, renew: Callable[[], None]) -> Evidence:
    """The revision that added the tag, with its change of the paragraph."""
    tag, article = request.tag, request.article
    if tag.is_found_by_program:
        raise NotToBeHad(NO_EDIT)
    wiki = _asked_wiki(request)
    if article.page_id is None or article.revision_id is None or tag.start is None:
        raise NotToBeHad(
            say("The page's number or the position of the tag is not known, so its history was not searched.")
        )
    families = known_names(wiki)
    names = [name for name, family in families.items() if family == tag.family]
    history = _History(_client(request), article.page_id, renew)
    search = Search(history, names=names, known={article.revision_id: article.wikitext} if article.wikitext else {})
    try:
        added = search.added(article.revision_id, start=tag.start, hint=tag.date)
    except TagNotThere as error:
        raise NotToBeHad(say("The wiki no longer provides the text of the tagged revision.")) from error
    change = _in_child(
        "paragraph_change",
        before=added.text_before,
        after=added.text,
        start=added.occurrence.start,
        families=families,
    )
    return _keep(
        tag,
        EvidenceKind.HISTORY,
        wiki=wiki,
        title=article.title,
        language=wiki.language,
        revision_id=added.revision.id,
        revised_at=added.revision.at,
        url=revision_url(wiki, added.revision.id, difference=True),
        page={"html": "", **_details_of(added, wiki), **change},
    )


def _details_of(added: Added, wiki: Wiki) -> dict[str, Any]:
    first = added.restored_from

    def named(revision: Any) -> dict[str, Any]:
        return {
            **_who(revision),
            "revision_id": revision.id,
            "at": revision.at.isoformat(),
            "url": revision_url(wiki, revision.id, difference=True),
        }

    return {
        **_who(added.revision),
        "is_new_page": added.before is None,
        "hidden_between": added.hidden,
        "looked_at": added.looked_at,
        "restored_from": named(first) if first is not None else None,
        "absences": [{"removed": named(one.removed), "restored": named(one.restored)} for one in added.absences],
    }


def _who(revision: Any) -> dict[str, Any]:
    return {
        "editor": revision.user or "",
        "editor_is_hidden": revision.user is None,
        "is_anonymous": revision.is_anonymous,
        "comment": revision.comment or "",
        "comment_is_hidden": revision.comment is None,
        "is_minor": revision.is_minor,
    }


# --- Other pages -----------------------------------------------------------------------------------------------


def _talk(request: EvidenceRequest, renew: Callable[[], None]) -> Evidence:
    """The current talk page, sections about the contradiction first."""
    tag, article, client = request.tag, request.article, _client(request)
    if article.page_id is None:
        raise NotToBeHad(say("The page's number is not known, so its talk page was not looked for."))
    now = client.page_now(article.page_id)
    if now is None or not now.revision_id:
        raise NotToBeHad(say("The article has been deleted from the wiki since, and its talk page with it."))
    if not now.has_talk or not now.talk_title:
        raise NotToBeHad(say("This article has no talk page."))
    renew()
    rendered = client.rendered(title=now.talk_title)
    page = _in_child(
        "talk_page",
        source=rendered.html,
        page_url=_page_url(request, article.url),
        prefix="talk",
        said=f"{tag.reason} {tag.paragraph_clean}",
        section=_named_talk_section(tag.raw),
    )
    return _kept_page(request, rendered, page)


def _named_talk_section(raw: str) -> str:
    """The heading that a banner names: {{contradict|talk=Which year?}}."""
    for argument in raw.split("|")[1:]:
        name, _, value = argument.partition("=")
        if name.strip().lower() in TALK:
            return value.partition("#")[2].strip() or value.strip()
    return ""


def _other(request: EvidenceRequest, renew: Callable[[], None]) -> Evidence:
    """The other article named by the tag, in its current state; for a dump, as in the dump."""
    wiki = request.wiki
    if wiki is not None and wiki.is_allowed:
        return _further(request, renew)
    stored = Article.objects.filter(title=request.subject, wiki=wiki, wiki__isnull=False).exclude(wikitext="")
    article = stored.order_by("-revised_at", "-pk").first()
    if article is None:
        where = _not_allowed(wiki) if wiki else FROM_A_FILE
        raise NotToBeHad(
            say("{where} “{subject}” is not among the stored articles either.", where=where, subject=request.subject)
        )
    page = _in_child(
        "readable_page",
        wikitext=article.wikitext,
        page_url=article.url,
        prefix=f"page{request.pk}",
        location=None,
        families=known_names(wiki),
    )
    return _keep_stored(request.tag, EvidenceKind.OTHER, article, page, rendering=Rendering.WIKITEXT)


def _further(request: EvidenceRequest, renew: Callable[[], None]) -> Evidence:
    """An article by its title, in its current state."""
    wiki = _asked_wiki(request)
    rendered = _client(request).rendered(title=request.subject)
    renew()
    page = _arranged(rendered, revision_url(wiki, rendered.revision_id), prefix=f"page{request.pk}", location=None)
    if rendered.redirected_from:
        page["notes"].append(f"“{rendered.redirected_from}” redirects to “{rendered.title}”.")
    return _kept_page(request, rendered, page)


def _kept_page(request: EvidenceRequest, rendered: RenderedPage, page: dict[str, Any]) -> Evidence:
    wiki = _asked_wiki(request)
    return _keep(
        request.tag,
        EvidenceKind(request.kind),
        wiki=wiki,
        title=rendered.title,
        language=wiki.language,
        revision_id=rendered.revision_id,
        url=revision_url(wiki, rendered.revision_id),
        page=page,
    )


# --- What all do -----------------------------------------------------------------------------------------------


def _asked_wiki(request: EvidenceRequest) -> Wiki:
    """The wiki, if it may be asked."""
    if request.wiki is None:
        raise NotToBeHad(FROM_A_FILE)
    if not request.wiki.is_allowed:
        raise NotToBeHad(_not_allowed(request.wiki))
    return request.wiki


def _not_allowed(wiki: Wiki) -> str:
    if wiki.is_made_up:
        return SAMPLE
    return f"The wiki “{wiki}” was not asked, because it is not allowed. An admin can allow it on the Wikis page."


def _client(request: EvidenceRequest) -> SharedClient:
    client = WikiClient(
        _asked_wiki(request).api_url,
        contact=settings.WIKI_CONTACT,
        timeout=TIMEOUT,
        longest_reply=LONGEST_REPLY,
        max_wait=LONGEST_WAIT,
    )
    return SharedClient(client, page=(request.wiki_id, request.article_id), asked_at=request.not_before)


def _page_url(request: EvidenceRequest, article_url: str) -> str:
    return article_url or _asked_wiki(request).api_url


def _arranged(
    rendered: RenderedPage, page_url: str, *, prefix: str, location: dict[str, Any] | None
) -> dict[str, Any]:
    return _in_child("article_page", source=rendered.html, page_url=page_url, prefix=prefix, location=location)


def _in_child(work: str, **arguments: Any) -> dict[str, Any]:
    return in_child(work, seconds=settings.EXTRACTION_SECONDS, **arguments)


def _keep(
    tag: Tag,
    kind: EvidenceKind,
    *,
    page: dict[str, Any],
    wiki: Wiki | None,
    title: str,
    revision_id: int | None,
    rendering: Rendering = Rendering.WIKI,
    **values: Any,
) -> Evidence:
    """Store it as a frozen row; if the same content was fetched before, return that row."""
    details = dict(page)
    text, marks = without_marks(details.pop("html"))
    title = title[:500]
    unnumbered = revision_id is None or wiki is None
    same = {"title": title} if unnumbered else {"wiki": wiki, "revision_id": revision_id}
    mine = Evidence.objects.filter(tag=tag, kind=kind, rendering=rendering, **same)
    try:
        with transaction.atomic():
            return mine.first() or Evidence.objects.create(
                tag=tag,
                kind=kind,
                rendering=rendering,
                wiki=wiki,
                title=title,
                revision_id=revision_id,
                page=EvidencePage.of(text),
                marks=marks,
                details=details,
                **values,
            )
    except IntegrityError:  # another worker created it at the same moment
        return mine.get()


def _in_words(error: WikiError) -> NotToBeHad | TryLater:
    """The annotator's message for a wiki's error."""
    if isinstance(error, ApiError):
        if error.code in GONE_CODES:
            return NotToBeHad(
                say("The wiki no longer has it, or never had it: it was deleted or moved away. {error}", error=error)
            )
        if error.code in HIDDEN_CODES:
            return NotToBeHad(say("The wiki hides this revision from readers. {error}", error=error))
        return NotToBeHad(str(error))
    if isinstance(error, NotAsked):
        return TryLater(str(error))  # the operator may set what is missing
    if isinstance(error, NotAnApi):
        return TryLater(str(error), most_tries=MOST_TRIES_WITHOUT_API)
    if error.passing:
        return TryLater(str(error), retry_after=error.retry_after)
    return NotToBeHad(str(error))
