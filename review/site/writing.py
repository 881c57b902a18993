"""A site as a folder, and as one zip file made during the download."""

import zipfile
from collections.abc import Iterable, Iterator
from io import RawIOBase
from pathlib import Path

from core.files.folders import written_folder
from core.writing.progress import along

from .pages import Site, SiteFile

# The kind of folder, and the code of this form of a release.
SITE = "site"


def write_site(site: Site, target: str | Path) -> int:
    """Write the site to the folder `target`, completely or not at all; returns the number of files.

    Raises Refusal if the target exists and is not an earlier site, or if it cannot be written.
    """
    with written_folder(target, kind=SITE) as folder:
        return fill(folder, site)


def fill(folder: Path, site: Site) -> int:
    """Write the site into an empty folder; returns the number of files."""
    count = 0
    for name, chunks in along("Files", site.files(), of=site.length()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(chunks)
        count += 1
    return count


class _Passing(RawIOBase):
    """A file that keeps only the part not fetched yet."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content) -> int:
        self._kept += content
        return len(content)

    def fetch(self) -> bytes:
        content = bytes(self._kept)
        self._kept.clear()
        return content


PIECE = 256 * 1024


def zipped(files: Iterable[SiteFile], *, folder: str) -> Iterator[bytes]:
    """The zip file of these files, below one folder, a piece at a time."""
    out = _Passing()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, chunks in files:
            with archive.open(f"{folder}/{name}", "w", force_zip64=True) as file:
                size = 0
                for chunk in chunks:
                    size += file.write(chunk.encode())
                    if size > PIECE:
                        yield out.fetch()
                        size = 0
            yield out.fetch()
    yield out.fetch()
