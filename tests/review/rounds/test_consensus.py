"""Rounds with two to five judgments of a response: the rule for a final verdict, people who leave, files, pages."""

import csv
import io
from collections import Counter
from itertools import permutations

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from core.models import Consensus, Event, Project
from core.refusals import Refusal
from judging.protocol.verdicts import Verdict
from review.files.judgment_exports import judgment_rows
from review.files.judgment_imports import import_judgments
from review.models import Adjudication, FinalVerdict, Judgment, Pair, ReviewAction, Round, TakenBack
from review.rounds.adjudication import adjudicate
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import take_back
from review.rounds.keeping.verdicts import consensus_of
from review.rounds.reviewers.handing_over import hand_over, withdraw_open
from review.rounds.rounds import close_round, round_progress
from tests.conftest import make_person
from tests.factories.review import give, give_all, make_imported_run, make_round, reviewer_in, slot_of

pytestmark = pytest.mark.django_db
said = st.lists(st.sampled_from([*Verdict, ""]), min_size=2, max_size=5)
C, P, I = Verdict.CORRECT.value, Verdict.PARTIALLY_CORRECT.value, Verdict.INCORRECT.value  # noqa: E741


@pytest.fixture
def five(db):
    return [make_person(name, "reviewer") for name in ("rita", "ralph", "rosa", "nora", "bea")]


@given(verdicts=said, rule=st.sampled_from(Consensus))
def test_the_order_of_people_never_matters_and_no_verdict_has_less_than_the_rule_asks(verdicts, rule):
    found = {consensus_of(order, rule) for order in permutations(verdicts)}
    counts = Counter(verdict for verdict in verdicts if verdict)
    needed = len(verdicts) if rule == Consensus.ALL else (len(verdicts) + 1) / 2
    assert found == ({verdict for verdict, count in counts.items() if count >= needed} or {""})


@given(verdicts=st.lists(st.sampled_from([*Verdict, ""]), min_size=2, max_size=2))
def test_of_two_judgments_both_rules_say_the_same(verdicts):
    assert consensus_of(verdicts, Consensus.ALL) == consensus_of(verdicts, Consensus.MAJORITY)


@pytest.mark.parametrize(
    ("rule", "verdicts", "final", "how"),
    [
        ("majority", (C, I, C), C, "majority"),
        ("majority", (C, C, C), C, "agreed"),
        ("majority", (C, "", C), C, "majority"),
        ("majority", (C, P, I), "", "disagree"),
        ("majority", (C, "", I), "", "cannot_judge"),
        ("all", (C, C, C), C, "agreed"),
        ("all", (C, C, P), "", "disagree"),
    ],
)
def test_three_people_judge_and_the_rule_of_the_round_decides(rule, verdicts, final, how, admin, five):
    round = make_round(admin, five, make_imported_run(1, models=("Mist",)), judgments_each=3, consensus=rule)
    item = round.items.get()
    people = list(item.judgments.order_by("number").values_list("reviewer", flat=True))
    assert len(set(people)) == 3
    for slot, verdict in zip(item.judgments.order_by("number")[:2], verdicts, strict=False):
        give(slot, verdict, cannot_judge="" if verdict else "it breaks off")
    complete_pairs()
    assert not Pair.objects.exists()
    give(item.judgments.get(number=3), verdicts[2])
    complete_pairs()
    met = {frozenset(pair) for pair in Pair.objects.values_list("reviewer_1", "reviewer_2")}
    assert met == {frozenset(two) for two in permutations(people, 2)}
    if final:
        assert list(FinalVerdict.objects.values_list("verdict", "how")) == [(final, how)]
        assert not Adjudication.objects.exists()
    else:
        assert not FinalVerdict.objects.exists()
        assert Adjudication.objects.get().cause == how


def test_an_adjudicator_sees_all_judgments_under_letters(admin, five, adjudicator, sign_in):
    round = make_round(admin, five, make_imported_run(1, models=("Mist",)), judgments_each=5, consensus="majority")
    item = round.items.get()
    give_all(item, C, C, P, I, "")
    found = Adjudication.objects.get()
    page = sign_in(adjudicator).get(reverse("adjudicate_item", args=[found.key])).content.decode()
    assert [f"Judgment {letter}" in page for letter in "ABCDEF"] == [True] * 5 + [False]
    adjudicate(adjudication=found, person=adjudicator, verdict=P, reason="prefers one")
    assert FinalVerdict.objects.get().verdict == P
    behind = sign_in(admin).get(reverse("report_responses")).content.decode()
    assert all(f"{person}: " in behind for person in five)


def test_the_rule_never_changes_once_the_round_has_begun(admin, five):
    round = make_round(admin, five, judgments_each=3)
    for change in ({"judgments_each": 4}, {"consensus": "majority"}):
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
            Round.objects.filter(pk=round.pk).update(**change)
    with pytest.raises(DatabaseError, match="no more judgments"), transaction.atomic():
        Judgment.objects.create(round=round, item=round.items.first(), number=4, position=9)


@pytest.mark.parametrize(("people", "each"), [(2, 3), (4, 5), (5, 6), (5, 1)])
def test_a_round_needs_as_many_reviewers_as_judgments_and_two_to_five(people, each, admin, five):
    with pytest.raises(Refusal):
        make_round(admin, five[:people], judgments_each=each)
    assert not Round.objects.exists()


# Five judge, and two leave.
@pytest.fixture
def round(admin, five) -> Round:
    return make_round(admin, five, make_imported_run(2), judgments_each=5, consensus="majority")


def test_of_five_two_leave_and_three_judgments_decide(round, admin, five, sign_in):
    leaving, staying = five[:2], five[2:]
    first, second, third, fourth = round.items.order_by("pk")
    give(slot_of(first, leaving[0]), I)
    taken_back = slot_of(second, leaving[0])
    give(taken_back, C, at=None)
    Judgment.objects.filter(pk=taken_back.pk).update(undo_until="2999-01-01T00:00Z")
    take_back(judgment=Judgment.objects.get(pk=taken_back.pk), reviewer=leaving[0])
    for item in (first, second, third):
        for person in staying:
            give(slot_of(item, person), C)
    complete_pairs()
    assert not FinalVerdict.objects.exists()
    handed = hand_over(
        reviewer=reviewer_in(round, leaving[0]), to=[reviewer_in(round, each) for each in staying], admin=admin
    )
    assert (handed.moved, handed.stayed) == (0, 3)  # everybody judges everything already
    for person, count in zip(leaving, (3, 4), strict=True):
        where = reverse("reviewer_withdraw", args=[round.pk, person.pk])
        answer = sign_in(admin).post(where, follow=True).content.decode()
        assert f"{count} withdrawn." in answer
    assert Event.objects.filter(action=ReviewAction.WITHDREW_OPEN).count() == 2
    complete_pairs()
    assert sorted(Counter(Judgment.objects.ordinary().values_list("item", flat=True)).values()) == [3, 3, 3, 4]
    final = dict(FinalVerdict.objects.values_list("item", "how"))
    assert final == {first.pk: "majority", second.pk: "agreed", third.pk: "agreed"}
    assert TakenBack.objects.get(judgment=None).item == second  # what was said stays
    progress = round_progress(round)
    assert (progress.asked, progress.judgments, progress.complete, progress.agreed) == (13, 10, 3, 3)
    page = sign_in(admin).get(reverse("round", args=[round.pk])).content.decode()
    assert "judgments of 13" in page
    closed = close_round(round=round, admin=admin)
    assert fourth.pk not in FinalVerdict.objects.values_list("item", flat=True)
    with pytest.raises(Refusal, match="only in an open round"):
        withdraw_open(reviewer=reviewer_in(closed, five[2]), admin=admin)


def test_a_response_keeps_two_judgments_whoever_leaves(round, admin, five):
    done = [withdraw_open(reviewer=reviewer_in(round, person), admin=admin) for person in five]
    assert [(each.withdrawn, each.stayed) for each in done] == [(4, 0), (4, 0), (4, 0), (0, 4), (0, 4)]
    item = round.items.first()
    give_all(item, C, C)
    assert FinalVerdict.objects.get().how == "agreed"


def test_a_page_left_open_is_told_that_its_response_was_withdrawn(round, admin, five, sign_in):
    slot = Judgment.objects.filter(reviewer=five[0]).first()
    withdraw_open(reviewer=reviewer_in(round, five[0]), admin=admin)
    answer = sign_in(five[0]).post(reverse("judgment", args=[slot.key]), {"verdict": C})
    assert answer.status_code == 404
    assert "do not judge this one" in answer.content.decode()


def test_two_judgments_are_never_withdrawn(admin, five):
    round = make_round(admin, five[:2])
    with pytest.raises(Refusal, match="needs both"):
        withdraw_open(reviewer=reviewer_in(round, five[0]), admin=admin)


# Files
def file_of(rows: list[tuple[str, str, str]]) -> io.BytesIO:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([("response", "reviewer", "verdict"), *rows])
    return io.BytesIO(text.getvalue().encode())


def test_three_judgments_each_are_imported_in_any_order_twice_and_come_out_again(admin, five):
    responses = [str(response.key) for response in make_imported_run(1).responses.order_by("pk")]
    verdicts = {responses[0]: (C, C, I), responses[1]: (P, I, C)}
    rows = [
        (response, person.username, verdict)
        for response, given in verdicts.items()
        for person, verdict in zip(five, given, strict=False)
    ]
    for order in (rows, rows[::-1]):
        with transaction.atomic():
            bring = {"round": "Elsewhere", "judgments_each": 3, "consensus": Consensus.MAJORITY}
            assert import_judgments(file_of(order), **bring).new == 6
            assert list(FinalVerdict.objects.values_list("verdict", "how")) == [(C, "majority")]
            assert Adjudication.objects.get().cause == "disagree"
            before = list(judgment_rows(names=True))
            again = import_judgments(file_of(rows))
            assert (again.new, again.there) == (0, 6)
            assert list(judgment_rows(names=True)) == before
            assert {(row["response"], row["reviewer"], row["verdict"]) for row in before} == set(rows)
            assert sorted(row["number"] for row in before) == [1, 1, 2, 2, 3, 3]
            fourth = import_judgments(file_of([(responses[0], "nora", C)]))
            assert "has three judgments" in fourth.bad[0][1]
            transaction.set_rollback(True)


def test_the_projects_rule_is_what_a_new_round_is_offered(admin, five, sign_in):
    Project.get()
    Project.objects.update(judgments_each=3, consensus="majority")
    run, client = make_imported_run(3), sign_in(admin)
    page = client.get(reverse("round_new")).content.decode()
    assert 'name="judgments_each" value="3"' in page
    values = {"name": "Three", "seed": 5, "undo_minutes": 10, "lease_minutes": 20, "runs": [run.pk]}
    values |= {"reviewers": [person.pk for person in five[:2]], "judgments_each": 3, "consensus": "majority"}
    preview = client.get(reverse("round_preview"), values).content.decode()
    assert "Choose at least three reviewers." in preview
    values["reviewers"] = [person.pk for person in five]
    preview = client.get(reverse("round_preview"), values).content.decode()
    assert "judged 3 times: about <strong>4</strong> for each of 5 reviewers" in preview
    assert client.post(reverse("round_new"), values).status_code == 302
    round = Round.objects.get()
    assert (round.judgments_each, round.consensus) == (3, "majority")
    assert client.post(reverse("round_new"), values | {"judgments_each": 6}).status_code == 400
