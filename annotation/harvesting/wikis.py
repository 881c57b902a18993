"""Manages the wikis that may be asked for articles: an admin allows each by hand, after the wiki has given its
name.
"""

from django.conf import settings
from django.db import transaction

from core.languages import say
from core.models import Event, User
from core.refusals import Refusal

from ..mediawiki import Wiki as WikiClient
from ..mediawiki import WikiError, normalise_api_url, refuse_unasked
from ..models import AnnotationAction, Wiki


def allow_wiki(*, address: str, by: User | None = None, contact: str = "") -> Wiki:
    """Allow the wiki at this address, after asking it for its name and licence; returns it.

    `address` may be a host, an article's address or that of the api.php. `by` is None at the command line. Raises
    `Refusal` if it is not an address, or does not answer as MediaWiki does.
    """
    api_url = normalise_api_url(address)
    contact = contact or settings.WIKI_CONTACT
    refuse_unasked(api_url, contact=contact)
    # A person waits for the page: if the wiki asks for patience, they try again.
    client = WikiClient(api_url, contact=contact, timeout=(5.0, 15.0), max_wait=5.0)
    try:
        site = client.site()
    except WikiError as error:
        raise Refusal(say("The wiki was not added. {error}", error=str(error)), status=409) from error
    values = {"name": f"{site.name} ({site.language})"[:100], "language": site.language[:20]}
    values |= {"licence": site.licence[:200], "licence_url": site.licence_url}
    return _allowed(client.endpoint.url, values, by)


@transaction.atomic
def _allowed(api_url: str, values: dict[str, str], by: User | None) -> Wiki:
    wiki, is_new = Wiki.objects.get_or_create(api_url=api_url, defaults={**values, "added_by": by})
    Wiki.objects.filter(pk=wiki.pk).update(is_allowed=True, **values)
    if is_new or not wiki.is_allowed:
        before = {} if is_new else {"is_allowed": False}
        Event.record(
            AnnotationAction.ALLOWED, wiki, actor=by, before=before, after={"is_allowed": True, "api_url": api_url}
        )
    wiki.refresh_from_db()
    return wiki


@transaction.atomic
def disallow_wiki(*, wiki: Wiki, by: User) -> None:
    """Disallow this wiki; a running harvest ends at its next request. Articles and tags are kept."""
    if Wiki.objects.filter(pk=wiki.pk, is_allowed=True).update(is_allowed=False):
        Event.record(
            AnnotationAction.DISALLOWED, wiki, actor=by, before={"is_allowed": True}, after={"is_allowed": False}
        )


def find_wiki(address: str) -> Wiki:
    """The allowed wiki with this address. Raises `Refusal` if there is none."""
    api_url = normalise_api_url(address)
    wiki = Wiki.objects.filter(api_url=api_url, is_allowed=True).first()
    if wiki is None:
        raise Refusal(
            say(
                "The wiki {api_url} is not allowed. An admin can allow it on the Wikis page, or add --allow.",
                api_url=api_url,
            )
        )
    return wiki
