"""Let everything go out again after a restore: calls to models, requests to wikis, mail and webhooks.

After a restore, and in a copy of a site, nothing goes out until an admin says so here, on the page System, or by the
API. Look through the runs first: the calls that are left will be made.
"""

from django.core.management.base import CommandParser

from ...files.commands import RuleCommand, add_dry_run
from ...keeping.sending import allow_sending, held_folders
from ...words import plural


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add_dry_run(parser, "say from which machines nothing is sent and why, and change nothing")

    def handle(self, *, dry_run: bool, **options) -> None:
        for folder in held_folders():
            self.stdout.write(f"{folder} (since {folder.held_at:%Y-%m-%d %H:%M} UTC): {folder.held_because}")
            for sentence in folder.recovered:
                self.stdout.write(f"  {sentence}")
        if dry_run:
            self.stdout.write("Nothing was changed.")
            return
        number = allow_sending(admin=None)
        self.stdout.write(
            f"Sending is allowed again from {plural(number, 'machine')}." if number else "Nothing was held."
        )
