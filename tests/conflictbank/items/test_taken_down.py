"""An item that is set aside, or a conflict that is taken down, is in no report, whichever page did it."""

import json

import pytest
from django.urls import reverse

from annotation.models import Release
from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.claims.twins import make_twins
from benchmarks.conflictbank.evidence.generation import DESCRIPTIONS, EVIDENCE, PATTERN_LABEL
from benchmarks.conflictbank.facts.aside import with_item_set_aside
from benchmarks.conflictbank.models import Conflict
from benchmarks.conflictbank.questionnaires.evidence import COMMON_CODE, PAIRS_CODE
from benchmarks.conflictbank.questionnaires.precision import confusions
from core.models import Role
from review.models import SetAside
from tests.conflictbank.answers.test_item_reports import OUTCOMES, TWIN, answers_of, person
from tests.conflictbank.items.test_item_files import printed, written
from tests.conflictbank.items.test_items import RECORD
from tests.conflictbank.making.test_evidence import check, write
from tests.conflictbank.making.test_people import FINE, judge_all
from tests.conftest import make_person
from tests.factories.conflictbank import bring_in, residents
from tests.factories.contradoc import make_questionnaire_round

pytestmark = pytest.mark.django_db
REASON = "The person asked for it."


@pytest.fixture
def pages(sign_in, admin):
    return sign_in(admin)


def reported(name: str) -> dict:
    return json.loads(printed("report", f"conflictbank-{name}", "--format", "json"))


def set_item_aside(pages, number: int) -> None:
    """On the page where admins and adjudicators do it."""
    sent = {"release": Release.objects.get().pk, "number": number, "reason": REASON}
    assert pages.post(reverse("take_down"), sent).status_code == 302


# --- Reports on answers -------------------------------------------------------------------------------------------


def test_an_item_that_is_set_aside_is_in_no_pair_of_twins_and_in_no_order(pages, tmp_path):
    records = [person(each, number) for number in range(4) for each in (RECORD, TWIN)]
    printed("import_conflictbank", str(written(tmp_path, records)))
    answers = [line for number, each in enumerate(OUTCOMES.values()) for line in answers_of(number, *each)]
    answers += [
        {"item": at, "condition": "correct_temporal", "order": order, "model": "Mist", "text": "C"}
        for at in (0, 1)
        for order in ("default_first", "conflict_first")
    ]
    printed("import_conflictbank_answers", str(written(tmp_path, answers, "answers.jsonl")), "--release", "1")
    assert reported("twins")["Mist"]["conditions"]["misinformation"]["pairs"] == 4
    cells = reported("order")["Mist"]["cells"]
    assert {each["n"] for name, each in cells.items() if "temporal" in name} == {2}
    set_item_aside(pages, 1)
    assert reported("twins")["Mist"]["conditions"]["misinformation"]["pairs"] == 3
    cells = reported("order")["Mist"]["cells"]
    assert {each["n"] for name, each in cells.items() if "temporal" in name} == {1}
    assert any("set aside" in note["text"] for note in reported("twins")["notes"])


# --- Reports on the making ----------------------------------------------------------------------------------------


@pytest.fixture
def made(engine):
    """A release of the claims of 10 facts."""
    bring_in(residents(10))
    make_claims(seed=7)
    write(method=DESCRIPTIONS)
    write(method=EVIDENCE)
    check("names")
    printed("release_conflicts", "--seed", "7", "--model", PATTERN_LABEL, "--name", "Ours")
    assert Release.objects.get().instances.count() == 10


@pytest.fixture
def judged(made, admin, reviewer, other_reviewer):
    """The same, and people's answers about some of its evidence."""
    five = [reviewer, other_reviewer, *(make_person(name, Role.REVIEWER) for name in ("rosa", "rolf", "ruth"))]
    for code, size, each in ((COMMON_CODE, 8, 5), (PAIRS_CODE, 32, 2)):
        round = make_questionnaire_round(
            code, admin, five, sample_size=size, judgments_each=each, undo_minutes=0, seed=3
        )
        judge_all(round, lambda person, item: FINE)


def numbers() -> dict[str, int]:
    """The numbers of texts, conflicts or items by report."""
    people, pipeline = reported("people"), reported("pipeline")["models"][PATTERN_LABEL]
    ambiguous = reported("ambiguous")
    return {
        "people": people["texts"],
        "checks of people": sum(sum(each.counts.values()) for each in confusions() if each.check == "entailment"),
        "claims": pipeline["claims"]["default"]["left"],
        "left for all causes": pipeline["confirmed"]["default"]["left"],
        "ambiguous is drawn from": len({each["items"] for each in ambiguous.values() if "items" in each}),
    }


def test_of_an_item_that_is_set_aside_no_evidence_is_counted_and_no_new_release_has_it(judged, pages):
    assert numbers() == {
        "people": 40,
        "checks of people": 40,
        "claims": 10,
        "left for all causes": 10,
        "ambiguous is drawn from": 1,
    }
    set_item_aside(pages, 1)
    assert len(with_item_set_aside()) == 1
    assert numbers() == {
        "people": 36,
        "checks of people": 36,
        "claims": 9,
        "left for all causes": 9,
        "ambiguous is drawn from": 1,
    }
    assert "9 items." in printed("release_conflicts", "--seed", "7", "--model", PATTERN_LABEL, "--name", "Second")
    assert Release.objects.get(number=1).instances.count() == 10
    pages.post(reverse("set_aside_take_back", args=[SetAside.objects.get().pk]))
    assert numbers()["people"] == 40


def test_the_ambiguous_items_are_drawn_from_conflicts_in_use(made, pages):
    before = reported("ambiguous")
    names = [key for key, value in before.items() if isinstance(value, dict) and "items" in value]
    assert all(before[name]["items"] > 0 for name in names)
    for number in range(1, 11):
        set_item_aside(pages, number)
    assert {reported("ambiguous")[name]["items"] for name in names} == {0}


def test_a_conflict_that_is_taken_down_takes_its_items_out_of_the_reports_on_answers(made, pages):
    release = Release.objects.get()
    conflict = Conflict.objects.order_by("pk")[0]
    address = reverse("conflict_take_down", args=[conflict.key])
    pages.post(address, {"reason": REASON})
    row = SetAside.objects.active().select_related("instance").get()
    assert (row.reason, row.instance.content["subject"]) == (REASON, conflict.fact.subject.name)
    assert release.instances.count() == 10
    assert "Set aside" in pages.get(reverse("set_aside")).text
    pages.post(address, {"reason": ""})
    assert not SetAside.objects.active().exists()
    assert numbers()["claims"] == 10


def test_an_item_that_adjudicators_set_aside_for_a_reason_of_theirs_stays_aside(made, pages):
    set_item_aside(pages, 1)
    (number,) = with_item_set_aside()
    address = reverse("conflict_take_down", args=[Conflict.objects.get(pk=number).key])
    pages.post(address, {"reason": "Another reason."})
    pages.post(address, {"reason": ""})
    assert SetAside.objects.active().get().reason == REASON


def test_a_conflict_that_is_taken_down_gets_no_twin(made, pages):
    before = make_twins(seed=8, of=7, check_only=True).claim_set.of_facts
    set_item_aside(pages, 1)
    assert make_twins(seed=8, of=7, check_only=True).claim_set.of_facts == before - 1
