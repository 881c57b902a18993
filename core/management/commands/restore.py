"""Restore a backup into an empty site. Nothing goes out afterwards until an admin says so.

The database has to be empty. Leave replies/, spool/ and folder.json in VAR_DIR where they are, if they survived: the
replies that came after the backup are found there, so that they need not be paid again. Then start the site, look
through its runs, and run `manage.py allow_sending`, or press the button on the page System.
"""

from pathlib import Path

from django.core.management.base import CommandParser

from ...files.commands import RuleCommand, add_dry_run
from ...keeping.archive.restoring import check_restore, restore


class Command(RuleCommand):
    help = __doc__
    interrupted = "What was restored so far stays; nothing goes out from it. Empty the database to begin again."
    needs_fitting_database = False  # it has to be empty
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the archive")
        parser.add_argument("--identity", type=Path, metavar="FILE", help="the file with age's key")
        add_dry_run(parser, "verify the archive, say whether it can be restored here, and change nothing")

    def handle(self, *, file: Path, identity: Path | None, dry_run: bool, **options) -> None:
        if dry_run:
            manifest = check_restore(file, identity=identity)
            self.stdout.write(f"{file} is of {manifest.server}, and can be restored here. Nothing was changed.")
            return
        for sentence in restore(file, identity=identity, tell=self.say):
            self.stdout.write(sentence)
        self.stdout.write(
            "The site is restored: rows, sums and releases are those of the backup. Nothing goes out until an admin "
            "allows it: start the site, look through the runs, then run `manage.py allow_sending` or use the page "
            "System."
        )

    def say(self, sentence: str) -> None:
        self.stdout.write(f"{sentence} ...")
        self.stdout.flush()
