"""Write a release and its results as static pages that you can publish. They need no server and no script.

The folder can be opened from disk, or served by any web server and by GitHub Pages. Its results count the responses
that people have finished judging: nothing of open rounds, of check items, or of annotations that are not released. It
replaces an earlier site only if nobody has changed it since.
"""

from pathlib import Path

from django.core.management.base import CommandParser

from annotation.releases.freezing import get_release
from core.files.commands import RuleCommand

from ...site.pages import Site
from ...site.writing import write_site


class Command(RuleCommand):
    help = __doc__
    interrupted = "Nothing was written. An existing site is unchanged."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="the folder to write")
        parser.add_argument("--release", type=int, required=True, metavar="N", help="the number of the release")
        parser.add_argument("--authors", default="", help="the authors to cite, in BibTeX's form: A, B and C, D")
        parser.add_argument("--url", default="", help="the address of the site, for its citation")
        parser.add_argument("--contact", default="", help="the address to which people send their models' responses")

    def handle(self, *, folder: Path, release: int, authors: str, url: str, contact: str, **options: object) -> None:
        site = Site(get_release(release), authors=authors, url=url, contact=contact)
        count = write_site(site, folder)
        self.stdout.write(f"{folder} has the site of release {release}: {count:,} files. Open {folder}/index.html.")
