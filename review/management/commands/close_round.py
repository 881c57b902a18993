"""Close a round: nobody can judge in it afterwards, and all existing judgments count. --reopen reopens it."""

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run

from ...rounds.rounds import (
    check_can_close,
    check_can_reopen,
    close_round,
    find_round,
    reopen_round,
    round_progress,
)
from ...rounds.telling import lines_about


class Command(RuleCommand):
    help = __doc__
    interrupted = "If closing had begun, the worker finishes it: manage.py round_status."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round", type=int, help="the number of a round (round_status)")
        parser.add_argument("--reopen", action="store_true", help="reopen it; judging continues")
        add_dry_run(parser, "show the round's progress without changing anything")

    def handle(self, *, round: int, reopen: bool, dry_run: bool, **options: object) -> None:
        found = find_round(round)
        if dry_run:
            (check_can_reopen if reopen else check_can_close)(found)
            self.stdout.write(f"It would be {'reopened' if reopen else 'closed'}. Nothing was changed.")
        else:
            found = (reopen_round if reopen else close_round)(round=found, admin=None)
        for line in lines_about(found, round_progress(found)):
            self.stdout.write(line)
