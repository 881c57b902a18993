"""Nothing goes out from a folder of data that does not belong to the database, until an admin allows it."""

import pytest
from django.conf import settings
from django.core.management import call_command

from core.keeping import folders
from core.keeping.folder_file import FolderFile, read_folder_file, write_folder_file
from core.keeping.folders import advance, hold_all, known_folder
from core.keeping.sending import Answer, may_call, may_send, resume_calls, stop_calls
from core.models import DataFolder, Event, Project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "VAR_DIR", tmp_path)
    monkeypatch.setattr(settings, "FOLDER_IS_CHECKED", True)
    monkeypatch.setattr(folders, "_recoveries", [lambda: ["1 call was recovered."]])
    monkeypatch.setattr("core.keeping.sending.ANSWER_FOR", 0.0)
    Answer.until = 0.0


def test_a_new_site_sends(tmp_path):
    assert may_send()
    assert DataFolder.objects.get().held_at is None
    advance()
    assert read_folder_file() == FolderFile(str(DataFolder.objects.get().token), 1)
    assert may_send()


def test_a_database_that_is_older_than_the_folder_is_held_and_recovered():
    advance()
    advance()
    DataFolder.objects.update(step=1)
    assert not may_send()
    row = DataFolder.objects.get()
    assert "was restored from a backup" in row.held_because
    assert row.recovered == ["1 call was recovered."]
    assert Event.objects.filter(action="held_sending").count() == 1
    assert not may_send()  # nor when it is asked again


def test_a_folder_that_the_database_does_not_know_is_held():
    advance()
    DataFolder.objects.all().delete()
    assert not may_send()
    assert "has worked with another database" in DataFolder.objects.get().held_because


def test_a_copy_of_the_database_with_an_empty_folder_is_held(tmp_path):
    advance()
    (tmp_path / "folder.json").unlink()
    assert not may_send()
    assert "is new" in DataFolder.objects.get(held_at__isnull=False).held_because


def test_a_held_folder_takes_no_step():
    advance()
    hold_all("It was restored.")
    advance()
    assert DataFolder.objects.get().step == 1


def test_a_folder_that_cannot_be_written_sends_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "VAR_DIR", tmp_path / "none")
    assert not may_send()


def test_the_file_that_nobody_can_read_is_made_anew(tmp_path):
    (tmp_path / "folder.json").write_text("{")
    assert may_send()
    assert read_folder_file() is not None


def allow_by_page(amir):
    assert "Nothing goes out" in amir.get("/system/").text
    amir.post("/system/allow-sending/")


def allow_by_api(amir):
    assert amir.get("/api/v1/sending/").json()["held"][0]["held_because"] == "It was restored."
    assert amir.post("/api/v1/sending/allow/", content_type="application/json").json()["held"] == []


def allow_by_command(amir):
    call_command("allow_sending")


@pytest.mark.parametrize("allow", [allow_by_page, allow_by_api, allow_by_command])
def test_an_admin_allows_it_by_each_door(amir, allow):
    advance()
    hold_all("It was restored.")
    assert not may_send()
    allow(amir)
    assert may_send()
    assert Event.objects.filter(action="allowed_sending").count() == 1
    assert known_folder().held_at is None


def test_nobody_else_allows_it(anna, rita, ada, client):
    advance()
    hold_all("It was restored.")
    for person in (anna, rita, ada, client):
        assert person.post("/system/allow-sending/").status_code in (401, 403)
        assert person.post("/api/v1/sending/allow/", content_type="application/json").status_code in (401, 403)
    assert DataFolder.objects.filter(held_at=None).count() == 0


def test_stopped_calls_stay_stopped_until_they_are_resumed(amir, admin):
    assert may_call()
    assert stop_calls(admin=None)
    assert not stop_calls(admin=None)
    assert may_send()
    assert not may_call()
    assert "New calls to models are stopped" in amir.get("/system/").text
    amir.post("/system/resume-calls/")
    assert may_call()
    assert not resume_calls(admin=admin)
    assert Project.get().calls_stopped_at is None


def test_draining_says_what_is_left_and_can_be_undone(capsys):
    call_command("drain")
    assert "Nothing is in progress" in capsys.readouterr().out
    assert not may_call()
    call_command("drain", dry_run=True)
    call_command("drain", undo=True)
    assert may_call()


def test_a_restored_database_does_not_go_back_behind_the_folder():
    """Two steps in the folder, one in the row: held once, and its step is the folder's from then on."""
    advance()
    kept = read_folder_file()
    assert kept
    write_folder_file(FolderFile(kept.token, 5))
    assert not may_send()
    assert DataFolder.objects.get().step == 5
