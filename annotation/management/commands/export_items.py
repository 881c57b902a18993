"""Write a release in the shape of its benchmark's items: the file that import_items reads.

manage.py export_items facts.jsonl --release 3
"""

from ...kinds.registry import benchmark
from ...models import Release
from ...releases.files.command import ReleaseFileCommand


class Command(ReleaseFileCommand):
    help = __doc__
    # Django's checks load every page of the site: half as much memory again as the largest release takes.
    requires_system_checks = ()

    def form_of(self, release: Release, **options: object) -> str:
        return benchmark(release.benchmark).item_format
