"""Let a paused or stopped run go on; ask again what failed, or what is in doubt."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.files.commands import RuleCommand

from ...runs.output import amount, find_run, finish, follow, work_here
from ...runs.repeating import repeat_in_doubt, retry_failed, retry_unreadable
from ...runs.runs import resume_run
from ...tasks import wake_workers


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the number of a run")
        parser.add_argument("--budget", type=amount, metavar="AMOUNT", help="another budget")
        parser.add_argument("--retry-failed", action="store_true", help="ask again what failed")
        parser.add_argument(
            "--repeat-in-doubt", action="store_true", help="ask again what is in doubt: perhaps paid twice"
        )
        parser.add_argument(
            "--group", default="", metavar="GROUP", help="of what failed or is in doubt, only this group (run_status)"
        )
        parser.add_argument("--retry-unreadable", action="store_true", help="ask judges again who gave no verdict")
        parser.add_argument("--wait", action="store_true", help="follow the run to its end")
        parser.add_argument("--here", action="store_true", help="make the calls in this process, and follow")

    def handle(self, **options: Any) -> None:
        run, group = find_run(options["run"]), options["group"]
        if group and not (options["retry_failed"] or options["repeat_in_doubt"]):
            raise CommandError("--group goes with --retry-failed or --repeat-in-doubt. Nothing was changed.")
        if options["retry_failed"]:
            self.stdout.write(f"{retry_failed(run=run, group=group):,} failed calls are asked again.")
        if options["repeat_in_doubt"]:
            again = repeat_in_doubt(run=run, actor=None, group=group)
            self.stdout.write(f"{again:,} calls in doubt are asked again.")
        if options["retry_unreadable"]:
            self.stdout.write(f"{retry_unreadable(run=run):,} judges are asked again.")
        resume_run(run=run, budget=options["budget"])
        self.stdout.write(f"Run {run.pk} is {run.get_state_display().lower()}.")
        if options["here"]:
            from ...call_batches.advancing import make_all_calls  # loads the client of endpoints

            finish(work_here(run, make_all_calls, self.stdout.write), self.stdout.write)
            return
        wake_workers()
        if options["wait"]:
            finish(follow(run, self.stdout.write), self.stdout.write)
