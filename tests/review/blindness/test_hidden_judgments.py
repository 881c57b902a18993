"""While a round is not over, what was written, reset or set aside in it is hidden from those who may still judge."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from core.refusals import Refusal
from review.files.judgment_exports import final_verdict_rows
from review.models import Adjudication, Judgment, Round, RoundState, SeenJudgments
from review.rounds.adjudication import adjudicate
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import reset_judgment, take_back
from review.rounds.reviewers.handing_over import hand_over
from review.rounds.rounds import add_reviewer, close_round, reopen_round
from review.rounds.setting_aside import set_aside
from tests.conftest import make_person
from tests.factories.review import give, give_all, make_imported_run, make_round, reviewer_in, slot_of
from tests.review.blindness.test_seen_judgments import export

pytestmark = pytest.mark.django_db


# Texts that were written and taken back


def test_a_comment_on_what_was_taken_back_goes_to_nobody_else(admin, bea, other_reviewer, sign_in):
    """When it is handed back to others because its reviewer has seen the other judgment."""
    round = make_round(admin, [bea, other_reviewer], make_imported_run(1, models=("Mist",)))
    theirs, mine = (Judgment.objects.get(reviewer=person) for person in (other_reviewer, bea))
    give(theirs, "incorrect")
    take_back(judgment=give(mine, comment="no year", at=timezone.now()), reviewer=bea)
    assert Judgment.objects.get(pk=mine.pk).comment == "no year"
    close_round(round=round, admin=admin)
    export(sign_in(bea), round)
    reopen_round(round=Round.objects.get(pk=round.pk), admin=admin)
    handed_back = Judgment.objects.get(pk=mine.pk)
    assert (handed_back.reviewer, handed_back.comment) == (None, "")


def test_a_comment_on_what_was_reset_does_not_go_to_the_next_reviewer(round, bea, reviewer, admin):
    given = Judgment.objects.given().first()
    Judgment.objects.filter(pk=given.pk).update(comment="no year")
    add_reviewer(round=round, person=bea, admin=admin)
    reset = reset_judgment(judgment=Judgment.objects.get(pk=given.pk), admin=admin, reason="a slip", to=bea)
    assert (reset.reviewer, reset.comment) == (bea, "")


# Not finished


def test_a_closed_round_with_a_disagreement_stays_hidden_until_it_is_adjudicated(
    admin, adjudicator, bea, other_reviewer, sign_in
):
    round = make_round(admin, [bea, other_reviewer], make_imported_run(2, models=("Mist",)))
    disputed, agreed = round.items.order_by("pk")
    give_all(disputed, "correct", "incorrect")
    give_all(agreed, "correct", "correct")
    close_round(round=round, admin=admin)
    keys = [str(item.response.key) for item in (disputed, agreed)]
    assert sign_in(bea).get(reverse("judgment_export", args=["judgments", "csv"])).status_code == 403
    assert sign_in(bea).get(reverse("report", args=["table2"])).status_code == 403
    assert sign_in(bea).get(reverse("responses")).status_code == 403
    adjudicate(adjudication=disputed.adjudication, person=adjudicator, verdict="correct", reason="it names the year")
    assert [key for key in keys if key in export(sign_in(bea), round).decode()] == keys
    assert sign_in(bea).get(reverse("responses")).status_code == 200


@pytest.mark.parametrize("state", [RoundState.DEALING, RoundState.CLOSING])
def test_a_round_is_hidden_from_the_first_moment_to_the_last(state, admin, bea, other_reviewer, sign_in):
    """Also while it is dealt, and until every disagreement is found."""
    round = make_round(admin, [bea, other_reviewer], make_imported_run(1, models=("Mist",)))
    item = round.items.get()
    give_all(item, "correct", "correct")
    Round.objects.filter(pk=round.pk).update(state=state)
    assert sign_in(bea).get(reverse("judgment_export", args=["judgments", "csv"])).status_code == 403


def test_imported_judgments_have_no_page_to_judge_and_are_not_hidden_from_those_who_made_them(
    bea, other_reviewer, sign_in
):
    """They were made elsewhere: there is nothing left to judge here."""
    response = make_imported_run(1, models=("Mist",)).responses.get()
    rows = "".join(
        f"{response.key},{name},{verdict}\n" for name, verdict in (("bea", "correct"), ("ralph", "incorrect"))
    )
    file = SimpleUploadedFile("file.csv", f"response,reviewer,verdict\n{rows}".encode())
    client = sign_in(bea)
    client.post(reverse("judgment_files"), {"file": file, "action": "import"})
    own = Judgment.objects.get(reviewer=bea)
    assert Adjudication.objects.open().filter(round=own.round).exists()
    assert client.get(reverse("judge_round", args=[own.round.key])).status_code == 404
    assert client.post(reverse("judgment_take_back", args=[own.key])).status_code == 404
    assert str(response.key) in export(client, own.round).decode()


def test_why_a_question_was_set_aside_is_hidden_like_the_judgments(admin, adjudicator, bea, other_reviewer, sign_in):
    """The reason is given before two judgments that differ, and it can be put back to be judged."""
    rosa = make_person("rosa", "reviewer")
    round = make_round(admin, [bea, other_reviewer, rosa], make_imported_run(6, models=("Mist",)))
    mine = Judgment.objects.filter(reviewer=bea).values("item")
    disputed = round.items.exclude(pk__in=mine).first()
    give_all(disputed, "correct", "incorrect")
    set_aside(instance=disputed.instance, person=adjudicator, reason="Both years are named somewhere.")
    pages = [reverse("set_aside"), reverse("report", args=["table2"]), reverse("activity")]
    assert not [page for page in pages if "Both years" in sign_in(bea).get(page).text]
    assert [page for page in pages if "Both years" in sign_in(admin).get(page).text] == pages


def test_own_rows_of_a_file_are_nothing_seen(round, bea, other_reviewer, admin, sign_in):
    response = round.items.first().response
    file = SimpleUploadedFile("file.csv", f"response,reviewer,verdict\n{response.key},bea,correct\n".encode())
    sign_in(bea).post(reverse("judgment_files"), {"file": file, "action": "check"})
    joined = add_reviewer(round=round, person=bea, admin=admin)
    assert hand_over(reviewer=reviewer_in(round, other_reviewer), to=[joined], admin=admin).stayed == 0


def test_a_file_with_both_judgments_of_a_response_in_no_round_may_be_checked_first(bea, other_reviewer, sign_in):
    response = make_imported_run(1, models=("Mist",)).responses.get()
    rows = f"{response.key},bea,correct\n{response.key},ralph,correct\n"
    for action in ("check", "import"):
        file = SimpleUploadedFile("file.csv", f"response,reviewer,verdict\n{rows}".encode())
        answer = sign_in(bea).post(reverse("judgment_files"), {"file": file, "action": action})
        assert answer.status_code == 200, answer.text
    assert Judgment.objects.given().count() == 2


def test_an_export_holds_what_counted_when_it_was_noted(round, bea, other_reviewer):
    """Judgments that come while it is written are in the next one."""
    item = Judgment.objects.given().first().item
    give(slot_of(item, other_reviewer), "incorrect")
    complete_pairs()
    an_hour_ago = timezone.now() - timezone.timedelta(hours=1)
    assert len(list(final_verdict_rows(person=bea))) == 1
    assert list(final_verdict_rows(person=bea, at=an_hour_ago)) == []


def test_a_file_that_is_refused_at_the_last_moment_was_brought_all_the_same(round, bea, sign_in, monkeypatch):
    def refuse(slots):
        raise Refusal("1 of these responses was judged at this moment. Check the file again.")

    monkeypatch.setattr("review.files.judgment_imports._fill", refuse)
    slot = Judgment.objects.open().filter(reviewer__username="rita").first()
    file = SimpleUploadedFile(
        "file.csv", f"response,reviewer,verdict\n{slot.item.response.key},rita,correct\n".encode()
    )
    answer = sign_in(bea).post(reverse("judgment_files"), {"file": file, "action": "import"})
    assert answer.status_code == 409
    assert SeenJudgments.objects.get(person=bea).response_id == slot.item.response_id


@pytest.mark.parametrize("among_two", [True, False])
def test_an_adjudicator_who_judged_sees_a_disagreement_of_theirs_only_where_the_two_adjudicate(
    among_two, admin, bea, other_reviewer, sign_in
):
    round = make_round(
        admin, [bea, other_reviewer], make_imported_run(1, models=("Mist",)), adjudicate_among_two=among_two
    )
    item = round.items.get()
    give_all(item, "correct", "incorrect")
    page = sign_in(bea).get(reverse("adjudicate_item", args=[item.adjudication.key]))
    assert page.status_code == (200 if among_two else 404)
