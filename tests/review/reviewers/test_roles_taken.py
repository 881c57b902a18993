"""Whoever loses a role keeps nothing that takes it: what they had open goes to others, what they gave stays."""

import pytest
from django.urls import reverse

from benchmarks.contradoc.models import Candidate
from core.accounts.people import set_roles
from core.models import User
from core.refusals import Refusal
from review.models import Adjudication, Judgment, Round
from review.rounds.adjudication import next_adjudication
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment, reset_judgment
from review.rounds.reviewers.handing_over import hand_over, withdraw_open
from review.rounds.rounds import add_reviewer, close_round, reopen_round, round_progress
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.contradoc.making.test_verification import NO, YES
from tests.factories.contradoc import make_candidate, make_questionnaire_round
from tests.factories.review import give, give_all, make_imported_run, make_round, reviewer_in

pytestmark = pytest.mark.django_db


def open_of(round: Round, person: User) -> int:
    return Judgment.objects.open().filter(round=round, reviewer=person).count()


def without(person: User, *roles: str, admin: User) -> User:
    set_roles(person=person, roles=roles, admin=admin)
    return User.objects.get(pk=person.pk)


def test_a_reviewer_who_is_none_any_more_leaves_their_slots_to_the_others(admin, people, pat, sign_in):
    round = make_round(admin, people[:2], make_imported_run(2), with_training=False)
    add_reviewer(round=round, person=people[2], admin=admin)
    given = give(Judgment.objects.select_related("round", "item").filter(round=round, reviewer=pat).first())
    assert sign_in(admin).post(f"/people/{pat.pk}/roles/", {"roles": ["annotator"]}).status_code == 302
    assert open_of(round, pat) == 0
    assert Judgment.objects.get(pk=given.pk).reviewer == pat
    assert len(next_slots(reviewer_in(round, people[2]), count=9)) == 3


def test_with_the_role_again_they_take_what_nobody_took(admin, people, pat):
    round = make_round(admin, people[:2], make_imported_run(2), with_training=False)
    without(pat, admin=admin)
    assert open_of(round, pat) == 0
    pat = without(pat, "reviewer", admin=admin)
    assert len(next_slots(reviewer_in(round, pat), count=9)) == 4
    assert without(pat, "reviewer", "annotator", admin=admin)
    assert open_of(round, pat) == 4, "they are a reviewer still"


@pytest.mark.parametrize(
    ("lost", "left", "keeps"),
    [("adjudicator", ["reviewer"], (2, 0)), ("reviewer", ["adjudicator"], (0, 1)), ("both", ["annotator"], (0, 0))],
)
def test_each_role_takes_its_own_with_it(lost, left, keeps, admin, people):
    both = make_person("erin", "reviewer", "adjudicator")
    disputed = make_round(admin, people[:2], make_imported_run(1, models=("Mist",)), with_training=False)
    give_all(disputed.items.get(), "correct", "incorrect")
    other = make_round(
        admin, [both, people[2]], make_imported_run(2, models=("Llam",), name="second"), with_training=False
    )
    assert next_adjudication(person=both)
    without(both, *left, admin=admin)
    held = Adjudication.objects.filter(held_by=both).count()
    assert (open_of(other, both), held) == keeps


def test_a_candidate_goes_to_the_third_person_and_the_expert_pass_to_the_next_expert(admin, people, pat):
    make_candidate()
    round = make_questionnaire_round("contradoc-verification", admin, people[:2], undo_minutes=0)
    add_reviewer(round=round, person=people[2], admin=admin)
    without(pat, admin=admin)
    for person, answers in ((people[1], YES), (people[2], NO)):
        (slot,) = next_slots(reviewer_in(round, person))
        record_judgment(slot=slot, reviewer=person, answers=answers)
    complete_pairs()
    one, other = make_person("erin", "adjudicator"), make_person("sam", "adjudicator")
    assert next_adjudication(person=one)
    assert next_adjudication(person=other) is None
    without(one, admin=admin)
    assert next_adjudication(person=other)
    assert Candidate.objects.count() == 1


def test_of_three_who_judge_each_the_others_take_over_or_it_is_withdrawn(admin, people, pat):
    round = make_round(admin, people, make_imported_run(2, models=("Mist",)), with_training=False, judgments_each=3)
    for person in people[1:]:
        for slot in list(Judgment.objects.select_related("round", "item").filter(round=round, reviewer=person)):
            give(slot)
    without(pat, admin=admin)
    assert [next_slots(reviewer_in(round, person)) for person in people[1:]] == [[], []]
    assert withdraw_open(reviewer=reviewer_in(round, pat), admin=admin).withdrawn == 2
    close_round(round=round, admin=admin)
    assert round_progress(round).final == 2


def test_nothing_is_handed_to_who_may_not_judge(admin, people, pat, sign_in):
    """They could not judge it, and nobody would get it from them."""
    round = make_round(admin, people, make_imported_run(3), with_training=False, undo_minutes=0)
    given = give(Judgment.objects.select_related("round", "item").filter(round=round, reviewer=pat).first())
    pat = without(pat, admin=admin)
    with pytest.raises(Refusal, match="does not have the role reviewer"):
        hand_over(reviewer=reviewer_in(round, people[1]), to=[reviewer_in(round, pat)], admin=admin)
    for to in (None, pat):
        with pytest.raises(Refusal, match="does not have the role reviewer"):
            reset_judgment(judgment=given, admin=admin, reason="by mistake", to=to)
    page = sign_in(admin).get(reverse("round_reviewer", args=[round.pk, people[1].pk])).text
    assert f'value="{pat.pk}"' not in page
    assert f'value="{people[2].pk}"' in page
    assert "the same person" not in sign_in(admin).get(reverse("round_reviewer", args=[round.pk, pat.pk])).text


def test_a_closed_round_that_is_opened_again_has_nothing_for_them(admin, people, pat):
    round = make_round(admin, people[:2], make_imported_run(1), with_training=False)
    close_round(round=round, admin=admin)
    without(pat, admin=admin)
    reopen_round(round=round, admin=admin)
    assert open_of(round, pat) == 0
