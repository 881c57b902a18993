"""A release written to a file or a folder, in any of its forms."""

from pathlib import Path
from typing import TextIO

from core.files.folders import written_folder
from core.files.writing import write_output
from core.refusals import Refusal

from ..models import WIKICONTRADICT, Release
from .canonical import released_lines
from .exports import RELEASE_FORMATS
from .formats import FileFormat, FolderFormat, ReleaseFormat, registered_benchmarks, registered_formats
from .huggingface.folder import HUGGINGFACE

# The form that a release of every benchmark has.
LINES = FileFormat("instances, as the content hash is computed from them", ".jsonl", released_lines)
OWN_FORMATS: dict[str, dict[str, ReleaseFormat]] = {
    WIKICONTRADICT: {**RELEASE_FORMATS, "huggingface": HUGGINGFACE},
}


def release_formats(benchmark: str = WIKICONTRADICT) -> dict[str, ReleaseFormat]:
    """All forms of a benchmark's releases by their codes: its own first, then those that other apps offer."""
    return {**OWN_FORMATS.get(benchmark, {"jsonl": LINES}), **registered_formats(benchmark)}


def all_formats() -> dict[str, ReleaseFormat]:
    """The forms of all benchmarks; those of one code are all files or all folders."""
    benchmarks = [*(each for each in registered_benchmarks() if each != WIKICONTRADICT), WIKICONTRADICT]
    return {code: each for benchmark in benchmarks for code, each in release_formats(benchmark).items()}


def write_release(release: Release, code: str, target: str, *, standard_output: TextIO) -> Path | None:
    """Write the release in the form with this code to the file or folder `target`, completely or not at all; "-" is
    the standard output. Returns what was written, and None for the standard output.

    Raises Refusal if there is no such form, or if it cannot be written there.
    """
    chosen = format_of(release, code)
    if isinstance(chosen, FolderFormat):
        if target == "-":
            raise Refusal(f"{code} is a folder of files: name one.")
        with written_folder(target) as folder:
            chosen.write(release, folder)
        return Path(target)
    path = Path(target)
    if path.is_dir():
        path /= file_name(release, chosen)
    write_output(str(path), chosen.chunks(release), standard_output=standard_output)
    return None if target == "-" else path


def format_of(release: Release, code: str) -> ReleaseFormat:
    """The form with this code. Raises Refusal if releases of its benchmark have no such form."""
    formats = release_formats(release.benchmark)
    if code not in formats:
        raise Refusal(
            f"Release {release.number} is of the benchmark “{release.benchmark}”: it cannot be written as “{code}”. "
            f"It can be written as {', '.join(formats)}.",
            status=404,
        )
    return formats[code]


def file_name(release: Release, chosen: FileFormat) -> str:
    return f"{release.benchmark}-release-{release.number}{chosen.ending}"
