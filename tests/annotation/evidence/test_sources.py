"""A release says which files its imported items came from, and keeps its content hash."""

import hashlib
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation.models import Release
from annotation.releases.datasheets.datasheet import datasheet, markdown
from annotation.releases.datasheets.sources import source_rows
from annotation.releases.files.writing import content_hash_of
from annotation.releases.freezing import create_release
from tests.annotation.releases.test_import_annotations import record
from tests.factories import AnnotationFactory

pytestmark = pytest.mark.django_db


def write(tmp_path, name="wiki.json", **values):
    path = tmp_path / name
    path.write_text(json.dumps([record(**values)]), encoding="utf-8")
    return path


def test_a_release_of_annotations_keeps_name_hash_and_revision_of_the_file(tmp_path, admin, sign_in):
    path = write(tmp_path)
    call_command("import_annotations", path, revision="3f2a91c")
    AnnotationFactory()
    release = create_release(name="First", admin=admin)
    (source,) = release.sources
    assert source["file"] == "wiki.json"
    assert source["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (source["revision"], source["records"]) == ("3f2a91c", 1)
    assert content_hash_of(release) == release.content_hash
    page = sign_in(admin).get(reverse("release", args=[1])).content.decode()
    for text in (page, markdown(datasheet(release))):
        assert "wiki.json" in text
        assert source["sha256"] in text
        assert "3f2a91c" in text


def test_a_file_through_the_page_is_recorded_too(tmp_path, admin, sign_in):
    path = write(tmp_path)
    sent = SimpleUploadedFile("mine.json", path.read_bytes())
    sign_in(admin).post(reverse("import_annotations"), {"file": sent, "action": "import", "revision": " v2 "})
    (source,) = create_release(name="First", admin=admin).sources
    assert (source["file"], source["revision"]) == ("mine.json", "v2")


def test_an_earlier_release_says_that_its_files_were_not_recorded():
    release = Release(number=1, benchmark="wikicontradict", name="Old", how_made={"imported": 3})
    assert list(source_rows(release)) == [("Imported items whose file was not recorded", "3")]


def test_a_release_of_work_done_here_names_no_file(admin):
    AnnotationFactory()
    release = create_release(name="First", admin=admin)
    assert release.sources == []
    assert "Sources of imported items" not in markdown(datasheet(release))
