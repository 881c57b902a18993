"""A release for the Hugging Face Hub: what is in it, what is never, and that the Hub's own programs read it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from django.core.management import CommandError, call_command

from annotation.models import Instance
from annotation.releases.files.imports import import_records
from annotation.releases.files.own_tables import ANNOTATIONS, INSTANCES
from annotation.releases.files.tables import registered_tables
from annotation.releases.freezing import create_release
from core.files.folders import SUMS, files_below
from judging.models import Response, Run
from review.models import KnownVerdict, Round
from review.rounds.adjudication import adjudicate
from review.rounds.rounds import close_round, create_round, reopen_round
from review.rounds.setting_aside import set_aside
from tests import environments
from tests.factories import AnnotationFactory
from tests.factories.judge_models import say
from tests.factories.review import give_all, make_imported_run, make_response, make_round

pytestmark = pytest.mark.django_db
# A name that means something in YAML, Markdown and HTML.
ODD = '"First": <b>\x7f| [x](y) \N{SNOWMAN} # ---'
READER = Path(environments.__file__).parent / "huggingface" / "read_folder.py"


def export(folder: Path, number: int = 1) -> dict[str, list[dict[str, Any]]]:
    """The tables that the command writes, by name."""
    call_command("export_release", str(folder), release=number, format="huggingface", stderr=io.StringIO())
    return {path.parent.name: pq.read_table(path).to_pylist() for path in sorted(folder.rglob("*.parquet"))}


@pytest.fixture
def judged(admin, reviewer, other_reviewer, adjudicator) -> Round:
    """A release of three instances. Mist's responses are judged: one agreed, one adjudicated, one set aside. Those of
    Hidden are being judged, with a hidden check item among them."""
    AnnotationFactory.create_batch(3)
    create_release(name=ODD, notes="Two words\n---\n# heading", admin=admin)
    disputed, agreed, odd = Instance.objects.order_by("pk")
    round = make_round(admin, [reviewer, other_reviewer], run_of("Mist", "In 1903, or in 1899."))
    give_all(round.items.get(instance=disputed), "correct", "incorrect")
    give_all(round.items.get(instance=agreed), "correct", "correct")
    give_all(round.items.get(instance=odd), "incorrect", "incorrect")
    (adjudication,) = round.adjudications.all()
    adjudicate(adjudication=adjudication, person=adjudicator, verdict="incorrect", reason="It names one.")
    set_aside(instance=odd, person=admin, reason="ambiguous")
    close_round(round=round, admin=admin)
    known = run_of("Checked", "Nor this.").responses.get(instance=agreed)
    KnownVerdict.objects.create(response=known, use="check", verdict="correct")
    hidden = run_of("Hidden", "Nobody may read this yet.")
    being_judged = make_round(admin, [reviewer, other_reviewer], hidden, check_items=1)
    give_all(being_judged.items.get(kind="ordinary", instance=agreed), "correct", "correct")
    for response in Response.objects.order_by("pk"):
        say(response, "correct", comment=f"About {response.model.name}.")
    return being_judged


def run_of(model: str, text: str) -> Run:
    run = make_imported_run(0, name=model)
    for instance in Instance.objects.order_by("pk"):
        make_response(run, instance, model=model, text=text)
    return run


def test_it_has_finished_rounds_and_nothing_of_unfinished_ones(judged, reviewer, tmp_path):
    tables = export(tmp_path / "out")
    assert {name: len(rows) for name, rows in tables.items()} == {
        "instances": 3,
        "annotations": 3,
        "responses": 3,
        "model_judgments": 3,
        "final_verdicts": 3,
        "judgments": 6,
    }
    everything = json.dumps(tables, default=str) + (tmp_path / "out" / "README.md").read_text()
    for word in ("Hidden", "Checked", "Nobody may", "Nor this", judged.name, str(reviewer)):
        assert word not in everything
    verdicts = [(row["verdict"], row["how"], row["reason"], row["set_aside"]) for row in tables["final_verdicts"]]
    assert verdicts == [
        ("incorrect", "adjudicated", "It names one.", False),
        ("correct", "agreed", "", False),
        ("incorrect", "agreed", "", True),
    ]
    assert [row["question_ID"] for row in tables["judgments"]] == [1, 1, 2, 2, 3, 3]
    assert len({row["reviewer"] for row in tables["judgments"]}) == 2
    assert {row["model"] for row in tables["responses"]} == {"Mist"}


def test_a_round_that_is_reopened_or_being_dealt_takes_its_runs_out(
    judged, admin, reviewer, other_reviewer, tmp_path
):
    finished = Round.objects.exclude(pk=judged.pk).get()
    reopen_round(round=finished, admin=admin)
    assert set(export(tmp_path / "reopened")) == {"instances", "annotations"}
    close_round(round=finished, admin=admin)
    later = run_of("Later", "Not dealt yet.")
    models = {row["model"] for row in export(tmp_path / "closed")["responses"]}
    assert models == {"Mist", "Later"}
    create_round(name="Next", admin=admin, runs=[later], reviewers=[reviewer, other_reviewer])
    assert {row["model"] for row in export(tmp_path / "dealing")["responses"]} == {"Mist"}


@pytest.mark.third_party
def test_the_hubs_own_programs_read_all_of_it(judged, tmp_path):
    """`datasets` without a network, and the validator of Croissant, which reads the rows by the description."""
    python = environments.for_tests("huggingface") / "bin" / "python"
    tables = export(tmp_path / "out")
    read = read_by_others(python, tmp_path / "out")
    assert read["said"] == []
    assert set(read["datasets"]) == set(read["croissant"]) == set(tables)
    for name, rows in json.loads(json.dumps(tables, default=str)).items():
        assert read["datasets"][name] == rows
        assert [{key.partition("/")[2]: row[key] for key in row} for row in read["croissant"][name]] == rows


def read_by_others(python: Path, folder: Path) -> dict[str, Any]:
    away = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder.parent / "home"), "HOME": str(folder.parent)}
    done = subprocess.run(
        [python, READER, folder], capture_output=True, text=True, env={**os.environ, **away}, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_the_sample_is_the_same_in_parquet(released_data, admin, tmp_path):
    """Each field of the 65 records and 131 instances, against the JSON and the hashed form of the release."""
    with (released_data / "wikicontradict_sample.json").open("rb") as file:
        import_records(file, check_only=False)
    create_release(name="Half of the paper's", admin=admin)
    tables = export(tmp_path / "out")
    records, lines = json.loads(printed("json")), [json.loads(line) for line in printed("jsonl").splitlines()]
    assert [json.loads(row["record"]) for row in tables["annotations"]] == records
    assert len(records) == 65
    for row, record in zip(tables["annotations"], records, strict=True):
        result = record["annotationResult"]
        assert {key: row[key] for key in record if key in row} == {key: record[key] for key in record if key in row}
        for name in ("wikitag_label_valid", "valid_comment", "paragraphB_information", "relevantInfo_comment_A_Span"):
            assert row[name] == (result.get(name) or "")
        for number, question in enumerate(row["questions"], start=1):
            assert question == (result.get(f"question{number}") or "")
        chosen = {tuple(path) for path in result.get("taxonomy") or [] if len(path) > 1}
        of_row = {
            (name.replace("_", " "), option) for name in row if name.startswith("Contradict_") for option in row[name]
        }
        assert chosen <= of_row
    instances = [line["instance"] for line in lines if "instance" in line]
    assert len(instances) == 131
    renamed = {"passage_1": "context1", "passage_2": "context2", "answer_1": "answer1", "answer_2": "answer2"}
    renamed |= {"article_title": "WikipediaArticleTitle"}
    for row, instance in zip(tables["instances"], instances, strict=True):
        assert row["samepassage"] == ("Same" if instance.pop("same_passage") else "Different")
        assert {name: row[renamed.get(name, name)] for name in instance} == instance


def printed(form: str) -> str:
    output = io.StringIO()
    call_command("export_release", release=1, format=form, stdout=output)
    return output.getvalue()


def test_the_card_has_a_header_that_is_read(judged, tmp_path):
    export(tmp_path / "out")
    _, header, card = (tmp_path / "out" / "README.md").read_text().split("---\n", 2)
    told = yaml.safe_load(header)
    assert told["pretty_name"] == f"WikiContradict, release 1: {ODD}".replace("\x7f", " ")
    names = [each["config_name"] for each in told["configs"]]
    assert names == ["instances", "annotations", "responses", "model_judgments", "final_verdicts", "judgments"]
    assert told["configs"][0]["default"] is True
    assert (told["license"], told["size_categories"]) == ("unknown", ["n<1K"])
    assert "\\<b\\>" in card
    assert "\\# heading" in card
    assert "Content hash" in card


def test_without_pyarrow_a_sentence_says_what_to_install(admin, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    AnnotationFactory()
    create_release(name="First", admin=admin)
    with pytest.raises(CommandError, match="needs pyarrow, which is not installed here: pip install pyarrow"):
        export(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_every_column_is_in_the_docs():
    page = (Path(__file__).parents[3] / "docs" / "data-format.md").read_text()
    for table in (INSTANCES, ANNOTATIONS, *registered_tables()):
        section = page.partition(f"#### `{table.name}`")[2].partition("\n#")[0]
        absent = [column.name for column in table.columns if f"`{column.name}`" not in section]
        assert absent == [], table.name


def test_an_export_replaces_the_last_one_and_nothing_else(admin, tmp_path):
    AnnotationFactory()
    create_release(name="First", admin=admin)
    export(tmp_path / "out")
    before = (tmp_path / "out" / SUMS).read_text()
    export(tmp_path / "out")
    assert (tmp_path / "out" / SUMS).read_text() == before, "a release reads the same each time"
    assert files_below(tmp_path / "out")[0] == "README.md"
