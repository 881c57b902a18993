"""Previews a harvest: asks the wiki before starting it."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from core.languages import say
from core.refusals import Refusal

from ..mediawiki import Wiki as WikiClient
from ..mediawiki import WikiError
from ..mediawiki.wiki import MOST_COUNTED
from ..models import Harvest, HarvestSource, Wiki
from .sources import asked_names


@dataclass(frozen=True, slots=True)
class Preview:
    """`articles` is None if there are too many to count; `unread` is the number of sub-categories left out."""

    articles: int | None
    unread: int = 0
    is_about: bool = False
    most_counted: int = MOST_COUNTED


def preview_harvest(*, source: str, wiki: Wiki, parameters: dict[str, Any]) -> Preview:
    """Count the articles of a harvest by template or category. Raises `Refusal` if the wiki does not answer.

    A person is waiting for the page: if the wiki asks us to wait, they can try again.
    """
    client = WikiClient(wiki.api_url, contact=settings.WIKI_CONTACT, timeout=(5.0, 15.0), max_wait=5.0)
    try:
        if source == HarvestSource.CATEGORY:
            # The wiki counts the talk pages in a category together with its articles.
            articles, unread = client.category_size(parameters["category"], depth=parameters.get("depth", 0))
            return Preview(articles, unread, is_about=True)
        names = asked_names(Harvest(source=source, wiki=wiki, parameters=parameters))
        return Preview(client.count_with_templates(names))
    except WikiError as error:
        raise Refusal(say("It could not be counted. {error}", error=str(error)), status=409) from error
