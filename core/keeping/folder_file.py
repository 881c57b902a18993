"""The file in VAR_DIR that says which folder of data this is, and how far it has come."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from django.conf import settings

NAME = "folder.json"


@dataclass(frozen=True, slots=True)
class FolderFile:
    token: str
    step: int = 0


def folder_path() -> Path:
    return Path(settings.VAR_DIR) / NAME


def read_folder_file() -> FolderFile | None:
    """The file's content; None if there is none, or it cannot be read."""
    try:
        kept = json.loads(folder_path().read_text())
        return FolderFile(str(kept["token"]), int(kept["step"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def new_folder_file() -> FolderFile:
    """Name this folder of data. If another process does so at the same time, the first name stays. Raises OSError."""
    part = _written(FolderFile(str(uuid4())))
    try:
        with suppress(FileExistsError):
            os.link(part, folder_path())
        made = read_folder_file()
        if made is None:  # a file that nobody can read
            part.replace(folder_path())
            made = read_folder_file()
    finally:
        part.unlink(missing_ok=True)
    if made is None:
        raise OSError(f"{folder_path()} cannot be read")
    return made


def write_folder_file(content: FolderFile) -> None:
    """Replace the file. Raises OSError."""
    _written(content).replace(folder_path())


def _written(content: FolderFile) -> Path:
    part = folder_path().with_name(f"{NAME}.{os.getpid()}.{uuid4().hex[:8]}.part")
    with part.open("w") as file:
        json.dump(asdict(content), file)
        file.flush()
        os.fsync(file.fileno())
    return part
