"""From a complete pair to a final verdict: agreed, or adjudicated by a third person; and opened again."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from core.models import Event
from core.refusals import Refusal
from review.models import (
    Adjudication,
    AdjudicationCause,
    FinalVerdict,
    How,
    Item,
    Judgment,
    Pair,
    ReviewAction,
    SetAside,
)
from review.rounds.adjudication import (
    adjudicate,
    adjudications_for,
    find_adjudication,
    next_adjudication,
    sides_of,
    waiting_for,
)
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import reset_judgment
from review.rounds.rounds import close_round, is_finished, round_progress
from review.rounds.setting_aside import set_aside
from tests.conftest import make_person
from tests.factories.review import give, give_all, make_imported_run, make_round, slot_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(reviewer, other_reviewer):
    return [reviewer, other_reviewer]


@pytest.fixture
def round(admin, people):
    return make_round(admin, people, make_imported_run(3, models=("Mist",)))


@pytest.fixture
def items(round) -> list[Item]:
    return list(round.items.order_by("pk"))


@pytest.fixture
def disputed(items) -> Adjudication:
    give_all(items[0], "correct", "incorrect")
    return Adjudication.objects.get()


def page(client, name, *args, **query) -> str:
    return client.get(reverse(name, args=args), query).content.decode()


def test_two_equal_verdicts_are_final(items):
    give_all(items[0], "partially_correct", "partially_correct")
    final = FinalVerdict.objects.get()
    response = items[0].response
    assert (final.verdict, final.how, final.response) == ("partially_correct", How.AGREED, response)
    assert (final.model, final.template, final.instance) == (response.model, response.template, response.instance)
    assert not Adjudication.objects.exists()


def test_two_different_ones_are_final_only_once_adjudicated(disputed, adjudicator):
    assert not FinalVerdict.objects.exists()
    adjudicate(adjudication=disputed, person=adjudicator, verdict="partially_correct", reason="prefers one")
    final = FinalVerdict.objects.get()
    assert (final.verdict, final.how) == ("partially_correct", How.ADJUDICATED)
    pair = Pair.objects.get()
    assert {pair.verdict_1, pair.verdict_2} == {"correct", "incorrect"}


def test_one_judgment_alone_is_no_verdict(items):
    give(items[0].judgments.first())
    complete_pairs()
    assert not Pair.objects.exists()
    assert not FinalVerdict.objects.exists()


def test_cannot_judge_goes_to_the_adjudicator(items):
    give_all(items[0], "correct", "")
    assert Adjudication.objects.get().cause == AdjudicationCause.CANNOT_JUDGE
    assert Pair.objects.get().verdict_2 == ""


def test_who_judged_is_kept_out(items, people, disputed, sign_in):
    both = make_person("bea", "reviewer", "adjudicator")
    Judgment.objects.filter(item=items[0], reviewer=people[0]).update(reviewer=both)
    assert not waiting_for(both).exists()
    with pytest.raises(Refusal) as refused:
        find_adjudication(person=both, key=disputed.key)
    assert refused.value.status == 404
    assert sign_in(both).get(reverse("adjudicate_item", args=[disputed.key])).status_code == 404
    assert sign_in(people[1]).get(reverse("adjudicate_item", args=[disputed.key])).status_code == 404
    assert not adjudications_for(people[1]).exists()


def test_where_the_round_says_so_the_two_adjudicate(admin, people, sign_in):
    round = make_round(admin, people, make_imported_run(1, models=("Mist",)), adjudicate_among_two=True)
    give_all(round.items.get(), "correct", "incorrect")
    found = Adjudication.objects.get()
    client = sign_in(people[0])
    shown = page(client, "adjudicate_item", found.key)
    assert "Judgment A" in shown
    assert "ralph" not in shown
    assert "Adjudicate together" in page(client, "judge", all=1)
    client.post(reverse("adjudicate_item", args=[found.key]), {"verdict": "correct", "reason": "we talked"})
    assert FinalVerdict.objects.get().verdict == "correct"


def test_the_page_shows_both_without_names_and_without_the_model(disputed, adjudicator, items, people, sign_in):
    Judgment.objects.filter(item=items[0], number=1).update(comment="It names <b>both</b>.")
    shown = page(sign_in(adjudicator), "adjudicate_item", disputed.key)
    assert "It names &lt;b&gt;both&lt;/b&gt;." in shown
    for name in ("rita", "ralph", "Mist"):
        assert name not in shown
    assert shown.index("Judgment A") < shown.index("Judgment B")


def test_the_order_of_the_two_is_by_chance_and_stays(round, items):
    for item in items:
        give_all(item, "correct", "incorrect")
    first = [sides_of(each)[0].verdict for each in Adjudication.objects.order_by("pk")]
    assert first == [sides_of(each)[0].verdict for each in Adjudication.objects.order_by("pk")]
    keys = [f"00000000-0000-4000-8000-{number:012}" for number in range(40)]
    orders = set()
    for key in keys:
        Adjudication.objects.filter(pk=Adjudication.objects.first().pk).update(key=key)
        orders.add(sides_of(Adjudication.objects.first())[0].verdict)
    assert orders == {"correct", "incorrect"}


def test_adjudicated_with_a_key_and_a_reason_the_next_one_comes(round, items, adjudicator, sign_in):
    for item in items:
        give_all(item, "correct", "incorrect")
    client = sign_in(adjudicator)
    first = client.get(reverse("adjudicate") + "?next")
    answer = client.post(first["Location"], {"verdict": "correct", "reason": "both years"})
    assert answer["Location"] not in (first["Location"], reverse("adjudicate"))
    assert Adjudication.objects.adjudicated().get().reason == "both years"


@pytest.mark.parametrize("values", [{"verdict": "correct"}, {"reason": "x"}, {"verdict": "perfect", "reason": "x"}])
def test_without_verdict_or_reason_nothing_is_decided(values, disputed, adjudicator, sign_in):
    answer = sign_in(adjudicator).post(reverse("adjudicate_item", args=[disputed.key]), values)
    assert answer.status_code == 400
    assert not FinalVerdict.objects.exists()


def test_a_verdict_that_the_template_does_not_offer_is_refused(admin, people, adjudicator):
    round = make_round(admin, people, make_imported_run(1, models=("Mist",), codes=("2",)))
    give_all(round.items.get(), "correct", "incorrect")
    with pytest.raises(Refusal, match="correct, incorrect"):
        adjudicate(
            adjudication=Adjudication.objects.get(), person=adjudicator, verdict="partially_correct", reason="x"
        )


def test_adjudicating_twice_leaves_the_first(disputed, adjudicator):
    adjudicate(adjudication=disputed, person=adjudicator, verdict="correct", reason="first")
    with pytest.raises(Refusal, match="has just decided"):
        adjudicate(
            adjudication=disputed, person=make_person("alan", "adjudicator"), verdict="incorrect", reason="second"
        )
    assert FinalVerdict.objects.get().verdict == "correct"


def test_two_adjudicators_are_not_given_the_same_one(round, items, adjudicator):
    give_all(items[0], "correct", "incorrect")
    give_all(items[1], "correct", "incorrect")
    other = make_person("alan", "adjudicator")
    assert next_adjudication(person=adjudicator) != next_adjudication(person=other)
    assert next_adjudication(person=make_person("aldo", "adjudicator")) is None


def test_reopening_takes_the_verdict_away_and_is_counted_and_logged(disputed, adjudicator, round, sign_in):
    adjudicate(adjudication=disputed, person=adjudicator, verdict="correct", reason="first")
    client = sign_in(adjudicator)
    address = reverse("adjudicate_reopen", args=[disputed.key])
    assert client.post(address, {"reason": " "}).status_code == 400
    client.post(address, {"reason": "I misread the year"})
    assert not FinalVerdict.objects.exists()
    assert round_progress(round).reopened == 1
    event = Event.objects.get(action="reopened")
    assert event.before == {"verdict": "correct", "reason": "first", "adjudicator": "ada"}
    adjudicate(adjudication=disputed, person=adjudicator, verdict="incorrect", reason="second")
    assert FinalVerdict.objects.get().verdict == "incorrect"
    assert Adjudication.objects.get().times_reopened == 1
    assert Pair.objects.count() == 1


def test_the_database_refuses_to_change_a_pair_or_a_final_verdict(items):
    give_all(items[0], "correct", "correct")
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        Pair.objects.update(verdict_1="incorrect")
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        FinalVerdict.objects.update(verdict="incorrect")
    assert FinalVerdict.objects.get().verdict == "correct"


def test_the_database_takes_no_third_slot_and_nobody_twice(items, people):
    rosa = make_person("rosa", "reviewer")
    for values in ({"number": 3, "reviewer": rosa}, {"number": 1, "reviewer": rosa}, {"reviewer": people[0]}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Judgment.objects.create(round=items[0].round, item=items[0], position=9, **values)
    with pytest.raises(IntegrityError), transaction.atomic():
        Item.objects.create(
            round=items[0].round, response=items[1].response, instance=items[1].instance, kind="ordinary"
        )


def test_setting_an_instance_aside_takes_its_disagreements_off_the_queue_and_can_be_undone(
    disputed, adjudicator, admin, sign_in
):
    client = sign_in(adjudicator)
    client.post(reverse("adjudicate_set_aside", args=[disputed.key]), {"reason": "two bridges of that name"})
    assert not waiting_for(adjudicator).exists()
    row = SetAside.objects.get()
    listed = page(sign_in(admin), "set_aside")
    assert "two bridges of that name" in listed
    assert "1 instance is set aside" in listed
    with pytest.raises(Refusal, match="already"):
        set_aside(instance=row.instance, person=admin, reason="again")
    sign_in(admin).post(reverse("set_aside_take_back", args=[row.pk]))
    assert waiting_for(adjudicator).count() == 1
    assert Event.objects.filter(action__in=[ReviewAction.SET_ASIDE, ReviewAction.TOOK_BACK_IN]).count() == 2
    set_aside(instance=row.instance, person=admin, reason="after all")
    assert SetAside.objects.active().count() == 1


def test_the_list_of_instances_set_aside_is_linked_for_whom_it_opens(adjudicator, reviewer, sign_in):
    link = f'href="{reverse("set_aside")}"'
    assert link in page(sign_in(adjudicator), "adjudicate")
    assert sign_in(adjudicator).get(reverse("set_aside")).status_code == 200
    assert link not in page(sign_in(reviewer), "adjudicate")
    assert sign_in(reviewer).get(reverse("set_aside")).status_code == 403


def test_an_instance_set_aside_is_judged_no_more(round, items, people, sign_in, admin):
    set_aside(instance=items[0].instance, person=admin, reason="ambiguous")
    shown = page(sign_in(people[0]), "judge_round", round.key)
    assert str(slot_of(items[0], people[0]).key) not in shown
    assert "0 of 2" in shown


def test_a_reset_judgment_is_judged_anew_and_the_pair_falls_apart(items, admin, people):
    give_all(items[0], "correct", "correct")
    judgment = slot_of(items[0], people[0])
    with pytest.raises(Refusal, match="reason for the reset"):
        reset_judgment(judgment=judgment, admin=admin, reason=" ")
    reset_judgment(judgment=judgment, admin=admin, reason="pressed the wrong key")
    assert not Pair.objects.exists()
    assert not FinalVerdict.objects.exists()
    slot = slot_of(items[0], people[0])
    assert not slot.is_given
    kept = slot.taken_back.get()
    assert (kept.verdict, kept.reason, kept.by) == ("correct", "pressed the wrong key", admin)
    assert Event.objects.get(action=ReviewAction.RESET).message == "pressed the wrong key"
    give(slot, "incorrect")
    complete_pairs()
    assert sorted(Pair.objects.values_list("verdict_1", "verdict_2")[0]) == ["correct", "incorrect"]
    assert Adjudication.objects.open().count() == 1


def test_a_judgment_beneath_an_adjudicated_verdict_is_not_reset(disputed, adjudicator, admin, items, people):
    adjudicate(adjudication=disputed, person=adjudicator, verdict="correct", reason="x")
    with pytest.raises(Refusal, match="adjudicated"):
        reset_judgment(judgment=slot_of(items[0], people[0]), admin=admin, reason="x")
    assert FinalVerdict.objects.exists()


def test_where_the_two_have_seen_each_other_a_reset_goes_to_a_third(admin, people):
    rosa = make_person("rosa", "reviewer")
    round = make_round(admin, [*people, rosa], make_imported_run(1, models=("Mist",)), adjudicate_among_two=True)
    item = round.items.get()
    give_all(item, "correct", "incorrect")
    judgment = item.judgments.get(number=1)
    third = next(each for each in [*people, rosa] if not item.judgments.filter(reviewer=each).exists())
    partner = item.judgments.get(number=2).reviewer
    with pytest.raises(Refusal, match="another reviewer"):
        reset_judgment(judgment=judgment, admin=admin, reason="x")
    with pytest.raises(Refusal, match="other slot"):
        reset_judgment(judgment=judgment, admin=admin, reason="x", to=partner)
    reset_judgment(judgment=judgment, admin=admin, reason="x", to=third)
    assert item.judgments.get(number=1).reviewer == third
    assert not Adjudication.objects.exists()


def test_a_round_is_finished_when_closed_and_nothing_is_disputed(round, disputed, adjudicator, admin):
    closed = close_round(round=round, admin=admin)
    assert not is_finished(closed)
    adjudicate(adjudication=disputed, person=adjudicator, verdict="correct", reason="x")
    assert is_finished(closed)


def test_closing_makes_what_was_judged_count_at_once(round, items, admin):
    for slot in items[0].judgments.all():
        give(slot, at=timezone.now())
    assert complete_pairs() == 0
    close_round(round=round, admin=admin)
    assert FinalVerdict.objects.count() == 1
    assert round_progress(round).without_verdict == 2
