"""Check the candidates of a benchmark, and choose one for each statement.

Name the component for each check: a language model, or `local` for one in a folder on the worker's machine. A check
without a component is not made, and counts as not checked. The plan is shown first; without a yes, from --yes or the
terminal, nothing is done.

manage.py run_checks --benchmark contradoc --contradiction gpt-4o --next-sentence gpt-4o --perplexity llama-base
"""

from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand
from core.lists.pages import plural
from judging.management.commands.start_run import add_start_options, is_confirmed, work
from judging.runs.printing import amount, plan_lines
from judging.tasks import wake_workers

from ...making.checking import Components, decide_again, to_check
from ...making.components import MEASURES, NAMES, NEXT_SENTENCE, NLI, PERPLEXITY, components_for
from ...making.measuring import plan_checks, run_checks
from ...making.registry import Maker, maker_of


class Command(RuleCommand):
    help = __doc__
    interrupted = "Checks that were made are kept. Run the command again: it goes on with what is left."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--benchmark", default="contradoc", metavar="CODE", help="the benchmark of the candidates (%(default)s)"
        )
        for option, measure in (("contradiction", NLI), ("next-sentence", NEXT_SENTENCE), ("perplexity", PERPLEXITY)):
            parser.add_argument(
                f"--{option}", default="", dest=measure, metavar="MODEL", help=f"what measures: {NAMES[measure]}"
            )
        parser.add_argument("--again", action="store_true", help="also make checks that were not made before")
        parser.add_argument("--budget", type=amount, metavar="AMOUNT", help="stop before the cost exceeds this")
        parser.add_argument("--name", default="", help="a name for the run")
        add_start_options(parser, "check nothing")

    def handle(self, **options: Any) -> None:
        maker = maker_of(options["benchmark"])
        components = components_for(maker, {measure: options[measure] for measure in MEASURES})
        asked = {"maker": maker, "components": components, "budget": options["budget"], "again": options["again"]}
        self.show_plan(maker, components, asked)
        if not is_confirmed(options, "Check them?"):
            self.stdout.write("Nothing was checked.")
            return
        if changed := decide_again(maker):
            self.stdout.write(f"{plural(changed, 'check')} changed because a threshold did.")
        run = run_checks(**asked, name=options["name"])
        if run is None:
            wake_workers()
            self.stdout.write("No calls are needed.")
            return
        self.stdout.write(f"Run {run.pk} started. Follow it with: manage.py run_status {run.pk}")
        work(self, run, options)

    def show_plan(self, maker: Maker, components: Components, asked: dict[str, Any]) -> None:
        self.stdout.write(f"{plural(to_check(maker, again=asked['again']).count(), 'candidate')} to check.")
        for kind in maker.checks:
            component = components.get(kind.measure)
            self.stdout.write(
                f"{kind.name}: {component.name if component else 'not checked, as nothing measures it'}."
            )
        plan = plan_checks(**asked)
        for line in plan_lines(plan) if plan.models else []:
            self.stdout.write(line)
