"""People on the models' tasks: judge and find in documents without a mark, and judge free-format replies."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from core.refusals import Refusal
from review.models import FinalAnswers, Judgment
from review.rounds.adjudication import adjudicate
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from tests.contradoc.making.test_verification import YES
from tests.factories.contradoc import CONTRADICTION, make_candidate, make_questionnaire_round
from tests.factories.review import make_imported_run

pytestmark = pytest.mark.django_db


def find(reviewers, release, admin, **values):
    return make_questionnaire_round("contradoc-find", admin, reviewers, release=release, **values)


# --- Judge and find -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sample", "each"), [(None, 4), (6, 3), (100, 4)])
def test_half_of_the_documents_are_positive_and_one_person_judges_each(sample, each, ten_documents, admin, reviewer):
    round = find([reviewer], ten_documents, admin, sample_size=sample)
    labels = [item.instance.content["label"] for item in round.items.select_related("instance")]
    assert sorted(labels) == ["neg"] * each + ["pos"] * each
    assert Judgment.objects.filter(round=round).count() == 2 * each


def test_the_seed_decides_what_is_drawn(ten_documents, admin, reviewer):
    def drawn(seed: int) -> set[int]:
        round = find([reviewer], ten_documents, admin, sample_size=4, seed=seed)
        return set(round.items.values_list("instance", flat=True))

    assert drawn(1) == drawn(1)
    assert len({frozenset(drawn(seed)) for seed in range(5)}) > 1


def test_nothing_is_marked_and_sentences_are_clicked(ten_documents, admin, reviewer, client):
    find([reviewer], ten_documents, admin)
    client.force_login(reviewer)
    page = client.get(reverse("judge"), follow=True).content.decode()
    assert "<mark" not in page
    assert "The bridge opened in 1903." in page
    slot = Judgment.objects.filter(reviewer=reviewer).order_by("position").first()
    address = reverse("judgment", args=[slot.key])
    assert "not answered these questions" in client.post(address, {"judgment": "yes"}).content.decode()
    refused = client.post(address, {"judgment": "yes", "evidence": ["0", "1", "2"]})
    assert "at most 2" in refused.content.decode()
    client.post(address, {"judgment": "yes", "evidence": ["4", "1"]})
    slot.refresh_from_db()
    assert slot.answers == {"judgment": "yes", "evidence": [1, 4]}


def test_one_persons_word_counts_once_it_cannot_be_taken_back(ten_documents, admin, reviewer):
    round = find([reviewer], ten_documents, admin, undo_minutes=0, sample_size=2)
    for slot in Judgment.objects.filter(round=round).select_related("item__instance", "round"):
        record_judgment(slot=slot, reviewer=reviewer, answers={"judgment": "no", "evidence": [3]})
    complete_pairs(round=round)
    assert list(FinalAnswers.objects.values_list("outcome", "answers")) == [("no", {"judgment": "no"})] * 2


def test_a_round_of_instances_needs_a_release(admin, reviewer):
    with pytest.raises(Refusal, match="no documents waiting"):
        make_questionnaire_round("contradoc-find", admin, [reviewer])


# --- Free format ----------------------------------------------------------------------------------------------------


def test_two_people_judge_a_reply_and_a_third_decides(
    free_replies, admin, reviewer, other_reviewer, adjudicator, client
):
    people = [reviewer, other_reviewer]
    round = make_questionnaire_round("contradoc-free-format", admin, people, runs=[free_replies], undo_minutes=0)
    client.force_login(reviewer)
    page = client.get(reverse("judge_round", args=[round.key])).text
    assert "I see no problem." in page
    # Either of the two may come first.
    first = Judgment.objects.filter(round=round, reviewer=reviewer).earliest("position")
    assert (CONTRADICTION in page) == (first.item.response.instance.content["label"] == "pos")
    assert "Mist" not in page
    agreed, disputed = round.items.order_by("pk")
    for item, findings in ((agreed, ("no", "no")), (disputed, ("no", "wrong"))):
        for slot, finding in zip(item.judgments.order_by("number"), findings, strict=True):
            record_judgment(slot=slot, reviewer=slot.reviewer, answers={"finding": finding})
    complete_pairs(round=round)
    adjudicate(adjudication=disputed.adjudication, person=adjudicator, answers={"finding": "wrong"}, reason="read it")
    assert sorted(FinalAnswers.objects.values_list("outcome", "how")) == [("no", "merged"), ("wrong", "adjudicated")]


def test_replies_about_other_benchmarks_are_not_dealt(admin, reviewer, other_reviewer):
    with pytest.raises(Refusal, match="no replies waiting"):
        make_questionnaire_round(
            "contradoc-free-format", admin, [reviewer, other_reviewer], runs=[make_imported_run(1)]
        )


def test_each_form_is_offered_the_runs_with_replies_to_its_tasks(
    free_replies, admin, reviewer, other_reviewer, client
):
    verdicts = make_imported_run(1)
    client.force_login(admin)
    of_form = client.get(reverse("round_new_of", args=["contradoc-free-format"])).text
    assert re.findall(r'name="runs" value="(\d+)"', of_form) == [str(free_replies.pk)]
    for page in ("round_new", "judge_run_new"):
        offered = re.findall(r'name="(?:source_)?runs"\s+value="(\d+)"', client.get(reverse(page)).text)
        assert offered == [str(verdicts.pk)], page
    judged = "New judge run"
    assert judged in client.get(reverse("run", args=[verdicts.pk])).text
    assert judged not in client.get(reverse("run", args=[free_replies.pk])).text
    round = make_questionnaire_round("contradoc-free-format", admin, [reviewer, other_reviewer], runs=[free_replies])
    assert round.left_out == {"other_task": 1}
    with pytest.raises(Refusal, match="no responses waiting"):
        make_questionnaire_round("verdicts", admin, [reviewer, other_reviewer], runs=[free_replies])


def test_a_report_is_narrowed_to_rounds_with_its_questionnaire(
    free_replies, ten_documents, admin, reviewer, other_reviewer, client
):
    find([reviewer], ten_documents, admin, name="Found")
    make_questionnaire_round(
        "contradoc-free-format", admin, [reviewer, other_reviewer], runs=[free_replies], name="Freely"
    )
    client.force_login(admin)
    assert "Freely" in client.get(reverse("report", args=["contradoc-free-format"])).text
    assert "Found" not in client.get(reverse("report", args=["contradoc-free-format"])).text
    assert "Freely" not in client.get(reverse("report", args=["contradoc-table5"])).text
    assert "Freely" not in client.get(reverse("report", args=["table2"])).text


# --- Reports --------------------------------------------------------------------------------------------------------


def report(name: str) -> dict:
    out = StringIO()
    call_command("report", name, "--format", "json", stdout=out)
    return json.loads(out.getvalue())


def test_findings_are_counted_by_model(free_replies, admin, reviewer, other_reviewer):
    people = [reviewer, other_reviewer]
    round = make_questionnaire_round("contradoc-free-format", admin, people, runs=[free_replies], undo_minutes=0)
    for item, findings in zip(round.items.order_by("pk"), (("no", "no"), ("no", "wrong")), strict=True):
        for slot, finding in zip(item.judgments.order_by("number"), findings, strict=True):
            record_judgment(slot=slot, reviewer=slot.reviewer, answers={"finding": finding})
    complete_pairs(round=round)
    found = report("contradoc-free-format")
    assert found["models"]["Mist"] == {
        "n": 1,
        "no": {"count": 1, "pct": 100.0},
        "wrong": {"count": 0, "pct": 0.0},
        "right": {"count": 0, "pct": 0.0},
    }
    assert (found["agreement"]["n"], found["agreement"]["raw"]) == (2, 50.0)


def test_agreement_of_verifiers_is_counted_before_merging(admin, reviewer, other_reviewer):
    """Six candidates: raw agreement and kappa of the first question worked out by hand."""
    said = [("yes", "yes"), ("yes", "yes"), ("yes", "yes"), ("no", "no"), ("no", "no"), ("yes", "no")]
    for number in range(len(said)):
        make_candidate(str(number + 1))
    round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer], undo_minutes=0)
    for item, both in zip(round.items.order_by("subject_number"), said, strict=True):
        for slot, contradict in zip(item.judgments.order_by("reviewer"), both, strict=True):
            types = ["Content"] if slot.reviewer == reviewer else ["Content", "Numeric"]
            answers = YES | {"contradict": contradict, "types": types, "scope": "local"}
            record_judgment(slot=slot, reviewer=slot.reviewer, answers=answers)
    complete_pairs(round=round)
    found = report("contradoc-verification")
    # 5 of 6 equal; both orders of the one that differs give the same kappa: (5/6 - 1/2) / (1 - 1/2).
    assert found["fields"]["contradict"].items() >= {"n": 6, "raw": 83.3, "kappa": 0.67}.items()
    assert found["fields"]["contradict"]["kappa interval"][1] == 1.0
    assert found["fields"]["scope"]["n"] == 3
    assert found["types"]["Content"].items() >= {"n": 3, "raw": 100.0, "kappa": None}.items()
    assert any("one and the same" in each["reason"] for each in found["undefined"])
    assert found["types"]["Numeric"]["raw"] == 0.0
    assert found["outcomes"] == {"kept": 3, "rejected": 0, "negative": 2}
    assert found["expert_pass"] == {"all": 1, "waiting": 1}
