"""The worker's part of a harvest: claim it, read its pages step by step, store each step with a checkpoint."""

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from django.conf import settings
from django.db import DatabaseError, Error, transaction
from django.db.models import F

from core.killable import GivenUp
from core.languages import say
from core.refusals import Refusal
from core.writing.leases import LeaseLost

from ..mediawiki import PageRevision, WikiError
from ..mediawiki import Wiki as WikiClient
from ..models import DumpRange, Harvest, HarvestState, Wiki
from ..wikitext.extraction import extract_tags
from ..wikitext.tags import FoundTag
from .dumps.dump import DumpError
from .harvests import ASKS_THE_WIKI, HarvestHold, claim_harvest, end_harvest, join_harvest
from .revisions import Stored, mark_left
from .sources import Step, known_names, steps, wiki_of
from .storing import Reading, note_problem, store_readings, store_records

logger = logging.getLogger(__name__)

# Pages are parsed in other processes: this many at the same time.
AT_ONCE = min(4, len(os.sched_getaffinity(0)))


def run_harvest(
    harvest_id: int,
    *,
    contact: str = "",
    processes: int | None = None,
    on_step: Callable[[Harvest], object] = lambda harvest: None,
) -> Harvest | None:
    """Work on the harvest until it ends and return it; None if this worker has nothing to do.

    Errors of the wiki or file end the harvest as failed, with a message; it can be resumed unless its file is
    damaged. A repeated call does no harm. `contact` is sent to the wiki instead of the setting; `processes`
    read a dump of many streams, by default one for each core; `on_step` is called with the harvest after each step.
    """
    harvest = claim_harvest(harvest_id) or join_harvest(harvest_id)
    if harvest is None:
        return None
    hold = HarvestHold(harvest)
    try:
        for step in steps(hold, client=lambda: _client(harvest, contact, hold), processes=processes):
            _store(hold, step, _readings(hold, step))
            on_step(harvest)
    except LeaseLost:
        pass
    except DumpError as error:
        whole = (harvest.cursor or {}).get("checkpoint", {}).get("whole", 0)
        message = say(
            "{error} The {whole:,} whole articles before that were read, and those with tags are stored.",
            error=str(error),
            whole=whole,
        )
        end_harvest(harvest, HarvestState.FAILED, hold=hold, error=message, can_resume=False)
    except (WikiError, Refusal, OSError) as error:
        end_harvest(harvest, HarvestState.FAILED, hold=hold, error=str(error) or type(error).__name__)
    except DatabaseError:
        raise  # nothing can be written now; when the lease has lapsed, the next worker continues
    except KeyboardInterrupt:
        end_harvest(harvest, HarvestState.FAILED, hold=hold, error=say("It was interrupted by hand."))
        raise
    except Exception as error:
        logger.exception("harvest %s", harvest.pk)
        message = say("Something unexpected happened ({error}).", error=f"{type(error).__name__}: {error}")
        end_harvest(harvest, HarvestState.FAILED, hold=hold, error=message)
    else:
        end_harvest(harvest, HarvestState.DONE, hold=hold)
    finally:
        with suppress(Error):
            hold.hand_back()
    harvest.refresh_from_db()
    return harvest


def _client(harvest: Harvest, contact: str, hold: HarvestHold) -> WikiClient:
    wiki = wiki_of(harvest)
    _refuse_disallowed(wiki)
    return WikiClient(wiki.api_url, contact=contact or settings.WIKI_CONTACT, sleep=hold.pause)


def _refuse_disallowed(wiki: Wiki) -> None:
    if not wiki.is_allowed:
        raise Refusal(
            say("The wiki {wiki} is no longer allowed. An admin can allow it on the Wikis page.", wiki=wiki)
        )


def _readings(hold: HarvestHold, step: Step) -> list[Reading]:
    names = known_names(hold.harvest.wiki)
    readings: list[Reading] = []
    with ThreadPoolExecutor(AT_ONCE) as readers:
        asked = [
            readers.submit(_found, names, page) if tags is None else tags
            for page, tags in zip_longest(step.pages, step.tags)
        ]
        for page, found in zip(step.pages, asked, strict=True):
            hold.renew_when_due()
            readings.append((page, found.result() if isinstance(found, Future) else found))
    return readings


def _found(names: dict[str, str], page: PageRevision) -> list[FoundTag] | str:
    try:
        return extract_tags(page.wikitext, seconds=settings.EXTRACTION_SECONDS, families=names)
    except GivenUp as error:
        return str(error)


@transaction.atomic
def _store(hold: HarvestHold, step: Step, readings: list[Reading]) -> None:
    """Store the results of a step, with the counters and the checkpoint from which the next one continues."""
    harvest = hold.harvest
    hold.renew()  # first: this locks the row, so that a cancel waits for the step or prevents it
    if harvest.wiki_id:
        wiki = Wiki.objects.select_for_update().get(pk=harvest.wiki_id)
        if harvest.source in ASKS_THE_WIKI:
            _refuse_disallowed(wiki)
    stored = store_readings(harvest, readings)
    stored += store_records(harvest, step.records)
    for missing in step.missing:
        if step.asked_for:
            note_problem(harvest, missing.title, missing.reason)
        if missing.is_gone:
            stored.tags_gone += mark_left(wiki=wiki_of(harvest), title=missing.title, message=missing.reason)
    _count(harvest, step, stored)


def _count(harvest: Harvest, step: Step, stored: Stored) -> None:
    cursor: dict[str, Any] = {**(harvest.cursor or {}), "checkpoint": step.checkpoint, "tries": 0}
    seen = step.seen
    if seen is None:
        known = set(cursor.get("seen", []))
        new = [page.page_id for page in step.pages if page.page_id not in known]
        cursor["seen"] = [*cursor.get("seen", []), *new]
        seen = len(new)
    harvest.cursor = cursor
    Harvest.objects.filter(pk=harvest.pk).update(
        cursor=cursor,
        articles_total=step.total if step.total is not None else F("articles_total"),
        articles_seen=F("articles_seen") + seen,
        articles_new=F("articles_new") + stored.articles_new,
        tags_found=F("tags_found") + stored.tags_found,
        tags_new=F("tags_new") + stored.tags_new,
        tags_gone=F("tags_gone") + stored.tags_gone,
    )
    if behind := step.checkpoint.get("behind"):
        DumpRange.objects.filter(harvest=harvest, end__lte=behind["packed"]).delete()
    harvest.refresh_from_db(
        fields=["articles_total", "articles_seen", "articles_new", "tags_found", "tags_new", "tags_gone"]
    )
