"""A release written to a file or a folder, in any of its forms."""

from pathlib import Path
from typing import TextIO

from core.files.folders import written_folder
from core.files.progress import Progress, in_silence
from core.files.writing import write_output
from core.refusals import Refusal

from ..models import Release
from .exports import RELEASE_FORMATS
from .formats import FolderFormat, ReleaseFormat, registered_formats
from .huggingface.folder import HUGGINGFACE


def release_formats() -> dict[str, ReleaseFormat]:
    """All forms by their codes: those of the paper first, then those that other apps offer."""
    return {**RELEASE_FORMATS, "huggingface": HUGGINGFACE, **registered_formats()}


def write_release(
    release: Release, code: str, target: str, *, standard_output: TextIO, progress: Progress = in_silence
) -> Path | None:
    """Write the release in the form with this code to the file or folder `target`, completely or not at all; "-" is
    the standard output. Returns what was written, and None for the standard output.

    Raises Refusal if there is no such form, or if it cannot be written there.
    """
    chosen = release_formats().get(code)
    if chosen is None:
        raise Refusal(f"A release cannot be written as “{code}”.", status=404)
    if isinstance(chosen, FolderFormat):
        if target == "-":
            raise Refusal(f"{code} is a folder of files: name one.")
        with written_folder(target) as folder:
            chosen.write(release, folder, progress)
        return Path(target)
    path = Path(target)
    if path.is_dir():
        path /= f"wikicontradict-release-{release.number}{chosen.ending}"
    write_output(str(path), chosen.chunks(release), standard_output=standard_output)
    return None if target == "-" else path
