"""A file that has no records is refused as a whole, in words that name record and field; or, if wanted, without the
records that are at fault."""

import json

import pytest
from django.core.management import CommandError, call_command

from core.files.problems import MOST_LEVELS
from core.refusals import Refusal
from tests.annotation.releases.test_import_annotations import brought_in, exported, record, result, rows_written

pytestmark = pytest.mark.django_db

BROKEN = {
    "empty": (b"", "It is empty"),
    "only blanks": (b" \n ", "It is empty"),
    "no JSON": (b"title,url\n", "The file is not JSON"),
    "an object": (b'{"title": "x"}', "must be a list"),
    "a number": (b"7", "must be a list"),
    "cut off": (json.dumps([record(), record()]).encode()[:-30], "Record 2 is not JSON"),
    "no comma": (b'[{"title": "x"} {"title": "y"}]', "after record 1 a comma"),
    "a comma too many": (b'[{"title": "x"},]', "Record 2 is not JSON"),
    "two lists": (b'[{"title": "x"}] []', "follows the end"),
    "not UTF-8": ('[{"title": "Brücke"}]'.encode("latin-1"), "not text in UTF-8"),
    "UTF-16": (json.dumps([record()]).encode("utf-16"), "not text in UTF-8"),
    "NaN": (b'[{"title": "x", "annotationResult": {"confidence": NaN}}]', "Record 1 cannot be read: NaN"),
    "a number without end": (b'[{"title": "x", "n": 1e999}]', "too large"),
    "too many digits": (b'[{"title": "x", "n": ' + b"9" * 5000 + b"}]", "more than 1,000 digits"),
    "a key twice": (b'[{"title": "x", "url": "a", "url": "b"}]', "'url' appears twice"),
    "nested without end": (b'[{"title": "x", "n": ' + b"[" * 200_000, "nested too deep"),
    "nested deep": (json.dumps([record(n=json.loads("[" * 40 + "]" * 40))]).encode(), f"deeper than {MOST_LEVELS}"),
    "a list in the list": ([[record()]], "Record 1: it must be an object"),
    "a text in the list": ([record(), "x"], "Record 2: it must be an object"),
    "no title": ([record(), record(title=None)], "Record 2: the field “title” is missing"),
    "an empty title": ([record(title=" ")], "Record 1: the field “title” is missing or empty"),
    "a title that is no text": ([record(title=7)], "the field “title” must be a text, but is a number"),
    "a title that is too long": ([record(title="x" * 501)], "the field “title” is longer"),
    "an address that is too long": ([record(url="ü" * 1999)], "the field “url” is too long"),
    "a date that is a list": ([record(tagDate=["May"])], "the field “tagDate” must be a text, but is a list"),
    "a result that is a list": ([record(annotationResult=[])], "the field “annotationResult” must be an object"),
    "a question that is an object": (
        [record(annotationResult=result(question1={"en": "When?"}))],
        "“annotationResult.question1” must be a text, but is an object",
    ),
    "a taxonomy that is a text": (
        [record(annotationResult=result(taxonomy="Explicit"))],
        "annotationResult.taxonomy",
    ),
    "a taxonomy of texts": ([record(annotationResult=result(taxonomy=["Explicit"]))], "annotationResult.taxonomy"),
    "a taxonomy of numbers": ([record(annotationResult=result(taxonomy=[[1, 2]]))], "annotationResult.taxonomy"),
    "a confidence that is a list": ([record(annotationResult=result(confidence=[5]))], "annotationResult.confidence"),
    "a NUL": ([record(annotationResult=result(question1="When\0?"))], "annotationResult.question1"),
    "half a character": ([record(annotationResult=result(question1="\ud83d"))], "annotationResult.question1"),
    "a NUL in an unknown key": ([record(x={"a\0": 1})], "has a name with a character that is not text"),
}


@pytest.mark.parametrize(("content", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_as_a_whole_with_record_and_field(content, said, tmp_path):
    if not isinstance(content, bytes):
        # The sound record before it must not stay behind.
        content = json.dumps([*content, record(title="Sound")]).encode()
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(CommandError) as refusal:
        call_command("import_annotations", str(path))
    assert said in str(refusal.value)
    assert "nothing was written" in str(refusal.value)
    assert rows_written() == 0


def test_with_skip_bad_the_good_records_come_in_and_the_bad_ones_into_a_file(tmp_path, capsys):
    brought_in([record(), record(title="Other")])
    path, bad, repaired = tmp_path / "in.json", tmp_path / "bad.jsonl", tmp_path / "repaired.json"
    clashing, shapeless = record(annotationResult=result(question1="Who built it?")), record(title="Z", tagDate=7)
    path.write_text(json.dumps([clashing, record(title="Other"), "\ud83d", shapeless, record(title="New bridge")]))
    call_command("import_annotations", str(path), "--skip-bad", str(bad))
    said = capsys.readouterr().out
    assert "2 records: 1 new annotation with 1 instance." in said
    assert f"3 bad records were skipped: in {bad}, with the reasons." in said
    assert exported(tmp_path) == [record(title=title) for title in ("Old bridge", "Other", "New bridge")]

    skipped = [json.loads(line) for line in bad.read_text().splitlines()]
    assert [each["record"] for each in skipped] == [clashing, "\ud83d", shapeless]
    assert skipped[2]["where"] == "Record 4 (“Z”)"
    assert "“tagDate” must be a text" in skipped[2]["problem"]
    assert "differs in question1" in skipped[0]["problem"]

    before = rows_written()
    call_command("import_annotations", str(path), "--skip-bad", str(bad))
    assert "Nothing changed: all 2 records are already here." in capsys.readouterr().out
    assert rows_written() == before
    repaired.write_text(json.dumps([skipped[2]["record"] | {"tagDate": "May 2024"}]))
    call_command("import_annotations", str(repaired), "--skip-bad", str(bad))
    assert "No record was skipped." in capsys.readouterr().out
    assert (len(exported(tmp_path)), bad.read_text()) == (4, "")


def test_without_room_for_the_bad_records_nothing_is_imported(tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps([record(), record(title=None)]))
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("import_annotations", str(path), "--skip-bad", str(tmp_path / "none" / "bad.jsonl"))
    assert rows_written() == 0


def test_a_file_that_is_too_large_is_refused_before_it_is_read(settings, tmp_path):
    settings.IMPORT_MAX_BYTES = 1_000
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(CommandError, match="Nothing was written"):
        call_command("import_annotations", str(path))


def test_a_file_that_is_not_there_is_said_in_words(tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_annotations", str(tmp_path / "none.json"))


def test_all_problems_are_counted_and_the_first_are_named():
    with pytest.raises(Refusal) as refusal:
        brought_in([{"url": "x"}] * 9)
    assert "Record 5" in refusal.value.message
    assert "4 more records have problems" in refusal.value.message
