"""A benchmark is an entry in the registry: its releases are frozen, listed, shown and exported without other code."""

import json
import re

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.kinds import registry
from annotation.kinds.registry import Benchmark, register
from annotation.models import Instance, Listed, Release, ReleasedInstance
from annotation.releases.files.writing import content_hash_of, write_release
from annotation.releases.freezing import create_release, latest_release
from annotation.releases.items.releasing import release_contents
from benchmarks.wikicontradict.items import CODE
from core.refusals import Refusal
from tests.factories import AnnotationFactory
from tests.factories.judging import make_instance

pytestmark = pytest.mark.django_db

SUMS = [{"sum": "1 + 1", "is": 2}, {"sum": "2 + 2", "is": 5}]


@pytest.fixture(autouse=True)
def sums(monkeypatch):
    """A benchmark of sums, known for one test."""
    monkeypatch.setattr(registry, "_benchmarks", dict(registry._benchmarks))
    kind = Benchmark(
        code="sums",
        name="Sums",
        listed=lambda content: Listed(content["sum"], group=str(content["is"]), category="sum"),
        problems=lambda content: [] if isinstance(content.get("is"), int) else ["it has no result."],
        statistics=lambda release: [("Sums", release.released_instances.count())],
    )
    register(kind)
    return kind


def test_a_release_of_contents_keeps_them_and_their_order(sums):
    release = release_contents(benchmark=sums, name="First sums", contents=SUMS)
    rows = release.released_instances.select_related("instance").order_by("number")
    assert [(row.number, row.instance.question, row.instance.content) for row in rows] == [
        (1, "1 + 1", SUMS[0]),
        (2, "2 + 2", SUMS[1]),
    ]
    assert {(row.instance.benchmark, row.instance.category) for row in rows} == {("sums", "sum")}
    assert content_hash_of(release) == release.content_hash
    assert latest_release(CODE) is None
    assert latest_release("sums") == release


def test_the_same_content_is_the_same_instance_in_the_next_release(sums):
    first = release_contents(benchmark=sums, name="First", contents=SUMS)
    second = release_contents(benchmark=sums, name="Second", contents=[SUMS[1]])
    assert Instance.objects.count() == 2
    assert second.instances.get() == first.instances.get(question="2 + 2")


def test_what_a_release_holds_already_is_refused(sums):
    release_contents(benchmark=sums, name="First", contents=SUMS)
    with pytest.raises(Refusal, match="holds exactly this"):
        release_contents(benchmark=sums, name="Again", contents=SUMS)
    assert Release.objects.count() == 1


def test_every_bad_item_is_named_and_nothing_released(sums):
    with pytest.raises(Refusal, match=r"Item 2: it has no result\. Item 3 is the same as item 1\."):
        release_contents(benchmark=sums, name="Bad", contents=[SUMS[0], {"sum": "?"}, SUMS[0]])
    assert not Release.objects.exists()
    assert not Instance.objects.exists()


def test_the_database_keeps_benchmarks_apart(sums):
    release = release_contents(benchmark=sums, name="First", contents=SUMS)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReleasedInstance.objects.create(release=release, number=9, instance=make_instance())
    with pytest.raises(IntegrityError), transaction.atomic():
        make_instance(benchmark="")
    with pytest.raises(IntegrityError), transaction.atomic():
        make_instance(content={})


def test_its_pages_name_the_benchmark_and_offer_its_forms_only(sums, admin_client):
    release_contents(benchmark=sums, name="First", contents=SUMS)
    assert "Sums" in admin_client.get("/annotation/releases/").text
    page = admin_client.get("/annotation/releases/1/").text
    assert "Sums" in page
    assert "/jsonl/" in page
    assert "/csv/" not in page
    assert admin_client.get("/annotation/releases/1/datasheet/").status_code == 404
    assert admin_client.get("/annotation/releases/1/download/csv/").status_code == 404


def test_its_lines_are_what_the_hash_is_computed_from(sums, tmp_path):
    release = release_contents(benchmark=sums, name="First", contents=SUMS)
    write_release(release, "jsonl", str(tmp_path), standard_output=None)
    lines = (tmp_path / "sums-release-1.jsonl").read_text().splitlines()
    assert [json.loads(line)["instance"] for line in lines] == [
        {"number": number, "content": content} for number, content in enumerate(SUMS, start=1)
    ]
    with pytest.raises(Refusal, match=r"cannot be written as “csv”\. It can be written as jsonl"):
        write_release(release, "csv", "-", standard_output=None)


def test_the_list_of_releases_counts_no_tags_of_a_benchmark_without_any(sums, admin, sign_in):
    AnnotationFactory()
    create_release(name="Tagged", admin=admin)
    release_contents(benchmark=sums, contents=SUMS, name="Sums")
    rows = sign_in(admin).get(reverse("releases")).text.split("<tr data-row>")[1:]
    cells = {
        name: re.findall(r'<td class="number">(.*?)</td>', row)
        for row in rows
        for name in ("Tagged", "Sums")
        if f">{name}</a>" in row
    }
    assert cells == {"Tagged": ["1", "1", "1"], "Sums": ["2", "–", "2"]}
