"""A first start has ConflictBank from shipped facts to tables, by floors alone and without a network."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.models import Instance, Release
from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.conditions import CONDITIONS
from benchmarks.conflictbank.facts.importing import import_facts
from benchmarks.conflictbank.items import CODE
from benchmarks.conflictbank.models import Claim, ClaimSet, Evidence, Fact
from benchmarks.conflictbank.release import demo
from core.accounts.sample_people import make_demo_people
from core.models import User
from judging.models import Response, Run
from tests.conflictbank.items.test_item_files import printed
from tests.factories.conflictbank import bring_in, residents

pytestmark = pytest.mark.django_db
TABLES = ("pipeline", "ratios", "order", "descriptions", "twins", "groups", "ambiguous")


def counts() -> list[int]:
    return [each.objects.count() for each in (Fact, Claim, Evidence, Instance, Run, Response)]


def reported(name: str) -> dict:
    return json.loads(printed("report", f"conflictbank-{name}", "--format", "json"))


def test_a_first_start_goes_from_facts_to_tables_once(client):
    printed("prepare")
    release = Release.objects.get(benchmark=CODE)
    assert "made to mislead" in release.name
    assert set(ClaimSet.objects.values_list("leaves_out_living", flat=True)) == {True}
    assert release.how_made["left_out"] == {}
    # Nothing confirms contradictions without a model, and the release says so.
    assert release.how_made["not_checked"] == release.instances.count() > Fact.objects.count() > 20
    steps = next(iter(reported("pipeline")["models"].values()))
    assert steps["entailment"]["semantic"]["left"] == release.instances.count()
    assert steps["confirmed"]["default"]["not_checked"] == release.instances.count()
    last = reported("ratios")["Baseline: believes the last text"]
    assert set(last["cells"]) >= set(CONDITIONS)
    assert last["known"] == last["of"] == release.instances.count()
    client.force_login(User.objects.get(username="admin"))
    for name in TABLES:
        page = client.get(f"/review/reports/conflictbank-{name}/").text
        assert "<table" in page, name
        assert 'class="empty"' not in page, name
    User.objects.filter(username="admin").update(language="de")
    asked = Response.objects.filter(instance__benchmark=CODE)[0]
    choices = client.get(reverse("response_comments", args=[asked.key])).text
    for named in ("Der Standardbeleg", "Der Fehlinformationsbeleg", "Der zeitliche Beleg", "Der semantische Beleg"):
        assert named in choices
    ratios = client.get(reverse("report", args=["conflictbank-ratios"])).text
    assert "Standardbeleg und zeitlicher Beleg, mit Beschreibung" in ratios

    before = counts()
    assert "ConflictBank" not in printed("prepare")
    assert counts() == before


def test_what_an_interrupted_first_start_lacks_is_made_by_the_next():
    make_demo_people()
    import_facts(demo.sample_facts())
    make_claims(seed=demo.SEED, leave_out_living=True)
    call_command("prepare")
    assert Response.objects.filter(run__release__benchmark=CODE).exists()


def test_a_project_with_facts_or_people_of_its_own_gets_no_sample(reviewer):
    make_demo_people()
    assert demo.demonstrate_floors() == ""
    bring_in(residents(5))
    assert demo.demonstrate_floors() == ""
    assert not Claim.objects.exists()
