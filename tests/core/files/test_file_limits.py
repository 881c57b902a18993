"""A file of nothing but rubbish costs little: few of its problems are told, and what is left of it is not read."""

import csv
import io
import json
import tracemalloc
from time import process_time

import pytest

from annotation.releases.files.imports import import_records
from benchmarks.wikicontradict.human_evaluation.importing import import_human_evaluation
from core.files import records as record_files
from core.files.csv_reader import read_csv
from core.files.records import read_lines, read_lists, read_parts, read_records, read_value
from core.files.spreadsheets import read_table
from core.refusals import Refusal
from judging.files.imports import import_responses
from review.files.judgment_imports import import_judgments
from review.files.known_verdicts import import_known

pytestmark = pytest.mark.django_db
MANY = 20_000
RUBBISH = {
    "numbers": b"[" + b"1," * MANY + b"1]",
    "empty objects": b"[" + b"{}," * MANY + b"{}]",
    "one record of empty lists": b"[[" + b"[]," * MANY + b"[]]]",
    "lines": b"{}\n" * MANY,
    "a model's list": b'{"M": [' + b"{}," * MANY + b"{}]}",
    "bad rows": b"response,reviewer,verdict,use,explanation,model,template,text\n" + b"x,x,x\n" * MANY,
    "one long row": b"response,reviewer,verdict,use,explanation,model,template,text\n" + b"ab," * MANY,
    "one row over many lines": b'response,reviewer,verdict,use,explanation\n"ab' + b'\n","ab' * MANY,
    "one long text": b'["' + b"x" * 9_000_000 + b'"]',
}


@pytest.mark.parametrize("rubbish", RUBBISH)
@pytest.mark.parametrize(
    "read", [import_records, import_responses, import_human_evaluation, import_judgments, import_known]
)
def test_rubbish_is_refused_at_little_cost(read, rubbish):
    data = RUBBISH[rubbish]
    tracemalloc.start()
    began = process_time()
    try:
        result = read(io.BytesIO(data))
        assert result.bad
        said = "\n".join(result.lines())
    except Refusal as refusal:
        said = refusal.message
    seconds, (_, peak) = process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(said) < 120_000
    # Its bytes, its characters, and one record as values.
    assert peak < 3 * len(data) + 40_000_000
    assert seconds < 20


def test_problems_are_told_with_record_and_field_until_there_are_too_many():
    records = [{"title": "A bridge", "url": 5} for _ in range(3_000)]
    with pytest.raises(Refusal) as refusal:
        import_records(io.BytesIO(json.dumps(records).encode()))
    assert "Record 5 (“A bridge”): the field “url” must be a text, but is a number" in refusal.value.message
    assert "995 more records have problems. The rest of the file was not read." in refusal.value.message


def test_a_record_that_is_longer_than_what_is_looked_at_first_is_read():
    records = [{"text": "x" * length} for length in (0, 3_990, 4_000, 59_000, 60_000, 999_999, 4_900_000, 1)]
    text = json.dumps([*records, 12345, -1.5e-7, '\u00e9"\\'])
    assert list(read_records(text)) == json.loads(text)
    assert [value for _, value in read_lines("\n\n".join(map(json.dumps, records)))] == records
    assert [value for *_, value in read_lists(json.dumps({"M": records}))] == records
    for cut in (1, 100, 60_010):
        with pytest.raises(Refusal, match="is not JSON"):
            list(read_records(text[:-cut]))


@pytest.mark.parametrize("length", range(record_files.WINDOWS[0] - 40, record_files.WINDOWS[0] + 10))
def test_a_number_at_the_end_of_what_is_looked_at_is_read_whole(length):
    text = json.dumps(["x" * length, 1234567890.125e10, True])
    assert list(read_records(text)) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('["' + "x" * 5_000_001 + '"]', "Record 1 has more than 5,000,000 characters"),
        (
            '[{"a": 1 "b": 2}' + " " * 9_000_000 + "]",
            "Record 1 is not JSON: Expecting ',' delimiter .line 1, column 10",
        ),
        ("[1 2]", "after record 1 a comma"),
        ("[1],", "something follows the end of the list"),
    ],
)
def test_a_list_is_refused_where_it_is_wrong(text, words):
    with pytest.raises(Refusal, match=words):
        list(read_records(text))


def test_a_list_of_more_than_a_million_records_is_refused(monkeypatch):
    assert record_files.MOST_RECORDS == 1_000_000
    monkeypatch.setattr(record_files, "MOST_RECORDS", 1_000)
    with pytest.raises(Refusal, match="more than 1,000 records"):
        list(read_records("[" + "1," * 1_000 + "1]"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"M": [1,]}', "M, record 2 is not JSON"),
        ('{"M": [1], "M": []}', "appears twice"),
        ('{"M" [1]}', "a colon is missing"),
        ('{"M": [1] "N": []}', "a comma or the end of the object"),
        ('{"M": [1]} x', "something follows its end"),
        ("{5: []}", "a name in quotation marks"),
        ("[]", "must be an object"),
        ("", "is empty"),
    ],
)
def test_an_object_of_lists_is_refused_where_it_is_wrong(text, words):
    with pytest.raises(Refusal, match=words):
        list(read_lists(text))


def test_values_and_rows_still_come_as_they_are():
    assert list(read_lists('{"M": [1, 2], "N": [], "O": 5}')) == [("M", 1, 1), ("M", 2, 2), ("N", 0, []), ("O", 0, 5)]
    assert list(read_lists("{}")) == []
    assert read_value(" [1] ") == [1]
    assert list(read_table(["a,b\r\n", "1,2\r\n"])) == [(1, ["a", "b"]), (2, ["1", "2"])]


@pytest.mark.parametrize("size", [7, 1_000])
@pytest.mark.parametrize("cut", ["", "[", "]", '"n": 20', '"n": 20}', "\n"])
def test_a_file_that_is_read_in_parts_says_what_the_whole_text_says(size, cut, monkeypatch):
    monkeypatch.setattr(record_files, "PART_BYTES", size)
    text = json.dumps([{"n": n, "é": "ü🙂" * n} for n in range(40)], ensure_ascii=False, indent=2)
    text = text.replace(cut, "", 1) if cut else text

    def said(source) -> object:
        try:
            return list(read_records(source))
        except Refusal as refusal:
            return refusal.message

    assert said(read_parts(io.BytesIO(b"\xef\xbb\xbf" + text.encode()))) == said(text)


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_and_rows_come_whole_from_a_file_in_parts(size, end, monkeypatch):
    monkeypatch.setattr(record_files, "PART_BYTES", size)
    texts = ["", "a", 'é🙂, "b"', "line 1\nline 2\r\nline 3\u2028", "x" * 50]
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator=end).writerows([["number", "text"], *enumerate(texts)])
    rows = read_csv(read_parts(io.BytesIO(table.getvalue().encode())))
    assert [row.cells for row in rows] == [{"number": str(n), "text": text} for n, text in enumerate(texts)]
    lines = "".join(json.dumps(text, ensure_ascii=False) + "\r\n\n" for text in texts)
    found = read_lines(read_parts(io.BytesIO(lines.encode())))
    assert list(found) == [(2 * n + 1, text) for n, text in enumerate(texts)]


def test_a_line_that_is_not_json_says_nothing_about_the_file():
    found = [value.problem for _, value in read_lines('{"a": \n{"a": 1} x\n{"a": 1, "a": 2}\n[' + "[" * 100_000)]
    assert [problem.partition(":")[0] for problem in found] == ["It is not JSON"] * 2 + ["It cannot be read"] + [
        "It is nested too deep to be read."
    ]
    assert "(column 7)" in found[0]
    assert "file" not in " ".join(found)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "cp1252"])
def test_a_file_of_a_spreadsheet_in_another_encoding_is_refused_with_advice(encoding):
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    with pytest.raises(Refusal, match="save as “CSV UTF-8”") as refused:
        list(read_csv(read_parts(io.BytesIO(f"{mark}text\tmodel\r\nZażółć\ta\r\n".encode(encoding, "replace")))))
    assert ("UTF-16" in refused.value.message) is encoding.startswith("utf-16")


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_byte_that_fits_no_character_is_named_by_its_number_in_the_file(size, monkeypatch):
    monkeypatch.setattr(record_files, "PART_BYTES", size)
    for data, number in ((b'["a\xff"]', 4), (b'["\xc3', 3), (b'["\xc3\xa9\xc3"]', 5)):
        with pytest.raises(Refusal, match=f"byte {number} is not a valid character"):
            list(read_parts(io.BytesIO(data)))
