"""A published site counts as answers what the reports count: replies that ended well. Others are in no rate and in no
file, whatever words the model stopped with."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.kinds.registry import benchmark
from annotation.models import Release
from annotation.releases.freezing import create_release
from annotation.releases.items.releasing import release_contents
from core.models import Role
from judging.files.task_replies import import_task_replies
from judging.models import Mark, Response, Run
from review.reports.formats import FORMATS
from review.reports.registry import make_report
from review.reports.scope import Scope
from review.rounds.rounds import close_round
from tests.conftest import make_person
from tests.contradoc.people.test_documents_of_one_source import content
from tests.factories import AnnotationFactory, ArticleFactory, TagFactory
from tests.factories.contradoc import CONTRADICTION
from tests.factories.review import give_all, make_round
from tests.judging.endpoints.test_finish_words import WORDS
from tests.review.site.test_site import files

pytestmark = pytest.mark.django_db

HALF = "Nobody finished this sentence about the"
# A word for each way of ending, as providers say it; and a reply that ends well and has no text.
ENDS = {mark: next(word for word, of in WORDS.items() if of == mark) for mark in dict.fromkeys(WORDS.values())}


@pytest.fixture(scope="module")
def release(module_transaction) -> Release:
    """A question; one model has answered it in each way, and another one well. Judged by people where it can be."""
    admin = make_person("amir", Role.ADMIN)
    AnnotationFactory(tag=TagFactory(article=ArticleFactory(title="Bridge")))
    return create_release(name="Bridges", admin=admin)


def imported(folder: Path, release: Release) -> None:
    """Responses by every way of ending, brought in through the door for files."""
    rows = [
        {"model": "Mist", "template": "4", "repetition": number, "text": f"{HALF} {word}", "finish_reason": word}
        for number, word in enumerate(ENDS.values(), start=1)
    ]
    rows += [{"model": "Mist", "template": "4", "repetition": len(rows) + 1, "text": "", "finish_reason": "stop"}]
    rows += [{"model": "Llam", "template": "4", "text": "In 1903 or 1899.", "finish_reason": "stop"}]
    number = release.released_instances.get().number
    path = folder / "responses.jsonl"
    path.write_text("".join(json.dumps(row | {"question_ID": number}) + "\n" for row in rows))
    call_command("import_responses", str(path), release=release.number, stdout=io.StringIO())


def test_a_site_goes_by_the_finish_words(release, tmp_path):
    imported(tmp_path, release)
    assert set(ENDS) == {*Mark.values} - {Mark.EMPTY}
    assert sorted(Response.objects.values_list("mark", flat=True)) == sorted([*Mark.values, Mark.COMPLETE])
    people = [make_person("rita", Role.REVIEWER), make_person("ralph", Role.REVIEWER)]
    admin = make_person("ada", Role.ADMIN)
    round = make_round(admin, people, Run.objects.get(), training_required=False)
    for item in round.items.order_by("pk"):
        give_all(item, "correct", "correct")
    close_round(round=round, admin=admin)

    call_command("export_site", str(tmp_path / "site"), release=1, stdout=io.StringIO())
    site = files(tmp_path / "site")
    rows = list(csv.DictReader(io.StringIO(site["downloads/table2.csv"])))
    assert {row["model"]: (row["n"], row["unlabelled"]) for row in rows if row["instances"] == "all"} == {
        "Mist": ("1", "6"),
        "Llam": ("1", "0"),
    }
    assert "6 without, 6 of them no answer" in site["results/table2.html"]
    # The same as the reports of the pages, the API and the commands.
    assert site["downloads/table2.csv"] == FORMATS["csv"](make_report("table2", Scope(release=release)))
    assert not [name for name, text in site.items() if HALF in text]


def test_a_site_of_contradoc_goes_by_the_finish_words(module_transaction, tmp_path):
    contents = [content(f"{number}_1", "pos") for number in range(1, len(ENDS) + 2)]
    release = release_contents(benchmark=benchmark("contradoc"), name="Ours", contents=contents)
    words = [*ENDS.values(), "stop"]
    lines = [
        {"document": each["unique id"], "task": task, "model": "Mist", "text": text, "finish_reason": word}
        for task, text in (("binary", "Yes."), ("judge_then_find", f'Judgment: yes\nEvidence: ["{CONTRADICTION}"]'))
        for each, word in zip(contents, words, strict=True)
    ]
    lines[len(contents) - 1]["text"] = lines[-1]["text"] = ""
    import_task_replies(io.BytesIO("\n".join(map(json.dumps, lines)).encode()), release=release, name="All")
    call_command("export_site", str(tmp_path / "site"), release=release.number, stdout=io.StringIO())
    site = files(tmp_path / "site")
    for name, task in (("contradoc-table2", "contradoc-binary"), ("contradoc-table4", "contradoc-find")):
        (row,) = csv.DictReader(io.StringIO(site[f"downloads/{name}.csv"]))
        # A cut reply is read as far as it goes, and the page says so; nothing is read in the five others.
        assert (row["template"], row["n"], row["unreadable"]) == (task, "2", "5")
        assert "1 reply was cut at the token limit and could be read all the same" in site[f"results/{name}.html"]
        assert site[f"downloads/{name}.csv"] == FORMATS["csv"](make_report(name, Scope(release=release)))
