"""Finding facts, conflicts and templates, reading them by the API, and taking conflicts down."""

import json

import pytest
from django.urls import reverse

from annotation.models import Release
from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.evidence.generation import DESCRIPTIONS, EVIDENCE, PATTERN_LABEL
from benchmarks.conflictbank.facts.truth import NOW_TRUE
from benchmarks.conflictbank.models import ClaimSet, Conflict, ConflictbankAction, Fact, RelationTemplate
from core.models import Event
from tests.conflictbank.items.test_item_files import printed
from tests.conflictbank.making.test_evidence import check, write
from tests.factories.conflictbank import as_lines, bring_in, residents, row

pytestmark = pytest.mark.django_db


@pytest.fixture
def conflicts():
    """Claims of 12 facts with evidence by the floor, checked as far as that goes without a model."""
    bring_in(residents(12))
    make_claims(seed=7)
    write(method=DESCRIPTIONS)
    write(method=EVIDENCE)
    check("names")


@pytest.fixture
def pages(sign_in, admin):
    return sign_in(admin)


def found(pages, words: str) -> str:
    return pages.get(reverse("find"), {"q": words}).text


# --- The palette ----------------------------------------------------------------------------------------------------


def test_facts_conflicts_and_templates_are_found_by_their_names(pages, sign_in, annotator):
    bring_in([*residents(5), row("İstanbul {x}\u202e", "Altona")])
    make_claims(seed=7)
    fact, conflict = Fact.objects.get(subject__name="Person 3"), Conflict.objects.get(fact__subject__name="Person 3")
    page = found(pages, "person 3")
    assert reverse("fact", args=[fact.key]) in page
    assert reverse("conflict", args=[conflict.key]) in page
    assert "claims with seed 7" in page
    template = RelationTemplate.objects.get(relation="P551")
    assert f"#template-{template.pk}" in found(pages, "p551")
    assert f"#template-{template.pk}" in found(pages, "reside")
    assert "İstanbul {x}" in found(pages, "İstanbul")
    assert "Person 3" not in found(sign_in(annotator), "person 3")


def test_a_fact_has_a_page_with_all_true_objects(pages):
    bring_in([*residents(5), row("Person 1", "Wick", ended="1990"), row("Person 2", "<b>Wick</b>")], licence="CC0")
    make_claims(seed=7)
    page = pages.get(reverse("fact", args=[Fact.objects.get(subject__name="Person 1").key])).text
    assert "Wick" in page
    assert "CC0" in page
    assert "claims with seed 7" in page.lower()
    page = pages.get(reverse("fact", args=[Fact.objects.get(subject__name="Person 2").key])).text
    assert "&lt;b&gt;Wick&lt;/b&gt;" in page


# --- The API --------------------------------------------------------------------------------------------------------


def test_the_api_gives_facts_and_conflicts_with_evidence_and_checks(pages, conflicts):
    facts = pages.get(reverse("api:facts"), {"state": "ready", "limit": 5}).json()
    assert len(facts["results"]) == 5
    one = facts["results"][0]
    assert (one["relation"], one["object"]["name"]) == ("P551", "Altona")
    assert one["true_objects"][0]["entity"] == one["object"]
    assert pages.get(reverse("api:fact", args=[one["key"]])).json() == one
    assert pages.get(reverse("api:facts"), {"state": "lost"}).status_code == 400
    listed = pages.get(reverse("api:conflicts"), {"set": ClaimSet.objects.get().pk}).json()["results"]
    assert len(listed) == 12
    claims = {each["cause"]: each for each in listed[0]["claims"]}
    assert claims["default"]["made_to_mislead"] is False
    assert claims["semantic"]["made_to_mislead"] is True
    checks = {each["name"]: each["outcome"] for each in claims["semantic"]["evidence"][0]["checks"]}
    assert checks == {"refusal": "passed", "entailment": "passed", "contradiction": "not_checked"}
    assert pages.get(reverse("api:conflict", args=[listed[0]["key"]])).json() == listed[0]
    assert pages.get(reverse("api:conflicts"), {"set": ClaimSet.objects.get().pk + 1}).json()["results"] == []


def test_lists_of_the_api_take_few_queries(pages, conflicts, django_assert_max_num_queries):
    for name in ("api:facts", "api:conflicts"):
        pages.get(reverse(name))
        with django_assert_max_num_queries(16):
            pages.get(reverse(name))


def test_the_api_takes_a_file_of_facts(pages, admin):
    from io import BytesIO

    def send(rows, **more):
        file = BytesIO(as_lines(rows))
        file.name = "facts.jsonl"
        return pages.post(reverse("api:import_facts"), {"file": file, "licence": "CC0", **more})

    checked = send(residents(5), check_only="true").json()
    assert "5 records read; 5 new facts." in checked["lines"]
    assert not Fact.objects.exists()
    assert send(residents(5)).status_code == 200
    assert Fact.objects.count() == 5
    refused = send([row("Ann", "")])
    assert refused.status_code == 400
    assert "Line 1" in refused.json()["detail"]


# --- Taken down -----------------------------------------------------------------------------------------------------


def test_a_conflict_is_taken_down_with_a_reason_and_releases_stay(pages, admin, conflicts):
    made = ["release_conflicts", "--seed", "7", "--model", PATTERN_LABEL, "--name"]
    printed(*made, "First")
    released = Release.objects.get()
    before = list(released.instances.order_by("pk").values_list("content", flat=True))
    conflict = Conflict.objects.first()
    take_down = reverse("conflict_take_down", args=[conflict.key])
    pages.post(take_down, {"reason": "It names a person\x00who asked for it."})
    conflict.refresh_from_db()
    assert conflict.set_aside == "It names a person�who asked for it."
    event = Event.objects.get(action=ConflictbankAction.TOOK_DOWN)
    assert (event.actor, event.after) == (admin, {"set_aside": conflict.set_aside})
    assert "It names a person�who asked for it." in pages.get(reverse("conflict", args=[conflict.key])).text
    assert list(released.instances.order_by("pk").values_list("content", flat=True)) == before
    pipeline = json.loads(printed("report", "conflictbank-pipeline", "--format", "json"))
    assert {each["left"] for each in pipeline["models"][PATTERN_LABEL]["claims"].values()} == {11}
    assert "11 items." in printed(*made, "Second")
    assert "took a conflict down" in pages.get(reverse("activity")).text
    pages.post(take_down, {"reason": ""})
    conflict.refresh_from_db()
    assert conflict.set_aside == ""


def test_a_conflict_whose_replacement_is_true_does_not_come_back(pages, conflicts):
    conflict = Conflict.objects.first()
    Conflict.objects.filter(pk=conflict.pk).update(set_aside=NOW_TRUE)
    refused = pages.post(reverse("conflict_take_down", args=[conflict.key]), {"reason": ""})
    assert refused.status_code == 409
    assert Conflict.objects.get(pk=conflict.pk).set_aside == NOW_TRUE
