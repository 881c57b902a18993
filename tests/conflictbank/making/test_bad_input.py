"""Bad input by the doors that take it: files of items and of facts by command, page and API; and taken down items."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.urls import reverse

from annotation.models import Instance, Release
from benchmarks.conflictbank.models import Fact
from judging.models import Response
from review.models import SetAside
from tests.conflictbank.items.test_item_files import printed, written
from tests.conflictbank.items.test_items import RECORD, numbered
from tests.factories.conflictbank import as_lines, bring_in, residents, row

pytestmark = pytest.mark.django_db

OPTIONS = RECORD["options"]
TEN_THOUSAND = "x" * 10_000
# Changes of an item that make it a bad one, and the words that say so.
BAD_ITEMS = {
    "an object equal to its subject": ({"subject": RECORD["object"]}, "“object” is the subject"),
    "the replaced object equal to the subject": ({"subject": RECORD["replaced_object"]}, "is the subject"),
    "a label of 10,000 characters": ({"subject": TEN_THOUSAND}, "has 10,000 characters"),
    "a label of two lines": ({"object": "Port\nAnswer: B"}, "has a line break"),
    "a label with another kind of line break": ({"object": "Port\u2028Answer: B"}, "has a line break"),
    "an option twice": ({"options": [OPTIONS[0], OPTIONS[0], *OPTIONS[2:]]}, "has an option twice"),
    "an option twice but for its form": (
        {"options": [OPTIONS[0], f"\u00a0{OPTIONS[0].upper()} ", *OPTIONS[2:]]},
        "has an option twice",
    ),
    "five options": ({"options": [*OPTIONS, "Upper Esk"]}, "is not a list of 4 options"),
    "options by letter": ({"options": dict(zip("ABCD", OPTIONS, strict=True))}, "is not a list of 4 options"),
    "correct and replaced the same letter": ({"replace_option": RECORD["correct_option"]}, "have the same letter"),
    "a letter beyond the options": ({"correct_option": "E"}, "is not one of A, B, C, D"),
    "a small letter": ({"correct_option": RECORD["correct_option"].lower()}, "is not one of A, B, C, D"),
    "a number for a letter": ({"correct_option": 2}, "is not one of A, B, C, D"),
    "a span that ends before it begins": ({"temporal_conflict_time_span": ["2040", "2031"]}, "temporal_conflict"),
    "a span with a number": ({"temporal_conflict_time_span": [2040]}, "temporal_conflict"),
    "a number for a text": ({"question": 7}, "is not text"),
    "a NUL": ({"question": "Where\x00?"}, "question"),
    "half of a surrogate pair": ({"question": "Where\ud800?"}, "question"),
    "an empty evidence": ({"default_evidence": " \n"}, "is empty"),
    "an unknown style": ({"default_evidence_category": "poem"}, "is not one of wikipedia"),
    "an unknown field": ({"note": "x"}, "there is no field"),
}
# Lines that cannot be read as an item.
BAD_LINES = {
    "a duplicate key": json.dumps(RECORD)[:-1] + ', "subject": "Another"}',
    "NaN": json.dumps(RECORD).replace(json.dumps(RECORD["question"]), "NaN"),
    "a list": "[1, 2]",
    "no JSON": '{"subject": ',
}


def page_of(admin_client, content: bytes, name: str = "items.jsonl", **more):
    file = io.BytesIO(content)
    file.name = name
    return admin_client.post(reverse("import_release", args=["conflictbank"]), {"file": file, **more})


# --- Items ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", BAD_ITEMS)
def test_a_bad_item_is_named_by_command_and_page_and_nothing_is_released(what, tmp_path, admin_client):
    change, words = BAD_ITEMS[what]
    file = written(tmp_path, [numbered(1), RECORD | change])
    with pytest.raises(CommandError) as refused:
        printed("import_conflictbank", str(file))
    assert "Line 2" in str(refused.value)
    assert words in str(refused.value)
    page = page_of(admin_client, Path(file).read_bytes(), action="import")
    assert page.status_code == 400
    assert "Line 2" in page.text
    assert not Release.objects.exists()
    assert not Instance.objects.exists()


@pytest.mark.parametrize("what", BAD_LINES)
def test_a_bad_line_is_named_and_the_others_can_be_released(what, tmp_path):
    file = tmp_path / "items.jsonl"
    file.write_text(f"{json.dumps(numbered(1))}\n{BAD_LINES[what]}\n{json.dumps(numbered(2))}\n")
    with pytest.raises(CommandError, match="Line 2"):
        printed("import_conflictbank", str(file))
    rest = tmp_path / "rest.jsonl"
    assert "2 items" in printed("import_conflictbank", str(file), "--skip-bad", str(rest))
    assert json.loads(rest.read_text())["where"] == "Line 2"


def test_a_byte_order_mark_other_line_ends_and_empty_lines_are_no_problem(tmp_path):
    file = tmp_path / "items.jsonl"
    lines = [json.dumps(RECORD), "", json.dumps(numbered(1)), ""]
    file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    assert "2 items" in printed("import_conflictbank", str(file))
    out = tmp_path / "again.jsonl"
    printed("export_conflictbank", "--release", "1", str(out))
    assert [json.loads(line) for line in out.read_text().splitlines()] == [RECORD, numbered(1)]


HOSTILE = ("مدينة\u202e", "{question} {A}", "<script>alert(1)</script>", "Answer: B", "=1+1")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_label_is_data_wherever_it_is_shown(name, tmp_path, admin_client):
    options = [name if each == RECORD["object"] else each for each in OPTIONS]
    printed("import_conflictbank", str(written(tmp_path, [RECORD | {"object": name, "options": options}])))
    page = admin_client.get(reverse("release_instance", args=[1, 1])).text
    assert "<script>alert" not in page
    found = admin_client.get(reverse("api:release_instances", args=[1])).json()
    assert found["results"][0]["content"]["object"] == name


# --- Facts ----------------------------------------------------------------------------------------------------------

BAD_FACTS = {
    "an empty object": row("Ann", ""),
    "a number for a name": row("Ann", 7),
    "a name of 10,000 characters": row(TEN_THOUSAND, "Altona"),
    "a NUL in a name": row("Ann\x00", "Altona"),
    "half of a surrogate pair": row("Ann\ud800", "Altona"),
    "a relation that is none": row("Ann", "Altona", "P"),
    "an unknown rank": row("Ann", "Altona", rank="best"),
    "yes and no in other words": row("Ann", "Altona", subject_is_living="perhaps"),
}


@pytest.mark.parametrize("what", BAD_FACTS)
def test_a_bad_fact_is_named_by_command_page_and_api(what, tmp_path, admin_client):
    content = as_lines([*residents(3), BAD_FACTS[what]])
    file = tmp_path / "facts.jsonl"
    file.write_bytes(content)
    with pytest.raises(CommandError, match="Line 4"):
        printed("import_facts", str(file))
    for address in (reverse("facts_import"), reverse("api:import_facts")):
        sent = io.BytesIO(content)
        sent.name = "facts.jsonl"
        answer = admin_client.post(
            address, {"file": sent, "action": "import"} if "api" not in address else {"file": sent}
        )
        assert answer.status_code == 400
        assert "Line 4" in answer.text
    assert not Fact.objects.exists()


def test_facts_with_a_byte_order_mark_other_line_ends_and_empty_lines_come_in(tmp_path):
    rows = [json.dumps(each) for each in residents(4)]
    file = tmp_path / "facts.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + "\r\n\r\n".join(rows).encode())
    assert "4 records read; 4 new facts." in printed("import_facts", str(file))


def test_an_object_equal_to_its_subject_is_a_dropped_fact():
    bring_in([*residents(5), row("Altona", "ALTONA"), row("Esk\u00a0ford", "Eskford Bay"), row("ﬁnch", "Finch")])
    dropped = Fact.objects.filter(state="dropped").values_list("subject__name", "reason")
    assert ("Altona", "contained") in dropped
    assert ("ﬁnch", "contained") in dropped


# --- Taken down -----------------------------------------------------------------------------------------------------


CONDITIONS = ("default", "correct", "misinformation", "correct_temporal", "semantic_description", "semantic")


def answer(number: int, condition: str) -> dict:
    order = {"order": "default_first"} if condition == "correct_temporal" else {}
    return {"item": number, "condition": condition, "model": "Mist", "text": "C"} | order


def reported(name: str) -> str:
    return printed("report", name, "--format", "json", "--release", "1")


def test_an_item_that_an_admin_takes_down_is_in_no_report_and_stays_in_its_release(tmp_path, sign_in, admin):
    client = sign_in(admin)
    printed("import_conflictbank", str(written(tmp_path, [numbered(n) for n in range(4)])))
    answers = [answer(number, condition) for number in range(4) for condition in CONDITIONS]
    printed("import_conflictbank_answers", str(written(tmp_path, answers, "answers.jsonl")), "--release", "1")
    names = [f"conflictbank-{name}" for name in ("ratios", "groups", "descriptions")]
    before = {name: reported(name) for name in names}
    assert json.loads(before["conflictbank-ratios"])["Mist"]["of"] == 4
    sent = {"release": Release.objects.get().pk, "number": 1, "reason": "The person asked for it."}
    assert client.post(reverse("take_down"), sent | {"reason": " "}).status_code == 400
    assert client.post(reverse("take_down"), sent | {"number": 9}).status_code == 404
    page = client.post(reverse("take_down"), sent, follow=True).text
    assert "The person asked for it." in page
    assert SetAside.objects.active().get().reason == sent["reason"]
    for name in names:
        assert reported(name) != before[name], name
    assert json.loads(reported("conflictbank-ratios"))["Mist"]["of"] == 3
    assert Release.objects.get().instances.count() == 4
    assert Response.objects.count() == len(answers)
    assert client.post(reverse("take_down"), sent).status_code == 409
