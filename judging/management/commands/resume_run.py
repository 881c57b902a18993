"""Continue a paused or stopped run; repeat the calls that failed or are in doubt."""

from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run, perhaps_undone, wrong_usage
from core.words import plural

from ...models import Run
from ...runs.printing import amount, find_run
from ...runs.repeating import (
    failed_calls,
    in_doubt,
    refuse_cancelled,
    repeat_in_doubt,
    retry_failed,
    retry_unreadable,
    unreadable_calls,
)
from ...runs.runs import resume_run
from .start_run import add_ways_to_go_on, work

REPEATS = ("retry_failed", "repeat_in_doubt", "retry_unreadable")
FAILED = ("failed call", "failed calls")
IN_DOUBT = ("call in doubt", "calls in doubt")
UNREADABLE = ("call with an unreadable verdict", "calls with an unreadable verdict")


class Command(RuleCommand):
    help = __doc__
    interrupted = (
        "Calls that were reopened stay open, and the run keeps its results. manage.py run_status shows it, "
        "manage.py pause_run stops it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the number of a run")
        parser.add_argument("--budget", type=amount, metavar="AMOUNT", help="another budget")
        parser.add_argument("--retry-failed", action="store_true", help="repeat the calls that failed")
        parser.add_argument(
            "--repeat-in-doubt", action="store_true", help="repeat the calls in doubt, which may be paid for twice"
        )
        parser.add_argument(
            "--group",
            default="",
            metavar="GROUP",
            help="only this group of calls that failed or are in doubt (see run_status)",
        )
        parser.add_argument(
            "--retry-unreadable", action="store_true", help="ask again for verdicts that could not be read"
        )
        add_ways_to_go_on(parser)
        add_dry_run(parser)

    def handle(self, **options: Any) -> None:
        if options["group"] and not (options["retry_failed"] or options["repeat_in_doubt"]):
            raise wrong_usage("--group works only with --retry-failed or --repeat-in-doubt.")
        run = find_run(options["run"])
        if options["dry_run"]:
            self.say_what_would_be(run, options)
            return
        self.go_on(run, options)
        work(self, run, options)

    def say_what_would_be(self, run: Run, options: dict[str, Any]) -> None:
        if any(options[name] for name in REPEATS):
            refuse_cancelled(run)
        with perhaps_undone(dry_run=True):
            resume_run(run=run, budget=options["budget"])
        calls = {
            FAILED: options["retry_failed"] and failed_calls(run, None, options["group"]),
            IN_DOUBT: options["repeat_in_doubt"] and in_doubt(run, None, group=options["group"]),
            UNREADABLE: options["retry_unreadable"] and unreadable_calls(run),
        }
        for words, chosen in calls.items():
            if chosen is not False:
                self.stdout.write(f"{plural(chosen.count(), *words)} would be repeated.")
        self.stdout.write(f"Run {run.pk} would continue. Nothing was changed.")

    def go_on(self, run: Run, options: dict[str, Any]) -> None:
        group = options["group"]
        if options["retry_failed"]:
            self.stdout.write(f"Repeating {plural(retry_failed(run=run, group=group), *FAILED)}.")
        if options["repeat_in_doubt"]:
            again = repeat_in_doubt(run=run, actor=None, group=group)
            self.stdout.write(f"Repeating {plural(again, *IN_DOUBT)}.")
        if options["retry_unreadable"]:
            self.stdout.write(f"Repeating {plural(retry_unreadable(run=run), *UNREADABLE)}.")
        resume_run(run=run, budget=options["budget"])
        self.stdout.write(f"Run {run.pk} is {run.get_state_display().lower()}.")
