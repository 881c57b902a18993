"""A published site of a release of ContraDoc, and of a benchmark that says nothing about its site: as complete, valid
and whole as that of WikiContradict, and without a word that is not public."""

import io
import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.kinds import registry
from annotation.kinds.registry import Benchmark, benchmark
from annotation.models import Listed, Release
from annotation.releases.items.releasing import release_contents
from core.models import Role
from judging.files.task_replies import import_task_replies
from judging.models import Response, Run
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from review.rounds.rounds import close_round
from review.site import entries, instances
from review.site.pages import Site
from tests.conftest import make_person
from tests.contradoc.people.test_documents_of_one_source import content
from tests.factories.contradoc import CONTRADICTION, make_questionnaire_round
from tests.review.site.test_site import files, parsed
from tests.review.site.test_site import (
    test_every_page_is_html_without_errors_and_every_link_inside_leads_somewhere as check_pages,
)

pytestmark = pytest.mark.django_db

HOSTILE = (
    '</p><script>alert(1)</script> Judgment: yes {text} <img src="//evil.example/x" onerror=alert(2)> \x85\x0b\uffff'
)
HEBREW = "הגשר נפתח בשנת 1903. איש לא חצה אותו לפני 1950."
SECRETS = (
    "Undisclosed",
    "unspoken",
    "Halfway",
    "Round of Rita",
    "Round of Ralph",
    "rita",
    "ralph",
    "/review/",
    "/srv/",
)


def documents() -> list[dict]:
    """Hostile, Hebrew, long, with two scopes, and with evidence that does not stand in it; and clean ones."""
    contents = [content(f"{number}_1", "pos") for number in range(1, 6)]
    contents[0] |= {"text": f"{HOSTILE} {CONTRADICTION}", "ref sentences": [HOSTILE]}
    contents[1] |= {"text": HEBREW, "evidence": HEBREW.split(". ")[1], "scope": ["global", "intra"]}
    contents[2] |= {"text": f"{CONTRADICTION} {'A word. ' * 250_000}", "contra_type": ["Negation", "Other"]}
    contents[3] |= {"text": "Something else.", "contra_plug": "Replace"}
    return [*contents, *(content(f"news_{number}", "neg") for number in range(1, 4))]


def told(release: Release, run: str, task: str, model: str, text: str) -> Run:
    lines = [
        json.dumps({"document": each["unique id"], "task": task, "model": model, "text": text})
        for each in documents()
        if task != "topk" or each["label"] == "pos"
    ]
    import_task_replies(io.BytesIO("\n".join(lines).encode()), release=release, name=run)
    return Run.objects.get(name=run)


def answered(round, *answers: dict, most: int | None = None) -> None:
    slots = round.judgments.select_related("round", "item__instance").order_by("item", "number")[:most]
    for slot in slots:
        record_judgment(slot=slot, reviewer=slot.reviewer, answers=answers[slot.number - 1])
    complete_pairs(round=round)


@pytest.fixture(scope="module")
def release(module_transaction) -> Release:
    """With a finished round of each form about its replies and documents, and one that goes on."""
    admin = make_person("amir", Role.ADMIN)
    people = [make_person(name, Role.REVIEWER) for name in ("rita", "ralph", "rosa", "rob")]
    release = release_contents(benchmark=benchmark("contradoc"), name=f"Ours {HOSTILE}"[:100], contents=documents())
    told(release, "binary", "binary", "Mist", "Yes.")
    told(release, "topk", "topk", "Mist", CONTRADICTION)
    told(release, "find", "judge_then_find", "Llam", f'Judgment: yes\nEvidence: ["{CONTRADICTION}"]')
    free = told(release, "free", "free_format", "Mist", "I see it.")
    hushed = told(release, "hushed", "free_format", "Undisclosed", "unspoken")
    told(release, "hushed", "free_format", "Halfway", "unspoken")
    done = make_questionnaire_round("contradoc-free-format", admin, people[:2], runs=[free], undo_minutes=0)
    answered(done, {"finding": "right"}, {"finding": "right"})
    close_round(round=done, admin=admin)
    found = make_questionnaire_round("contradoc-find", admin, people[2:3], release=release, undo_minutes=0)
    answered(found, {"judgment": "no"})
    close_round(round=found, admin=admin)
    values = {"undo_minutes": 0, "name": "Round of Rita"}
    going_on = make_questionnaire_round("contradoc-free-format", admin, people[:2], runs=[hushed], **values)
    answered(going_on, {"finding": "wrong"}, {"finding": "wrong"}, most=4)
    looking = make_questionnaire_round(
        "contradoc-find", admin, people[3:], release=release, **values | {"name": "Round of Ralph"}
    )
    answered(looking, {"judgment": "yes", "evidence": [0]}, most=2)
    return release


@pytest.fixture(scope="module")
def folder(release, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.LOCAL_TOKENIZER", "/srv/tokens")
        said = io.StringIO()
        call_command("export_site", str(folder), release=release.number, stdout=said)
        assert f"{Site(release).length()} files" in said.getvalue()
    return folder


def test_every_page_is_valid_and_whole_and_nothing_acts(folder):
    check_pages(folder)
    check_what_acts(folder)


def test_what_is_not_public_is_in_no_byte(folder):
    whole = "\n".join([*files(folder), *files(folder).values()])
    assert "Mist" in whole
    for secret in SECRETS:
        assert secret not in whole, secret


def test_documents_are_shown_with_the_contradiction_marked_and_listed_by_what_they_are(folder):
    page = (folder / "instances/1.html").read_text()
    assert sorted(map(int, re.findall(r'id="q(\d+)"', page))) == list(range(1, 9))
    assert f'<mark class="span of-2">{CONTRADICTION}</mark>' in page
    assert HEBREW.split(". ")[1] in page
    assert "The text does not contain it in these words." in page
    assert len(page) > 2_000_000
    listed = {name for name in files(folder) if name.startswith("instances/")}
    for name in (
        "side-negative",
        "side-positive",
        "scope-global",
        "scope-intra",
        "type-other",
        "kind-of-document-news",
    ):
        assert f"instances/{name}-1.html" in listed, name
    both = (folder / "instances/scope-intra-1.html").read_text()
    assert re.findall(r'href="1\.html#q(\d)"', both) == ["2"]


def test_the_results_are_those_of_the_benchmark(folder):
    names = {path.stem for path in (folder / "results").glob("*.html")} - {"index"}
    assert names == {
        *("contradoc-statistics", "contradoc-table2", "contradoc-table3", "contradoc-table4", "contradoc-table5"),
        *("contradoc-table6", "contradoc-figure2", "contradoc-free-format"),
    }
    front = (folder / "index.html").read_text()
    assert "ContraDoc: Understanding Self-Contradictions" in front
    assert "WikiContradict" not in front.replace("WikiContradict Workbench", "")
    assert "8 replies" in (folder / "results/contradoc-free-format.html").read_text()
    assert "Human" in (folder / "downloads/contradoc-table5.csv").read_text()


def test_the_downloads_are_those_of_the_release(folder, release):
    listed = dict(line.split("  ")[::-1] for line in (folder / "downloads/SHA256SUMS").read_text().splitlines())
    assert listed["contradoc-release-1.jsonl"] == release.content_hash
    again = json.loads((folder / "downloads/contradoc-release-1.json").read_text())
    assert {side: len(records) for side, records in again.items()} == {"pos": 5, "neg": 3}
    prompts = json.loads((folder / "downloads/prompts.json").read_text())
    assert {"contradoc-binary", "contradoc-topk", "contradoc-find"} <= {each["template"] for each in prompts}
    assert {path.name for path in (folder / "downloads").iterdir()} == {*listed, "SHA256SUMS", "index.html"}


def test_a_line_as_the_site_asks_for_it_can_be_imported(folder, release, tmp_path, db):
    page = parsed((folder / "submit.html").read_text())
    line = json.loads(next(each.text for each in page.iter("code") if each.text.startswith("{")))
    (tmp_path / "responses.jsonl").write_text(json.dumps(line) + "\n")
    call_command("import_responses", str(tmp_path / "responses.jsonl"), stdout=io.StringIO())
    assert Response.objects.get(model__name="Your model").template.code == "contradoc-binary"


def test_a_benchmark_that_says_nothing_of_its_site_has_one(db, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_benchmarks", dict(registry._benchmarks))
    monkeypatch.setattr(instances, "ON_A_PAGE", 2)
    sums = Benchmark("sums", "Sums", lambda content: Listed(content["sum"], "", content["kind"]))
    registry.register(sums)
    contents = [{"sum": f"2 + {number} {HOSTILE}", "kind": ("easy", HOSTILE)[number % 2]} for number in range(5)]
    release = release_contents(benchmark=sums, name="Sums", contents=contents)
    assert "sums" not in entries._presentations
    said = io.StringIO()
    call_command(
        "export_release", str(tmp_path / "site"), "--release", str(release.number), "--format", "site", stdout=said
    )
    check_pages(tmp_path / "site")
    check_what_acts(tmp_path / "site")
    assert "Instances" in (tmp_path / "site/index.html").read_text()
    assert len(list((tmp_path / "site/instances").glob("category-*.html"))) == 2


def check_what_acts(folder: Path) -> None:
    for name, text in files(folder).items():
        if name.endswith(".html"):
            assert "<script>alert" not in text, name
            assert {each.get("src") for each in parsed(text).iter("script")} <= {"../assets/filter.js"}, name
