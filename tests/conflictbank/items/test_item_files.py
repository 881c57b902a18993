"""ConflictBank's released file: in as a release, and out again equal, or refused with every bad line."""

import io
import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Instance, Release
from annotation.releases.files.writing import content_hash_of
from annotation.releases.items import importing
from annotation.tasks import clear_abandoned_items
from benchmarks.conflictbank import files
from core.writing import batches
from tests.conflictbank.items.samples import ITEMS, lines, needs_samples
from tests.conflictbank.items.test_items import BAD, RECORD, RIGHT_TO_LEFT, numbered, with_object

pytestmark = pytest.mark.django_db


QUIRKS = [
    RECORD,
    numbered(1),
    with_object(RIGHT_TO_LEFT),
    with_object("{evidence} {0} {{A}} <script>alert(1)</script>"),
    RECORD | {"default_evidence": "It says:\r\nAnswer: B\u2028\n\nAnswer: B"},
    RECORD | {"options": ["Port Dunmere", "Port Brenna", "New Esk", "Upper Esk"], "uncertain_option": ""},
]


def written(folder, records, name="items.jsonl"):
    path = folder / name
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in records))
    return path


def printed(*arguments, **options) -> str:
    output = io.StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()


def refusal(path, *arguments) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("import_conflictbank", str(path), *arguments)
    assert not Release.objects.exists()
    assert not Instance.everything.exists()
    return str(refused.value)


def exported(number=1, *arguments):
    return [
        json.loads(line) for line in printed("export_conflictbank", "--release", str(number), *arguments).splitlines()
    ]


def test_records_come_out_equal_in_their_order(tmp_path):
    said = printed("import_conflictbank", str(written(tmp_path, QUIRKS)))
    assert "6 items: frozen as release 1" in said
    assert exported() == QUIRKS
    release = Release.objects.get()
    assert content_hash_of(release) == release.content_hash


@needs_samples
def test_the_sample_comes_out_equal():
    assert "40 items: frozen as release 1" in printed("import_conflictbank", str(ITEMS))
    assert exported() == lines(ITEMS)
    assert "Nothing changed: release 1" in printed("import_conflictbank", str(ITEMS))


def test_claims_with_their_evidence_come_out_four_for_each_item(tmp_path):
    printed("import_conflictbank", str(written(tmp_path, [RECORD, numbered(1)])))
    found = exported(1, "--claims")
    assert len(found) == 8
    assert found[1] == {
        "id": 1,
        "subject": "Hal Holt",
        "claim": "Hal Holt resides in Port Brenna.",
        "category": "misinformation_conflict",
        "evidence": RECORD["misinformation_conflict_evidence_evidence"],
    }
    assert {row["category"] for row in found if row["id"] == 2} == {
        "default",
        "misinformation_conflict",
        "temporal_conflict",
        "semantic_conflict",
    }


@pytest.mark.parametrize("what", BAD)
def test_a_file_with_one_bad_line_is_refused_as_a_whole(what, tmp_path):
    record, words = BAD[what]
    said = refusal(written(tmp_path, [numbered(1), numbered(2), record, numbered(3)]))
    assert "Line 3: " in said
    assert words in said


def test_a_line_that_is_not_json_is_named(tmp_path):
    assert "Line 2" in refusal(written(tmp_path, [RECORD, '{"relation": "P5', numbered(1)]))


def test_the_same_item_twice_is_refused(tmp_path):
    assert "Line 3: it is the same as item 1" in refusal(written(tmp_path, [RECORD, numbered(1), RECORD]))


def test_bad_lines_can_be_skipped_into_a_file(tmp_path):
    rest = tmp_path / "rest.jsonl"
    path = written(tmp_path, [numbered(1), BAD["a missing field"][0], "{broken", numbered(2)])
    said = printed("import_conflictbank", str(path), skip_bad=str(rest))
    assert "2 items: frozen as release 1" in said
    found = [json.loads(line) for line in rest.read_text().splitlines()]
    assert [each["where"] for each in found] == ["Line 2", "Line 3"]
    assert "“question” is missing" in found[0]["problem"]
    assert exported() == [numbered(1), numbered(2)]


def test_a_dry_run_writes_nothing(tmp_path):
    said = printed("import_conflictbank", str(written(tmp_path, QUIRKS)), check_only=True)
    assert "6 items: would be release 1" in said
    assert not Instance.everything.exists()


def test_an_empty_file_is_no_release(tmp_path):
    assert "nothing to release" in printed("import_conflictbank", str(written(tmp_path, ["", ""])))
    assert not Release.objects.exists()


# --- Batches --------------------------------------------------------------------------------------------------------


@pytest.fixture
def two_in_a_batch(monkeypatch):
    monkeypatch.setattr(importing.ImportInBatches, "items_in_a_batch", 2)


def interrupted_at(monkeypatch, batch):
    """Interrupt the import when it opens the batch with this number."""
    begun, real = [], importing.written_together

    def open_batch(*arguments, **values):
        begun.append(1)
        if len(begun) == batch:
            raise KeyboardInterrupt
        return real(*arguments, **values)

    monkeypatch.setattr(importing, "written_together", open_batch)


def test_an_interrupted_import_continues(tmp_path, monkeypatch, two_in_a_batch):
    path = written(tmp_path, [numbered(number) for number in range(7)])
    with monkeypatch.context() as patched:
        interrupted_at(patched, batch=3)
        with pytest.raises(CommandError, match="Import the same file again to continue"):
            call_command("import_conflictbank", str(path))
    assert not Release.objects.exists()
    before = list(Instance.objects.order_by("pk").values_list("pk", "key"))
    assert len(before) == 4
    assert "7 items: frozen as release 1" in printed("import_conflictbank", str(path))
    assert list(Instance.objects.order_by("pk").values_list("pk", "key"))[:4] == before
    assert exported() == [numbered(number) for number in range(7)]


def days_pass(days):
    for batch in batches.Batch.objects.all():
        batch.begun_at -= timedelta(days=days)
        batch.save()


def test_items_of_an_import_that_nobody_continues_are_deleted_after_a_week(tmp_path, monkeypatch, two_in_a_batch):
    other = tmp_path / "other"
    other.mkdir()
    call_command("import_conflictbank", str(written(other, [numbered(0), numbered(8)])))
    path = written(tmp_path, [numbered(number) for number in range(7)])
    with monkeypatch.context() as patched:
        interrupted_at(patched, batch=3)
        with pytest.raises(CommandError, match="to continue"):
            call_command("import_conflictbank", str(path))
    assert Instance.objects.count() == 5
    days_pass(6)
    clear_abandoned_items()
    assert Instance.objects.count() == 5
    days_pass(2)
    clear_abandoned_items()
    assert exported() == [numbered(0), numbered(8)]
    assert Instance.objects.count() == 2  # one of them is in both files
    assert "7 items: frozen as release 2" in printed("import_conflictbank", str(path))
    days_pass(8)
    clear_abandoned_items()
    assert Instance.objects.count() == 8


def test_an_import_that_is_continued_keeps_its_items(tmp_path, monkeypatch, two_in_a_batch):
    path = written(tmp_path, [numbered(number) for number in range(7)])
    for batch in (3, 4):
        with monkeypatch.context() as patched:
            interrupted_at(patched, batch=batch)
            with pytest.raises(CommandError, match="to continue"):
                call_command("import_conflictbank", str(path))
        clear_abandoned_items()
        assert Instance.objects.count() == 2 * (batch - 1)
        if batch == 3:
            days_pass(8)


def test_an_import_that_another_one_stops_says_how_to_continue(tmp_path, monkeypatch, two_in_a_batch):
    path = written(tmp_path, [numbered(number) for number in range(7)])
    real = importing.ImportInBatches.write_batch

    def then_another(self, items):
        real(self, items)
        batches.begin("other", actor=None, planned_after=batches.last_batch())

    with monkeypatch.context() as patched:
        patched.setattr(importing.ImportInBatches, "write_batch", then_another)
        with pytest.raises(CommandError, match="import the same file again to continue"):
            call_command("import_conflictbank", str(path))
    assert not Release.objects.exists()
    for batch in batches.Batch.objects.filter(is_open=True):
        batches.clear(batch)
    assert "7 items: frozen as release 1" in printed("import_conflictbank", str(path))


def test_a_broken_line_is_named_and_nothing_is_written(tmp_path):
    path = written(tmp_path, [numbered(0), json.dumps(numbered(1))[:500], numbered(2)])
    for options in ([], ["--dry-run"]):
        with pytest.raises(CommandError, match=r"Line 2: It is not JSON: [^.]+\.$"):
            call_command("import_conflictbank", str(path), *options)
    assert not Instance.objects.exists()
    rest = tmp_path / "rest.jsonl"
    assert "2 items: frozen" in printed("import_conflictbank", str(path), skip_bad=str(rest))
    assert len(rest.read_text().splitlines()) == 1


def test_the_largest_size_is_that_of_the_command_or_of_the_setting(tmp_path, settings):
    settings.IMPORT_MAX_BYTES = 100
    path = written(tmp_path, [RECORD])
    with pytest.raises(Exception, match="larger than"), path.open("rb") as stream:
        files.import_items(stream)
    assert "1 item: frozen as release 1" in printed("import_conflictbank", str(path))


# --- On a page ------------------------------------------------------------------------------------------------------


def sent(client, records, action):
    text = "\n".join(json.dumps(each) for each in records)
    file = SimpleUploadedFile("items.jsonl", text.encode(), "application/jsonl")
    address = reverse("import_release", args=["conflictbank"])
    return client.post(address, {"file": file, "action": action, "name": "Sent"}, headers={"HX-Request": "true"}).text


def test_an_admin_checks_and_imports_a_file_and_reads_it(client, admin):
    client.force_login(admin)
    assert "made to mislead" in client.get(reverse("import_release", args=["conflictbank"])).text
    assert "would be release 1 “Sent”" in sent(client, QUIRKS, "check")
    assert not Release.objects.exists()
    sent(client, QUIRKS, "import")
    assert Release.objects.get().name == "Sent"
    page = client.get(reverse("release", args=[1])).text
    assert "Claims with evidence" in page
    instance = client.get(reverse("release_instance", args=[1, 4])).text
    assert "<script>alert(1)" not in instance
    assert "{evidence} {0} {{A}}" in instance
