"""From facts to a release of items: claims, evidence by the floor, checks, options and a table, without a model."""

import json
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from annotation.models import Instance, Release
from benchmarks.conflictbank import items as item
from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.claims.twins import make_twins
from benchmarks.conflictbank.evidence.checking import overrule
from benchmarks.conflictbank.evidence.generation import DESCRIPTIONS, EVIDENCE, PATTERN_LABEL
from benchmarks.conflictbank.models import (
    ClaimSet,
    Conflict,
    ConflictClassifier,
    Evidence,
    EvidenceCheck,
    TrueObject,
)
from benchmarks.conflictbank.reports.facts import twins_among
from core.refusals import Refusal
from judging.models import LanguageModel, PromptTemplate
from judging.runs.pump import pump_calls
from judging.runs.runs import create_run, start_run
from tests.conflictbank.items.test_item_files import printed
from tests.conflictbank.making.test_evidence import check, write
from tests.factories.conflictbank import bring_in, residents

pytestmark = pytest.mark.django_db
SHIPPED = Path(item.__file__).parent / "shipped_facts.jsonl"


@pytest.fixture
def evidence():
    """Claims of 20 facts with evidence by the floor, and its checks."""
    bring_in(residents(20))
    make_claims(seed=7)
    write(method=DESCRIPTIONS)
    write(method=EVIDENCE)
    check("names")


def made(*more):
    return printed("release_conflicts", "--seed", "7", "--model", PATTERN_LABEL, "--name", "Ours", *more)


def refusal(*more):
    with pytest.raises(CommandError) as refused:
        made(*more)
    assert not Release.objects.exists()
    return str(refused.value)


def test_items_are_made_of_claims_whose_evidence_passed(evidence):
    said = made()
    assert "Release 1 “Ours”." in said
    assert "20 items." in said
    # No component confirms contradictions here.
    assert "With evidence that was not checked: 20" in said
    for instance in Instance.objects.all():
        content = instance.content
        assert item.problems(content) == []
        true = TrueObject.objects.filter(fact__subject__name=content["subject"]).values_list(
            "entity__name", flat=True
        )
        right = [each for each in content["options"] if each in set(true)]
        assert right == [content["object"]] == [item.option(content, content["correct_option"])]
        assert content["options"][3] == "uncertain"
    assert Release.objects.get().how_made["not_checked"] == 20


def test_the_datasheet_says_how_the_items_were_made(evidence):
    first = Evidence.objects.filter(claim__cause="default").order_by("pk")[0]
    EvidenceCheck.objects.filter(evidence=first, name="entailment").update(outcome="failed")
    made()
    sheet = printed("export_release", "--release", "1", "--format", "datasheet")
    assert "seed 7" in sheet
    assert PATTERN_LABEL in sheet
    assert "Not checked by some check: the evidence of 19 items" in sheet
    assert "a check failed" in sheet
    assert "made to mislead" in sheet
    assert "floor: the names of subject and object stand in the text" in sheet
    assert "nothing: not checked" in sheet
    checks = {
        (each["check"], each["component"]): each["outcomes"] for each in Release.objects.get().how_made["checks"]
    }
    assert checks["contradiction", ""] == {"not_checked": 57}
    assert checks["entailment", "floor: the names of subject and object stand in the text"] == {"passed": 76}


@pytest.mark.parametrize("component", ["local NLI: tiny, SHA-256 0123", "Judge (NLI, prompt 1)"])
def test_what_a_component_could_not_tell_is_in_no_release(evidence, component):
    unread = EvidenceCheck.objects.filter(name="contradiction").first()
    EvidenceCheck.objects.filter(pk=unread.pk).update(component=component)
    said = made()
    assert "19 items." in said
    assert "Left out, a check whose component could not tell: 1" in said


def test_evidence_that_has_not_been_through_all_checks_is_in_no_release(evidence):
    """Checks of contradiction come with the second run: a release before it holds none of that evidence."""
    EvidenceCheck.objects.filter(name="contradiction").delete()
    assert "checks not finished: 20" in refusal()


def test_the_datasheet_names_the_classifier_with_its_accuracy(evidence):
    numbers = {"coefficients": [1.0], "intercept": 0.0, "accuracy": 0.815, "held_out": [0.5] * 200}
    trained = ConflictClassifier.objects.create(
        seed=9, encoder="tiny, SHA-256 0123", labels=[[0, 1]] * 200, label_count=200, contradicting=150,
        state="trained", trained_at=timezone.now(), library="scikit-learn 1.9.1", **numbers,
    )  # fmt: skip
    EvidenceCheck.objects.filter(name="contradiction").update(outcome="passed", component=trained.component)
    made()
    sheet = printed("export_release", "--release", "1", "--format", "datasheet")
    assert trained.component in sheet
    assert "scikit-learn 1.9.1, seed 9; 150 of the labels say" in sheet
    assert "Cross-validated accuracy: 81.5%" in sheet
    assert "would give 75.0%" in sheet


def test_the_same_items_are_not_released_twice(evidence):
    made()
    with pytest.raises(CommandError, match="holds exactly these items"):
        made()


def test_the_options_can_be_four_objects(evidence):
    assert "20 items." in made("--four-objects")
    assert all(item.is_four_objects(each.content) for each in Instance.objects.all())


def test_a_dry_run_says_the_same_and_makes_nothing(evidence):
    said = made("--dry-run")
    assert "20 items." in said
    assert not Release.objects.exists()


def test_failed_evidence_is_left_out_unless_it_is_overruled_with_a_reason(evidence):
    first, second = Evidence.objects.order_by("pk").filter(claim__cause="default")[:2]
    EvidenceCheck.objects.filter(evidence__in=[first, second], name="entailment").update(outcome="failed")
    overrule(evidence=second, reason="A person read it: it supports its claim.")
    said = made()
    assert "19 items." in said
    assert "Left out, a check failed: 1" in said
    assert "counts although a check failed: 1" in said


def test_a_conflict_that_is_set_aside_is_no_item(evidence):
    Conflict.objects.filter(pk=Conflict.objects.order_by("pk")[0].pk).update(set_aside="It is true by now.")
    assert "19 items." in made()


def test_evidence_that_was_never_checked_is_left_out():
    bring_in(residents(5))
    make_claims(seed=7)
    write(method=DESCRIPTIONS)
    write(method=EVIDENCE)
    assert "checks not finished: 5" in refusal()


def test_without_claims_or_model_nothing_is_made(evidence):
    with pytest.raises(CommandError, match="no claims with seed 9"):
        call_command("release_conflicts", "--seed", "9", "--model", PATTERN_LABEL)
    with pytest.raises(CommandError, match="no model"):
        call_command("release_conflicts", "--seed", "7", "--model", "Mist")


def test_from_facts_to_a_table_with_floors_alone(evidence):
    made()
    codes = [f"conflictbank-option-{each}" for each in ("default", "correct", "semantic")]
    templates = [PromptTemplate.objects.filter(code=code).order_by("version")[0] for code in codes]
    models = LanguageModel.objects.filter(endpoint_name__startswith="believes")
    start_run(run=create_run(release=Release.objects.get(), language_models=models, templates=templates))
    pump_calls()
    found = json.loads(printed("report", "conflictbank-ratios", "--format", "json"))
    last = found["Baseline: believes the last text"]
    assert (last["known"], last["cells"]["semantic"]["CAR"]) == (20, 100.0)


# --- Twins ----------------------------------------------------------------------------------------------------------


def test_in_a_twin_the_two_objects_change_their_roles():
    bring_in(residents(20))
    make_claims(seed=7)
    with transaction.atomic():
        tried = make_twins(seed=8, of=7, check_only=True)
        assert not ClaimSet.objects.filter(seed=8).exists()
    made = make_twins(seed=8, of=7)
    assert (tried.made, tried.without) == (made.made, made.without)
    twins = Conflict.objects.filter(claim_set__seed=8)
    assert made.made == twins.count() > 0
    roles = set(Conflict.objects.filter(claim_set__seed=7).values_list("object", "replacement", "fact"))
    for twin in twins:
        assert any((o, r) == (twin.replacement_id, twin.object_id) and f != twin.fact_id for o, r, f in roles)
        assert twin.claims.count() == 4


def test_the_twins_of_claims_are_always_the_same():
    bring_in(residents(20))
    make_claims(seed=7)
    found = []
    for _ in range(2):
        with transaction.atomic():
            make_twins(seed=8, of=7)
            found.append(
                sorted(Conflict.objects.filter(claim_set__seed=8).values_list("fact", "replacement", "span"))
            )
            transaction.set_rollback(True)
    assert found[0] == found[1]


def test_twins_are_made_once_and_of_claims_that_exist():
    bring_in(residents(10))
    make_claims(seed=7)
    for wrong, words in (((8, 9), "no claims with seed 9"), ((7, 7), "use another seed")):
        with pytest.raises(Refusal, match=words):
            make_twins(seed=wrong[0], of=wrong[1])
    make_twins(seed=8, of=7)
    with pytest.raises(Refusal, match="already have twins"):
        make_twins(seed=9, of=7)


def test_a_release_with_twins_has_pairs():
    bring_in(residents(20))
    make_claims(seed=7)
    assert "made with seed 8" in printed("make_claims", "--seed", "8", "--twins-of", "7")
    write(method=DESCRIPTIONS)
    write(method=EVIDENCE)
    check("names")
    assert "Left out" not in made("--with-twins")
    keys = np.array(Instance.objects.order_by("pk").values_list("pk", flat=True))
    assert len(twins_among(keys)) > 0


def test_a_release_with_twins_needs_twins(evidence):
    assert "have no twins" in refusal("--with-twins")


def test_facts_have_their_licence_in_the_card_and_evidence_has_none_of_its_own(tmp_path):
    bring_in(residents(20), licence="CC0")
    make_claims(seed=7)
    write(method=DESCRIPTIONS)
    write(method=EVIDENCE)
    check("names")
    made()
    folder = tmp_path / "huggingface"
    printed("export_release", "--release", "1", "--format", "huggingface", str(folder))
    card = (folder / "README.md").read_text()
    assert "license: unknown\n" in card
    assert "Creative Commons Zero 1.0, CC0" in card
    assert f"vidence by {PATTERN_LABEL}: not recorded." in card.replace("\\", "")


# --- The facts that ship --------------------------------------------------------------------------------------------


def test_none_of_10_000_items_made_of_the_facts_that_ship_has_two_right_answers():
    printed("import_facts", str(SHIPPED))
    printed("make_claims", "--seed", "7", "--date", "2026-03-01")
    found = json.loads(printed("report", "conflictbank-ambiguous", "--format", "json"))
    for version, published in (("three objects and “uncertain”", 277), ("four objects", 510)):
        counted = found[version]
        assert (counted["items"], counted["two right answers"]) == (10_000, 0)
        assert counted["two right answers as published"] == published
