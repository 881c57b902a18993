"""Responses leave as a file and come back from one, through the commands."""

import csv
import io
import json
import uuid
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from annotation.content.instances import instance_key
from annotation.models import Instance
from core.files.spreadsheets import is_formula
from judging.catalogue.standard import judge_baseline
from judging.files.imported_rows import instance_values
from judging.models import Attempt, Call, InstanceVariant, LanguageModel, Mark, ModelKind, Response, Run, RunKind
from judging.runs.runs import create_judge_run, start_run
from tests.factories.judging import make_instance, make_model, make_release, make_run, templates, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]

SAMPLE = {"model": "Old model", "template": "5", "text": "In 1903.", "question": "When?", "answer_1": "1903"}


@pytest.fixture(autouse=True)
def protocol():
    templates()


def run_command(name: str, *args: str, **options) -> str:
    out = io.StringIO()
    call_command(name, *args, stdout=out, **options)
    return out.getvalue()


def write(path, *records, end: str = "\n") -> str:
    path.write_text("".join(json.dumps(record) + end for record in records), encoding="utf-8")
    return str(path)


def read(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def read_rows(text: str) -> list[dict[str, str]]:
    """Cells by column: an import may have added columns of its own at the end."""
    return [dict(row) for row in csv.DictReader(io.StringIO(text, newline=""))]


def forget_everything() -> None:
    """Another installation: the same templates, and nothing else."""
    for model in (Response, Attempt, Call):
        model.objects.all().delete()
    Run.objects.all().delete()
    InstanceVariant.objects.all().delete()
    LanguageModel.objects.exclude(kind=ModelKind.BASELINE).delete()


@pytest.fixture
def run(server):
    """Responses with everything that makes files hard."""
    answers = iter(["=HYPERLINK(1)", "'=1+1", '"Yes",\r\nhe said;\n\ttab', "-5", "  \n", "１９０３ – naïve 🙂"])
    server.answer = lambda request: next(answers)
    release = make_release([make_instance(1, semantic_types=["DATE"]), *(make_instance(n) for n in range(2, 6))])
    instance = release.instances.all()[0]
    InstanceVariant.objects.create(
        instance=instance, content={"passage_1": "In 1903.", "passage_2": "1903!", "answer": "1903"}
    )
    model = make_model(server.base_url, price_in=Decimal("2.5"), price_out=10, concurrent_calls=1)
    run = make_run(model, release=release, codes=("1", "5.3"))
    work(run)
    assert run.responses.count() == 6
    return run


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_was_exported_comes_back_unchanged_elsewhere_and_only_once(run, form, tmp_path):
    path = str(tmp_path / f"responses.{form}")
    run_command("export_responses", "--run", str(run.pk), "--format", form, "--output", path)
    before = read(path)
    assert "6 were already here" in run_command("import_responses", path)
    forget_everything()
    assert "6 responses imported." in run_command("import_responses", path)
    assert "0 responses imported, 6 were already here" in run_command("import_responses", path)
    run_command("export_responses", "--format", form, "--output", path)
    after = read(path)
    if form == "csv":
        assert read_rows(after) == read_rows(before)
    else:
        assert [json.loads(line) for line in after.split("\n") if line] == [
            json.loads(line) for line in before.split("\n") if line
        ]
    assert Response.objects.filter(mark=Mark.EMPTY).count() == 1
    assert Run.objects.get().kind == RunKind.IMPORT


def test_no_cell_of_the_file_is_a_formula(run):
    for row in csv.reader(io.StringIO(run_command("export_responses", "--format", "csv"), newline="")):
        assert all(not is_formula(cell) for cell in row)


def test_an_export_saved_by_a_spreadsheet_comes_in(run, tmp_path):
    """A German Excel writes booleans, decimals and separators like this, and may name the separator."""
    first, *rows = csv.reader(io.StringIO(run_command("export_responses", "--format", "csv"), newline=""))
    columns = {name: first.index(name) for name in ("reused", "same_passage", "seconds", "cost", "cached_tokens")}
    for row in rows:
        row[columns["reused"]], row[columns["same_passage"]] = "FALSCH", "WAHR"
        row[columns["seconds"]], row[columns["cost"]] = "0,25", "0,0125"
        row[columns["cached_tokens"]] = " "
    table = io.StringIO("sep=;\r\n", newline="")
    table.seek(0, io.SEEK_END)
    csv.writer(table, delimiter=";").writerows([first, *rows])
    forget_everything()
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + table.getvalue().encode())
    assert run_command("import_responses", str(path)).startswith("6 responses imported.")
    assert {(row.reused, row.seconds, row.cost) for row in Response.objects.all()} == {
        (False, 0.25, Decimal("0.0125"))
    }


def test_a_line_end_within_a_text_ends_no_line_of_the_export(tmp_path):
    text = "In 1903.\u2028Or\x85later\u2029on."
    run_command("import_responses", write(tmp_path / "a.jsonl", SAMPLE | {"text": text}))
    (line,) = run_command("export_responses").splitlines()
    assert json.loads(line)["text"] == text


def test_what_a_record_says_beyond_the_columns_is_kept(tmp_path):
    record = SAMPLE | {"temperature": 0.7, "notes": {"by": "us"}, "verdicts": [1, 2]}
    run_command("import_responses", write(tmp_path / "ours.jsonl", record))
    [line] = run_command("export_responses").splitlines()
    exported = json.loads(line)
    assert {key: exported[key] for key in record} == record
    run = Run.objects.get()
    assert (run.kind, run.name) == (RunKind.IMPORT, "ours.jsonl")
    assert LanguageModel.objects.get(name="Old model").kind == ModelKind.IMPORTED


def test_instances_are_found_by_number_by_content_or_made(tmp_path):
    release = make_release([make_instance(1), make_instance(2)])
    known = release.instances.all()[1]
    base = {"model": "m", "template": "5", "text": "x"}
    public = {
        "question": known.question,
        "context1": known.content["passage_1"],
        "context2": known.content["passage_2"],
        "answer1": known.content["answer_1"],
        "answer2": known.content["answer_2"],
        "samepassage": "Different",
    }
    path = write(
        tmp_path / "a.jsonl",
        base | {"question_ID": 2},
        base | public | {"repetition": 2},
        base | {"instance": known.key, "repetition": 3},
        base | {"question": "A new one?", "answer1": "yes"},
    )
    run_command("import_responses", path, "--release", str(release.number))
    assert Response.objects.filter(instance=known).count() == 3
    new = Instance.objects.get(question="A new one?")
    assert (new.content["answer_1"], new.content["same_passage"], len(new.key)) == ("yes", False, 64)


def test_a_question_that_a_release_has_twice_is_told_by_its_number(tmp_path):
    """Without the number the texts alone would give both responses to the newer instance."""
    first, second = make_instance(1), make_instance(1)
    make_release([first, second])
    base = {"model": "m", "template": "5", "text": "x", "question": first.question}
    names = {"context1": "passage_1", "context2": "passage_2", "answer1": "answer_1", "answer2": "answer_2"}
    base |= {name: first.content[of] for name, of in names.items()}
    run_command("import_responses", write(tmp_path / "a.jsonl", *(base | {"question_ID": n} for n in (1, 2))))
    assert list(Response.objects.order_by("instance").values_list("instance", flat=True)) == [first.pk, second.pk]


def test_a_reply_that_was_cut_is_marked_when_it_says_so(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        SAMPLE | {"finish_reason": "length"},
        SAMPLE | {"template": "4", "text": " "},
        SAMPLE | {"template": "1"},
    )
    run_command("import_responses", path)
    assert sorted(Response.objects.values_list("mark", flat=True)) == ["complete", "cut", "empty"]


def test_a_check_writes_nothing(tmp_path):
    said = run_command("import_responses", write(tmp_path / "a.jsonl", SAMPLE), "--dry-run")
    assert "nothing was written" in said
    assert "1 response imported" in said
    assert (Run.objects.count(), Response.objects.count(), Instance.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"model": None}, "Line 2: the field “model” is missing"),
        ({"model": "x" * 101}, "“model” is not a model name"),
        ({"text": None}, "“text” is missing"),
        ({"text": 5}, "“text” must be a text"),
        ({"text": "nul \0"}, "contains a character that is not text"),
        ({"template": "99"}, "“template” “99”, version 1, is not a prompt here"),
        ({"template_version": 7}, "version 7, is not a prompt here"),
        ({"repetition": -1}, "“repetition” must be a whole number"),
        ({"prompt_tokens": True}, "“prompt_tokens” must be a whole number"),
        ({"mark": "fine"}, "“mark” cannot be stored"),
        ({"cost": "much"}, "“cost” cannot be stored"),
        ({"cost": {}}, "“cost” cannot be stored"),
        ({"seconds": []}, "“seconds” cannot be stored"),
        ({"seconds": 10**400}, "“seconds” cannot be stored"),
        ({"seconds": "nan"}, "“seconds” must be a number, 0 or more"),
        ({"answered_at": "yesterday"}, "“answered_at” cannot be stored"),
        ({"run": "17"}, "“run” must be a UUID"),
        ({"instance": "0" * 64}, "“instance” is not the key of what"),
        ({"question": ""}, "“question” names no instance"),
        ({"messages": "hi"}, "“messages” must be a list"),
        ({"finish_reason": "x" * 50}, "“finish_reason” cannot be stored"),
        ({"resolved_answer": "1903"}, "must be given together"),
    ],
)
def test_a_wrong_file_is_refused_whole_with_record_and_field(tmp_path, wrong, words):
    path = write(tmp_path / "a.jsonl", SAMPLE, SAMPLE | {"template": "1"} | wrong)
    with pytest.raises(CommandError) as refused:
        run_command("import_responses", path)
    assert words in str(refused.value)
    assert "nothing was written" in str(refused.value).lower()
    assert Response.objects.count() == Run.objects.count() == Instance.objects.count() == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("[]", "no records"),
        ("[{", "not JSON"),
        ('{"model": 1}\n{oops}', "Line 2"),
        ("[1]", "Record 1: it must be an object"),
        ("model,template\nm,5,6\n", "Line 2 has 3 cells"),
        ("model,model\nm,m\n", "the same name"),
        ('model,text\nm,"x', "not CSV"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, text, words):
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(CommandError, match=words):
        run_command("import_responses", str(path))


def test_a_response_that_says_something_else_than_the_stored_one_is_refused(tmp_path):
    run_command("import_responses", write(tmp_path / "a.jsonl", SAMPLE), "--name", "ours")
    with pytest.raises(CommandError, match="“text” is not what the stored response says"):
        run_command("import_responses", write(tmp_path / "a.jsonl", SAMPLE | {"text": "In 1899."}), "--name", "ours")
    assert Response.objects.get().text == "In 1903."


def test_an_instance_with_an_option_that_no_dimension_has_is_not_made(tmp_path):
    path = write(tmp_path / "a.jsonl", SAMPLE | {"reasoning_type": "EXP"}, SAMPLE | {"reasoning_type": "MAYBE"})
    with pytest.raises(CommandError, match=r"Line 2.*reasoning_type has “MAYBE”"):
        run_command("import_responses", path)
    assert not Instance.objects.exists()


def test_with_skip_bad_nothing_of_a_bad_record_comes_in(tmp_path):
    """Neither its run nor its instance, which a later record names by its key alone."""
    path, bad = tmp_path / "a.jsonl", tmp_path / "bad.jsonl"
    key, run = "d9f1a6b0-0000-4000-8000-000000000001", str(uuid.uuid4())
    other = SAMPLE | {"question": "Who built it?"}
    instance = instance_key(instance_values(other))
    records = [
        SAMPLE | {"response": key},
        other | {"instance": instance, "template": "99", "run": run},
        SAMPLE | {"template": "1", "instance": instance, "question": ""},
        SAMPLE | {"template": "1", "response": key},
        SAMPLE | {"text": "In 1899."},
    ]
    write(path, *records)
    path.write_text(path.read_text() + '{"model": \n')
    said = run_command("import_responses", str(path), "--skip-bad", str(bad))
    assert said.startswith("1 response imported. Runs: ")
    assert "5 bad records were skipped" in said
    skipped = [json.loads(line) for line in bad.read_text().splitlines()]
    assert not [each["problem"] for each in skipped if "the file was" in each["problem"].lower()]
    assert {each["where"]: each["record"] for each in skipped} == {
        **{f"Line {n}": record for n, record in enumerate(records, start=1) if n > 1},
        "Line 6": '{"model": ',
    }
    assert (Response.objects.count(), Run.objects.count(), Instance.objects.count()) == (1, 1, 1)


def test_a_run_that_was_made_here_takes_no_imported_responses(run, tmp_path):
    record = SAMPLE | {"run": str(run.key)}
    with pytest.raises(CommandError, match="made here and has no such response"):
        run_command("import_responses", write(tmp_path / "a.jsonl", record))


def test_judgments_can_be_exported(server, run):
    judge_run = create_judge_run(language_models=[judge_baseline()], source_runs=[run])
    start_run(run=judge_run)
    work(judge_run)
    lines = [json.loads(line) for line in run_command("export_responses", "--judgments").splitlines()]
    assert len(lines) == 5
    assert {line["judge"] for line in lines} == {"Baseline judge: gold answers"}
    assert "verdict" in run_command("export_responses", "--judgments", "--format", "csv").splitlines()[0]


def test_the_export_names_no_address(run):
    text = run_command("export_responses")
    assert run.language_models.get().base_url not in text


@pytest.mark.parametrize("shape", ["models", "models, indented", "records of one model"])
def test_a_human_evaluation_is_pointed_to_where_it_belongs(tmp_path, shape):
    record = {"title": "Bridge", "question1": "When?", "ModelAnswer_prompt_0": "In 1903.", "samepassage": "Same"}
    data = [record] if shape == "records of one model" else {"Old model": [record]}
    path = tmp_path / "evaluation.json"
    path.write_text(json.dumps(data, indent=2 if "indented" in shape else None))
    with pytest.raises(CommandError, match=r"manage\.py import_human_evaluation"):
        run_command("import_responses", str(path))
    assert Response.objects.count() == 0


def test_a_response_with_a_column_of_the_evaluation_is_still_a_response(tmp_path):
    path = write(tmp_path / "ours.jsonl", SAMPLE | {"ModelAnswer_prompt_0": "In 1903."})
    assert "1 response imported" in run_command("import_responses", path)
