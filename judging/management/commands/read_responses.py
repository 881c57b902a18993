"""Read stored responses with the current readers, for instance when a reader has a new version. No model is asked and
nothing is paid.

Older readings stay; reports count the newest one.
"""

from django.core.management.base import CommandParser

from annotation.releases.freezing import get_release
from core.files.commands import RuleCommand, add_dry_run
from core.words import plural

from ...responses.rereading import read_responses


class Command(RuleCommand):
    help = __doc__
    interrupted = "Readings so far are kept; start it again for the rest."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", type=int, metavar="N", help="only responses to instances of this release")
        parser.add_argument(
            "--again",
            action="store_true",
            help="also read responses again that this version has read, with the current matchers",
        )
        add_dry_run(parser)

    def handle(self, *, release: int | None, again: bool, dry_run: bool, **options: object) -> None:
        found = read_responses(
            release=None if release is None else get_release(release), again=again, check_only=dry_run
        )
        for each in found.said:
            self.stdout.write(each)
        said = "would be read" if dry_run else "read"
        self.stdout.write(f"{plural(found.read, 'response')} {said}, {found.unreadable:,} of them unreadable.")
