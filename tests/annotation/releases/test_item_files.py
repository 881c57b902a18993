"""Items of any benchmark come in from lines of JSON as a release, and go out again as equal JSON."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.kinds import registry
from annotation.models import Release
from annotation.models.releases import Listed
from annotation.releases.files import formats
from annotation.releases.files.writing import content_hash_of

pytestmark = pytest.mark.django_db
ITEMS = [
    {"id": "b", "riddle": "What has hands and no fingers?\u2028", "weights": {"z": 0.1, "a": [1, None, True]}},
    {"id": "a", "riddle": "שלום <b>& {braces}</b>", "weights": {}},
]


def problems(content):
    return [] if isinstance(content.get("riddle"), str) else ["the field “riddle” is missing"]


@pytest.fixture(autouse=True)
def riddles(monkeypatch):
    monkeypatch.setattr(registry, "_benchmarks", dict(registry._benchmarks))
    monkeypatch.setattr(formats, "_registered", dict(formats._registered))
    listed = {"listed": lambda content: Listed(content["riddle"]), "problems": problems}
    registry.register(registry.Benchmark("riddles", "Riddles", identifier="id", **listed))


def written(folder, lines):
    path = folder / "riddles.jsonl"
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines))
    return str(path)


def run_command(*argv, **options):
    out = io.StringIO()
    call_command(*argv, stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def imported(folder, lines, *options):
    return run_command("import_items", written(folder, lines), "--benchmark", "riddles", *options)


def test_items_come_out_as_they_came_in_and_a_second_time_changes_nothing(tmp_path):
    assert "2 items: would be release 1 “Riddles”." in imported(tmp_path, ITEMS, "--dry-run")
    assert not Release.objects.exists()
    assert "2 items: frozen as release 1 “First”." in imported(tmp_path, ITEMS, "--name", "First")
    release = Release.objects.get()
    assert release.content_hash == content_hash_of(release)
    exported = run_command("export_items", "--release", "1")
    assert [json.loads(line) for line in exported.splitlines()] == ITEMS
    assert exported == run_command("export_release", "--release", "1", "--format", "items")
    assert "Nothing changed: release 1" in imported(tmp_path, exported.splitlines())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "is not an object"),
        ({"id": "c"}, "the field “riddle” is missing"),
        ({"id": "c", "riddle": "\0"}, "not text"),
        ({**ITEMS[1], "riddle": "Another"}, "'a' is in the file twice"),
    ],
)
def test_a_bad_item_is_named_and_keeps_the_file_out(tmp_path, line, said):
    with pytest.raises(CommandError) as refused:
        imported(tmp_path, [*ITEMS, line])
    assert "Line 3" in str(refused.value)
    assert said in str(refused.value)
    assert not Release.objects.exists()
    imported(tmp_path, [*ITEMS, line], "--skip-bad", str(tmp_path / "bad.jsonl"))
    assert Release.objects.get().instances.count() == 2


def test_a_benchmark_with_its_own_file_has_that(tmp_path):
    documents = {"pos": {}, "neg": {"news_1": {"text": "It is.", "unique id": "news_1", "doc_type": "news"}}}
    path = written(tmp_path, [documents])
    assert "frozen as release 1 “ContraDoc”" in run_command("import_items", path, "--benchmark", "contradoc")
    assert json.loads(run_command("export_items", "--release", "1")) == documents


def test_releases_of_annotations_are_not_imported(tmp_path):
    for code, said in (("wikicontradict", "made of accepted annotations"), ("nowhere", "no benchmark “nowhere”")):
        with pytest.raises(CommandError, match=said):
            run_command("import_items", written(tmp_path, ITEMS), "--benchmark", code)


def test_admins_import_them_on_a_page(sign_in, admin):
    client = sign_in(admin)
    address = reverse("import_release", args=["riddles"])
    assert address in client.get(reverse("releases")).text
    file = SimpleUploadedFile("riddles.jsonl", "\n".join(map(json.dumps, ITEMS)).encode())
    client.post(address, {"file": file, "action": "import"})
    assert Release.objects.get().instances.count() == 2
