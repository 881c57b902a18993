"""Annotations are exported in the paper's JSON and as question-level rows."""

import csv
import io
import json
import os
import stat
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotation, ContradictionType, Passage, Question, SamePassage, Validity
from annotation.releases.files.imports import import_records
from tests.annotation.releases.test_import_annotations import record, result
from tests.factories import AnnotationFactory, TagFactory

pytestmark = pytest.mark.django_db

COLUMNS = (
    "question_ID, question, context1, context2, answer1, answer2, contradictType, samepassage, merged_context, "
    "ref_answer, WikipediaArticleTitle, url"
)


def json_export() -> list[dict]:
    output = io.StringIO()
    call_command("export_annotations", "--format", "json", stdout=output)
    return json.loads(output.getvalue())


def csv_export() -> list[dict]:
    output = io.StringIO()
    call_command("export_annotations", "--format", "csv", stdout=output)
    return list(csv.DictReader(io.StringIO(output.getvalue())))


def test_an_annotation_made_here_has_the_keys_of_the_released_file():
    annotation = AnnotationFactory(confidence=4)
    title = annotation.tag.article.title
    (exported,) = json_export()
    assert exported == {
        "title": title,
        "url": annotation.tag.article.url,
        "paragraph_A": annotation.tag.paragraph,
        "paragraph_A_clean": annotation.tag.paragraph_clean,
        "tag": "Inconsistent|date=May 2024",
        "tagDate": "May 2024",
        "tagReason": "",
        "annotationResult": {
            "wikitag_label_valid": "Valid",
            "paragraphA_article": title,
            "paragraphA_information": "The bridge opened in 1903.",
            "paragraphA_information_standalone": f"{title} opened in 1903.",
            "paragraphB_article": title,
            "paragraphB_information": "The bridge was closed in 1899.",
            "paragraphB_information_standalone": f"{title} was closed in 1899.",
            "wikitag_label_samepassage": "Different",
            "relevantInfo_comment_A": "the bridge opened in 1903",
            "relevantInfo_comment_A_Span": "1903",
            "relevantInfo_comment_B": "the bridge was closed in 1899",
            "relevantInfo_comment_B_Span": "1899",
            "Contradict type I": "(PhraseLevel) Entity - Date/time",
            "Contradict type II": "Text - Text",
            "Contradict type III": "Within the same article",
            "Contradict type IV": "Implicit (reasoning required)",
            "taxonomy": [
                ["Contradict type I", "(PhraseLevel) Entity - Date/time"],
                ["Contradict type II", "Text - Text"],
                ["Contradict type III", "Within the same article"],
                ["Contradict type IV", "Implicit (reasoning required)"],
            ],
            "question1": f"When was {title} open?",
            "question1_answer1": "from 1903",
            "question1_answer2": "until 1899",
            "confidence": "4",
        },
    }


def test_the_flat_field_keeps_the_last_of_several_options():
    annotation = AnnotationFactory()
    ContradictionType.objects.create(annotation=annotation, position=9, dimension="semantic_type", code="DISC-NP")
    exported = json_export()[0]["annotationResult"]
    assert exported["Contradict type I"] == "(DiscourseLevel) NP-related "
    assert [path[1] for path in exported["taxonomy"] if path[0] == "Contradict type I"] == [
        "(PhraseLevel) Entity - Date/time",
        "(DiscourseLevel) NP-related ",
    ]


def test_up_to_ten_questions_are_exported():
    annotation = AnnotationFactory()
    for position in range(2, 11):
        Question.objects.create(annotation=annotation, position=position, text=f"Q{position}", answer_1="a")
    exported = json_export()[0]["annotationResult"]
    assert exported["question10"] == "Q10"
    assert "question10_answer2" not in exported
    assert len(csv_export()) == 10


def test_an_invalid_tag_has_its_first_step_only():
    AnnotationFactory(validity=Validity.INVALID, valid_comment="Both say 1903.")
    assert json_export()[0]["annotationResult"] == {
        "wikitag_label_valid": "Invalid",
        "valid_comment": "Both say 1903.",
    }
    assert csv_export() == []


@pytest.mark.parametrize("state", ["draft", "submitted", "returned", "excluded"])
def test_only_accepted_annotations_are_exported(state):
    AnnotationFactory(state=state, review_message="why")
    assert json_export() == []
    assert csv_export() == []


def test_what_was_edited_after_the_import_is_exported_as_it_is_now():
    given = record(annotationResult=result(confidence="", extra=1, paragraphA_article="", valid_comment="old"))
    import_records(io.BytesIO(json.dumps([given]).encode()))
    annotation = Annotation.objects.get()
    Question.objects.filter(annotation=annotation).update(answer_2="before 1899")
    Question.objects.create(annotation=annotation, position=2, text="Who closed it?", answer_1="nobody")
    ContradictionType.objects.filter(annotation=annotation).update(code="IMP")
    Passage.objects.filter(annotation=annotation, position=2).update(article_title="Old bridge")
    Annotation.objects.update(confidence=3, valid_comment="")
    (exported,) = json_export()
    assert exported["annotationResult"] == {
        "wikitag_label_valid": "Valid",
        "paragraphA_information": "It opened in 1903.",
        "paragraphB_information": "It was closed in 1899.",
        "taxonomy": [["Contradict type IV", "Implicit (reasoning required)"]],
        "Contradict type IV": "Implicit (reasoning required)",
        "question1": "When was the bridge open?",
        "question1_answer1": "from 1903",
        "question1_answer2": "before 1899",
        "confidence": "3",
        "extra": 1,
        "paragraphA_article": "",
        "paragraphB_article": "Old bridge",
        "question2": "Who closed it?",
        "question2_answer1": "nobody",
    }


def test_a_row_is_a_question_with_its_context_and_answers():
    annotation = AnnotationFactory()
    Passage.objects.filter(annotation=annotation, position=2).update(standalone_text="")
    (row,) = csv_export()
    title = annotation.tag.article.title
    assert list(row) == COLUMNS.split(", ")
    assert row == {
        "question_ID": "1",
        "question": f"When was {title} open?",
        "context1": f"{title} opened in 1903.",
        "context2": "The bridge was closed in 1899.",
        "answer1": "from 1903",
        "answer2": "until 1899",
        "contradictType": "Implicit (reasoning required)",
        "samepassage": "Different",
        "merged_context": f"{title} opened in 1903.\nThe bridge was closed in 1899.",
        "ref_answer": "from 1903|until 1899",
        "WikipediaArticleTitle": title,
        "url": annotation.tag.article.url,
    }


@pytest.mark.parametrize(("stored", "shown"), [(SamePassage.SAME, "Same"), ("", "Different")])
def test_passages_differ_unless_they_are_said_to_be_the_same(stored, shown):
    AnnotationFactory(same_passage=stored)
    assert csv_export()[0]["samepassage"] == shown


@pytest.mark.parametrize(
    "attack",
    ["=1+1", "+1+1", "-1+1", "@SUM(A1)", " =1", "\t=1", "\r=1", "\n=1", "\u00a0=1", "＝1", "=cmd|' /C calc'!A0"],
)
def test_no_cell_is_a_formula_to_a_spreadsheet(attack):
    annotation = AnnotationFactory()
    annotation.questions.update(text=attack, answer_1=attack)
    (row,) = csv_export()
    for column in ("question", "answer1", "ref_answer"):
        assert row[column].startswith("'" + attack)
    assert json_export()[0]["annotationResult"]["question1"] == attack


@pytest.mark.parametrize("harmless", ["-5", "+3.5", "-1,000", "1903", "a = b", "–5"])
def test_a_plain_number_or_text_is_left_alone(harmless):
    AnnotationFactory().questions.update(answer_1=harmless)
    assert csv_export()[0]["answer1"] == harmless


def test_texts_with_commas_quotes_and_line_ends_come_back_from_the_csv():
    text = 'one, "two"\r\nthree; four\n'
    AnnotationFactory().questions.update(text=text)
    assert csv_export()[0]["question"] == text


def test_the_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    AnnotationFactory()
    path = tmp_path / "out.json"
    path.write_text("the file before")
    path.chmod(0o640)

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("core.files.writing.os.fsync", full_disk)
        with pytest.raises(CommandError, match="No space left on device"):
            call_command("export_annotations", "--output", str(path))
    assert path.read_text() == "the file before"
    assert os.listdir(tmp_path) == ["out.json"]
    call_command("export_annotations", "--output", str(path))
    assert len(json.loads(path.read_text())) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link.json").symlink_to("real.json")
    call_command("export_annotations", "--output", str(tmp_path / "link.json"))
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "[]"


def test_a_device_is_written_to_and_not_replaced():
    call_command("export_annotations", "--output", "/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("target", ["missing/out.json", "."])
def test_a_target_that_cannot_be_written_is_said_in_words(target, tmp_path):
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_annotations", "--output", str(tmp_path / target))


@pytest.mark.parametrize("number", [1, 0, -3, 10**12])
def test_a_release_that_is_not_there_is_said_in_words(number):
    with pytest.raises(CommandError, match="There is no release"):
        call_command("export_release", f"--release={number}")


def test_a_large_export_is_made_in_few_queries(django_assert_max_num_queries):
    for _ in range(30):
        AnnotationFactory(tag=TagFactory())
    with django_assert_max_num_queries(12):
        json_export()
    with django_assert_max_num_queries(12):
        csv_export()
