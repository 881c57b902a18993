"""Writes a file completely or not at all."""

import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TextIO

from ..languages import say
from ..refusals import Refusal

# Many programs end a line at these too, as `str.splitlines` does. In JSON they occur within texts only.
_LINE_ENDS = re.compile("[\u0085\u2028\u2029]")


def json_lines(records: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """JSON Lines: one record per line, whatever counts as the end of a line."""
    return (_LINE_ENDS.sub(_escaped, json.dumps(record, ensure_ascii=False)) + "\n" for record in records)


def _escaped(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"


def write_output(target: str, chunks: Iterable[str], *, standard_output: TextIO) -> None:
    """Write the pieces as UTF-8 to the file `target`, or to `standard_output` for "-".

    The file replaces the old one in one step once all of it is on disk: until then, and after a failure, readers see
    the old one. Raises Refusal if it cannot be written.
    """
    if target == "-":
        try:
            standard_output.writelines(chunks)
            standard_output.flush()
        except BrokenPipeError:
            # The reader has seen enough (`| head`). What Python still has in its buffer must not fail again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), standard_output.fileno())
        return
    path = Path(os.path.realpath(target))
    try:
        if path.exists() and not path.is_file():
            # A pipe or a device cannot be replaced.
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(chunks)
            return
        _replace(path, chunks)
    except OSError as error:
        raise Refusal(
            say("{target} cannot be written: {strerror}.", target=target, strerror=error.strerror)
        ) from error


def _replace(path: Path, chunks: Iterable[str]) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask())
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Flush the renames in this folder to disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def umask() -> int:
    # It can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
