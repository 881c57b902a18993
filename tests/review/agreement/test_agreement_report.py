"""Agreement between reviewers out of the data: by template, model, pair of people and reasoning type."""

import csv
import io
import json
from typing import Any

import pytest

from core.models import User
from judging.models import Response
from review.models import Adjudication, FinalVerdict, Item, Judgment, Round
from review.rounds.adjudication import adjudicate, reopen
from review.rounds.setting_aside import set_aside
from review.statistics.agreement.agreement import agreement
from tests.factories.judging import make_instance
from tests.factories.review import give_all, make_imported_run, make_response, make_round
from tests.wikicontradict.test_table2 import report

pytestmark = pytest.mark.django_db

C, P, IC, NONE = "correct", "partially_correct", "incorrect", ""


def numbers(**options: Any) -> dict[str, Any]:
    return json.loads(report("agreement", format="json", **options))


@pytest.fixture
def two(reviewer, other_reviewer) -> list[User]:
    return [reviewer, other_reviewer]


def judged(admin: User, people: list[User], *pairs: tuple[str, str], **values: Any) -> Round:
    """A round with a response for each of `pairs`: the verdict of the first of `people`, that of the other."""
    run = make_imported_run(len(pairs), models=["Mist"], **values)
    round = make_round(admin, people, run, training_required=False)
    for item, (first, second) in zip(round.items.order_by("pk"), pairs, strict=True):
        give_as(item, people[0], first, second)
    return round


def give_as(item: Item, person: User, verdict: str, others: str) -> None:
    """Whoever was dealt the first slot: the verdict is this person's."""
    is_first = item.judgments.order_by("number")[0].reviewer_id == person.pk
    give_all(item, *((verdict, others) if is_first else (others, verdict)))


def test_two_people_have_one_table_whoever_was_dealt_the_first_slot(admin, two):
    pairs = [(C, C)] * 4 + [(C, IC)] * 3 + [(IC, IC)] * 2 + [(P, P)]
    judged(admin, two, *pairs)
    dealt_first = set(Judgment.objects.filter(number=1).values_list("reviewer", flat=True))
    assert len(dealt_first) == 2, "the slots were dealt by chance"
    (found,) = numbers()["by_reviewers"]
    low, high = sorted(two, key=lambda person: person.pk)
    assert found["group"] == f"{low} and {high}"
    expected = [[4, 0, 3], [0, 1, 0], [0, 0, 2]] if low == two[0] else [[4, 0, 0], [0, 1, 0], [3, 0, 2]]
    assert found["table"] == expected
    assert found["kappa"]["value"] == pytest.approx(agreement(expected).kappa.value)
    assert found["indices"][0]["bias"] == pytest.approx(0.3 if low == two[0] else -0.3)
    assert numbers()["overall"]["kappa"] == found["kappa"]


def test_it_says_n_raw_agreement_kappa_ac1_and_alpha_with_intervals(admin, two):
    judged(admin, two, *[(C, C)] * 8, *[(IC, IC)] * 6, *[(C, IC)] * 3, *[(P, P)] * 3)
    found = numbers()["overall"]
    assert (found["n"], found["instances"]) == (20, 20)
    assert found["raw"]["value"] == 0.85
    for name in ("raw", "kappa", "ac1", "alpha"):
        interval = found[name]["interval"]
        assert interval["low"] < found[name]["value"] < interval["high"]
    assert found["kappa"]["analytic"]["low"] < found["kappa"]["value"]
    text = report("agreement")
    assert "Two people gave the same verdict to 85.0% of 20 responses that were judged twice" in text
    assert "kappa is 0." in text


def test_responses_of_one_instance_are_drawn_together(admin, two):
    """Three responses to each of 20 instances, alike within an instance, are no more certain than one to each."""
    alone = [(C, C)] * 8 + [(IC, IC)] * 6 + [(C, IC)] * 6
    run = make_imported_run(0)
    for number, _ in enumerate(alone, start=1):
        instance = make_instance(number)
        for model in ("Mist", "Llam", "Gept"):
            make_response(run, instance, model=model)
    round = make_round(admin, two, run, training_required=False)
    verdict_of = dict(
        zip(run.responses.order_by("instance").values_list("instance", flat=True).distinct(), alone, strict=True)
    )
    for item in round.items.all():
        give_as(item, two[0], *verdict_of[item.instance_id])
    found = numbers()["overall"]
    assert (found["n"], found["instances"]) == (60, 20)
    resampled, analytic = found["kappa"]["interval"], found["kappa"]["analytic"]
    assert resampled["high"] - resampled["low"] > 1.4 * (analytic["high"] - analytic["low"])


def test_many_instances_are_resampled_in_groups(admin, two, monkeypatch):
    """Dealt into five groups the table is the same, and there is an interval; how many instances is not known."""
    judged(admin, two, *[(C, C)] * 8, *[(IC, IC)] * 6, *[(C, IC)] * 6)
    before = numbers()["overall"]
    monkeypatch.setattr("review.reports.agreement.double_judged.instances_are_many", lambda: True)
    monkeypatch.setattr("review.reports.agreement.pairs.POOLED", 5)
    after = numbers()["overall"]
    assert after["table"] == before["table"]
    assert after["kappa"]["value"] == before["kappa"]["value"]
    assert after["kappa"]["interval"]["low"] < after["kappa"]["value"] < after["kappa"]["interval"]["high"]
    assert (before["instances"], after["instances"]) == (20, None)


def test_who_could_not_judge_is_counted_and_in_no_coefficient(admin, two):
    judged(admin, two, (C, C), (IC, IC), (C, NONE))
    found = numbers()["overall"]
    assert (found["n"], found["cannot_judge"], found["raw"]["value"]) == (2, 1, 1)
    assert "1 pair is left out of every coefficient" in report("agreement")


def test_where_it_is_not_defined_it_says_so(admin, two):
    judged(admin, two, (C, C), (C, C))
    found = numbers()["overall"]
    assert found["kappa"]["value"] is None
    assert "one and the same verdict" in found["kappa"]["reason"]
    text = report("agreement")
    assert "kappa is not defined" in text
    assert "nan" not in text.lower()


def test_a_template_that_offers_two_verdicts_has_a_table_of_two(admin, two):
    judged(admin, two, (C, C), (IC, C), (IC, IC), codes=["2"])
    (found,) = numbers()["by_template"]
    assert found["verdicts"] == [C, IC]
    assert len(found["table"]) == 2


def test_it_is_broken_down_by_template_model_and_reasoning_type(admin, two):
    run = make_imported_run(4, codes=["4", "5"])
    implicit = make_instance(9, reasoning_type="IMP")
    make_response(run, implicit)
    round = make_round(admin, two, run, training_required=False)
    for item in round.items.all():
        give_as(item, two[0], C, C)
    found = numbers()
    assert {group["group"]: group["n"] for group in found["by_template"]} == {"Prompt 4": 9, "Prompt 5": 8}
    assert {group["group"]: group["n"] for group in found["by_model"]} == {"Llam": 8, "Mist": 9}
    assert {group["group"]: group["n"] for group in found["by_reasoning"]} == {"Explicit": 16, "Implicit": 1}
    assert found["overall"]["n"] == 17


def test_it_is_that_before_adjudication_and_stays_so(admin, two, adjudicator):
    round = judged(admin, two, (C, IC), (C, C), (IC, IC))
    before = numbers()["overall"]
    assert before["n"] == 3
    adjudication = adjudicate(
        adjudication=Adjudication.objects.get(), person=adjudicator, verdict=C, reason="Names both"
    )
    assert numbers()["overall"] == before
    reopen(adjudication=adjudication, person=adjudicator, reason="Too fast")
    assert numbers()["overall"] == before
    for name in ("agreement", "table2"):
        assert "1 adjudicated verdict was reopened, 1 of them without a verdict now" in report(name)
    assert FinalVerdict.objects.count() == 2
    assert numbers(round=round.pk)["overall"] == before


def test_only_fixed_judgments_count(admin, two):
    run = make_imported_run(1, models=["Mist"])
    round = make_round(admin, two, run, training_required=False)
    from django.utils import timezone

    from tests.factories.review import give

    for slot in round.items.get().judgments.all():
        give(slot, C, at=timezone.now())
    assert numbers()["overall"]["n"] == 0
    assert "No response was judged by two people yet" in report("agreement")


def test_an_instance_set_aside_is_out(admin, two):
    judged(admin, two, (C, C), (C, IC))
    set_aside(instance=Response.objects.latest("pk").instance, person=admin, reason="Ambiguous")
    assert numbers()["overall"]["n"] == 1


def test_a_round_can_be_looked_at_alone(admin, two):
    first = judged(admin, two, (C, C))
    judged(admin, two, (C, IC), (IC, IC))
    assert numbers(round=first.pk)["overall"]["n"] == 1
    assert numbers()["overall"]["n"] == 3


def test_the_csv_has_each_group_with_its_table(admin, two):
    judged(admin, two, (C, C), (C, IC), (IC, IC))
    rows = list(csv.DictReader(io.StringIO(report("agreement", format="csv"))))
    whole = next(row for row in rows if row["by"] == "all")
    assert (whole["n"], whole["CC"], whole["II"]) == ("3", "1", "1")
    assert {row["by"] for row in rows} == {"all", "template", "model", "reviewers", "reasoning"}
    assert float(whole["raw"]) == pytest.approx(2 / 3)


def test_templates_with_two_and_with_three_verdicts_share_no_ac1(admin, two):
    run = make_imported_run(12, models=["Mist"], codes=["2", "4"])
    round = make_round(admin, two, run, training_required=False)
    for number, item in enumerate(round.items.order_by("pk")):
        give_as(item, two[0], C if number % 3 else IC, C if number % 4 else IC)
    found = numbers()
    assert found["overall"]["ac1"]["value"] is None
    assert "AC1 depends on how many" in found["overall"]["ac1"]["reason"]
    assert found["overall"]["stratified"]["strata"] == 2
    alone = [group["ac1"]["value"] for group in found["by_template"]]
    assert found["overall"]["stratified"]["ac1"]["value"] == pytest.approx(sum(alone) / 2)
    assert "in one table of all" in report("agreement")


def test_groups_of_few_responses_are_listed_and_not_ranked(admin, two, sign_in):
    """Template 5 has four responses, less alike than any; it is in the table, and no point without an interval."""
    run = make_imported_run(12, models=["Mist"], codes=["4"])
    for instance in [response.instance for response in run.responses.order_by("pk")[:4]]:
        make_response(run, instance, code="5")
    for response in list(run.responses.filter(template__code="4")):
        make_response(run, response.instance, code="1")
    round = make_round(admin, two, run, training_required=False)
    for number, item in enumerate(round.items.order_by("pk")):
        code = item.response.template.code
        give_as(item, two[0], C if number % 2 else IC, IC if code == "5" or (code == "1" and number % 5 == 0) else C)
    text = report("agreement")
    assert "Prompt 5" in text
    assert "lowest for prompt 5" not in text
    assert "highest for prompt 5" not in text
    page = sign_in(admin).get("/review/reports/agreement/?by=template").content.decode()
    assert "Prompt 4: kappa" in page
    assert "Prompt 5: kappa" not in page


def test_a_matrix_has_each_two_reviewers(admin, two):
    judged(admin, two, *[(C, C)] * 6, *[(IC, IC)] * 4, *[(C, IC)] * 2)
    found = numbers()
    (pair,) = found["reviewer_matrix"]["pairs"]
    assert pair["reviewers"] == found["reviewer_matrix"]["people"] == sorted(map(str, two))
    assert pair["n"] == 12
    assert pair["kappa"] == pytest.approx(found["by_reviewers"][0]["kappa"]["value"])
    assert "Kappa of each two reviewers" in report("agreement")
