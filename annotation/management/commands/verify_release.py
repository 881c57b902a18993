"""Recompute a release's content hash and compare it with the original one."""

from django.core.management.base import CommandError, CommandParser

from core.files.commands import RuleCommand

from ...releases.files.writing import content_hash_of
from ...releases.freezing import get_release


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int, metavar="N", help="the number of the release")

    def handle(self, *, number: int, **options) -> None:
        release = get_release(number)
        found = content_hash_of(release)
        if found != release.content_hash:
            raise CommandError(
                f"Release {number} differs from what was frozen: its content has the hash {found}, "
                f"the release says {release.content_hash}."
            )
        self.stdout.write(f"Release {number} is what was frozen: {found}")
