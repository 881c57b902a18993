"""Writes a folder of files completely or not at all.

Each folder has a list of its files' checksums, `SHA256SUMS`, as `sha256sum --check` reads it. By that list a folder
is known as one that was written here and has not been changed since: only such a folder is replaced.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..refusals import Refusal
from .writing import sync_folder, umask

SUMS = "SHA256SUMS"


@contextmanager
def written_folder(target: str | Path) -> Iterator[Path]:
    """A new, empty folder to write files to. If the block ends without an error, it appears as `target`.

    Until then, and after an error, readers see what was there before. An earlier folder is replaced if it was written
    in this way and is unchanged. Raises Refusal if something else is there, or if it cannot be written.
    """
    path = Path(os.path.realpath(target))
    _check_may_be_replaced(path)
    try:
        new = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:100]}."))
        try:
            yield new
            _write_sums(new)
            new.chmod(0o777 & ~umask())
            _put(new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise Refusal(f"{target} cannot be written: {error.strerror}.") from error


def _check_may_be_replaced(path: Path) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise Refusal(f"{path} is a file: name a folder.")
    found = files_below(path)
    if not found and not any(path.iterdir()):
        return
    listed = _listed_sums(path)
    if not listed:
        raise Refusal(f"{path} is not empty, and was not written by this program. Nothing was written.")
    for name in sorted({*found, *listed} - {SUMS}):
        if name not in found or checksum(path / name) != listed.get(name):
            raise Refusal(
                f"{path} was written by this program, but {name} was changed since. Move the folder away, or name "
                "another one. Nothing was written."
            )


def files_below(folder: Path) -> list[str]:
    """The names of all files in the folder and below, in order."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def _write_sums(folder: Path) -> None:
    lines = [f"{checksum(folder / name, sync=True)}  {name}\n" for name in files_below(folder)]
    sums = folder / SUMS
    sums.write_text("".join(lines), encoding="utf-8")
    checksum(sums, sync=True)


def _listed_sums(folder: Path) -> dict[str, str]:
    """Checksums by file name; {} if there is no such list."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return {}
    return {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}


def checksum(path: Path, *, sync: bool = False) -> str:
    """SHA-256; with `sync`, the file is then on disk."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        if sync:
            os.fsync(file.fileno())
    return digest.hexdigest()


def _put(new: Path, path: Path) -> None:
    """Two renames where there is an earlier folder: no single one can replace a folder that has files. If the process
    is killed between them, the earlier folder is beside, under the name of the new one with `.old`."""
    if path.exists():
        old = new.with_name(f"{new.name}.old")
        path.rename(old)
        new.rename(path)
        shutil.rmtree(old, ignore_errors=True)
    else:
        new.rename(path)
    sync_folder(path.parent)
