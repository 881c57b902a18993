"""The export formats of a release. Apps above register theirs when they start, so functions are imported on use."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...models import Release


class Chunks(Protocol):
    def __call__(self, release: Release, /) -> Iterable[str]:
        """The text of a release's file, a piece at a time, so that no large release is in memory as a whole.

        Called in a snapshot of the database; the same release gives the same text.
        """


class WriteFolder(Protocol):
    def __call__(self, release: Release, folder: Path, /) -> None:
        """Write the files of a release into an empty folder that exists. Checksums are added by the caller.

        Raises:
            Refusal: if the release cannot be written in this form; the folder is then removed.
        """


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One file: its text, made a piece at a time."""

    words: str
    # The ending of the file's name.
    ending: str
    chunks: Chunks


@dataclass(frozen=True, slots=True)
class FolderFormat:
    """Several files: `write` puts them into an empty folder."""

    words: str
    write: WriteFolder


ReleaseFormat = FileFormat | FolderFormat
# The formats of a benchmark's releases, by their codes.
Formats = Mapping[str, ReleaseFormat]
# Imports and returns the formats of a benchmark.
LoadFormats = Callable[[], Formats]
_registered: dict[str, dict[str, ReleaseFormat]] = {}
# Forms of the releases of every benchmark.
_of_all: dict[str, ReleaseFormat] = {}
_on_use: dict[str, LoadFormats] = {}


def register(code: str, release_format: ReleaseFormat, *, benchmark: str) -> None:
    """Register a format for releases of a benchmark under this code, for instance "inspect"."""
    _registered.setdefault(benchmark, {})[code] = release_format


def register_for_all(code: str, release_format: ReleaseFormat) -> None:
    """Register a format for releases of every benchmark under this code."""
    _of_all[code] = release_format


def register_on_use(benchmark: str, load: LoadFormats) -> None:
    """Register the formats that `load` returns by their codes, before all others of the benchmark. It is called on
    use: importing code that writes files takes long.
    """
    _on_use[benchmark] = load


def registered_formats(benchmark: str) -> dict[str, ReleaseFormat]:
    own = _on_use[benchmark]() if benchmark in _on_use else {}
    return {**own, **_registered.get(benchmark, {}), **_of_all}
