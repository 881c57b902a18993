"""The sources of a harvest's pages: for each an iterator of steps that can be resumed at any step."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings

from core.engine.writing.pieces import in_chunks
from core.languages import say
from core.refusals import Refusal

from ..mediawiki import Batch, MissingPage, PageRevision
from ..mediawiki import Wiki as WikiClient
from ..models import Harvest, HarvestSource, Tag, Wiki
from ..wikitext.families import FAMILIES, normalise_name
from ..wikitext.languages import families_of
from ..wikitext.tags import FoundTag, may_have_tags
from .dumps.dump import Checkpoint, DumpError, SoFar
from .dumps.ranges import parts_in_turn, so_far_of
from .dumps.sections import CORES, Read, Sections, Wanted, by_one_reader, has_many_streams, up_to_a_stream
from .harvests import HarvestHold
from .task_records import TaskRecord, read_task_records

PAGES_A_STEP = 50
# So that the progress bar moves and the lease is renewed while a dump has nothing of use for a long while.
PAGES_READ_A_STEP = 2_000
CHARACTERS_A_STEP = 20_000_000
RECORDS_A_STEP = 500


@dataclass(slots=True)
class Step:
    """A piece of work, stored in one transaction together with `checkpoint`, from which the next one continues."""

    checkpoint: dict[str, Any]
    pages: list[PageRevision] = field(default_factory=list)
    # For each of `pages` its tags; None, or no entry, if they have not been looked for.
    tags: list[list[FoundTag] | None] = field(default_factory=list)
    missing: list[MissingPage] = field(default_factory=list)
    records: list[TaskRecord] = field(default_factory=list)
    total: int | None = None
    # Pages looked at; None if these are `pages`, each of which counts once.
    seen: int | None = None
    # Whether these pages were asked for by title, so that a missing one is reported as a problem.
    asked_for: bool = True
    characters: int = 0
    # The number of pages that fill a dump's step.
    most: int = PAGES_A_STEP

    @property
    def is_full(self) -> bool:
        """Return whether a dump's step is big enough to be stored; long texts fill it sooner."""
        is_many = len(self.pages) >= self.most or len(self.pages) + len(self.missing) >= PAGES_A_STEP
        is_many = is_many or self.characters >= CHARACTERS_A_STEP
        return is_many or (self.seen or 0) >= PAGES_READ_A_STEP


def steps(hold: HarvestHold, *, client: Callable[[], WikiClient], processes: int | None = None) -> Iterator[Step]:
    """The steps of a harvest from `harvest.cursor["checkpoint"]` on, up to the harvest's maximum number of articles.

    A dump of many streams is read by this many processes, by default one for each core.

    Raises `WikiError` or `DumpError` if the source fails, and `Refusal` if it cannot be used.
    """
    harvest = hold.harvest
    most: int | None = harvest.parameters.get("most")
    if most is None:
        yield from _all_steps(hold, client, processes or CORES)
        return
    taken: int = ((harvest.cursor or {}).get("checkpoint") or {}).get("taken", 0)
    if taken >= most:
        return
    for step in _all_steps(hold, client, processes or CORES):
        step.pages, step.tags = step.pages[: most - taken], step.tags[: most - taken]
        taken += len(step.pages)
        step.checkpoint = {**step.checkpoint, "taken": taken}
        step.total = min(step.total, most) if step.total is not None else None
        yield step
        if taken >= most:
            return


def _all_steps(hold: HarvestHold, client: Callable[[], WikiClient], processes: int) -> Iterator[Step]:
    harvest = hold.harvest
    checkpoint = (harvest.cursor or {}).get("checkpoint")
    parameters = harvest.parameters
    if harvest.source == HarvestSource.DUMP:
        return _dump_steps(hold, checkpoint, processes)
    if harvest.source == HarvestSource.TASKS:
        return _record_steps(parameters["path"], checkpoint)
    if harvest.source == HarvestSource.TEMPLATE:
        return _template_steps(harvest, client(), checkpoint)
    at = checkpoint["at"] if checkpoint else None
    if harvest.source == HarvestSource.CATEGORY:
        return _steps_of(
            client().pages_in_category(parameters["category"], depth=parameters.get("depth", 0), cursor=at)
        )
    return _steps_of(client().pages_by_title(parameters["titles"], cursor=at))


def wiki_of(harvest: Harvest) -> Wiki:
    if harvest.wiki is None:
        raise Refusal(say("This harvest names no wiki."))
    return harvest.wiki


def known_names(wiki: Wiki | None) -> dict[str, str]:
    """Template name to family: the spellings known everywhere, those of this wiki's language, and those the wiki
    reported."""
    return {**FAMILIES, **families_of(wiki.language), **wiki.aliases} if wiki else dict(FAMILIES)


def asked_names(harvest: Harvest) -> dict[str, str]:
    """Template name to family, of the templates that a harvest by template looks for: all, if it names none."""
    given: dict[str, str] = harvest.parameters.get("names", {})
    families: list[str] = harvest.parameters.get("families", [])
    known = known_names(harvest.wiki)
    if given or families:
        known = {name: family for name, family in known.items() if family in families}
    return {**known, **given}


def learned_names(spellings: Mapping[str, Iterable[str]], asked: Mapping[str, str]) -> dict[str, str]:
    """Template name to family, from a wiki's report of its templates and their redirects.

    `asked` are the names that were asked for. A template has the family of its own name, else that of the first
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
    """Template name to family, from lines `NAME` or `NAME=FAMILY`. Raises `Refusal` if the family is not known."""
    names = {}
    for line in lines:
        written, _, family = (part.strip() for part in line.partition("="))
        name = normalise_name(written)
        names[name] = family or known.get(name, "")
        if not names[name]:
            raise Refusal(
                say(
                    "The type of the template “{written}” is not known. Write {written}=inconsistent, "
                    "{written}=self-contradictory or {written}=contradict-other.",
                    written=written,
                ),
                status=400,
            )
    return names


def _steps_of(batches: Iterable[Batch], **checkpoint: object) -> Iterator[Step]:
    for batch in batches:
        yield Step({**checkpoint, "at": batch.cursor}, pages=batch.pages, missing=batch.missing, total=batch.total)


def _template_steps(harvest: Harvest, client: WikiClient, checkpoint: dict | None) -> Iterator[Step]:
    """The steps of a harvest by template: first the articles that have a template, then those known to have had one
    that were not among them.
    """
    wiki = wiki_of(harvest)
    names = asked_names(harvest)
    listed: list[str] = []
    if checkpoint is None:
        spellings = client.template_names(names)
        given = harvest.parameters.get("names", {})
        wiki.aliases = {**wiki.aliases, **given, **learned_names(spellings, names)}
        wiki.save(update_fields=["aliases"])
        listed = [*spellings, *given] or list(names)
    if checkpoint is None or checkpoint["stage"] == "listed":
        at = checkpoint["at"] if checkpoint else None
        yield from _steps_of(client.pages_with_templates(listed, cursor=at), stage="listed")
        checkpoint = {"stage": "unlisted", "after": 0}
    families = sorted(set(names.values()))
    while pages := _unlisted_pages(harvest, families, checkpoint["after"]):
        checkpoint = {"stage": "unlisted", "after": max(pages)}
        for batch in client.pages_by_title(pages.values()):
            yield Step(checkpoint, pages=batch.pages, missing=batch.missing, asked_for=False)


def _unlisted_pages(harvest: Harvest, families: list[str], after: int) -> dict[int, str]:
    """Number and title of the next pages with present tags that this harvest has not come across."""
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


def _dump_steps(hold: HarvestHold, checkpoint: dict | None, processes: int) -> Iterator[Step]:
    """The steps of a dump. After a resumption, reading continues where it stopped; see `unpacking` for the cost."""
    harvest, path, most = hold.harvest, Path(hold.harvest.parameters["path"]), hold.harvest.parameters.get("most")
    # A page may be there twice: the tags of this harvest do not count, whoever reads it.
    present = Tag.objects.present().filter(article__wiki=harvest.wiki).exclude(harvest=harvest)
    numbers = present.values_list("article__page_id", flat=True).distinct()
    tagged = frozenset(number for number in numbers if number is not None)
    wanted = Wanted(tagged, known_names(harvest.wiki), settings.EXTRACTION_SECONDS)
    at, so_far = checkpoint or {"read": 0}, so_far_of(checkpoint or {})
    begin = Checkpoint(**at["behind"]) if at.get("behind") else None
    if processes == 1 or not has_many_streams(path):
        yield from _steps_of_pages(wanted, by_one_reader(path, begin, so_far), at, so_far, most)
        return
    if not begin or not begin.packed:  # the head of the file is no section
        for step in _steps_of_pages(wanted, up_to_a_stream(path, begin, so_far), at, so_far, most):
            yield step
            at = step.checkpoint
        if not (at.get("behind") or {}).get("packed"):
            return
    harvest.cursor = (harvest.cursor or {}) | {"size": path.stat().st_size}
    for at, so_far, pages in parts_in_turn(hold, Sections(path, wanted), processes):
        yield from _steps_of_pages(wanted, pages, at, so_far, most)


def _steps_of_pages(
    wanted: Wanted,
    reads: Iterable[Read | Checkpoint],
    checkpoint: dict[str, Any],
    so_far: SoFar,
    most: int | None,
) -> Iterator[Step]:
    done, whole = checkpoint.get("read", 0), checkpoint.get("whole", 0)
    left = PAGES_A_STEP if most is None else most - checkpoint.get("taken", 0)
    step = Step(checkpoint, seen=0, most=left)
    # Without an offset to continue from, skip as many pages from the beginning as were read before.
    to_skip = 0 if checkpoint.get("behind") else done
    try:
        for read in reads:
            if isinstance(read, Checkpoint):  # at the end of a section
                step.checkpoint = {**step.checkpoint, "behind": asdict(read)} | _titles(so_far)
                continue
            if to_skip:
                to_skip -= 1
                continue
            page, behind = read.page, read.behind
            done, whole = done + 1, whole + isinstance(page, PageRevision)
            step.seen = (step.seen or 0) + 1
            if isinstance(page, MissingPage):
                step.missing.append(page)
            elif read.tags or page.page_id in wanted.page_ids or may_have_tags(page.wikitext, wanted.names):
                step.pages.append(page)
                step.tags.append(read.tags)
                step.characters += len(page.wikitext)
            step.checkpoint = {
                "read": done,
                "whole": whole,
                "behind": asdict(behind) if behind else None,
                **_titles(so_far),
            }
            if step.is_full:
                left -= 0 if most is None else len(step.pages)
                yield step
                step = Step(step.checkpoint, seen=0, most=left)
    except (DumpError, OSError):
        yield step  # the whole articles before the damage
        raise
    yield step


def _titles(so_far: SoFar) -> dict[str, str]:
    return {"last": so_far.last, "last_title": so_far.last_title}


def _record_steps(path: str, checkpoint: dict | None) -> Iterator[Step]:
    total = sum(1 for _ in read_task_records(path))
    done = checkpoint["done"] if checkpoint else 0
    for chunk in in_chunks(islice(read_task_records(path), done, None), RECORDS_A_STEP):
        done += len(chunk)
        yield Step({"done": done}, records=chunk, total=total, seen=len(chunk))
