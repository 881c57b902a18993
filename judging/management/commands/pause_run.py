"""Pause a run: no new calls are made, calls in flight are allowed to finish. With --cancel, give up the others."""

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run, perhaps_undone

from ...runs.printing import find_run
from ...runs.runs import cancel_run, end_run, pause_run


class Command(RuleCommand):
    help = __doc__
    interrupted = "manage.py run_status shows the state of the run; it can be paused or cancelled again safely."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the number of a run")
        parser.add_argument("--cancel", action="store_true", help="cancel the run permanently")
        add_dry_run(parser)

    def handle(self, *, run: int, cancel: bool, dry_run: bool, **options: object) -> None:
        found = find_run(run)
        if dry_run:
            with perhaps_undone(dry_run):
                (end_run if cancel else pause_run)(run=found)
        else:
            (cancel_run if cancel else pause_run)(run=found)
        state = found.get_state_display().lower()
        would = f"would be {state}. Nothing was changed." if dry_run else f"is {state}."
        self.stdout.write(f"Run {found.pk} {would}")
