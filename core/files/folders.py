"""Writes a folder of files completely or not at all.

Each folder has a list of its files' checksums, `SHA256SUMS`, as `sha256sum --check` reads it. A comment in its first
line names the folder's kind ("site", "huggingface"). The list identifies a folder that was written here and has not
been changed since: only such a folder is replaced, by one of the same kind.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..languages import say
from ..refusals import Refusal
from .writing import sync_folder, umask

SUMS = "SHA256SUMS"
_KIND = "# WikiContradict Workbench, kind of folder: "
_MOST_NAMED = 5


@contextmanager
def written_folder(target: str | Path, *, kind: str) -> Iterator[Path]:
    """A new, empty folder to write files to. If the block ends without an error, it appears as `target`.

    Until then, and after an error, readers see the previous content. An earlier folder is replaced if it was written
    in this way, is of the same kind and is unchanged. Raises Refusal if something else is there, or if it cannot be
    written.
    """
    path = Path(os.path.realpath(target))
    _check_may_be_replaced(path, kind)
    try:
        new = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:100]}."))
        try:
            yield new
            _write_sums(new, kind)
            new.chmod(0o777 & ~umask())
            _put(new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise Refusal(
            say("{target} cannot be written: {strerror}.", target=target, strerror=error.strerror)
        ) from error


def _check_may_be_replaced(path: Path, kind: str) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise Refusal(say("{path} is a file: name a folder.", path=path))
    there = sorted(each.name for each in path.iterdir())
    if not there:
        return
    earlier, listed = _read_sums(path)
    if not listed:
        raise Refusal(
            say(
                "{path} was not written by this program, and contains {named}. Name a new or empty "
                "folder. Nothing was written.",
                path=path,
                named=_named(there),
            )
        )
    if earlier != kind:
        what = f"as “{earlier}”" if earlier else "by an earlier version, which did not record its kind,"
        raise Refusal(
            say(
                "{path} was written {what} and is not replaced by “{kind}”. Move the folder away, or "
                "name another one. Nothing was written.",
                path=path,
                what=what,
                kind=kind,
            )
        )
    if changes := [f"{name} {what}" for name, what in _changes(path, listed)]:
        raise Refusal(
            say(
                "{path} was written by this program, but since then {named}. Move the folder away, "
                "or name another one. Nothing was written.",
                path=path,
                named=_named(changes),
            )
        )


def _changes(folder: Path, listed: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The differences between the folder's files and the list, by name."""
    found = set(files_below(folder))
    for name in sorted(found.union(listed) - {SUMS}):
        if name not in listed:
            yield name, "was added"
        elif name not in found:
            yield name, "was removed"
        elif checksum(folder / name) != listed[name]:
            yield name, "was changed"


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def files_below(folder: Path) -> list[str]:
    """The names of all files in the folder and its subfolders, sorted."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(str(path.relative_to(folder)) for path in found)


def _write_sums(folder: Path, kind: str) -> None:
    lines = [f"{_KIND}{kind}\n"]
    lines += [f"{checksum(folder / name, sync=True)}  {name}\n" for name in files_below(folder)]
    sums = folder / SUMS
    sums.write_text("".join(lines), encoding="utf-8")
    checksum(sums, sync=True)


def _read_sums(folder: Path) -> tuple[str, dict[str, str]]:
    """The folder's kind, and the checksums by file name. "" if the list has no kind; {} if there is no list."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return "", {}
    kind = next((line.removeprefix(_KIND) for line in lines if line.startswith(_KIND)), "")
    parts = (line.partition("  ") for line in lines if not line.startswith("#"))
    return kind, {name: digest for digest, _, name in parts}


def checksum(path: Path, *, sync: bool = False) -> str:
    """The SHA-256 checksum; with `sync`, the file is then on disk."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        if sync:
            os.fsync(file.fileno())
    return digest.hexdigest()


def _put(new: Path, path: Path) -> None:
    """Put the new folder in its position, with two renames if an earlier folder exists: no single rename can replace
    a folder that has files. If the process is killed between them, the earlier folder is kept beside it, with the
    suffix `.old`.
    """
    if path.exists():
        old = new.with_name(f"{new.name}.old")
        path.rename(old)
        new.rename(path)
        shutil.rmtree(old, ignore_errors=True)
    else:
        new.rename(path)
    sync_folder(path.parent)
