"""Files that an admin uploads for a harvest; kept below VAR_DIR until the harvest has read them."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from core.refusals import Refusal

MOST_BYTES = 200 * 2**20


def folder() -> Path:
    return Path(settings.VAR_DIR) / "uploads"


@contextmanager
def kept_upload(file: UploadedFile) -> Iterator[Path]:
    """Store the file for a worker to find and yield its path; it is removed if the block raises.

    Raises `Refusal` if the file is too large.
    """
    if (file.size or 0) > MOST_BYTES:
        raise Refusal(
            f"The file has {(file.size or 0) / 2**20:,.0f} MB; the limit for an upload is {MOST_BYTES // 2**20} MB. "
            f"Nothing was stored. Harvest larger dumps on the server: manage.py harvest_articles --dump FILE",
            status=413,
        )
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
