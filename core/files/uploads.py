"""Files that people upload for a worker; kept below VAR_DIR until it has read them."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile


def folder() -> Path:
    return Path(settings.VAR_DIR) / "uploads"


@contextmanager
def kept_upload(file: UploadedFile) -> Iterator[Path]:
    """Store the file for a worker to find and yield its path; it is removed if the block raises."""
    folder().mkdir(parents=True, exist_ok=True)
    path = folder() / uuid.uuid4().hex
    try:
        with path.open("wb") as target:
            for chunk in file.chunks():
                target.write(chunk)
        yield path
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def discard_upload(path: str) -> None:
    """Remove a file that `kept_upload` wrote; any other path is left alone."""
    if Path(path).parent == folder():
        Path(path).unlink(missing_ok=True)
