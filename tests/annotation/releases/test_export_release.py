"""`export_release` writes a release in each form that is offered, to a file, a folder or the standard output."""

import io
import json
import subprocess

import pytest
from django.core.management import CommandError, call_command

from annotation.releases.files import formats
from annotation.releases.files.formats import FolderFormat
from annotation.releases.files.writing import release_formats
from annotation.releases.freezing import create_release
from tests.factories import AnnotationFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(admin):
    AnnotationFactory()
    return create_release(name="First", notes="Two words", admin=admin)


def export(*arguments: str) -> str:
    output = io.StringIO()
    call_command("export_release", "--release", "1", *arguments, stdout=output, stderr=io.StringIO())
    return output.getvalue()


def test_each_form_of_one_file(release, tmp_path, admin, sign_in):
    (record,) = json.loads(export())
    assert record["annotationResult"]["wikitag_label_valid"] == "Valid"
    for code in ("json", "csv", "jsonl", "datasheet"):
        export("--format", code, str(tmp_path))
        download = sign_in(admin).get(f"/annotation/releases/1/download/{code}/")
        name, content = download["Content-Disposition"].partition('"')[2].rstrip('"'), download.getvalue()
        assert (tmp_path / name).read_bytes() == content
        assert export("--format", code).encode() == content
        assert export("--format", code, str(tmp_path / "named")) == ""
        assert (tmp_path / "named").read_bytes() == content


@pytest.fixture
def two_files(monkeypatch):
    """A form that another app offers."""

    def write(release, folder):
        (folder / "number.txt").write_text(str(release.number))
        (folder / "rows.txt").write_text("ab")

    monkeypatch.setattr(formats, "_registered", {})
    formats.register("two-files", formats.FolderFormat("a number and rows", write), benchmark="wikicontradict")


def test_a_folder_that_another_app_offers(release, two_files, tmp_path):
    target = tmp_path / "out"
    export("--format", "two-files", str(target))
    assert (target / "number.txt").read_text() == "1"
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=target, check=True)
    with pytest.raises(CommandError, match="two-files is a folder of files: name one"):
        export("--format", "two-files")
    (target / "rows.txt").write_text("mine")
    with pytest.raises(CommandError, match=r"since then rows\.txt was changed"):
        export("--format", "two-files", str(target))


def test_a_folder_is_replaced_by_its_own_kind_only(release, tmp_path):
    """By a site, which has a command of its own, too."""
    kinds = [code for code, form in release_formats("wikicontradict").items() if isinstance(form, FolderFormat)]
    assert {"huggingface", "inspect", "lm-eval", "site"} <= set(kinds)
    for there in kinds:
        folder = tmp_path / there
        export("--format", there, str(folder))
        sums = (folder / "SHA256SUMS").read_bytes()
        for kind in kinds:
            if kind != there:
                with pytest.raises(CommandError, match=f"was written as “{there}” and is not replaced by “{kind}”"):
                    export("--format", kind, str(folder))
        if there != "site":
            with pytest.raises(CommandError, match=f"was written as “{there}” and is not replaced by “site”"):
                call_command("export_site", str(folder), release=1)
        assert (folder / "SHA256SUMS").read_bytes() == sums
        export("--format", there, str(folder))
    call_command("export_site", str(tmp_path / "site"), release=1, stdout=io.StringIO())


def test_what_is_not_there_is_refused(release, tmp_path):
    with pytest.raises(CommandError, match="invalid choice: 'exe'"):
        export("--format", "exe")
    with pytest.raises(CommandError, match="cannot be written"):
        export(str(tmp_path / "none" / "file.json"))
