"""Files that people upload for a worker; kept below VAR_DIR until it has read them."""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

UNFINISHED = ".part"
A_DAY = 24 * 60 * 60  # seconds


def folder() -> Path:
    return Path(settings.VAR_DIR) / "uploads"


@contextmanager
def kept_upload(file: UploadedFile) -> Iterator[Path]:
    """Store the file for a worker to find and yield its path; it is removed if the block raises."""
    folder().mkdir(parents=True, exist_ok=True)
    path = folder() / uuid.uuid4().hex
    unfinished = path.with_suffix(UNFINISHED)
    try:
        with unfinished.open("wb") as target:
            for chunk in file.chunks():
                target.write(chunk)
        yield unfinished.rename(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        raise


def clear_unfinished_uploads() -> int:
    """Remove files of uploads that a process began more than a day ago and did not live to finish. Returns their
    number.
    """
    left = [path for path in folder().glob(f"*{UNFINISHED}") if path.stat().st_mtime < time.time() - A_DAY]
    for path in left:
        path.unlink(missing_ok=True)
    return len(left)


def discard_upload(path: str) -> None:
    """Remove a file that `kept_upload` wrote; any other path is left alone."""
    if Path(path).parent == folder():
        Path(path).unlink(missing_ok=True)
