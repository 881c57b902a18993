"""Files that an admin uploads for a harvest."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile

from core.files import uploads
from core.languages import say
from core.refusals import Refusal

MOST_BYTES = 200 * 2**20


@contextmanager
def kept_upload(file: UploadedFile) -> Iterator[Path]:
    """As in `core.files.uploads`. Raises `Refusal` if the file is too large."""
    if (file.size or 0) > MOST_BYTES:
        raise Refusal(
            say(
                "The file has {size:,.0f} MB; the limit for an upload is {most} MB. Nothing was stored. "
                "Harvest larger dumps on the server: manage.py harvest_articles --dump FILE",
                size=(file.size or 0) / 2**20,
                most=MOST_BYTES // 2**20,
            ),
            status=413,
        )
    with uploads.kept_upload(file) as path:
        yield path
