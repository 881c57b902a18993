"""Pause a run: nothing new is asked, what is on its way is kept. With --cancel, give up what was not asked yet."""

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...runs.output import find_run
from ...runs.runs import cancel_run, pause_run


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the number of a run")
        parser.add_argument("--cancel", action="store_true", help="for good")

    def handle(self, *, run: int, cancel: bool, **options) -> None:
        found = find_run(run)
        (cancel_run if cancel else pause_run)(run=found)
        self.stdout.write(f"Run {found.pk} is {found.get_state_display().lower()}.")
