"""Asks a wiki for names and descriptions of entities that are known by their ids, 50 with one request."""

from collections.abc import Iterator, Sequence

from django.conf import settings
from django.db import transaction

from annotation.mediawiki import WikiError
from annotation.mediawiki.endpoint import Endpoint
from annotation.models import Wiki
from core.engine.writing.pieces import in_chunks
from core.files.problems import ShapeError, check_storable
from core.languages import say
from core.refusals import Refusal
from core.writing.progress import along

from ..content.entities import ITEM, described
from ..content.entities import Entity as ToldEntity
from ..models import Entity
from .fitness import assess_facts, assess_relations
from .importing import LANGUAGE
from .storing import facts_with, store_entities

IDS_A_REQUEST = 50


def waiting_for_names() -> list[str]:
    """The ids of the entities without a name, in their order."""
    waiting = Entity.objects.filter(name="", is_missing=False).order_by("pk").values_list("key", flat=True)
    return [key for key in waiting if ITEM.fullmatch(key)]


def fetch_names_from(wiki: Wiki) -> int:
    """Ask an allowed wiki as `fetch_names` does. Raises Refusal if it is not allowed, and WikiError."""
    if not wiki.is_allowed:
        raise Refusal(say("{wiki} is not allowed. An admin can allow it on the Wikis page.", wiki=wiki), status=400)
    return fetch_names(Endpoint(wiki.api_url, contact=settings.WIKI_CONTACT))


def fetch_names(endpoint: Endpoint) -> int:
    """Ask the wiki for what waits for a name; returns the number of names found. Those that the wiki does not have
    are not asked for again. Each reply is stored before the next request. Raises WikiError.
    """
    found = 0
    ids = waiting_for_names()
    try:
        for chunk in in_chunks(along(say("Fetching names"), ids, of=len(ids)), IDS_A_REQUEST):
            found += store_reply(list(chunk), ask(endpoint, list(chunk)))
    finally:
        assess_relations()
    return found


def ask(endpoint: Endpoint, ids: Sequence[str]) -> dict[str, object]:
    """The entities of a reply by the requested ids: a redirect leads to another entity."""
    reply = endpoint.query(
        action="wbgetentities", ids="|".join(ids), props="labels|descriptions|aliases", languages=LANGUAGE
    )
    entities = reply.get("entities")
    if not isinstance(entities, dict):
        raise WikiError(say("{host} gives no entities: it is no wiki with data.", host=endpoint.host))
    return entities


@transaction.atomic
def store_reply(ids: Sequence[str], entities: dict[str, object]) -> int:
    named = {each.key: each for each in named_in(entities) if each.name}
    wanted = [named[key] for key in ids if key in named]
    store_entities(wanted)
    missing = Entity.objects.filter(key__in=[key for key in ids if key not in named], name="")
    gone = list(missing)
    missing.update(is_missing=True)
    assess_facts(facts_with(gone))
    return len(wanted)


def named_in(entities: dict[str, object]) -> Iterator[ToldEntity]:
    for key, record in entities.items():
        if not isinstance(record, dict) or "missing" in record:
            continue
        try:
            check_storable(record)
            told = described({**record, "id": key, "claims": {}}, language=LANGUAGE)
        except ShapeError:
            continue
        yield told
