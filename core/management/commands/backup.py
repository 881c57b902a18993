"""Make one archive of the whole site while people work: database, uploads, and replies that are not in it yet.

Keys and settings (.env, secret_key) are not in it: keep them elsewhere.

manage.py backup /mnt/backups --encrypt-to age1...
"""

from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

from ...files.commands import RuleCommand, add_dry_run
from ...keeping.archive.nightly import backup_and_record
from ...keeping.archive.parts import OUTSIDE
from ...keeping.archive.rotation import archives, rotate, to_delete


class Command(RuleCommand):
    help = __doc__
    interrupted = "No backup was made, and none was deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        default = settings.BACKUP_FOLDER or str(Path(settings.VAR_DIR) / "backups")
        parser.add_argument(
            "folder",
            nargs="?",
            default=default,
            metavar="FOLDER",
            help="where to put it (BACKUP_FOLDER, else backups/ in VAR_DIR)",
        )
        parser.add_argument(
            "--encrypt-to",
            default=settings.BACKUP_ENCRYPT_TO,
            metavar="RECIPIENT",
            help="encrypt it for this recipient of age (BACKUP_ENCRYPT_TO)",
        )
        parser.add_argument(
            "--rotate",
            action="store_true",
            help="then delete old archives there, as BACKUP_KEEP_DAYS and BACKUP_KEEP_WEEKS say",
        )
        add_dry_run(parser, "show which archives there are and which --rotate would delete, and change nothing")

    def handle(self, *, folder: str, encrypt_to: str, rotate: bool, dry_run: bool, **options) -> None:
        if dry_run:
            self.say_what_is_there(Path(folder))
            return
        made = backup_and_record(Path(folder), encrypt_to=encrypt_to)
        self.stdout.write(f"{made} ({made.stat().st_size:,} bytes)")
        if rotate:
            self.rotate(Path(folder))
        self.stdout.write("Not in it:")
        for each in OUTSIDE:
            self.stdout.write(f"  {each}")

    def say_what_is_there(self, folder: Path) -> None:
        found = archives(folder)
        days, weeks = settings.BACKUP_KEEP_DAYS, settings.BACKUP_KEEP_WEEKS
        gone = set(to_delete(found, days=days, weeks=weeks, now=timezone.now()))
        for _, path in found:
            self.stdout.write(f"{path}{' (--rotate would delete it)' if path in gone else ''}")
        self.stdout.write("Nothing was changed.")

    def rotate(self, folder: Path) -> None:
        for gone in rotate(folder, days=settings.BACKUP_KEEP_DAYS, weeks=settings.BACKUP_KEEP_WEEKS):
            self.stdout.write(f"Deleted {gone}")
