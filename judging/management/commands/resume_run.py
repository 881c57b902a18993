"""Continue a paused or stopped run; ask again what failed, or what is in doubt."""

from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run, perhaps_undone, wrong_usage

from ...models import Run
from ...runs.output import amount, find_run
from ...runs.repeating import (
    failed_calls,
    in_doubt,
    repeat_in_doubt,
    retry_failed,
    retry_unreadable,
    unreadable_calls,
)
from ...runs.runs import resume_run
from .start_run import add_ways_to_go_on, work


class Command(RuleCommand):
    help = __doc__
    interrupted = (
        "What was opened again stays open, and the run keeps what it has. manage.py run_status shows it, "
        "manage.py pause_run stops it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the number of a run")
        parser.add_argument("--budget", type=amount, metavar="AMOUNT", help="another budget")
        parser.add_argument("--retry-failed", action="store_true", help="ask again what failed")
        parser.add_argument(
            "--repeat-in-doubt", action="store_true", help="ask again what is in doubt: perhaps paid twice"
        )
        parser.add_argument(
            "--group",
            default="",
            metavar="GROUP",
            help="only this group of what failed or is in doubt (see run_status)",
        )
        parser.add_argument(
            "--retry-unreadable", action="store_true", help="ask again for verdicts that could not be read"
        )
        add_ways_to_go_on(parser)
        add_dry_run(parser)

    def handle(self, **options: Any) -> None:
        if options["group"] and not (options["retry_failed"] or options["repeat_in_doubt"]):
            raise wrong_usage("--group goes with --retry-failed or --repeat-in-doubt.")
        run = find_run(options["run"])
        if options["dry_run"]:
            self.say_what_would_be(run, options)
            return
        self.go_on(run, options)
        work(self, run, options)

    def say_what_would_be(self, run: Run, options: dict[str, Any]) -> None:
        with perhaps_undone(dry_run=True):
            resume_run(run=run, budget=options["budget"])
        calls = {
            "failed calls": options["retry_failed"] and failed_calls(run, None, options["group"]),
            "calls in doubt": options["repeat_in_doubt"] and in_doubt(run, None, group=options["group"]),
            "judges": options["retry_unreadable"] and unreadable_calls(run),
        }
        for what, chosen in calls.items():
            if chosen is not False:
                self.stdout.write(f"{chosen.count():,} {what} would be asked again.")
        self.stdout.write(f"Run {run.pk} would go on. Nothing was changed.")

    def go_on(self, run: Run, options: dict[str, Any]) -> None:
        group = options["group"]
        if options["retry_failed"]:
            self.stdout.write(f"{retry_failed(run=run, group=group):,} failed calls are asked again.")
        if options["repeat_in_doubt"]:
            again = repeat_in_doubt(run=run, actor=None, group=group)
            self.stdout.write(f"{again:,} calls in doubt are asked again.")
        if options["retry_unreadable"]:
            self.stdout.write(f"{retry_unreadable(run=run):,} judges are asked again.")
        resume_run(run=run, budget=options["budget"])
        self.stdout.write(f"Run {run.pk} is {run.get_state_display().lower()}.")
