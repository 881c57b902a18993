"""Check what models made for a benchmark, before people verify it.

Name the component for each measure that the benchmark's checks need: a language model, or `local` for a model in a
folder on the worker's machine. A check without a component is not made, and counts as not checked. The plan is shown
first; without a yes, from --yes or the terminal, nothing is done.

manage.py run_checks --benchmark NAME --contradiction gpt-4o --next-sentence gpt-4o --perplexity llama-base
"""

from collections import defaultdict
from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, wrong_usage

from ...making.registry import ChecksAsked, Making, Measure, making_of, makings
from ...runs.printing import amount, plan_lines
from ...tasks import wake_workers
from .start_generation import add_benchmark
from .start_run import add_start_options, is_confirmed, work


class Command(RuleCommand):
    help = __doc__
    interrupted = "Checks that were made are kept. Run the command again: it continues with the others."

    def add_arguments(self, parser: CommandParser) -> None:
        add_benchmark(parser)
        for option, measures in by_option().items():
            words = "; ".join(dict.fromkeys(measure.words for measure in measures))
            parser.add_argument(
                f"--{option}", default="", dest=dest_of(option), metavar="MODEL", help=f"the component for: {words}"
            )
        parser.add_argument("--again", action="store_true", help="also repeat checks that had no component before")
        parser.add_argument("--budget", type=amount, metavar="AMOUNT", help="stop before the cost exceeds this")
        parser.add_argument("--name", default="", help="a name for the run")
        add_start_options(parser, "start no checks")

    def handle(self, **options: Any) -> None:
        making = making_of(options["benchmark"])
        asked = ChecksAsked(
            components=components_in(making, options),
            name=options["name"],
            budget=options["budget"],
            again=options["again"],
        )
        for line in making.check_lines(asked):
            self.stdout.write(line)
        plan = making.plan_checks(asked)
        for line in plan_lines(plan) if plan.models else []:
            self.stdout.write(line)
        if not is_confirmed(options, "Start the checks?"):
            self.stdout.write("Nothing was checked.")
            return
        checking = making.run_checks(asked)
        for line in checking.remarks:
            self.stdout.write(line)
        if checking.run is None:
            wake_workers()
            self.stdout.write("No calls are needed.")
            return
        self.stdout.write(f"Run {checking.run.pk} started. Follow it with: manage.py run_status {checking.run.pk}")
        work(self, checking.run, options)


def by_option() -> dict[str, list[Measure]]:
    """The measures of all benchmarks by their options: several benchmarks may use one option."""
    found: dict[str, list[Measure]] = defaultdict(list)
    for making in makings():
        for measure in making.measures:
            found[measure.option].append(measure)
    return found


def dest_of(option: str) -> str:
    return f"component_{option}"


def components_in(making: Making, options: dict[str, Any]) -> dict[str, str]:
    """The names of the chosen components by the codes of the benchmark's measures. Raises CommandError if an option
    of another benchmark is used.
    """
    mine = {measure.option: measure.code for measure in making.measures}
    for option in by_option():
        if options[dest_of(option)] and option not in mine:
            raise wrong_usage(f"--{option} is no measurement of the benchmark “{making.benchmark}”.")
    return {code: options[dest_of(option)] for option, code in mine.items()}
