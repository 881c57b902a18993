"""Write a release of ConflictBank in the released shape: imported records are written as equal JSON, in the same
order. With --claims, write its claims with their evidence instead.

The texts of conflict evidence are made to mislead: they are not true.
"""

from django.core.management.base import CommandParser

from annotation.models import Release
from annotation.releases.files.command import ReleaseFileCommand
from annotation.releases.files.writing import refuse_unless

from ...files import CLAIMS, OF_CLAIMS, QA, RELEASED


class Command(ReleaseFileCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--claims", action="store_true", help="write id, subject, claim, category and evidence of each claim"
        )

    def form_of(self, release: Release, **options: object) -> str:
        code, form = (OF_CLAIMS, CLAIMS) if options["claims"] else (RELEASED, QA)
        refuse_unless(release, code, form)
        return code
