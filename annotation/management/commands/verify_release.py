"""Compute a release's content hash anew and compare it with the one given when it was frozen."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.refusals import Refusal

from ...releases.freezing import content_hash_of, get_release


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int, metavar="N")

    def handle(self, *, number: int, **options) -> None:
        try:
            release = get_release(number)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        found = content_hash_of(release)
        if found != release.content_hash:
            raise CommandError(
                f"Release {number} is not what was frozen: its content has the hash {found}, "
                f"the release says {release.content_hash}."
            )
        self.stdout.write(f"Release {number} is what was frozen: {found}")
