"""Files that people upload for a worker."""

import os
import time

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core.clearing.tasks import clear_expired
from core.files.uploads import folder, kept_upload

pytestmark = pytest.mark.django_db


def test_the_clock_removes_what_a_killed_process_left_of_an_upload_and_nothing_else(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    with kept_upload(SimpleUploadedFile("tags.json", b"[]")) as whole:
        pass
    old, new = folder() / "old.part", folder() / "new.part"
    for path in (old, new):
        path.write_bytes(b"[")
    for path in (old, whole):
        os.utime(path, (time.time() - 25 * 60 * 60,) * 2)
    clear_expired()
    assert {path.name for path in folder().iterdir()} == {whole.name, "new.part"}
    assert whole.read_bytes() == b"[]"


def test_an_upload_that_stops_in_the_middle_leaves_no_file(settings, tmp_path):
    settings.VAR_DIR = tmp_path

    class Cut(SimpleUploadedFile):
        def chunks(self, chunk_size=None):
            yield b"["
            raise ConnectionResetError

    with pytest.raises(ConnectionResetError), kept_upload(Cut("tags.json", b"[]")):
        pass
    assert list(folder().iterdir()) == []
