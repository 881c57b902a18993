"""Answers of rounds with other questionnaires as files: those that count, their people's names, and the outcome."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from core.models import Role
from review.models import Judgment, SeenJudgments
from review.rounds.adjudication import adjudicate
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from tests.conftest import make_person
from tests.contradoc.making.test_verification import NO, YES
from tests.factories.contradoc import make_candidate, make_questionnaire_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def round(admin, reviewer, other_reviewer, adjudicator):
    """Two candidates: both say yes to the first; about the second they differ, and the expert says no."""
    make_candidate("7")
    make_candidate("8")
    round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer], undo_minutes=0)
    agreed, disputed = round.items.order_by("subject_number")
    for item, said in ((agreed, (YES, YES)), (disputed, (YES, NO))):
        for slot, answers in zip(item.judgments.order_by("reviewer"), said, strict=True):
            record_judgment(slot=slot, reviewer=slot.reviewer, answers=answers, comment="=1+1")
    complete_pairs(round=round)
    adjudicate(adjudication=disputed.adjudication, person=adjudicator, answers=NO, reason="It fits.")
    return round


def exported(what: str, *options: str) -> str:
    out = io.StringIO()
    call_command("export_judgments", "--what", what, *options, stdout=out)
    return out.getvalue()


def records(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_answers_go_out_with_what_they_are_about(round):
    found = records(exported("answers"))
    assert [row["document"] for row in found] == ["7", "7", "8", "8"]
    assert found[0]["answers"]["scope"] == YES["scope"]
    assert {row["form"] for row in found} == {"contradoc-verification"}
    assert len({row["reviewer"] for row in found}) == 2
    assert all(row["reviewer"].startswith("reviewer-") for row in found)
    assert found[0]["candidate"] == str(
        next(item for item in round.items.all() if item.subject.document.code == "7").subject.key
    )
    assert not exported("judgments")


def test_what_came_of_them_names_the_expert_s_reason(round):
    agreed, disputed = records(exported("final-answers", "--names"))
    assert (agreed["outcome"], agreed["how"], agreed["reason"]) == ("kept", "merged", "")
    assert (disputed["how"], disputed["reason"], disputed["adjudicator"]) == ("adjudicated", "It fits.", "ada")
    assert not exported("final-verdicts")


def test_a_table_has_the_answers_as_json_and_no_formula(round):
    rows = list(csv.DictReader(io.StringIO(exported("answers", "--format", "csv"))))
    assert json.loads(rows[0]["answers"])["types"] == YES["types"]
    assert not any(row["comment"].startswith("=") for row in rows)


def test_pages_and_programs_get_the_same_and_it_is_noted_who_read_them(round, sign_in, admin):
    client = sign_in(admin)
    assert "Answers to other questionnaires" in client.get(reverse("judgment_files")).text
    page = client.get(reverse("judgment_export", args=["answers", "jsonl"])).getvalue()
    assert records(page.decode()) == records(client.get(reverse("api:answers")).getvalue().decode())
    assert len(records(client.get(reverse("api:final_answers")).getvalue().decode())) == 2
    assert SeenJudgments.objects.filter(person=admin, round=round, what="judgments").exists()


def test_what_can_be_taken_back_and_rounds_one_judges_in_are_in_no_file(admin, other_reviewer, sign_in):
    judge = make_person("rosa", Role.REVIEWER, Role.ADMIN)
    make_candidate("9")
    late = make_questionnaire_round("contradoc-verification", admin, [judge, other_reviewer], undo_minutes=5)
    slot = Judgment.objects.select_related("round", "item").get(round=late, reviewer=other_reviewer)
    record_judgment(slot=slot, reviewer=other_reviewer, answers=YES)
    assert not exported("answers")
    Judgment.objects.filter(pk=slot.pk).update(undo_until=slot.round.created_at)
    assert len(records(exported("answers"))) == 1
    assert sign_in(judge).get(reverse("api:answers")).status_code == 403


def test_a_file_asks_the_database_as_often_for_any_number_of_rows(round, django_assert_num_queries):
    """Once for the rounds, and for every 2,000 rows once for the rows and once for their candidates."""
    with django_assert_num_queries(3):
        exported("answers", "--names")
