"""Files of responses made from the public questions: a `question_ID` names one question."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from annotation.models import Instance
from judging.models import Response
from tests.factories.judging import make_instance, make_release
from tests.judging.responses.test_import_responses import run_command

pytestmark = pytest.mark.django_db


def record(number: int | None, **values: Any) -> dict[str, Any]:
    """A response to a question under the names of the public question-level file."""
    return {
        "question_ID": number,
        "question": "When did the bridge open?",
        "context1": "The bridge opened in 1903.",
        "context2": "The bridge opened in 1899.",
        "answer1": "1903",
        "answer2": "1899",
        "samepassage": "Different",
        "WikipediaArticleTitle": "Bridge",
        "url": "https://wiki.example.org/wiki/Bridge",
        "model": "mist",
        "template": "4",
        "text": "In 1903 or 1899.",
        **values,
    }


def file_of(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "responses.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    return path


def test_a_response_that_comes_twice_counts_once_and_is_said(tmp_path):
    path = file_of(tmp_path, record(1), record(1))
    assert "1 response imported, 1 is in the file twice. Runs" in run_command("import_responses", path)
    assert Response.objects.count() == Instance.objects.count() == 1
    assert "0 responses imported, 2 were already here. Runs" in run_command("import_responses", path)


def test_one_question_twice_with_another_text_is_refused(tmp_path):
    path = file_of(tmp_path, record(1), record(1, text="In 1903."))
    with pytest.raises(CommandError, match="Line 2: the field “text” is not what an earlier record of this response"):
        run_command("import_responses", path)


@pytest.mark.parametrize("release", [None, 9])
def test_a_number_that_names_two_questions_is_refused(tmp_path, release):
    records = [record(1, release=release), record(1, release=release, context2="It opened in 1898.", text="?")]
    with pytest.raises(CommandError, match=r"Line 2: the field “question_ID” is 1, .* another question in line 1"):
        run_command("import_responses", file_of(tmp_path, *records))
    assert not Instance.objects.exists()


def test_numbers_of_two_releases_are_two(tmp_path):
    records = [record(1, release=8), record(1, release=9, context2="It opened in 1898.")]
    assert "2 responses imported. Runs" in run_command("import_responses", file_of(tmp_path, *records))


def test_two_questions_with_the_same_texts_stay_two(tmp_path):
    path = file_of(tmp_path, record(1), record(2, text="In 1899."))
    assert "2 responses imported. Runs" in run_command("import_responses", path)
    assert Instance.objects.count() == 2
    assert "0 responses imported, 2 were already here" in run_command("import_responses", path)


def test_without_numbers_they_are_one(tmp_path):
    path = file_of(tmp_path, record(None), record(None, model="llam"))
    assert "2 responses imported. Runs" in run_command("import_responses", path)
    assert Instance.objects.count() == 1


def test_a_released_question_is_found_by_its_number_and_its_twin_made(tmp_path):
    names = {"passage_1": "context1", "passage_2": "context2", "answer_1": "answer1", "answer_2": "answer2"}
    texts = {name: record(1)[column] for name, column in names.items()}
    released = make_instance(question="When did the bridge open?", **texts)
    make_release([released])
    run_command("import_responses", file_of(tmp_path, record(1), record(2, text="In 1899.")))
    assert [response.instance == released for response in Response.objects.order_by("pk")] == [True, False]


def test_too_many_twins_are_refused(tmp_path):
    records = [record(number) for number in range(1, 30)]
    with pytest.raises(CommandError, match=r"Line 21: .*one of more than 20 numbers for the same texts"):
        run_command("import_responses", file_of(tmp_path, *records))
