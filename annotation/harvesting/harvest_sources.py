"""Where a harvest's pages come from: for each source an iterator of steps that can be taken up at any step."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..errors import Refusal
from ..mediawiki import Batch, MissingPage, PageRevision
from ..mediawiki import Wiki as WikiClient
from ..models import Harvest, HarvestSource, Tag, Wiki
from ..wikitext.families import FAMILIES, normalise_name
from ..wikitext.tags import may_have_tags
from .dump import read_dump
from .task_records import TaskRecord, read_task_records

PAGES_A_STEP = 50
# So that the bar moves and the lease is renewed while a dump holds nothing of use for a long while.
PAGES_READ_A_STEP = 2_000
RECORDS_A_STEP = 100


@dataclass(slots=True)
class Step:
    """A bite of work, stored in one transaction together with `place`, from which the next one goes on."""

    place: dict[str, Any]
    pages: list[PageRevision] = field(default_factory=list)
    missing: list[MissingPage] = field(default_factory=list)
    records: list[TaskRecord] = field(default_factory=list)
    total: int | None = None
    # Pages looked at; None where these are `pages`, of which each counts once.
    seen: int | None = None
    # Whether somebody asked for these very pages, so that a missing one is a problem to be told.
    asked_for: bool = True


def steps(harvest: Harvest, *, client: Callable[[], WikiClient]) -> Iterator[Step]:
    """The steps of a harvest from `harvest.cursor["place"]` on. Raises `WikiError`, `DumpError` and `Refusal`."""
    place = (harvest.cursor or {}).get("place")
    parameters = harvest.parameters
    if harvest.source == HarvestSource.DUMP:
        return _dump_steps(harvest, place)
    if harvest.source == HarvestSource.TASKS:
        return _record_steps(parameters["path"], place)
    if harvest.source == HarvestSource.TEMPLATE:
        return _template_steps(harvest, client(), place)
    at = place["at"] if place else None
    if harvest.source == HarvestSource.CATEGORY:
        return _steps_of(client().pages_in_category(parameters["category"], cursor=at))
    return _steps_of(client().pages_by_title(parameters["titles"], cursor=at))


def wiki_of(harvest: Harvest) -> Wiki:
    if harvest.wiki is None:
        raise Refusal("This harvest names no wiki.")
    return harvest.wiki


def known_names(wiki: Wiki | None) -> dict[str, str]:
    """Template name to family: the spellings known everywhere, and those that this wiki told."""
    return {**FAMILIES, **(wiki.aliases if wiki else {})}


def asked_names(harvest: Harvest) -> dict[str, str]:
    """Template name to family, of the templates that a harvest by template looks for: all, if it names none."""
    given: dict[str, str] = harvest.parameters.get("names", {})
    families: list[str] = harvest.parameters.get("families", [])
    known = known_names(harvest.wiki)
    if given or families:
        known = {name: family for name, family in known.items() if family in families}
    return {**known, **given}


def learned_names(spellings: Mapping[str, Iterable[str]], asked: Mapping[str, str]) -> dict[str, str]:
    """Template name to family, from what a wiki told of its templates and their redirects.

    `asked` are the names that were asked for. A template takes the family of its own name, else that of the first
    redirect with a family.
    """
    learned: dict[str, str] = {}
    for name, others in spellings.items():
        names = [normalise_name(one) for one in (name, *others)]
        family = next((asked[one] for one in names if one in asked), None)
        if family:
            learned |= dict.fromkeys(names, family)
    return learned


def names_of_lines(lines: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Template name to family, from lines `NAME` or `NAME=FAMILY`. Raises `Refusal` where the family is not known."""
    names = {}
    for line in lines:
        written, _, family = (part.strip() for part in line.partition("="))
        name = normalise_name(written)
        names[name] = family or known.get(name, "")
        if not names[name]:
            raise Refusal(
                f"The family of the template “{written}” is not known. Write {written}=inconsistent, "
                f"{written}=self-contradictory or {written}=contradict-other.",
                status=400,
            )
    return names


def _steps_of(batches: Iterable[Batch], **place: Any) -> Iterator[Step]:
    for batch in batches:
        yield Step({**place, "at": batch.cursor}, pages=batch.pages, missing=batch.missing, total=batch.total)


def _template_steps(harvest: Harvest, client: WikiClient, place: dict | None) -> Iterator[Step]:
    """First the articles that carry a template, then those known to have carried one that were not among them."""
    wiki = wiki_of(harvest)
    names = asked_names(harvest)
    listed: list[str] = []
    if place is None:
        spellings = client.template_names(names)
        given = harvest.parameters.get("names", {})
        wiki.aliases = {**wiki.aliases, **given, **learned_names(spellings, names)}
        wiki.save(update_fields=["aliases"])
        listed = [*spellings, *given] or list(names)
    if place is None or place["stage"] == "listed":
        at = place["at"] if place else None
        yield from _steps_of(client.pages_with_templates(listed, cursor=at), stage="listed")
        place = {"stage": "unlisted", "after": 0}
    families = sorted(set(names.values()))
    while pages := _unlisted_pages(harvest, families, place["after"]):
        place = {"stage": "unlisted", "after": max(pages)}
        for batch in client.pages_by_title(pages.values()):
            yield Step(place, pages=batch.pages, missing=batch.missing, asked_for=False)


def _unlisted_pages(harvest: Harvest, families: list[str], after: int) -> dict[int, str]:
    """Number and title of the next pages with present tags which this harvest has not met."""
    seen = set((harvest.cursor or {}).get("seen", []))
    tags = Tag.objects.present().filter(article__wiki=harvest.wiki, family__in=families, article__page_id__gt=after)
    rows = tags.order_by("article__page_id", "last_seen_in__revised_at")
    found: dict[int, str] = {}
    for page_id, title in rows.values_list("article__page_id", "last_seen_in__title").iterator():
        if page_id is None or page_id in seen:
            continue
        if page_id not in found and len(found) == PAGES_A_STEP:
            break
        found[page_id] = title
    return found


def _dump_steps(harvest: Harvest, place: dict | None) -> Iterator[Step]:
    read = place["read"] if place else 0
    tagged = set(
        Tag.objects.present().filter(article__wiki=harvest.wiki).values_list("article__page_id", flat=True).distinct()
    )
    names = known_names(harvest.wiki)
    pages: list[PageRevision] = []
    before = read
    for page in islice(read_dump(harvest.parameters["path"]), read, None):
        read += 1
        if page.page_id in tagged or may_have_tags(page.wikitext, names):
            pages.append(page)
        if len(pages) == PAGES_A_STEP or read - before == PAGES_READ_A_STEP:
            yield Step({"read": read}, pages=pages, seen=read - before)
            pages, before = [], read
    yield Step({"read": read}, pages=pages, seen=read - before)


def _record_steps(path: str, place: dict | None) -> Iterator[Step]:
    records = read_task_records(path)
    done = place["done"] if place else 0
    for start in range(done, len(records), RECORDS_A_STEP):
        chunk = records[start : start + RECORDS_A_STEP]
        yield Step({"done": start + len(chunk)}, records=chunk, total=len(records), seen=len(chunk))
