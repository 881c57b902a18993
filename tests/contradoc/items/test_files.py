"""ContraDoc's released file: in as a release and out again without a difference, or refused with every bad record."""

import io
import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Instance, Release
from annotation.releases.files.writing import content_hash_of
from tests.contradoc.items.test_item import NEGATIVE, POSITIVE

pytestmark = pytest.mark.django_db


def record(content, **changes):
    return {name: value for name, value in (content | changes).items() if name != "label" and value is not None}


def document(unique_id, content=POSITIVE, **changes):
    return unique_id, record(content, **{"unique id": unique_id} | changes)


def file_of(positive=(), negative=None):
    negative = [("news_train_1", record(NEGATIVE))] if negative is None else negative
    return {"pos": dict(positive), "neg": dict(negative)}


QUIRKS = file_of(
    [
        document("17_2"),
        document("3489738298_4", scope="global, intra"),
        document("17_m1", scope=["local"], **{"ref sentences": None}),
        document("18_m", contra_type=["Other", "Causal"], evidence="It stands nowhere.", **{"ref sentences": []}),
        document("19_1", text="שלום. a < b & <script>alert(1)</script>\r\n☃ It never opens before noon."),
    ],
    [("wiki_train_9", record(NEGATIVE, **{"unique id": "wiki_train_9"})), ("news_train_1", record(NEGATIVE))],
)


def written(folder, content) -> Path:
    path = folder / "contradoc.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def printed(*arguments, **options) -> str:
    output = io.StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()


def refusal(path, *arguments) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("import_contradoc", str(path), *arguments)
    assert not Release.objects.exists()
    assert not Instance.objects.exists()
    return str(refused.value)


def order_of(text):
    sides = json.loads(text)
    return [(side, key) for side, records in sides.items() for key in records]


@pytest.mark.parametrize(
    "content", [QUIRKS, dict(reversed(QUIRKS.items())), file_of(), file_of([document("1_1")], [])]
)
def test_what_came_in_comes_out_equal_and_in_order(content, tmp_path):
    said = printed("import_contradoc", str(written(tmp_path, content)))
    assert "frozen as release 1 “ContraDoc”." in said
    exported = printed("export_contradoc", "--release", "1")
    assert json.loads(exported) == content
    assert order_of(exported) == order_of(json.dumps(content))
    target = tmp_path / "out.json"
    call_command("export_contradoc", str(target), "--release", "1", stderr=io.StringIO())
    assert target.read_text() == exported
    release = Release.objects.get()
    assert release.content_hash == content_hash_of(release)


@pytest.mark.released
def test_the_sample_comes_out_equal(released_data, tmp_path):
    sample = released_data / "contradoc_sample.json"
    said = printed("import_contradoc", str(sample))
    assert "83 documents: frozen as release 1" in said
    assert "63 positive and 20 negative, of 64 source documents." in said
    assert "A ref sentence is not in the text of 2 documents" in said
    exported = printed("export_contradoc", "--release", "1")
    assert json.loads(exported) == json.loads(sample.read_text())
    assert order_of(exported) == order_of(sample.read_text())
    assert Instance.objects.filter(category="positive").values("group").distinct().count() == 44


def test_a_second_import_changes_nothing_and_says_which_release_it_is(tmp_path):
    path = written(tmp_path, QUIRKS)
    call_command("import_contradoc", str(path), "--name", "First", stdout=io.StringIO())
    said = printed("import_contradoc", str(path), "--name", "Second")
    assert said.startswith("Nothing changed: release 1 (“First”) holds exactly these 7 documents already.")
    assert Release.objects.count() == 1
    call_command("import_contradoc", str(written(tmp_path, file_of([document("17_2")]))), stdout=io.StringIO())
    assert Release.objects.count() == 2
    assert Instance.objects.filter(group="17").count() == 2, "what two releases hold is one instance"


def test_a_dry_run_says_the_number_and_writes_nothing(tmp_path):
    said = printed("import_contradoc", str(written(tmp_path, QUIRKS)), "--dry-run")
    assert "7 documents: would be release 1 “ContraDoc”." in said
    assert "The evidence is not in the text of 1 document, and was taken as it is: 18_m." in said
    assert not Release.objects.exists()


def test_an_empty_file_is_nothing_to_release(tmp_path):
    assert "nothing to release" in printed("import_contradoc", str(written(tmp_path, {"pos": {}, "neg": {}})))
    assert not Release.objects.exists()


BAD = file_of(
    [
        document("1_1", scope="nearby"),
        document("1_2", text=None, evidence=None),
        ("1_3", record(POSITIVE, **{"unique id": "1_4"})),
        document("1_5", evidence="a\0b"),
        document("1_6", text="half \ud800 a pair"),
        document("1_7", contra_type=["Unheard"]),
        ("1_8", ["no object"]),
    ],
    [document("2_1", NEGATIVE, evidence="There is one."), document("news_train_1", NEGATIVE)],
)


def test_every_bad_record_is_named_and_nothing_is_written(tmp_path):
    said = refusal(written(tmp_path, BAD))
    for where in [
        "pos 1_1: the field “scope” has an unknown scope: 'nearby'",
        "pos 1_2: the field “text” is missing; the field “evidence” is missing",
        "pos 1_3: the field “unique id” is not the record’s key",
        "pos 1_5: the field “evidence” contains a character that is not text",
        "pos 1_6: the field “text” contains a character that is not text",
        "pos 1_7: the field “contra_type” has an unknown type: 'Unheard'",
        "pos 1_8: it is not an object",
        "neg 2_1: the field “evidence” is in a negative document",
    ]:
        assert where in said
    assert "news_train_1" not in said


def test_an_id_or_a_key_twice_is_named(tmp_path):
    one, other = (json.dumps(record(POSITIVE, **{"unique id": "1_1"}, scope=scope)) for scope in ("local", "intra"))
    key_twice = json.dumps(record(POSITIVE, **{"unique id": "1_2"})).replace('"scope"', '"text": "again", "scope"')
    negative = json.dumps(record(NEGATIVE, **{"unique id": "1_1"}))
    text = f'{{"pos": {{"1_1": {one}, "1_1": {other}, "1_2": {key_twice}}}, "neg": {{"1_1": {negative}}}}}'
    said = refusal(written(tmp_path, text))
    assert "pos 1_1: '1_1' is in the file twice" in said
    assert "neg 1_1: '1_1' is in the file twice" in said
    assert "pos 1_2: a key appears twice in one object" in said


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "It is empty."),
        ("[]", "It must be an object of objects"),
        ('{"pos": {}}', "It has no “neg”"),
        ('{"pos": {}, "neg": []}', "The value of “neg” is not an object"),
        ('{"pos": {}, "neg": {}, "note": {}}', "It has 'note' besides “pos” and “neg”."),
        ('{"pos": {}, "pos": {}, "neg": {}}', "The name 'pos' appears twice in it."),
        ('{"pos": {}, "neg": {}} x', "something follows its end"),
        ('{"pos": {"1_1": {"text": NaN}}, "neg": {}}', "The value of '1_1' in 'pos' cannot be read"),
        ('{"pos": {"1_1": {', "The value of '1_1' in 'pos' is not JSON"),
        ("\x00", "is not JSON"),
    ],
)
def test_another_shape_is_refused(text, problem, tmp_path):
    assert problem in refusal(written(tmp_path, text))


def test_bad_records_are_skipped_into_a_file_from_which_they_can_be_mended(tmp_path):
    bad = tmp_path / "bad.jsonl"
    said = printed("import_contradoc", str(written(tmp_path, BAD)), "--skip-bad", str(bad))
    assert "1 document: frozen as release 1" in said
    assert "8 bad records were skipped" in said
    lines = [json.loads(line) for line in bad.read_text().splitlines()]
    assert lines[0]["record"] == {"pos": {"1_1": BAD["pos"]["1_1"]}}
    assert {line["where"] for line in lines} == {*(f"pos 1_{n}" for n in (1, 2, 3, 5, 6, 7, 8)), "neg 2_1"}


def test_another_benchmark_has_no_such_file(tmp_path):
    Release.objects.create(number=1, benchmark="wikicontradict", name="Ours", content_hash="0" * 64)
    with pytest.raises(CommandError, match="cannot be written in this form"):
        call_command("export_contradoc", "--release", "1")
    with pytest.raises(CommandError, match="There is no release 2"):
        call_command("export_contradoc", "--release", "2")


@pytest.fixture
def client(client, admin):
    client.force_login(admin)
    return client


def sent(client, content, action, **headers):
    file = SimpleUploadedFile("contradoc.json", json.dumps(content).encode(), "application/json")
    address = reverse("import_release", args=["contradoc"])
    return client.post(address, {"file": file, "action": action, "name": "Sent"}, headers=headers)


def test_an_admin_checks_and_imports_a_file_and_reads_it(client):
    assert "import ContraDoc" in client.get(reverse("releases")).content.decode()
    assert client.get(reverse("import_release", args=["contradoc"])).status_code == 200
    checked = sent(client, QUIRKS, "check", **{"HX-Request": "true"})
    assert "would be release 1 “Sent”" in checked.content.decode()
    assert not Release.objects.exists()
    assert "frozen as release 1" in sent(client, QUIRKS, "import").content.decode()
    page = client.get(reverse("release", args=[1])).content.decode()
    assert "ContraDoc" in page
    assert "Scope: global, intra" in page
    assert "Read the instances" in page
    listed = client.get(reverse("release_instances", args=[1])).content.decode()
    assert "The shop opens at nine." in listed
    assert json.loads(b"".join(client.get(reverse("release_download", args=[1, "json"])))) == QUIRKS


def test_a_bad_file_is_refused_on_the_page(client):
    refused = sent(client, BAD, "import")
    assert refused.status_code == 400
    assert "pos 1_7" in refused.content.decode()
    assert not Release.objects.exists()


def test_a_document_is_shown_with_its_evidence_marked_and_nothing_of_it_is_markup(client):
    sent(client, QUIRKS, "import")
    first = client.get(reverse("release_instance", args=[1, 1])).content.decode()
    assert '<mark class="span of-2">It never opens before noon.</mark>' in first
    assert '<mark class="span of-1">The shop opens at nine.</mark>' in first
    assert 'rel="next"' in first
    missing = client.get(reverse("release_instance", args=[1, 4])).content.decode()
    assert "The text does not contain it in these words." in missing
    assert "The release names no ref sentence." in missing
    hostile = client.get(reverse("release_instance", args=[1, 5])).content.decode()
    assert "&lt;script&gt;alert(1)" in hostile
    negative = client.get(reverse("release_instance", args=[1, 6])).content.decode()
    assert "<mark" not in negative
    assert client.get(reverse("release_instance", args=[1, 8])).status_code == 404


@pytest.mark.parametrize("code", ["wikicontradict", "unheard"])
def test_a_benchmark_without_such_a_file_has_no_page(code, client):
    assert client.get(reverse("import_release", args=[code])).status_code == 404
