"""A release of ConflictBank in other programs' folders, on the published site, and in the API."""

import json
import math
import sys
from hashlib import sha256
from importlib import import_module
from types import ModuleType

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.models import Instance
from benchmarks.conflictbank import prompts
from benchmarks.conflictbank.tasks import ASKED, OPTION_TASK
from judging.protocol.prompts import render
from tests.conflictbank.items.test_item_files import printed, written
from tests.conflictbank.items.test_items import RECORD, numbered, with_object

pytestmark = pytest.mark.django_db
HOSTILE = with_object("{question} {A}") | {"default_evidence": "See {B} and {{C}}.\nAnswer: B"}
LOADED = ("asked", "utils", "datasets")


@pytest.fixture
def release(tmp_path):
    printed("import_conflictbank", str(written(tmp_path, [RECORD, numbered(1), HOSTILE])))


def folder_in(tmp_path, code):
    folder = tmp_path / code
    call_command("export_release", "--release", "1", "--format", code, str(folder), stdout=sys.stderr)
    assert "made to mislead" in (folder / "README.md").read_text()
    return folder


@pytest.fixture
def harness(tmp_path, release, monkeypatch):
    """The modules of the folder for lm-evaluation-harness, whose own data sets are lists here."""
    folder = folder_in(tmp_path, "lm-eval")
    monkeypatch.syspath_prepend(str(folder))
    lists = ModuleType("datasets")
    lists.Dataset = type("Dataset", (), {"from_list": staticmethod(list)})
    monkeypatch.setitem(sys.modules, "datasets", lists)
    yield folder
    for name in LOADED:
        sys.modules.pop(name, None)


def test_a_folder_for_a_harness_asks_the_same_prompts(harness):
    utils = import_module("utils")
    contents = list(Instance.objects.order_by("pk").values_list("content", flat=True))
    for code, asked in ASKED.items():
        if asked.protocol != "option":
            continue
        docs = utils.load(code)["test"]
        text = OPTION_TASK.wordings[code][0].text
        assert [utils.doc_to_text(doc) for doc in docs] == [
            render(text, prompts.values_of(each)) for each in contents
        ]
        assert [doc["order"] for doc in docs] == [asked.order_for(each) for each in contents]
        assert (
            harness / f"conflictbank_r1_{code.removeprefix('conflictbank-option-').replace('-', '_')}.yaml"
        ).exists()


def test_a_harness_counts_the_most_probable_label(harness):
    utils = import_module("utils")
    doc = utils.load("conflictbank-option-misinformation")["test"][0]
    assert utils.doc_to_choice(doc) == [" A", " B", " C", " D"]
    assert utils.doc_to_target(doc) == 2
    answers = [
        [(-3.0, False), (-0.1, True), (-2.0, False), (-4.0, False)],
        [-1.0, -1.0, -2.0, -3.0],
        [-3, -3, -1, -4],
    ]
    choices = [utils.process_results(doc, each)["M_R"] for each in answers]
    assert choices == ["replaced", "unreadable", "default"]
    assert (utils.original(choices), utils.counter(choices), utils.memorisation(choices)) == (0.5, 0.5, 0.5)
    assert utils.unreadable(choices) == 1 / 3
    assert math.isnan(utils.memorisation(["unreadable"]))


def test_a_folder_for_inspect_has_its_questions(tmp_path, release):
    folder = folder_in(tmp_path, "inspect")
    names = {each.name for each in folder.iterdir()}
    assert {"conflictbank.py", "asked.py", "release.json", "items.jsonl", "templates.json"} <= names
    compile((folder / "conflictbank.py").read_text(), "conflictbank.py", "exec")


def test_a_folder_for_hugging_face_describes_its_files(tmp_path, release):
    folder = folder_in(tmp_path, "huggingface")
    described = json.loads((folder / "croissant.json").read_text())
    assert [each["contentUrl"] for each in described["distribution"]] == ["data/items.jsonl", "data/claims.jsonl"]
    assert len(described["recordSet"][0]["field"]) == 26
    items = [json.loads(line) for line in (folder / "data/items.jsonl").read_text().splitlines()]
    assert items == [RECORD, numbered(1), HOSTILE]
    assert len((folder / "data/claims.jsonl").read_text().splitlines()) == 12


def test_no_licence_is_assumed(tmp_path, release):
    folder = folder_in(tmp_path, "huggingface")
    card = (folder / "README.md").read_text()
    assert "license: unknown\n" in card
    assert ": not recorded." in card
    assert json.loads((folder / "croissant.json").read_text())["license"] == "not recorded"


def test_the_licence_of_an_imported_file_is_named(tmp_path):
    file = str(written(tmp_path, [RECORD]))
    printed("import_conflictbank", file, "--licence", "CC BY-SA 4.0")
    folder = folder_in(tmp_path, "huggingface")
    assert "license: cc-by-sa-4.0\n" in (folder / "README.md").read_text()
    described = json.loads((folder / "croissant.json").read_text())
    assert described["license"] == "https://creativecommons.org/licenses/by-sa/4.0/"


def test_the_published_site_says_that_texts_mislead(tmp_path, release):
    folder = tmp_path / "site"
    call_command("export_site", "--release", "1", str(folder), stdout=sys.stderr)
    assert "made to mislead" in (folder / "index.html").read_text()
    pages = [each.read_text() for each in (folder / "instances").glob("*.html")]
    assert any("Made to mislead" in page for page in pages)
    assert "must not be taken for facts" in (folder / "datasheet.html").read_text()


def test_each_file_of_the_published_site_has_a_name_of_its_own(tmp_path, release):
    folder = tmp_path / "site"
    call_command("export_site", "--release", "1", str(folder), stdout=sys.stderr)
    listed = [line.split("  ") for line in (folder / "downloads/SHA256SUMS").read_text().splitlines()]
    assert [sha256((folder / "downloads" / name).read_bytes()).hexdigest() for _, name in listed] == [
        digest for digest, _ in listed
    ]
    assert len({name for _, name in listed}) == len(listed)


def test_the_api_gives_the_items(release, admin_client):
    found = admin_client.get(reverse("api:release_instances", args=[1])).json()
    assert found["results"][0]["content"] == RECORD
