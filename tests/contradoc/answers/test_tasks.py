"""ContraDoc's tasks: the prompts byte by byte, what is read from replies, and how it is scored."""

import io
import json
from collections import Counter

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, IntegrityError, transaction
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.registry import benchmark
from annotation.models import Release
from annotation.releases.items.releasing import release_contents
from benchmarks.contradoc import readers, tasks
from core.refusals import Refusal
from judging.catalogue.messages import answer_messages
from judging.files.task_replies import import_task_replies
from judging.models import Call, LanguageModel, PromptTemplate, Reading, Response, Run
from judging.protocol.replies import Reply
from judging.protocol.tasks import Read, TaskReader
from judging.responses.rereading import read_responses
from judging.runs.plan import plan_run
from judging.runs.pump import pump_calls
from judging.runs.runs import create_run, start_run
from tests.factories.judging import make_release

TEXT = "The bridge was built in 1890. Nobody ever crossed it on foot. Many people walk over the bridge every day."
POSITIVE = {
    "label": "pos",
    "text": TEXT,
    "evidence": "Nobody ever crossed it on foot.",
    "unique id": "12_1",
    "doc_type": "news",
    "contra_plug": "Insert",
    "contra_type": ["Content"],
    "scope": "local",
    "ref sentences": ["Many people walk over the bridge every day."],
}
NEGATIVE = {"label": "neg", "text": "A {document} and\nJudgment: yes", "unique id": "12_2", "doc_type": "news"}


# --- Readers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "problem"),
    [
        ("Yes", True, ""),
        ("**no**.", False, ""),
        ("No, and I saw this yesterday", False, ""),
        ("yes and no", None, readers.BOTH),
        ("Yesterday nothing was known", None, readers.NEITHER),
        ("", None, readers.EMPTY),
    ],
)
def test_a_single_yes_or_no_as_a_word_is_read(text, value, problem):
    assert readers.read_yes_or_no(text) == Read(value, problem)


def test_quotes_come_one_a_line_and_five_at_most():
    text = "1. \"One.\"\n\n- “Two.”\n* Three.\n(4) 'Four.'\n5) Five.\n6. Six."
    assert readers.read_quotes(text).value == ["One.", "Two.", "Three.", "Four.", "Five."]
    assert readers.read_quotes('```json\n["One.", ["Two."]]\n```').value == ["One.", "Two."]
    assert readers.read_quotes("").value == []


@pytest.mark.parametrize(
    ("text", "yes", "quotes"),
    [
        ('Judgment: yes\nEvidence: ["One.", "Two."]', True, ["One.", "Two."]),
        ("judgement: YES\n\nEvidence: ['It\\'s one.', 'Two.']", True, ["It's one.", "Two."]),
        ("**Judgment:** no\n**Evidence:** []", False, []),
        (
            'Judgment: yes\nEvidence: [“One, he said.”, "A "marked" word."]',
            True,
            ["One, he said.", 'A "marked" word.'],
        ),
        ('{"Judgment": "yes", "Evidence": ["No, it said.", ["Two."]]}', True, ["No, it said.", "Two."]),
        ("Judgment: yes", True, []),
    ],
)
def test_a_judgment_comes_with_a_list(text, yes, quotes):
    value = readers.read_judgment(text).value
    assert (value["yes"], value["quotes"]) == (yes, quotes)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Judgment: yes OR no\nEvidence: []", readers.BOTH),
        ("Yes, there is one.", readers.NO_JUDGMENT),
        ("Judgment: perhaps", readers.NEITHER),
        ("Judgment: yes\nOr rather:\nJudgment: no", readers.TWO_JUDGMENTS),
        (" \n", readers.EMPTY),
    ],
)
def test_what_does_not_judge_is_unreadable_and_never_a_no(text, problem):
    assert readers.read_judgment(text) == Read(problem=problem)


def test_a_list_that_cannot_be_read_is_said_beside_the_judgment():
    value = readers.read_judgment('Judgment: yes\nEvidence: ["One., Two.').value
    assert (value["yes"], value["quotes"], value["list_problem"]) == (True, [], readers.BROKEN_LIST)


def test_ten_thousand_quotes_and_deep_lists_are_read_or_refused_quickly():
    many = json.dumps([f"Quote number {number}, which is long." for number in range(10_000)])
    assert readers.read_judgment(f"Judgment: yes\nEvidence: {many}").value["count"] == 10_000
    deep = "[" * 100_000
    assert readers.read_judgment(f"Judgment: yes\nEvidence: {deep}").value["list_problem"] == readers.BROKEN_LIST
    assert readers.read_judgment("\n" * 200_000 + "Judgment: no").value["yes"] is False


@given(st.text())
def test_no_text_breaks_a_reader(text):
    for read in (readers.read_yes_or_no, readers.read_quotes, readers.read_first_quote, readers.read_judgment):
        found = read(text)
        assert bool(found.problem) == (found.value is None)
        json.dumps(found.value)


# --- Scores ---------------------------------------------------------------------------------------------------------


def test_hits_have_rank_and_matcher_and_long_quotes_are_told_apart():
    task = tasks.TopK()
    score = task.score(POSITIVE, ["The bridge was built in 1890.", "nobody ever  crossed it"])
    assert (score.hit, score.rank, score.matcher, score.strict_hit) == (True, 2, "containment", True)
    whole = task.score(POSITIVE, [" ".join([TEXT] * 3)])
    assert (whole.hit, whole.strict_hit) == (True, False)
    assert task.score(POSITIVE, []).hit is False


def test_evidence_counts_behind_a_yes_only_and_where_there_is_some_to_find():
    task = tasks.Find()
    quotes = [POSITIVE["evidence"]]
    assert task.score(POSITIVE, {"yes": False, "quotes": quotes}).hit is None
    assert task.score(POSITIVE, {"yes": True, "quotes": quotes}).hit is True
    assert task.score(NEGATIVE, {"yes": True, "quotes": quotes}).hit is None


def test_the_given_sentence_is_the_evidence_and_its_other_side_is_sought():
    task = tasks.Given()
    assert task.values(POSITIVE)["sentence"] == POSITIVE["evidence"]
    assert task.score(POSITIVE, ["Many people walk over the bridge every day."]).hit is True
    assert task.why_not(POSITIVE | {"ref sentences": [POSITIVE["evidence"]]}) == tasks.NO_OTHER_SIDE
    assert task.why_not(NEGATIVE) == tasks.NOT_POSITIVE


# --- Prompts and runs -----------------------------------------------------------------------------------------------


@pytest.fixture
def release(db) -> Release:
    return release_contents(benchmark=benchmark("contradoc"), name="Bridges", contents=[POSITIVE, NEGATIVE])


def template(code: str, version: int = 1) -> PromptTemplate:
    return PromptTemplate.objects.get(code=code, version=version)


def test_the_wordings_are_those_of_paper_and_code(release):
    instance = release.instances.get(question__startswith="The bridge")
    paper = answer_messages(instance, template("contradoc-binary"), None)[-1]["content"]
    assert paper == (
        f'{TEXT}\n\nDetermine whether the given document contains any self-contradictions. Only answer "yes" or "no"!'
    )
    code = answer_messages(instance, template("contradoc-find", 2), None)[-1]["content"]
    assert f"\n\nArticle:  {TEXT}\n\nResponse: Form your answer" in code
    assert code.endswith('Evidence: ["sentence1", "sentence2", ..., "sentenceN"] OR []')
    assert "Don’t explain." in template("contradoc-topk").text
    assert 'separated with "\n\n".' not in template("contradoc-topk", 2).text


def test_the_text_of_a_document_is_never_expanded(release):
    instance = release.instances.get(content__label="neg")
    prompt = answer_messages(instance, template("contradoc-binary"), None)[-1]["content"]
    assert prompt.startswith("A {document} and\nJudgment: yes\n\nDetermine")


def test_a_run_offers_templates_of_its_benchmark_only(release):
    models = LanguageModel.objects.filter(endpoint_name="always yes")
    with pytest.raises(Refusal, match=r"Release 1 is of ContraDoc.*5 \(WikiContradict\)"):
        create_run(release=release, language_models=models, templates=[template("5")])
    other = make_release(1)
    with pytest.raises(Refusal, match=r"contradoc-binary \(ContraDoc\)"):
        create_run(release=other, language_models=models, templates=[template("contradoc-binary")])


def test_the_floors_answer_without_a_model_and_are_read_and_scored(release):
    models = LanguageModel.objects.filter(
        endpoint_name__in=["always yes", "always no", "random five", "most words in common"]
    )
    chosen = [template("contradoc-binary"), template("contradoc-topk"), template("contradoc-find", 2)]
    run = create_run(release=release, language_models=models, templates=chosen)
    assert Counter(code for code, _ in plan_run(run).left_out) == {"contradoc-binary": 2, "contradoc-topk": 3}
    start_run(run=run)
    pump_calls()
    readings = Reading.objects.current().filter(response__run=run)
    assert Counter(readings.values_list("task", flat=True)) == {
        "contradoc-binary": 4,
        "contradoc-topk": 2,
        "contradoc-find": 8,
    }
    assert not readings.exclude(problem="").exists()
    assert (
        readings.filter(task="contradoc-topk").values_list("scores__hit", flat=True)[0] is True
    )  # three sentences in all


# --- Replies from a file --------------------------------------------------------------------------------------------


def lines(*records: dict) -> io.BytesIO:
    return io.BytesIO("\n".join(json.dumps(record) for record in records).encode())


def reply(**values: str) -> dict[str, str]:
    return {"document": "12_1", "task": "binary", "model": "Careful", "text": "Yes"} | values


def test_lists_and_long_answers_are_counted_beside_the_rates_of_table_4(release, admin_client):
    """A list that cannot be read is counted; so are quotes, as a reply that quotes every sentence always hits."""
    others = [f"Another sentence of the document, number {number}." for number in range(3)]
    evidence = {
        "all": json.dumps([*others, POSITIVE["evidence"]]),
        "one": json.dumps([POSITIVE["evidence"]]),
        "none": "[1, 2]",
    }
    records = [
        reply(task="judge_then_find", model=model, text=f"Judgment: yes\nEvidence: {listed}")
        for model, listed in evidence.items()
    ]
    import_task_replies(lines(*records), release=release)
    out = io.StringIO()
    call_command("report", "contradoc-table4", "--format", "json", stdout=out)
    found = json.loads(out.getvalue())["judge_then_find"]
    names = ("quotes per reply", "EHR", "EHR at k = 2", "unread lists")
    assert {name: tuple(each[number] for number in names) for name, each in found.items()} == {
        "all": (4.0, 100.0, 0.0, 0),
        "one": (1.0, 100.0, 100.0, 0),
        "none": (0.0, 0.0, 0.0, 1),
    }
    assert "Lists unread" in admin_client.get(reverse("report", args=["contradoc-table4"])).content.decode()


def test_replies_become_responses_with_their_readings(release):
    file = [reply(), reply(task="judge_then_find", text="?"), reply(document="12_2", text="no")]
    assert import_task_replies(lines(*file), release=release).new == 3
    found = [(each.task, each.in_a_word, each.problem) for each in Reading.objects.order_by("pk")]
    assert found == [
        ("contradoc-binary", "yes", ""),
        ("contradoc-find", "", readers.NO_JUDGMENT),
        ("contradoc-binary", "no", ""),
    ]
    again = import_task_replies(lines(*file), release=release)
    assert (again.new, again.there) == (0, 3)
    assert Reading.objects.count() == 3


def test_what_no_database_stores_is_replaced_in_quotes(release):
    lists = ('["\\u0000One", "\\ud800"]', "['\\u0000One', '\\ud800']", '{"sentences": ["\\u0000One", "\\ud800"')
    for number, written in enumerate(lists):
        text = f"Judgment: yes\nEvidence: {written}"
        import_task_replies(lines(reply(task="judge_then_find", text=text, model=f"Model {number}")), release=release)
    assert [reading.value["quotes"] for reading in Reading.objects.all()] == [
        ["�One", "�"],
        ["�One", "�"],
        ["�One", "�"],
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"document": "12_9"}, "Line 2.*document.*is not in the release"),
        ({"task": "guess"}, "Line 2.*task.*is not one of binary"),
        ({"text": 5}, "Line 2.*text"),
        ({"text": "\ud800"}, "Line 2"),
    ],
)
def test_a_bad_line_keeps_the_file_out_and_is_named(release, change, said):
    with pytest.raises(Refusal, match=said):
        import_task_replies(lines(reply(), reply() | change), release=release)
    assert not Response.objects.exists()


def test_another_text_for_the_same_reply_is_refused(release):
    import_task_replies(lines(reply()), release=release)
    with pytest.raises(Refusal, match="text"):
        import_task_replies(lines(reply(text="No")), release=release)


def test_replies_to_another_benchmark_are_refused(db):
    other = make_release(1)
    with pytest.raises(Refusal, match="WikiContradict"):
        import_task_replies(lines(reply()), release=other)


# --- Pages ----------------------------------------------------------------------------------------------------------


def test_templates_and_floors_come_with_the_first_release_of_their_benchmark(db):
    theirs = PromptTemplate.objects.filter(task__startswith="contradoc")
    assert not theirs.exists()
    release_contents(benchmark=benchmark("contradoc"), name="Bridges", contents=[POSITIVE])
    assert theirs.count() == 8
    release_contents(benchmark=benchmark("contradoc"), name="Again", contents=[POSITIVE, NEGATIVE])
    assert theirs.count() == 8


def test_the_page_of_a_response_shows_the_reading_and_the_quotes_beside_the_evidence(release, admin_client):
    text = 'Judgment: yes\nEvidence: ["nobody ever crossed it on foot", "Something else that is long enough"]'
    import_task_replies(lines(reply(task="judge_then_find", text=text), reply(text="?")), release=release)
    page = admin_client.get(reverse("response", args=[Response.objects.get(text=text).key])).text
    assert "Hit at rank 1, by containment" in page
    assert "Not in the document" in page
    assert "the sentence that was added" not in page  # it stands beside the quotes
    assert "Contradicted sentence" in page
    assert "judgment-and-list, version 2" in page
    unread = admin_client.get(reverse("response", args=[Response.objects.get(text="?").key])).text
    assert "Unreadable" in unread
    assert "counted separately" in unread
    assert "the sentence that was added" in unread


def test_the_form_of_a_run_offers_each_benchmark_with_a_release_in_its_group(release, admin_client):
    page = admin_client.get(reverse("run_new")).text
    assert "contradoc-topk v2" in page
    assert "Prompt 5" not in page
    templates = admin_client.get(reverse("templates")).text
    assert "read by judgment-and-list, version 2" in templates


def test_the_database_keeps_templates_to_one_task_and_one_benchmark(release):
    binary = template("contradoc-binary")
    with pytest.raises(DatabaseError, match="keeps its code, task and benchmark"), transaction.atomic():
        PromptTemplate.objects.filter(pk=binary.pk).update(task="contradoc-free")
    with pytest.raises(IntegrityError, match="for one task"), transaction.atomic():
        PromptTemplate.objects.create(code=binary.code, version=3, task="contradoc-free", text="{document}")
    other = make_release(1).instances.get()
    for row in (
        Call(run=Run.objects.create(), instance=other, template=binary, model=LanguageModel.objects.first()),
        Response(instance=other, template=binary, model=LanguageModel.objects.first(), imported={}),
    ):
        with pytest.raises(IntegrityError, match="benchmark"), transaction.atomic():
            row.save(force_insert=True)


def test_a_new_wording_of_a_task_keeps_its_task(release, admin_client):
    values = {"code": "contradoc-binary", "name": "Mine", "task": "contradoc-binary"}
    values |= {"text": "{document}\nContradiction: yes or no?"}
    refused = admin_client.post(reverse("template_new"), values | {"text": "Yes or no?"})
    assert "every instance gets the same message" in refused.text
    assert admin_client.post(reverse("template_new"), values).status_code == 302
    assert template("contradoc-binary", 3).task == "contradoc-binary"
    other = admin_client.post(reverse("template_new"), values | {"task": "contradoc-free", "name": "Other"})
    assert "is for the task" in other.text


def test_the_command_checks_and_imports(release, tmp_path, capsys):
    path = tmp_path / "replies.jsonl"
    path.write_bytes(lines(reply()).getvalue())
    call_command("import_contradoc_replies", str(path), "--release", "1", "--dry-run")
    assert not Response.objects.exists()
    call_command("import_task_replies", str(path), "--release", "1")
    assert "1 response imported" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no release 9"):
        call_command("import_contradoc_replies", str(path), "--release", "9")


def send(client, content: io.BytesIO, **values):
    sent = {"file": SimpleUploadedFile("theirs.jsonl", content.getvalue()), "action": "import", **values}
    return client.post(reverse("replies_import"), sent, headers={"HX-Request": "true"})


def test_the_page_checks_and_imports_and_names_the_bad_line(release, admin_client):
    assert "judge_then_find" in admin_client.get(reverse("replies_import")).text
    checked = send(admin_client, lines(reply()), release=release.pk, action="check")
    assert "Validated only" in checked.text
    assert "Line 2" in send(admin_client, lines(reply(), reply(task="guess")), release=release.pk).text
    assert not Response.objects.exists()
    assert "1 response imported" in send(admin_client, lines(reply()), release=release.pk, version=2).text
    answered = Response.objects.get()
    assert (answered.run.name, answered.template.version) == ("theirs.jsonl on release 1", 2)
    other = make_release(1)
    assert "Select a valid choice" in send(admin_client, lines(reply()), release=other.pk).text


def test_a_program_sends_replies(release, admin_client):
    sent = {"file": SimpleUploadedFile("theirs.jsonl", lines(reply(), reply()).getvalue()), "release": release.pk}
    assert admin_client.post(reverse("api:import_replies"), sent | {"check_only": True}).json()["new"] == 1
    sent["file"].seek(0)
    assert admin_client.post(reverse("api:import_replies"), sent).json()["lines"]
    assert Response.objects.get().template.version == 1


# --- Reading again --------------------------------------------------------------------------------------------------


def test_a_new_version_of_a_reader_reads_stored_replies_and_counts(release, monkeypatch, capsys):
    import_task_replies(lines(reply(text="Sure"), reply(document="12_2")), release=release)
    assert read_responses().read == 0
    better = TaskReader("yes-or-no", 3, lambda reply: Read("s" in reply.text.lower()))
    monkeypatch.setattr(tasks.Binary, "reader", better)
    call_command("read_responses", "--dry-run")
    assert "2 responses would be read, 0 of them unreadable" in capsys.readouterr().out
    assert read_responses().read == 2
    assert Reading.objects.count() == 4
    assert set(Reading.objects.current().values_list("version", "scores__answer")) == {(3, "yes")}
    assert read_responses().read == 0
    assert read_responses(again=True).read == 2


def test_reading_again_asks_bertscore_where_it_is_configured_and_says_so(release, settings, monkeypatch, capsys):
    import_task_replies(lines(reply(task="topk", text="No one ever walked across."), reply()), release=release)
    call_command("read_responses", "--again")
    assert tasks.NO_BERTSCORE in capsys.readouterr().out
    assert Reading.objects.filter(scores__hit=False).exists()
    settings.LOCAL_BERTSCORE_MODEL = "/models/nowhere"
    with pytest.raises(CommandError, match="no folder /models/nowhere"):
        call_command("read_responses", "--again")
    asked = []
    monkeypatch.setattr(tasks, "matchers", [])
    component = ("BERTScore (nowhere)", lambda pairs: [bool(asked.append(pair)) or True for pair in pairs])
    monkeypatch.setattr(tasks, "load_bert_score", lambda folder: component)
    call_command("read_responses", "--again")
    assert "compared by BERTScore (nowhere)" in capsys.readouterr().out
    assert Reading.objects.get(task="contradoc-topk").score.matcher == "BERTScore (nowhere)"
    assert set(asked) == {("No one ever walked across.", POSITIVE["evidence"])}


def test_the_database_refuses_a_reading_that_says_two_things(release):
    import_task_replies(lines(reply()), release=release)
    response = Response.objects.get()
    for values in (
        {"problem": "", "value": None},
        {"problem": "unclear", "value": True},
        {"problem": "unclear", "scores": {"answer": "yes"}},
        {"value": True, "is_current": True},
    ):
        columns = {"is_current": False, "task": "contradoc-binary", "reader": "x", "version": 1} | values
        with pytest.raises(IntegrityError), transaction.atomic():
            Reading.objects.create(response=response, **columns)


def test_the_sample_replies_score_as_expected(released_data):
    """All numbers of readings and hits; the tables made of them are tested with the reports."""
    sample = json.loads((released_data / "contradoc_sample.json").read_text())
    contents = {name: {**record, "label": side} for side in sample for name, record in sample[side].items()}
    expected = json.loads((released_data / "contradoc_sample_replies_expected.json").read_text())
    known = {"binary": tasks.Binary(), "topk": tasks.TopK(), "judge_then_find": tasks.Find()}
    counts: dict[tuple[str, str], Counter[str]] = {}
    for line in (released_data / "contradoc_sample_replies.jsonl").read_text().splitlines():
        record = json.loads(line)
        task, content = known[record["task"]], contents[record["document"]]
        count = counts.setdefault((record["task"], record["model"]), Counter())
        read = task.reader.read(Reply(record["text"]))
        count["unreadable" if read.problem else "n"] += 1
        count["hits"] += not read.problem and bool(task.score(content, read.value).hit)
    for (name_of_task, model), count in counts.items():
        wanted = expected[name_of_task][model]
        assert {name: count[name] for name in ("n", "unreadable", "hits") if name in wanted} == {
            name: wanted[name] for name in ("n", "unreadable", "hits") if name in wanted
        }
