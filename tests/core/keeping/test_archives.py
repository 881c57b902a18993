"""Archives of a site: whole, verified, rotated, encrypted, and refused where they cannot be used."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from pyrage import x25519

from core.health.signs import last_sign
from core.keeping.archive import encryption
from core.keeping.archive.making import make_backup
from core.keeping.archive.parts import Reader
from core.keeping.archive.restoring import verify
from core.keeping.archive.rotation import to_delete
from core.keeping.tasks import backup_nightly
from core.models import SignKind
from core.refusals import Refusal


@pytest.fixture
def own_folder(tmp_path, monkeypatch) -> Path:
    own = tmp_path / "var"
    for name in (
        "uploads/one.xml",
        "spool/key-1.reply",
        "replies/sent/2026-11-27.jsonl",
        "secret_key",
        "folder.json",
    ):
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text(name)
    monkeypatch.setattr(settings, "VAR_DIR", own)
    return own


@pytest.fixture
def archive(own_folder, tmp_path, annotator, transactional_db) -> Path:
    return make_backup(tmp_path / "backups")


def test_an_archive_has_everything_but_secrets(archive):
    manifest = verify(archive)
    assert {name for name in manifest.parts if not name.startswith("database.")} == {
        "files/uploads/one.xml",
        "files/spool/key-1.reply",
        "files/replies/sent/2026-11-27.jsonl",
    }
    assert manifest.vendor == connection.vendor
    assert manifest.rows["core_user"] == 1
    assert any("secret_key" in line for line in manifest.outside)
    assert archive.stat().st_mode & 0o077 == 0


def test_what_a_killed_backup_left_is_deleted_by_a_later_one(own_folder, tmp_path, transactional_db):
    backups = tmp_path / "backups"
    old, running = backups / ".making-old", backups / ".making-now"
    for each in (old, running):
        each.mkdir(parents=True)
        (each / "workbench-20260101T000000Z.tar").write_bytes(b"half of it")
    os.utime(old, (0, 0))
    made = make_backup(backups)
    assert sorted(backups.iterdir()) == sorted([running, made])


def test_the_command_says_what_is_in_it(archive, capsys):
    call_command("verify", str(archive))
    assert "is whole: 4 parts" in capsys.readouterr().out


def test_a_damaged_archive_is_refused(archive):
    content = bytearray(archive.read_bytes())
    at = content.index(b"uploads/one.xml", content.index(b"uploads/one.xml") + 1)
    content[at] ^= 1
    archive.write_bytes(content)
    with pytest.raises(Refusal, match=r"files/uploads/one\.xml is damaged"):
        verify(archive)


@pytest.mark.parametrize("length", [0, 100, 5_000, -20_000])
def test_an_archive_that_is_cut_short_is_refused(archive, length):
    archive.write_bytes(archive.read_bytes()[:length])
    with pytest.raises(Refusal, match=r"cut short|damaged"):
        verify(archive)


def test_a_site_in_use_is_not_overwritten(archive):
    with pytest.raises(CommandError, match="The database is not empty"):
        call_command("restore", str(archive))


def test_a_file_cannot_leave_the_folder_of_data(archive, tmp_path):
    reader = Reader(archive)
    reader.extract("files/uploads/one.xml", tmp_path / "out")
    assert (tmp_path / "out").read_text() == "uploads/one.xml"
    reader.close()


def test_encryption_without_age_is_refused(own_folder, tmp_path, monkeypatch, db):
    monkeypatch.setattr(encryption.shutil, "which", lambda _: None)
    monkeypatch.setattr(encryption, "find_spec", lambda _: None)
    with pytest.raises(Refusal, match="which is not installed"):
        make_backup(tmp_path / "backups", encrypt_to="age1abc")
    with pytest.raises(Refusal, match="is no recipient of age"):
        make_backup(tmp_path / "backups", encrypt_to="me@example.org")
    assert not (tmp_path / "backups").exists()


def test_an_encrypted_archive_needs_its_key(own_folder, tmp_path, monkeypatch, annotator, transactional_db):
    which = encryption.shutil.which
    monkeypatch.setattr(encryption.shutil, "which", lambda name: None if name == "age" else which(name))
    own, other = x25519.Identity.generate(), x25519.Identity.generate()
    for name, identity in (("own", own), ("other", other)):
        (tmp_path / name).write_text(f"# created by a test\n{identity}\n")
    archive = make_backup(tmp_path / "backups", encrypt_to=str(own.to_public()))
    assert [each.name for each in (tmp_path / "backups").iterdir()] == [archive.name]
    assert b"uploads/one.xml" not in archive.read_bytes()
    assert verify(archive, identity=tmp_path / "own").rows["core_user"] == 1
    with pytest.raises(Refusal, match="could not be decrypted"):
        verify(archive, identity=tmp_path / "other")
    with pytest.raises(Refusal, match="name the file with its key by --identity"):
        verify(archive)


def test_the_nightly_backup_leaves_a_sign(own_folder, tmp_path, monkeypatch, transactional_db):
    backup_nightly()
    assert last_sign(SignKind.BACKUP) is None
    monkeypatch.setattr(settings, "BACKUP_FOLDER", str(tmp_path / "nightly"))
    backup_nightly()
    sign = last_sign(SignKind.BACKUP)
    assert sign
    assert (tmp_path / "nightly" / sign.facts["file"]).exists()
    monkeypatch.setattr(settings, "BACKUP_FOLDER", "/proc/none")
    backup_nightly()
    sign.refresh_from_db()
    assert "No backup was made" in sign.facts["error"]


def test_the_newest_of_days_and_weeks_are_kept():
    start = datetime(2026, 11, 27, 2, 7, tzinfo=UTC)
    found = [(start - timedelta(days=day, hours=hour), Path(f"{day}-{hour}")) for day in range(40) for hour in (0, 1)]
    kept = [path.name for _, path in found if path not in to_delete(found, days=3, weeks=3, now=start)]
    assert kept == ["0-0", "1-0", "2-0", "5-0", "12-0"]
    assert to_delete(found[:1], days=1, weeks=0, now=start) == []
