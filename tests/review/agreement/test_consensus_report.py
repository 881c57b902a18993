"""The consensus report: agreement of three to five people, and what their verdicts say of each other."""

import csv
import io
import json
import random

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.protocol.verdicts import Verdict
from review.models import FinalVerdict, Pair
from review.reports.agreement import many_judged
from review.reports.agreement.consensus import consensus_report
from review.reports.agreement.report import agreement_report
from review.reports.scope import Scope
from review.rounds.final_verdicts.pairing import complete_pairs
from review.statistics.agreement.many_raters import agreement_of_many
from tests.conftest import make_person
from tests.factories.review import give, give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db
C, P, I = Verdict.CORRECT.value, Verdict.PARTIALLY_CORRECT.value, Verdict.INCORRECT.value  # noqa: E741


@pytest.fixture
def people(db):
    return [make_person(name, "reviewer") for name in ("rita", "ralph", "rosa", "nora")]


@pytest.fixture
def judged(admin, people):
    """Twelve responses each to templates 2 and 4: three people are right, the fourth says "incorrect" too often."""
    round = make_round(admin, people, make_imported_run(6, codes=("2", "4")), judgments_each=4, consensus="majority")
    chance = random.Random(5)
    for item in round.items.select_related("response__template"):
        offered = item.response.template.offered_verdicts
        true = chance.choice(list(offered))
        for slot in item.judgments.select_related("reviewer"):
            wrong = slot.reviewer == people[3] and chance.random() < 0.6
            give(slot, I if wrong else true)
    complete_pairs()
    return round


def as_json(scope=None) -> dict:
    out = io.StringIO()
    call_command("report", "consensus", format="json", stdout=out)
    return json.loads(out.getvalue())


def test_it_shows_agreement_by_template_and_an_estimate_for_each_choice_of_verdicts(judged, admin, people, sign_in):
    found = as_json()
    assert [(each["group"], each["n"], each["judgments"]) for each in found["agreement"]] == [
        ("Prompt 2", 12, 48),
        ("Prompt 4", 12, 48),
    ]
    assert {tuple(each["templates"]): each["verdicts"] for each in found["estimates"]} == {
        ("4",): [C, P, I],
        ("2",): [C, I],
    }
    for each in found["estimates"]:
        assert len(each["responses"]) == 12
        assert sum(each["shares"]) == pytest.approx(1)
        right = {
            (row["person"], row["verdict"]): row["says"][each["verdicts"].index(row["verdict"])]
            for row in each["people"]
        }
        assert right["rita", C] == pytest.approx(1, abs=0.01)
        assert right["nora", C] < 0.9
    page = sign_in(admin).get(reverse("report", args=["consensus"])).content.decode()
    assert "rounds of three and more judgments" in page
    assert "Verdicts of each person, prompt 4" in page
    assert "agrees with the final verdict of 12 responses" in page
    assert "Doubtful responses" not in page
    for kind in ("csv", "latex"):
        assert sign_in(admin).get(reverse("report_download", args=["consensus", kind])).status_code == 200
    rows = list(
        csv.DictReader(
            io.StringIO(sign_in(admin).get(reverse("report_download", args=["consensus", "csv"])).content.decode())
        )
    )
    assert {row["what"] for row in rows} == {"agreement", "person", "response"}
    assert sum(row["what"] == "response" for row in rows) == 24


def test_what_is_doubtful_is_listed(judged, admin, people, sign_in):
    item = judged.items.filter(response__template__code="4").first()
    run = make_imported_run(1, models=("Gem",), name="second")
    other = make_round(admin, people, run, judgments_each=4, consensus="majority")
    give_all(other.items.get(), C, C, P, P)
    assert not FinalVerdict.objects.filter(item=other.items.get()).exists()
    page = sign_in(admin).get(reverse("report", args=["consensus"])).content.decode()
    assert "Doubtful responses, prompt 4" in page
    assert reverse("response", args=[other.items.get().response.key]) in page
    assert reverse("response", args=[item.response.key]) not in page


def test_agreement_says_that_it_counts_every_two_of_them(judged, admin, people):
    notes = " ".join(note.text for note in agreement_report(Scope(), by="model").notes)
    assert "counts once for every two of them" in notes


def test_it_never_becomes_a_final_verdict(judged):
    before = list(FinalVerdict.objects.values_list("response", "verdict", "how"))
    consensus_report(Scope())
    assert list(FinalVerdict.objects.values_list("response", "verdict", "how")) == before
    assert set(FinalVerdict.objects.values_list("how", flat=True)) <= {"agreed", "majority"}


def test_rounds_of_two_are_not_in_it_and_few_responses_have_no_estimate(admin, people):
    two = make_round(admin, people, make_imported_run(3), judgments_each=2)
    for item in two.items.all():
        give_all(item, C, I)
    report = consensus_report(Scope())
    assert not report.lead
    assert "three to five judgments" in report.empty
    three = make_round(admin, people, make_imported_run(2, name="second"), judgments_each=3)
    for item in three.items.all():
        give_all(item, C, "", I)
    report = consensus_report(Scope())
    assert "Of 4 responses" in report.lead[0]
    assert "not defined: fewer than 10 responses have verdicts of three or more people" in report.lead[1]
    assert report.notes[0].text.startswith("4 responses could not be judged by at least one person")


def test_one_and_the_same_verdict_throughout_is_not_defined(admin, people):
    round = make_round(admin, people, make_imported_run(6), judgments_each=3)
    for item in round.items.all():
        give_all(item, C, C, C)
    report = consensus_report(Scope())
    assert "is not defined: one and the same verdict was given every time" in report.lead[1]
    assert report.data["agreement"][0]["kappa"]["value"] is None


def test_a_person_who_could_not_judge_at_all_is_no_gap(judged, people):
    """Every response stays, also one that only one person could judge."""
    assert Pair.objects.count() == 24 * 6
    report = consensus_report(Scope(round=judged))
    assert sum(len(each["responses"]) for each in report.data["estimates"]) == 24


def test_too_many_are_not_estimated_on_a_page(judged, monkeypatch):
    monkeypatch.setattr(many_judged, "MOST_PAIRS", 100)
    report = consensus_report(Scope())
    assert "Choose a release, a run or a round" in report.empty


def test_what_hides_a_round_hides_it_here(judged, people, sign_in):
    judge = people[0]
    from django.contrib.auth.models import Group

    judge.groups.add(Group.objects.get(name="admin"))
    assert sign_in(judge).get(reverse("report", args=["consensus"])).status_code == 403


# Fleiss 1971, table 1: 30 patients by six psychiatrists in five categories; as printed, kappa is .430.
FLEISS = """
0 0 0 6 0|0 3 0 0 3|0 1 4 0 1|0 0 0 0 6|0 3 0 3 0|2 0 4 0 0|0 0 4 0 2|2 0 3 1 0|2 0 0 4 0|0 0 0 0 6
1 0 0 5 0|1 1 0 4 0|0 3 3 0 0|1 0 0 5 0|0 2 0 3 1|0 0 5 0 1|3 0 0 1 2|5 1 0 0 0|0 2 0 4 0|1 0 2 0 3
0 0 0 0 6|0 1 0 5 0|0 2 0 1 3|2 0 0 4 0|1 0 0 4 1|0 5 0 1 0|4 0 0 0 2|0 2 0 4 0|1 0 5 0 0|0 0 0 0 6
"""


def test_fleiss_own_example():
    counts = [[int(n) for n in row.split()] for row in FLEISS.strip().replace("\n", "|").split("|")]
    found = agreement_of_many(counts)
    assert (found.n, found.judgments) == (30, 180)
    assert round(found.kappa.value, 3) == 0.430


def test_of_two_people_each_the_coefficients_are_those_of_the_definition():
    """Ten responses by two people, 7 the same (5 C, 2 I), 3 C and I: p_a = .7, shares .65 and .35.

    Fleiss (Scott's pi for two): p_e = .65² + .35² = .545, kappa = .155 / .455. AC1: p_e = 2 x .65 x .35 = .455,
    AC1 = .245 / .545."""
    found = agreement_of_many([[2, 0]] * 5 + [[0, 2]] * 2 + [[1, 1]] * 3, clusters=list(range(10)))
    assert found.raw.value == pytest.approx(0.7)
    assert found.kappa.value == pytest.approx(0.155 / 0.455)
    assert found.ac1.value == pytest.approx(0.245 / 0.545)
    assert found.kappa.interval.low < found.kappa.value < found.kappa.interval.high


def test_people_who_differ_in_number_weigh_each_response_the_same():
    """p_a = (1 + 1/3 + 0) / 3; shares C: (1 + 2/3 + 1/2) / 3."""
    found = agreement_of_many([[4, 0], [2, 1], [1, 1], [1, 0]])
    assert found.n == 3
    assert found.raw.value == pytest.approx(4 / 9)
    share = (1 + 2 / 3 + 1 / 2) / 3
    assert found.ac1.value == pytest.approx((4 / 9 - 2 * share * (1 - share)) / (1 - 2 * share * (1 - share)))


@pytest.mark.parametrize("counts", [[], [[1, 0]], np.zeros((0, 3))])
def test_without_two_verdicts_nothing_is_defined(counts):
    found = agreement_of_many(counts)
    assert found.n == 0
    assert not any((found.raw, found.kappa, found.ac1, found.alpha))
