"""Agreement belongs to people, not to slots: all figures are the same, however the same answers are dealt."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import Group
from hypothesis import given
from hypothesis import strategies as st

from core.models import Role, User
from judging.protocol.verdicts import Verdict
from review.models import Judgment, Round
from review.reports.agreement.two_people import agreement_of_people, two_by_two
from review.reports.registry import make_report
from review.reports.scope import Scope
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from tests.contradoc.making.test_verification import NO, YES
from tests.factories.contradoc import make_candidate, make_questionnaire_round
from tests.factories.review import give, make_imported_run, make_round

VERIFICATION = "contradoc-verification"


def deal_anew(round: Round, random: Random) -> None:
    """Deal the slots of each item in another order; who judges it stays."""
    for item in round.items.all():
        slots = list(item.judgments.order_by("pk"))
        numbers = random.sample(range(1, len(slots) + 1), len(slots))
        item.judgments.update(number=None)
        for slot, number in zip(slots, numbers, strict=True):
            Judgment.objects.filter(pk=slot.pk).update(number=number)


def figures(name: str) -> dict[str, Any]:
    report = make_report(name, Scope())
    return {"data": report.data, "records": list(report.records), "lead": list(report.lead)}


def are_the_same(name: str, round: Round) -> dict[str, Any]:
    """The figures, which are the same in five orders."""
    before = figures(name)
    for seed in range(5):
        deal_anew(round, Random(seed))
        assert figures(name) == before
    return before["data"]


def third(name: str = "Rosa") -> User:
    person = User.objects.create_user(name)
    person.groups.add(Group.objects.get(name=Role.REVIEWER))
    return person


def verify(round: Round, says: Callable[[User, int], dict[str, Any]]) -> None:
    for number, item in enumerate(round.items.order_by("pk")):
        for slot in item.judgments.select_related("reviewer", "round", "item"):
            record_judgment(slot=slot, reviewer=slot.reviewer, answers=says(slot.reviewer, number))
    complete_pairs(round=round)


@pytest.mark.django_db
def test_two_verifiers_have_one_table_whoever_was_dealt_the_first_slot(admin, reviewer, other_reviewer):
    for number in range(8):
        make_candidate(str(number + 1))
    round = make_questionnaire_round(VERIFICATION, admin, [reviewer, other_reviewer], undo_minutes=0)
    verify(round, lambda person, number: YES if person == reviewer else NO)
    found = are_the_same(VERIFICATION, round)["fields"]["contradict"]
    assert (found["raw"], found["kappa"]) == (0.0, 0.0)
    assert found["ac1"] == -1.0
    assert found["alpha"] < -0.8


@pytest.mark.django_db
def test_three_verifiers_have_the_same_figures_in_every_order(admin, reviewer, other_reviewer):
    for number in range(9):
        make_candidate(str(number + 1))
    round = make_questionnaire_round(VERIFICATION, admin, [reviewer, other_reviewer, third()], undo_minutes=0)
    verify(round, lambda person, number: NO if (person.pk + number) % 3 else YES)
    assert are_the_same(VERIFICATION, round)["pairs"] == 9


@pytest.mark.django_db
def test_judges_of_free_format_have_the_same_figures_in_every_order(free_replies, admin, reviewer, other_reviewer):
    round = make_questionnaire_round(
        "contradoc-free-format", admin, [reviewer, other_reviewer], runs=[free_replies], undo_minutes=0
    )
    verify(round, lambda person, number: {"finding": "right" if person == reviewer else "no"})
    found = are_the_same("contradoc-free-format", round)["agreement"]
    assert (found["n"], found["kappa"]) == (2, 0.0)


@pytest.mark.django_db
@pytest.mark.parametrize("people", [2, 3])
def test_judges_of_responses_have_the_same_figures_in_every_order(people, admin, reviewer, other_reviewer):
    reviewers = [reviewer, other_reviewer, third()][:people]
    round = make_round(admin, reviewers, make_imported_run(9))
    random = Random(5)
    for slot in Judgment.objects.filter(round=round).select_related("reviewer", "round", "item").order_by("pk"):
        give(slot, random.choice(list(Verdict)))
    complete_pairs(round=round)
    are_the_same("agreement", round)


answers = st.lists(st.dictionaries(st.integers(1, 5), st.sampled_from("abc"), min_size=2), min_size=1, max_size=30)


@given(answers, st.randoms())
def test_figures_do_not_depend_on_who_comes_first(given_answers, random):
    def found(shuffled: bool, names: dict[int, int]) -> list[Any]:
        pairs = []
        for number, each in enumerate(given_answers):
            said = [(names[person], answer) for person, answer in each.items()]
            if shuffled:
                random.shuffle(said)
            pairs += two_by_two(number, said)
        agreed = agreement_of_people(pairs, "abc")
        return [
            agreed.n,
            *(getattr(agreed, name).value for name in ("raw", "kappa", "weighted_kappa", "ac1", "alpha")),
        ]

    as_they_are = {person: person for person in range(1, 6)}
    before = found(False, as_they_are)
    assert found(True, as_they_are) == before
    # Nor do they depend on whose account is older.
    turned = {person: 6 - person for person in range(1, 6)}
    assert found(True, turned) == pytest.approx(before)
