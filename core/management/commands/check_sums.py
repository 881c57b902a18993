"""Compare the sums that the database keeps with the rows they are computed from.

The database keeps some sums, such as the money and states of a run's calls, beside the rows. They miss rows that were
written while its triggers were off, by a restore or by hand.
"""

from django.core.management.base import CommandError, CommandParser

from ...files.commands import Exit, RuleCommand
from ...health.sums import record_sums
from ...words import plural


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="correct the sums; the rows are not changed")

    def handle(self, *, repair: bool, **options) -> None:
        wrong = record_sums(repair=repair)
        for each in wrong:
            rows = plural(each.rows, "row")
            self.stdout.write(f"{each.table} ({', '.join(each.columns)}): {rows} wrong. {each.example}.")
        if not wrong:
            self.stdout.write("All sums are correct.")
        elif repair:
            self.stdout.write("All sums are correct now.")
        else:
            raise CommandError("Run `manage.py check_sums --repair` to correct them.", returncode=Exit.REFUSED)
