"""Ask models for statements of clean documents and sentences that contradict them. Shows the plan first, and asks.

Each reply becomes statements, and each statement candidates: the document with a sentence inserted or replaced. The
worker makes the calls unless --here is given. Without a yes, from --yes or the terminal, nothing is started.

manage.py start_generation --benchmark contradoc --models gpt-4 --method content_insert --budget 20
"""

from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand
from judging.management.commands.start_run import (
    INTERRUPTED,
    add_start_options,
    find,
    is_confirmed,
    refuse_nothing,
    work,
)
from judging.models import LanguageModel
from judging.runs.printing import amount, plan_lines
from judging.runs.runs import start_run

from ...making.generation import create_generation_run, likely_cut, plan_generation
from ...making.registry import maker_of, makers, method_of


class Command(RuleCommand):
    help = __doc__
    interrupted = INTERRUPTED

    def add_arguments(self, parser: CommandParser) -> None:
        methods = ", ".join(code for maker in makers() for code in maker.methods)
        parser.add_argument(
            "--benchmark", default="contradoc", metavar="CODE", help="the benchmark of the documents (%(default)s)"
        )
        parser.add_argument("--models", nargs="+", required=True, metavar="NAME", help="the models' names here")
        parser.add_argument("--method", required=True, metavar="CODE", help=f"how errors are made: {methods}")
        parser.add_argument("--budget", type=amount, metavar="AMOUNT", help="stop before the cost exceeds this")
        parser.add_argument("--name", default="", help="a name for the run")
        parser.add_argument(
            "--only-missing",
            action="store_true",
            help="leave out documents that a model has written about with this method",
        )
        parser.add_argument(
            "--batches", action="store_true", help="send the calls in batches: cheaper, and done within a day"
        )
        add_start_options(parser)

    def handle(self, **options: Any) -> None:
        maker = maker_of(options["benchmark"])
        method = method_of(maker, options["method"])
        models = [find(LanguageModel.objects.all(), "name", name, "model") for name in options["models"]]
        wanted = {name: options[name] for name in ("name", "budget", "only_missing")}
        wanted |= {"maker": maker, "method": method.code, "language_models": models, "in_batches": options["batches"]}
        plan = plan_generation(**wanted)
        for line in plan_lines(plan):
            self.stdout.write(line)
        refuse_nothing(plan)
        for model in likely_cut(models, method):
            self.stdout.write(
                f"{model}: its limit of {model.max_tokens:,} tokens is hardly enough for {method.asks_for} "
                "statements, and a reply that is cut cannot be read. Use a model with a higher limit."
            )
        if not is_confirmed(options):
            self.stdout.write("Nothing was started.")
            return
        run = start_run(run=create_generation_run(**wanted))
        self.stdout.write(f"Run {run.pk} started. Follow it with: manage.py run_status {run.pk}")
        work(self, run, options)
