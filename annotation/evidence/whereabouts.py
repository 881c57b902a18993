"""Finds the wiki that has a requested article, and the address of a revision."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from core.languages import say
from core.models import Event
from core.refusals import Refusal

from ..mediawiki import refuse_unasked
from ..mediawiki.wiki import title_of
from ..models import AnnotationAction, Tag, Wiki

_LANGUAGE = r"[a-z]{2,3}(?:-[a-z]{2,8}){0,2}|simple"
_WITH_LANGUAGE = re.compile(rf":?({_LANGUAGE}):(\S.*)")
LONGEST_TITLE = 255  # bytes, as MediaWiki has it


@dataclass(frozen=True, slots=True)
class Page:
    wiki: Wiki
    title: str


def find_page(text: str, tag: Tag) -> Page:
    """The wiki and title for the text. Raises `Refusal` if no allowed wiki has such a page."""
    text = " ".join(text.replace("\0", "").split())
    home = tag.article.wiki if tag.article.wiki and tag.article.wiki.is_allowed else None
    if re.match(r"https?://", text):
        wiki, title = _wiki_at(urlsplit_host(text)), title_of(text)
    elif (match := _WITH_LANGUAGE.match(text)) and home and (sister := _sister(home, match[1])):
        wiki, title = sister, title_of(match[2])
    elif home is None:
        raise Refusal(
            say(
                "This article came from a file, so there is no wiki to ask. Give the address of the article instead."
            ),
            status=400,
        )
    else:
        wiki, title = home, title_of(text)
    title = title.partition("#")[0].strip()
    if not title or len(title.encode()) > LONGEST_TITLE or re.search(r"[<>\[\]{}|]|://", title):
        raise Refusal(say("“{text}” is neither a title nor the address of an article.", text=text[:100]), status=400)
    return Page(wiki, title)


def urlsplit_host(address: str) -> str:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        host, port = "", ""
    return re.sub(r"^([a-z-]+)\.m\.", r"\1.", host) + port  # the mobile site


def _wiki_at(host: str) -> Wiki:
    """The allowed wiki at this host. Raises `Refusal` if there is none."""
    wikis = list(Wiki.objects.all())
    at_host = [wiki for wiki in wikis if urlsplit_host(wiki.api_url) == host]
    for wiki in at_host:
        if wiki.is_allowed:
            return wiki
    language, _, family = host.partition(".")
    if not at_host and re.fullmatch(_LANGUAGE, language):
        for wiki in wikis:
            if wiki.is_allowed and urlsplit_host(wiki.api_url).partition(".")[2] == family:
                sister = _sister(wiki, language)
                if sister:
                    return sister
    raise Refusal(
        say(
            "{host} is not a wiki that may be asked. An admin can allow it on the Wikis page.",
            host=host or say("This address"),
        ),
        status=403,
    )


def _sister(wiki: Wiki, language: str) -> Wiki | None:
    """The allowed wiki of the same family in this language; with WIKI_SAME_FAMILY, also a wiki that is new here."""
    host = urlsplit_host(wiki.api_url)
    own, _, family = host.partition(".")
    if own != wiki.language or "." not in family:
        return None
    api_url = wiki.api_url.replace(f"//{own}.{family}", f"//{language}.{family}", 1)
    known = Wiki.objects.filter(api_url=api_url).first()
    if known or not settings.WIKI_SAME_FAMILY:
        return known if known and known.is_allowed else None
    refuse_unasked(api_url, contact=settings.WIKI_CONTACT)
    sister = Wiki.objects.create(name=f"{language}.{family}"[:100], api_url=api_url, language=language)
    message = f"Of the same family as {host}, which the setting WIKI_SAME_FAMILY allows."
    Event.record(AnnotationAction.ALLOWED, sister, after={"is_allowed": True, "api_url": api_url}, message=message)
    return sister


def revision_url(wiki: Wiki, revision_id: int, *, difference: bool = False) -> str:
    """The address of a revision on the wiki, or of its difference from the one before."""
    script = re.sub(r"api\.php$", "index.php", wiki.api_url)
    return f"{script}?{'diff' if difference else 'oldid'}={revision_id}"
