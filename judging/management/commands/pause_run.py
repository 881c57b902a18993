"""Pause a run: nothing new is asked, what is on its way is kept. With --cancel, give up what was not asked yet."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.refusals import Refusal

from ...runs.output import find_run
from ...runs.runs import cancel_run, pause_run


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the number of a run")
        parser.add_argument("--cancel", action="store_true", help="for good")

    def handle(self, *, run: int, cancel: bool, **options) -> None:
        found = find_run(run)
        try:
            (cancel_run if cancel else pause_run)(run=found)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(f"Run {found.pk} is {found.get_state_display().lower()}.")
