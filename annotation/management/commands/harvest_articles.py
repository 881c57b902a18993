"""Harvest articles with contradiction tags from a wiki, a dump or a tasks JSON file, in this process.

An interrupted harvest keeps its stored results, and --resume continues from there.

manage.py harvest_articles --wiki en.wikipedia.org --allow --template --most 100
manage.py harvest_articles --dump enwiki.xml.bz2 --wiki en.wikipedia.org
"""

import time
from pathlib import Path
from typing import Any

from core.files.commands import RuleCommand, add_dry_run, opened, partly_done, perhaps_undone, wrong_usage
from core.refusals import Refusal

from ...harvesting.harvests import NEEDS_A_COPY, resume_harvest, start_harvest
from ...harvesting.progress import Progress
from ...harvesting.sources import known_names, names_of_lines
from ...harvesting.steps import run_harvest
from ...harvesting.wikis import allow_wiki, find_wiki
from ...models import Harvest, HarvestSource, HarvestState, Wiki

SECONDS_BETWEEN_LOOKS = 2.0


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument(
            "--template",
            nargs="*",
            metavar="NAME[=FAMILY]",
            help="articles with these templates and their redirects; without a name, with any known contradiction "
            "template. A name that is not known here needs its type: inconsistent, self-contradictory or "
            "contradict-other",
        )
        source.add_argument("--category", metavar="NAME", help="articles in this category and its monthly ones")
        source.add_argument("--titles", nargs="+", metavar="TITLE", help="these articles")
        source.add_argument(
            "--titles-file",
            type=Path,
            metavar="FILE",
            help="the articles in this file, one per line; - is the standard input",
        )
        source.add_argument(
            "--dump", metavar="FILE", help="articles of an XML dump (.xml, .xml.gz, .xml.bz2) of --wiki"
        )
        source.add_argument("--tasks", metavar="FILE", help="the tagged paragraphs of a tasks JSON file")
        source.add_argument("--resume", type=int, metavar="ID", help="continue harvest ID from where it stopped")
        parser.add_argument(
            "--wiki", metavar="HOST|API_URL", help="such as en.wikipedia.org; optional if only one wiki is allowed"
        )
        parser.add_argument(
            "--depth",
            type=int,
            default=0,
            metavar="N",
            help="with --category: also read this many levels of sub-categories",
        )
        parser.add_argument("--most", type=int, metavar="N", help="stop after this many articles of a wiki or dump")
        parser.add_argument(
            "--processes",
            type=int,
            metavar="N",
            help="with --dump: read a multistream dump in this many processes; by default one for each core",
        )
        parser.add_argument("--allow", action="store_true", help="allow the wiki first, if it is not allowed yet")
        parser.add_argument(
            "--contact", default="", help="contact details for the wiki, instead of the setting WIKI_CONTACT"
        )
        add_dry_run(parser, "validate source and options and show the planned harvest, without contacting a wiki")

    def handle(self, **options: Any) -> None:
        with perhaps_undone(options["dry_run"]):
            harvest = self.resumed(options) if options["resume"] else self.started(options)
        if options["dry_run"]:
            self.stdout.write(f"{what_of(harvest)} would be harvested. Nothing was changed.")
            return
        self.interrupted = f"What was stored is kept. Continue with: manage.py harvest_articles --resume {harvest.pk}"
        self.stdout.write(f"Harvest {harvest.pk}: {harvest.get_source_display()}")
        self.work(harvest, options["contact"], options["processes"])
        self.telling.close()
        self.tell(harvest)
        if harvest.state != HarvestState.DONE:
            resume = f"What was stored is kept. Continue with: manage.py harvest_articles --resume {harvest.pk}"
            raise partly_done(
                f"Stopped: {harvest.error or harvest.get_state_display()} "
                f"{resume if harvest.can_resume else NEEDS_A_COPY}"
            )

    def started(self, options: dict[str, Any]) -> Harvest:
        wiki = self.wiki(options)
        source, parameters = self.asked(options, wiki)
        parameters["most"] = options["most"]
        return start_harvest(source=source, wiki=wiki, parameters=parameters, contact=options["contact"])

    def resumed(self, options: dict[str, Any]) -> Harvest:
        harvest = Harvest.objects.filter(pk=options["resume"]).first()
        if harvest is None:
            raise Refusal(f"There is no harvest {options['resume']}.")
        if not harvest.is_open:  # an open one is picked up as soon as its worker has released it
            resume_harvest(harvest=harvest, by=None)
        return harvest

    def wiki(self, options: dict[str, Any]) -> Wiki | None:
        if options["tasks"]:
            return None
        if options["wiki"] and options["allow"]:
            return allow_wiki(address=options["wiki"], contact=options["contact"])
        if options["wiki"]:
            return find_wiki(options["wiki"])
        allowed = list(Wiki.objects.filter(is_allowed=True)[:2])
        if len(allowed) != 1:
            raise wrong_usage("Say which wiki: --wiki en.wikipedia.org, with --allow if it is not allowed yet.")
        return allowed[0]

    def asked(self, options: dict[str, Any], wiki: Wiki | None) -> tuple[str, dict[str, Any]]:
        if options["category"] is not None:
            return HarvestSource.CATEGORY, {"category": options["category"], "depth": options["depth"]}
        if options["dump"] is not None:
            return HarvestSource.DUMP, {"path": options["dump"]}
        if options["tasks"] is not None:
            return HarvestSource.TASKS, {"path": options["tasks"]}
        if options["titles_file"] is not None:
            try:
                with opened(options["titles_file"]) as file:
                    titles = file.read().decode("utf-8-sig").splitlines()
            except (OSError, UnicodeDecodeError) as error:
                raise Refusal(f"The list of titles cannot be read: {error}") from error
            return HarvestSource.TITLES, {"titles": titles}
        if options["titles"] is not None:
            return HarvestSource.TITLES, {"titles": options["titles"]}
        return HarvestSource.TEMPLATE, {"names": names_of_lines(options["template"], known_names(wiki))}

    def work(self, harvest: Harvest, contact: str, processes: int | None) -> None:
        """Work until the harvest has ended, in this process or in a worker that was quicker."""
        waiting = False
        while True:
            if (
                run_harvest(harvest.pk, contact=contact, processes=processes, on_step=self.show) is None
                and not waiting
            ):
                waiting = True
                self.telling.line(
                    "Waiting: another process is working on it, or on another harvest of the same wiki."
                )
            harvest.refresh_from_db()
            if not harvest.is_open:
                return
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def show(self, harvest: Harvest) -> None:
        tags = f"{harvest.tags_found:,} tags, {harvest.tags_new:,} new"
        self.telling.tell("Articles", harvest.articles_seen, harvest.articles_total, more=tags)

    def tell(self, harvest: Harvest) -> None:
        self.stdout.write(f"Articles seen   {harvest.articles_seen:>8,}   stored {harvest.articles_new:,}")
        self.stdout.write(
            f"Tags found      {harvest.tags_found:>8,}   new {harvest.tags_new:,}, gone {harvest.tags_gone:,}"
        )
        progress = Progress(harvest)
        if progress.unread:
            self.stdout.write(
                f"Sub-categories  {progress.unread:>8,}   not read; --depth {progress.next_depth} reads them"
            )
        problems = list(harvest.problems.all())
        self.stdout.write(f"Problems        {len(problems):>8,}")
        for problem in problems:
            self.stdout.write(f"  {problem.title}: {problem.reason}")


def what_of(harvest: Harvest) -> str:
    """A harvest's target, in words."""
    source = harvest.get_source_display()
    asked = ", ".join(_in_words(name, value) for name, value in harvest.parameters.items() if value)
    wiki = f" of {harvest.wiki}" if harvest.wiki else ""
    return f"{source}{wiki}{f' ({asked})' if asked else ''}"


def _in_words(name: str, value: object) -> str:
    if isinstance(value, list | dict):
        return f"{len(value):,} {name}"
    return f"{name} {value}"
