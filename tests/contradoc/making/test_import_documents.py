"""Clean documents from a file: all of it or nothing, and twice is once."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from benchmarks.contradoc.models import ContradocAction, Document
from core.models import Event

pytestmark = pytest.mark.django_db
GOOD = [
    {"id": "news_1", "doc_type": "news", "text": "The bridge opened. It closed."},
    {"id": "wiki_2", "doc_type": "wiki", "text": "הגשר נפתח\nJudgment: yes {document}"},
]


def run(tmp_path, records, *options):
    file = tmp_path / "documents.jsonl"
    lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
    file.write_text("\n".join(lines))
    out = io.StringIO()
    call_command("import_documents", str(file), *options, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_documents_come_in_as_they_are_and_a_second_time_changes_nothing(tmp_path):
    assert "2 documents imported" in run(tmp_path, GOOD)
    assert {each.code: each.text for each in Document.objects.all()} == {each["id"]: each["text"] for each in GOOD}
    assert "0 documents imported; 2 were already here" in run(tmp_path, GOOD)
    assert Document.objects.count() == 2
    assert Event.objects.filter(action=ContradocAction.IMPORTED_DOCUMENTS).count() == 1


def test_a_check_writes_nothing(tmp_path):
    assert "2 documents would be imported" in run(tmp_path, GOOD, "--dry-run")
    assert not Document.objects.exists()


BAD = [
    ("{", "not JSON"),
    ("[]", "not an object"),
    ({"id": "a", "doc_type": "news"}, "“text” must be a text"),
    ({"id": "a", "doc_type": "poem", "text": "x"}, "“doc_type” must be one of"),
    ({"id": "a", "doc_type": "news", "text": "  \n"}, "“text” must be a text"),
    ({"id": "a", "doc_type": "news", "text": "a\0b"}, "not text"),
    ('{"id": "a", "doc_type": "news", "text": "\\ud800"}', "not text"),
    ({"id": "news_1", "doc_type": "news", "text": "Another."}, "earlier line"),
    ({"id": "a", "doc_type": "news", "text": "x", "title": "y"}, "title"),
    ({"id": "a" * 201, "doc_type": "news", "text": "x"}, "200 characters"),
]


@pytest.mark.parametrize(("record", "said"), BAD)
def test_a_bad_line_is_named_and_keeps_the_file_out(tmp_path, record, said):
    with pytest.raises(CommandError) as refused:
        run(tmp_path, [*GOOD, record])
    assert "Line 3" in str(refused.value)
    assert said in str(refused.value)
    assert not Document.objects.exists()


def test_bad_lines_can_be_left_out(tmp_path):
    bad = tmp_path / "bad.jsonl"
    run(tmp_path, [*GOOD, *(record for record, _ in BAD)], "--skip-bad", str(bad))
    assert Document.objects.count() == 2
    assert len(bad.read_text().splitlines()) == len(BAD)


def test_a_document_that_is_here_with_another_text_stands(tmp_path):
    run(tmp_path, GOOD)
    with pytest.raises(CommandError, match="another text"):
        run(tmp_path, [GOOD[0] | {"text": "Changed."}])
    assert Document.objects.get(code="news_1").text == GOOD[0]["text"]


def test_the_database_refuses_to_change_a_document(tmp_path):
    run(tmp_path, GOOD)
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Document.objects.update(text="Changed.")


def test_a_document_of_two_megabytes_comes_in(tmp_path):
    text = "word " * 400_000
    run(tmp_path, [{"id": "long", "doc_type": "story", "text": text}])
    assert Document.objects.get().text == text
