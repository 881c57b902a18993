"""Write a release of ContraDoc in the released shape: imported records are written as equal JSON, in the same
order.
"""

from annotation.models import Release
from annotation.releases.files.command import ReleaseFileCommand
from annotation.releases.files.writing import refuse_unless

from ...files import JSON


class Command(ReleaseFileCommand):
    help = __doc__

    def form_of(self, release: Release, **options: object) -> str:
        refuse_unless(release, "json", JSON)
        return "json"
