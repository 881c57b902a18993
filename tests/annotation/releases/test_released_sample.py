"""The released half of the benchmark: in and out again without a difference, with the paper's counts."""

import csv
import io
import json

import pytest
from django.core.management import call_command

from annotation.content.paper_record import is_hint

pytestmark = [pytest.mark.django_db, pytest.mark.released]


@pytest.fixture
def sample(released_data):
    path = released_data / "wikicontradict_sample.json"
    call_command("import_annotations", str(path))
    return path


def printed(*arguments, **options) -> str:
    output = io.StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()


def test_every_field_of_every_record_comes_out_again(sample):
    expected = json.loads(sample.read_text())
    for record in expected:
        result = record["annotationResult"]
        record["annotationResult"] = {key: value for key, value in result.items() if not is_hint(key, value)}
    exported = printed("export_annotations", "--format", "json")
    assert json.loads(exported) == expected
    assert "add the answer" not in exported


def test_with_the_hint_texts_it_is_the_same_file_to_the_byte(sample):
    assert printed("export_annotations", as_imported=True).encode() == sample.read_bytes()


def test_importing_it_again_changes_nothing(sample):
    assert printed("import_annotations", str(sample)) == "Nothing changed: all 65 records are already here.\n"


def test_table_1_is_that_of_the_paper(sample, released_data):
    expected = json.loads((released_data / "table1_sample_expected.json").read_text())
    counts = json.loads(printed("report", "table1", "--format", "json"))
    numbers = {key: value for key, value in expected.items() if isinstance(value, int)}
    assert counts == {"tags": 65, **numbers}


def test_an_instance_reads_as_in_the_human_evaluation(sample, released_data):
    evaluated = json.loads((released_data / "wikicontradict_humaneval_sample.json").read_text())
    instances = {one["question1"]: one for one in next(iter(evaluated.values()))}
    rows = list(csv.DictReader(io.StringIO(printed("export_annotations", "--format", "csv"))))
    assert len(rows) == 131
    compared = 0
    for row in rows:
        if one := instances.get(row["question"]):
            compared += 1
            assert row["WikipediaArticleTitle"] == one["title"]
            assert row["samepassage"] == one["samepassage"]
            assert (row["answer1"], row["answer2"]) == (one["question1_answer1"], one["question1_answer2"])
            assert row["contradictType"] == one["taxonomy-contradictTypeIV"].replace("unknown", "")
    assert compared > 10
