"""Ask models to make the material of a benchmark's items, such as contradicting statements. Shows the plan first, and
asks.

The worker makes the calls unless --here is given. Without a yes, from --yes or the terminal, nothing is started.

manage.py start_generation --benchmark NAME --models gpt-4 --method content_insert --budget 20
"""

from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...making.registry import GenerationAsked, making_of, makings, method_among
from ...models import LanguageModel
from ...runs.printing import amount, plan_lines
from ...runs.runs import start_run
from .start_run import INTERRUPTED, add_start_options, find, is_confirmed, refuse_nothing, work


class Command(RuleCommand):
    help = __doc__
    interrupted = INTERRUPTED

    def add_arguments(self, parser: CommandParser) -> None:
        methods = "; ".join(f"{each.benchmark}: {', '.join(each.methods)}" for each in makings() if each.methods)
        add_benchmark(parser)
        parser.add_argument("--models", nargs="+", required=True, metavar="NAME", help="the names of the models")
        parser.add_argument(
            "--method",
            default="",
            metavar="CODE",
            help=f"the method ({methods or 'no benchmark has any'})",
        )
        parser.add_argument("--budget", type=amount, metavar="AMOUNT", help="stop before the cost exceeds this")
        parser.add_argument("--name", default="", help="a name for the run")
        parser.add_argument(
            "--only-missing",
            action="store_true",
            help="leave out sources that a model has already processed with this method",
        )
        parser.add_argument(
            "--batches", action="store_true", help="send the calls in batches: cheaper, and done within a day"
        )
        add_start_options(parser)

    def handle(self, **options: Any) -> None:
        making = making_of(options["benchmark"])
        asked = GenerationAsked(
            language_models=[find(LanguageModel.objects.all(), "name", name, "model") for name in options["models"]],
            method=method_among(making, options["method"]),
            name=options["name"],
            budget=options["budget"],
            only_missing=options["only_missing"],
            in_batches=options["batches"],
        )
        plan = making.plan_generation(asked)
        for line in plan_lines(plan):
            self.stdout.write(line)
        refuse_nothing(plan)
        for line in making.warnings(asked):
            self.stdout.write(line)
        if not is_confirmed(options):
            self.stdout.write("Nothing was started.")
            return
        run = start_run(run=making.create_generation(asked))
        self.stdout.write(f"Run {run.pk} started. Follow it with: manage.py run_status {run.pk}")
        work(self, run, options)


def add_benchmark(parser: CommandParser) -> None:
    """Add the option that names one of the benchmarks that have a making."""
    there = ", ".join(making.benchmark for making in makings())
    parser.add_argument("--benchmark", required=True, metavar="CODE", help=f"the benchmark ({there})")
