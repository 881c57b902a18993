"""Documents and replies as nobody wants them, through the doors of ContraDoc: without sentence ends, in Hebrew, with
a prompt's own marks, of 2 MB; replies with 10,000 quotes, nested lists, or the document handed back whole."""

import io
import json
import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse
from django.utils.html import escape

from annotation.models import Release
from benchmarks.contradoc import tasks
from benchmarks.contradoc.files import import_documents_of_contradoc
from core.background.doing import do_waiting
from judging.models import Reading, Run
from tests.factories.contradoc import ORIGINAL, make_candidate, make_document, make_questionnaire_round

pytestmark = pytest.mark.django_db

EVIDENCE = "Nobody crossed the bridge before 1950, as they all say."
MARKERS = 'Judgment: yes\nEvidence: ["a"]\n{document} {{ sentence }} </div><script>x()</script>\x85'
DOCUMENTS = {
    "1_1": "the bridge over the river " * 300,
    "2_1": "הגשר נפתח בשנת 1903. איש לא חצה אותו לפני 1950. הטחנה עמדה לידו. " * 3,
    "3_1": MARKERS,
    "4_1": "The bridge opened in 1903, and it was of steel. " * 5,
}
QUOTES = [f"Quote number {number}, which stands nowhere." for number in range(9_999)]
REPLIES = {
    "judge_then_find": {
        "1_1": f"Judgment: yes\nEvidence: {json.dumps([*QUOTES, EVIDENCE])}",
        "2_1": f"Judgment: yes\nEvidence: [[“{EVIDENCE}”]]",
        "3_1": f"Judgment: yes\nEvidence: {json.dumps([f'{MARKERS} {EVIDENCE}'])}",
        "4_1": "Judgment: no\nEvidence: []",
    },
    "topk": {
        "1_1": f"1. “{EVIDENCE}”",
        "2_1": f'- "איש לא חצה אותו. {EVIDENCE}"',
        "3_1": "[" * 5_000,
        "4_1": "The bridge opened in 1903, and it was of steel. " * 5 + EVIDENCE,
    },
    "free_format": dict.fromkeys(DOCUMENTS, MARKERS),
}


def record(name: str, text: str) -> dict:
    positive = {"evidence": EVIDENCE, "contra_plug": "Insert", "contra_type": ["Content"], "scope": "global"}
    return {"text": f"{text} {EVIDENCE}", "unique id": name, "doc_type": "news", **positive}


def printed(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def release(tmp_path) -> Release:
    sides = {
        "pos": {name: record(name, text) for name, text in DOCUMENTS.items()},
        "neg": {"5_2": {"text": DOCUMENTS["2_1"], "unique id": "5_2", "doc_type": "wiki"}},
    }
    path = tmp_path / "contradoc.json"
    path.write_text(json.dumps(sides))
    call_command("import_contradoc", str(path), stdout=io.StringIO())
    release = Release.objects.get()
    assert json.loads(printed("export_contradoc", "--release", str(release.number), "-")) == sides
    return release


@pytest.fixture
def lines(release) -> str:
    each = (
        {"document": name, "task": task, "model": "Mist", "text": text}
        for task, texts in REPLIES.items()
        for name, text in texts.items()
    )
    return "\n".join(map(json.dumps, each))


@pytest.fixture
def replies(release, lines, tmp_path) -> Run:
    path = tmp_path / "replies.jsonl"
    path.write_text(lines)
    call_command("import_contradoc_replies", str(path), "--release", str(release.number), stdout=io.StringIO())
    return Run.objects.get()


def read(task: str) -> dict[str, tuple]:
    rows = Reading.objects.filter(task=task).select_related("response__instance")
    return {each.response.instance.content["unique id"]: values_of(each) for each in rows}


def values_of(reading: Reading) -> tuple:
    score = reading.score or tasks.Score()
    return reading.problem, score.answer, score.hit, score.rank, score.strict_hit


def report(name: str) -> dict:
    return json.loads(printed("report", name, "--format", "json"))


def test_bad_replies_are_read_and_long_quotes_are_told_apart(replies):
    assert read("contradoc-find") == {
        "1_1": ("", "yes", True, 10_000, True),
        "2_1": ("", "yes", True, 1, True),
        "3_1": ("", "yes", True, 1, True),
        "4_1": ("", "no", None, None, None),
    }
    found = read("contradoc-topk")
    assert found["1_1"] == ("", "", True, 1, True)
    assert found["2_1"] == ("", "", True, 1, True)  # two sentences in one quote
    assert found["3_1"][2] in (False, None)
    assert found["4_1"] == ("", "", True, 1, False)  # the document handed back whole
    topk = report("contradoc-table3")["topk"]["Mist"]
    assert topk["hits"] == 3
    assert topk["EHR"] > topk["EHR without long quotes"]
    assert report("contradoc-table4")["judge_then_find"]["Mist"]["hits"] == 3
    assert report("contradoc-statistics")["positive"] == 4
    assert report("contradoc-table6")["topk"]["Mist"]["n"] >= 3


def test_the_page_and_the_api_take_the_same_replies(release, lines, admin_client):
    def sent(**more) -> dict:
        return {"release": release.pk, "file": SimpleUploadedFile("theirs.jsonl", lines.encode()), **more}

    checked = admin_client.post(reverse("api:import_replies"), sent(check_only=True)).json()
    admin_client.post(reverse("replies_import"), sent(action="import", version=1), headers={"HX-Request": "true"})
    assert do_waiting() == 1  # the file is too large for a request
    assert checked["new"] == len(lines.splitlines())
    assert Reading.objects.count() == 8
    for name in REPLIES["topk"]:
        response = Reading.objects.get(task="contradoc-topk", response__instance__group=name[0]).response
        page = admin_client.get(reverse("response", args=[response.key]))
        assert page.status_code == 200
        assert "<script>x()" not in page.text


@pytest.mark.parametrize("form", ["contradoc-find", "contradoc-free-format"])
def test_people_read_bad_documents_as_text(form, release, replies, admin, reviewer, other_reviewer, client):
    people = [reviewer] if form == "contradoc-find" else [reviewer, other_reviewer]
    about = {"release": release, "runs": []} if form == "contradoc-find" else {"runs": [replies]}
    make_questionnaire_round(form, admin, people, **about)
    client.force_login(reviewer)
    page = client.get(reverse("judge"), follow=True).text
    assert "<script>x()" not in page
    assert re.search(r'<div class="document"\s+dir="auto"', page)


def test_a_candidate_in_any_document_is_verified(admin, reviewer, other_reviewer, client):
    texts = [f"{text} {ORIGINAL} {'A. ' * 6}" for text in DOCUMENTS.values()]
    texts.append(f"{ORIGINAL} {'The mill stood beside the old bridge. ' * 60_000}")
    client.force_login(reviewer)
    seen = ""
    for number, text in enumerate(texts, start=1):
        make_document(str(number), text)
        make_candidate(str(number), gap=0)
        round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer])
        page = client.get(reverse("judge_round", args=[round.key])).text
        assert ORIGINAL in page
        assert "<script>x()" not in page
        seen += page
    assert escape("</div><script>x()</script>") in seen
    assert "הגשר" in seen


@pytest.mark.parametrize("between", [" ", "\n\n", ""], ids=["one line", "paragraphs", "one word"])
def test_a_long_document_is_shown_to_the_letter_in_stretches(between, admin, reviewer, client):
    said = "The mill & the bridge" if not between else "The mill stood beside the old <bridge>."
    text = between.join(f"{said} {EVIDENCE}" if number == 5 else said for number in range(4_000))
    file = {"pos": {"1_1": record("1_1", text)}, "neg": {}}
    file["neg"]["2_1"] = {"text": text, "unique id": "2_1", "doc_type": "news"}
    import_documents_of_contradoc(io.BytesIO(json.dumps(file).encode()))
    round = make_questionnaire_round("contradoc-find", admin, [reviewer], release=Release.objects.get())
    client.force_login(reviewer)
    page = client.get(reverse("judge_round", args=[round.key])).text
    assert page.count("data-item=") == 1  # the next one comes with what the server says to this one
    shown = re.search(r'aria-label="Text of the document">(.*?)</section>', page, re.DOTALL)[1]
    assert unescape(re.sub(r"<[^>]+>", "", shown)).strip() in (text, f"{text} {EVIDENCE}")
    numbers = re.findall(r'name="evidence" value="(\d+)"', shown)
    assert [int(number) for number in numbers] == list(range(len(numbers)))
    stretches = shown.split('<div class="stretch">')[1:]
    assert len(stretches) > 5 or not between
    assert all(stretch[0] not in " \n" for stretch in stretches)


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_a_release_goes_out_with_bad_documents(form, release):
    written = printed("export_release", "--release", str(release.number), "--format", form)
    found = [json.loads(line) for line in written.splitlines()] if form == "jsonl" else json.loads(written)
    assert DOCUMENTS["2_1"] in json.dumps(found, ensure_ascii=False)
    assert json.dumps(MARKERS, ensure_ascii=False)[1:-1] in json.dumps(found, ensure_ascii=False)
