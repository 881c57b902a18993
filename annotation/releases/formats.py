"""The forms in which a release can be written. Apps above register theirs when they start, so functions are imported
on use."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from core.files.progress import Progress

from ..models import Release


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One file: its text, made a piece at a time."""

    words: str
    # What the file's name ends with.
    ending: str
    chunks: Callable[[Release], Iterable[str]]


@dataclass(frozen=True, slots=True)
class FolderFormat:
    """Several files: `write` puts them into an empty folder."""

    words: str
    write: Callable[[Release, Path, Progress], None]


ReleaseFormat = FileFormat | FolderFormat
_registered: dict[str, ReleaseFormat] = {}


def register(code: str, release_format: ReleaseFormat) -> None:
    """Offer a form under this code, for instance "inspect"."""
    _registered[code] = release_format


def registered_formats() -> dict[str, ReleaseFormat]:
    return dict(_registered)
