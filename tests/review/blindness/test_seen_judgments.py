"""Whoever has seen another person's judgment of a response does not judge that response, whatever the door was."""

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from core.engine.writing.pieces import in_pieces
from core.models import Event, Role, User
from core.refusals import Refusal
from review.models import Adjudication, Judgment, ReviewAction, Round, Saw, SeenJudgments
from review.rounds import rounds
from review.rounds.adjudication import adjudicate
from review.rounds.dealing.dealing import deal_round
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import find_slot, reset_judgment
from review.rounds.reviewers import handing_over
from review.rounds.reviewers.handing_over import hand_over
from review.rounds.rounds import add_reviewer, close_round, create_round, reopen_round
from review.rounds.turns.seen import hand_back_all_seen, has_seen, record_seen
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.factories.review import give, give_all, make_imported_run, make_round, reviewer_in, slot_of

pytestmark = pytest.mark.django_db


def export(client, round):
    return b"".join(client.get(reverse("judgment_export", args=["judgments", "csv"])).streaming_content)


def look_at_the_reviewer(client, round):
    client.get(reverse("round_reviewer", args=[round.pk, Judgment.objects.given().first().reviewer_id]))


def import_file(client, round, *, action="check"):
    rows = [f"{each.item.response.key},{each.reviewer},correct" for each in Judgment.objects.given()]
    file = SimpleUploadedFile("judgments.csv", "\n".join(["response,reviewer,verdict", *rows]).encode())
    return client.post(reverse("judgment_files"), {"file": file, "action": action})


DOORS = {"export": export, "page of a reviewer": look_at_the_reviewer, "dry run of an import": import_file}


@pytest.mark.parametrize("door", DOORS)
def test_who_has_seen_is_handed_only_the_rest(door, round, bea, reviewer, other_reviewer, admin, sign_in):
    DOORS[door](sign_in(bea), round)
    joined = add_reviewer(round=round, person=bea, admin=admin)
    handed = hand_over(reviewer=reviewer_in(round, other_reviewer), to=[joined], admin=admin)
    assert (handed.moved, handed.stayed) == (4, 2)
    judged = Judgment.objects.filter(reviewer=reviewer).given().values("item")
    assert not Judgment.objects.filter(reviewer=bea, item__in=judged).exists()
    assert Judgment.objects.filter(reviewer=bea).count() == 4


@pytest.mark.parametrize("door", DOORS)
def test_who_has_seen_takes_over_only_the_rest(door, round, bea, other_reviewer, admin, sign_in):
    DOORS[door](sign_in(bea), round)
    joined = add_reviewer(round=round, person=bea, admin=admin)
    judged = set(Judgment.objects.given().values_list("item", flat=True))
    Judgment.objects.filter(reviewer=other_reviewer).update(reviewer=None)
    given = set()
    while slots := next_slots(joined, count=1):
        given.add(slots[0].item_id)
        give(slots[0])
    assert len(given) == 4
    assert not given & judged


def test_without_having_seen_all_are_handed_over(round, bea, other_reviewer, admin):
    joined = add_reviewer(round=round, person=bea, admin=admin)
    assert hand_over(reviewer=reviewer_in(round, other_reviewer), to=[joined], admin=admin).moved == 6


def test_what_is_seen_while_responses_are_handed_over_stays(round, bea, other_reviewer, admin, monkeypatch):
    """An export that began before she joined may end between the plan and its writing: that asks again."""
    joined = add_reviewer(round=round, person=bea, admin=admin)
    judged = list(Judgment.objects.given().values_list("item__response", flat=True))

    def meanwhile(rows, write, **options):
        record_seen(person=bea, what=Saw.JUDGMENTS, responses=judged)
        return in_pieces(rows, write, **options)

    monkeypatch.setattr(handing_over, "in_pieces", meanwhile)
    handed = hand_over(reviewer=reviewer_in(round, other_reviewer), to=[joined], admin=admin)
    assert (handed.moved, handed.stayed) == (4, 2)
    assert not Judgment.objects.filter(reviewer=bea, item__response__in=judged).exists()


def test_what_one_has_seen_goes_to_the_other_of_two(round, bea, other_reviewer, admin):
    """The plan itself knows who has seen what: otherwise bea would be dealt half, and most of that would stay."""
    seen = list(round.items.values_list("response", flat=True))[:5]
    record_seen(person=bea, what=Saw.JUDGMENTS, responses=seen)
    rosa = make_person("rosa", "reviewer")
    joined = [add_reviewer(round=round, person=person, admin=admin) for person in (bea, rosa)]
    handed = hand_over(reviewer=reviewer_in(round, other_reviewer), to=joined, admin=admin)
    assert (handed.moved, handed.stayed) == (6, 0)
    assert set(Judgment.objects.filter(reviewer=rosa).values_list("item__response", flat=True)) >= set(seen)


def test_who_joins_while_a_page_is_made_that_shows_judgments_hands_those_back(
    round, bea, reviewer, other_reviewer, admin, sign_in, monkeypatch
):
    def meanwhile(**options):
        joined = add_reviewer(round=round, person=bea, admin=admin)
        assert hand_over(reviewer=reviewer_in(round, other_reviewer), to=[joined], admin=admin).moved == 6
        return complete_pairs(**options)

    monkeypatch.setattr("review.views.rounds.complete_pairs", meanwhile)
    look_at_the_reviewer(sign_in(bea), round)
    judged = Judgment.objects.filter(reviewer=reviewer).given().values("item")
    assert Judgment.objects.filter(reviewer=bea).count() == 4
    assert not Judgment.objects.filter(reviewer=bea, item__in=judged).exists()


def test_a_file_gives_no_judgment_to_a_person_who_has_seen_another(round, bea, admin, sign_in):
    """The export of a round is noted by one row for the round, not for each response."""

    def check():
        judged = Judgment.objects.given().first().item.response
        file = SimpleUploadedFile("file.csv", f"response,reviewer,verdict\n{judged.key},bea,correct\n".encode())
        return sign_in(admin).post(reverse("judgment_files"), {"file": file, "action": "check"}).content.decode()

    assert "has seen another person" not in check()
    export(sign_in(bea), round)
    assert "bea has seen another person" in check()


def test_a_file_gives_none_of_a_response_in_no_round_either(bea, admin, sign_in):
    response = make_imported_run(1, models=("Mist",)).responses.get()
    record_seen(person=bea, what=Saw.JUDGMENTS, responses=[response.pk])
    file = SimpleUploadedFile("file.csv", f"response,reviewer,verdict\n{response.key},bea,correct\n".encode())
    page = sign_in(admin).post(reverse("judgment_files"), {"file": file, "action": "check"}).content.decode()
    assert "bea has seen another person" in page


def test_what_counts_only_after_the_export_was_not_seen(round, bea, reviewer, other_reviewer, admin, sign_in):
    export(sign_in(bea), round)
    slot = Judgment.objects.filter(reviewer=reviewer).open().first()
    give(slot, at=timezone.now() + round_minutes(round))
    joined = add_reviewer(round=round, person=bea, admin=admin)
    hand_over(reviewer=reviewer_in(round, other_reviewer), to=[joined], admin=admin)
    assert Judgment.objects.filter(item=slot.item, reviewer=bea).exists()


def round_minutes(round):
    return timezone.timedelta(minutes=round.undo_minutes)


def test_who_saw_a_disagreement_is_not_given_it_after_a_reset(round, bea, reviewer, other_reviewer, admin, sign_in):
    item = round.items.first()
    Judgment.objects.filter(item=item).update(judged_at=None, verdict="", undo_until=None, paired_at=None)
    give_all(item, "correct", "incorrect")
    client = sign_in(bea)
    assert client.get(reverse("adjudicate_item", args=[item.adjudication.key])).status_code == 200
    add_reviewer(round=round, person=bea, admin=admin)
    with pytest.raises(Refusal, match="bea has seen a judgment of this response"):
        reset_judgment(judgment=slot_of(item, reviewer), admin=admin, reason="a slip", to=bea)
    assert slot_of(item, reviewer).is_given
    reset_judgment(judgment=slot_of(item, reviewer), admin=admin, reason="a slip")
    assert hand_over(reviewer=reviewer_in(round, reviewer), to=[reviewer_in(round, bea)], admin=admin).stayed == 1


REPORTS = {
    "report": lambda round: reverse("report", args=["table2"]),
    "report of the round": lambda round: f"{reverse('report', args=['table2'])}?round={round.pk}",
    "responses behind a number": lambda round: reverse("report_responses"),
    "file": lambda round: reverse("report_download", args=["table2", "json"]),
    "human evaluation": lambda round: reverse("human_evaluation_download"),
    "final verdicts": lambda round: reverse("judgment_export", args=["final-verdicts", "csv"]),
}


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_counts_as_seen_when_what_it_counted_is_judged_anew(report, round, bea, reviewer, admin, sign_in):
    item = round.items.first()
    Judgment.objects.filter(item=item).update(judged_at=None, verdict="", undo_until=None, paired_at=None)
    give_all(item, "correct", "correct")
    assert sign_in(bea).get(REPORTS[report](round)).status_code == 200
    add_reviewer(round=round, person=bea, admin=admin)
    with pytest.raises(Refusal, match="has seen"):
        reset_judgment(judgment=slot_of(item, reviewer), admin=admin, reason="a slip", to=bea)


def test_what_was_seen_stays_seen_when_the_response_goes_into_another_round(
    bea, reviewer, other_reviewer, admin, sign_in
):
    run = make_imported_run(1, models=("Mist",))
    first = make_round(admin, [reviewer, other_reviewer], run)
    slot = Judgment.objects.filter(reviewer=reviewer).get()
    give(slot, "incorrect")
    export(sign_in(bea), first)
    reset_judgment(judgment=slot, admin=admin, reason="a slip")
    close_round(round=first, admin=admin)
    second = make_round(admin, [bea, reviewer, other_reviewer], run)
    judging = set(Judgment.objects.filter(round=second).values_list("reviewer__username", flat=True))
    assert judging == {"rita", "ralph"}
    close_round(round=second, admin=admin)
    third = make_round(admin, [bea, reviewer], run)
    assert (third.items.count(), third.left_out) == (0, {"seen": 1})


def test_a_file_that_was_brought_keeps_its_responses_from_whoever_brought_it(bea, reviewer, admin, sign_in):
    """Also where the responses are in no round yet: dealing gives them to others."""
    run = make_imported_run(2, models=("Mist",))
    seen = run.responses.first()
    file = SimpleUploadedFile("judgments.csv", f"response,reviewer,verdict\n{seen.key},{reviewer},correct\n".encode())
    sign_in(bea).post(reverse("judgment_files"), {"file": file, "action": "check"})
    round = create_round(
        admin=admin, name="new", runs=[run], reviewers=[bea, reviewer, make_person("rosa", "reviewer")]
    )
    deal_round(round.pk)
    assert not Judgment.objects.filter(reviewer=bea, item__response=seen).exists()
    assert Judgment.objects.filter(item__response=seen).count() == 2


# Closing and opening again


def close_by(person: User, round: Round, sign_in):
    return sign_in(person).post(reverse("round_close", args=[round.pk]))


def reopen_by(person: User, round: Round, sign_in):
    return sign_in(person).post(reverse("round_reopen", args=[round.pk]))


def test_an_admin_who_judges_cannot_close_read_and_open_again(admin, bea, other_reviewer, sign_in):
    round = make_round(admin, [bea, other_reviewer], make_imported_run(2, models=("Mist",)))
    other = give(Judgment.objects.filter(reviewer=other_reviewer).first(), "incorrect", comment="no year")
    close_by(bea, round, sign_in)
    assert b"no year" in export(sign_in(bea), round)
    answer = reopen_by(bea, round, sign_in)
    assert answer.status_code == 403
    assert "another admin has to reopen it" in answer.content.decode()
    page = sign_in(bea).get(reverse("round", args=[round.pk])).content.decode()
    assert "Reopen" not in page
    # Another admin may: what was read is then nobody's, and comes to bea no more.
    reopen_by(admin, round, sign_in)
    slot = Judgment.objects.get(item=other.item, number__in={1, 2} - {other.number})
    assert (slot.reviewer, slot.is_given) == (None, False)
    given = [each.item_id for each in next_slots(reviewer_in(round, bea), count=5)]
    assert len(given) == 1
    assert other.item_id not in given
    with pytest.raises(Refusal, match="do not judge this one"):
        find_slot(person=bea, key=slot.key)
    event = Event.objects.get(action=ReviewAction.HANDED_BACK_SEEN)
    assert event.after == {"responses": 1}


def test_a_reviewer_who_has_read_a_final_verdict_is_not_asked_anew(round, reviewer, other_reviewer, admin, sign_in):
    item = Judgment.objects.given().first().item
    give(slot_of(item, other_reviewer), "incorrect")
    close_round(round=round, admin=admin)
    sign_in(reviewer).get(reverse("my_judgments", args=[round.key]))
    reopen_round(round=Round.objects.get(pk=round.pk), admin=admin)
    with pytest.raises(Refusal, match="rita has seen"):
        reset_judgment(judgment=slot_of(item, reviewer), admin=admin, reason="a slip")


def test_what_is_seen_in_the_instant_of_opening_again_goes_to_others(
    round, reviewer, other_reviewer, admin, monkeypatch
):
    item = Judgment.objects.given().first().item
    close_round(round=round, admin=admin)

    asked = []

    def hand_back_and_read(slots):
        count = hand_back_all_seen(slots)
        asked.append(slots)
        if len(asked) == 2:  # both people's are handed back by now
            record_seen(person=other_reviewer, what=Saw.JUDGMENTS, responses=[item.response_id])
        return count

    monkeypatch.setattr(rounds, "hand_back_all_seen", hand_back_and_read)
    reopen_round(round=Round.objects.get(pk=round.pk), admin=admin)
    assert slot_of(item, reviewer).is_given
    assert not Judgment.objects.filter(item=item, reviewer=other_reviewer).exists()
    assert Judgment.objects.filter(item=item, reviewer=None).count() == 1
    assert Event.objects.get(action=ReviewAction.HANDED_BACK_SEEN).after == {"responses": 1}


def test_who_has_not_read_goes_on_where_they_stopped(round, reviewer, admin):
    before = list(Judgment.objects.order_by("pk").values_list("reviewer", "judged_at"))
    close_round(round=round, admin=admin)
    reopen_round(round=Round.objects.get(pk=round.pk), admin=admin)
    assert list(Judgment.objects.order_by("pk").values_list("reviewer", "judged_at")) == before


# The rows


def test_an_export_is_noted_by_one_row_a_round(round, bea, sign_in):
    client = sign_in(bea)
    export(client, round)
    export(client, round)
    rows = SeenJudgments.objects.filter(person=bea)
    assert [(row.what, row.round, row.response) for row in rows] == [(Saw.JUDGMENTS, round, None)]


def test_one_s_own_judgment_is_nothing_seen(round, reviewer, admin, sign_in):
    other = round.items.exclude(judgments__in=Judgment.objects.given()).first()
    SeenJudgments.objects.create(person=reviewer, what=Saw.JUDGMENTS, round=round)
    assert not has_seen(person=reviewer, judgment=Judgment.objects.filter(reviewer=reviewer).given()[0].pk)
    assert not has_seen(person=reviewer, judgment=slot_of(other, reviewer).pk)


@pytest.mark.parametrize("wrong", [{}, {"round": True, "response": True}])
def test_the_database_wants_a_round_or_a_response(wrong, round, bea):
    values = {"round": round, "response": round.items.first().response}
    with pytest.raises(IntegrityError), transaction.atomic():
        SeenJudgments.objects.create(person=bea, what=Saw.FILE, **{name: values[name] for name in wrong})


def test_decided_by_an_adjudicator_who_then_joins(round, bea, other_reviewer, admin, sign_in):
    """The list of what is decided shows verdicts, too."""
    item = Judgment.objects.given().first().item
    give(slot_of(item, other_reviewer), "correct")
    complete_pairs()
    adjudicate(
        adjudication=Adjudication.objects.get(),
        person=make_person("ada", "adjudicator"),
        verdict="correct",
        reason="y",
    )
    sign_in(bea).get(reverse("adjudicate"), {"show": "decided"})
    assert SeenJudgments.objects.get(person=bea).response_id == item.response_id


# Pages that do not count as seeing, and later sights


def test_a_report_is_no_seeing_of_what_still_lacks_a_judgment(round, bea, other_reviewer, admin, sign_in):
    """It counts complete pairs alone."""
    sign_in(bea).get(reverse("report", args=["table2"]))
    joined = add_reviewer(round=round, person=bea, admin=admin)
    handed = hand_over(reviewer=reviewer_in(round, other_reviewer), to=[joined], admin=admin)
    assert (handed.moved, handed.stayed) == (6, 0)


def test_a_second_export_shows_more_than_the_first(round, bea, reviewer, other_reviewer, admin, sign_in):
    export(sign_in(bea), round)
    give(Judgment.objects.filter(reviewer=reviewer).open().first(), at=timezone.now() - round_minutes(round))
    export(sign_in(bea), round)
    joined = add_reviewer(round=round, person=bea, admin=admin)
    assert hand_over(reviewer=reviewer_in(round, other_reviewer), to=[joined], admin=admin).stayed == 3


def look_at_oneself(client, round):
    client.get(reverse("round_reviewer", args=[round.pk, User.objects.get(username="rita").pk]))


@pytest.mark.parametrize("door", [export, look_at_oneself])
def test_who_read_their_own_judgment_judges_it_again_after_a_reset(door, round, reviewer, admin, sign_in):
    reviewer.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
    given = Judgment.objects.given().first()
    close_round(round=round, admin=admin)
    door(sign_in(User.objects.get(pk=reviewer.pk)), round)
    reopen_round(round=Round.objects.get(pk=round.pk), admin=admin)
    assert reset_judgment(judgment=given, admin=admin, reason="a slip").reviewer == reviewer


@pytest.mark.parametrize("action", ["check", "import"])
def test_who_brings_a_file_with_both_judgments_may_be_one_of_the_two(action, round, bea, reviewer, sign_in):
    """It is the transcript of what they judged elsewhere, however often it is checked before."""
    response = Judgment.objects.filter(reviewer=reviewer).open().first().item.response
    Judgment.objects.filter(item__response=response).exclude(reviewer=reviewer).update(reviewer=None)
    rows = "".join(f"{response.key},{name},correct\n" for name in ("rita", "bea"))
    for act in ("check", action):
        file = SimpleUploadedFile("file.csv", f"response,reviewer,verdict\n{rows}".encode())
        answer = sign_in(bea).post(reverse("judgment_files"), {"file": file, "action": act})
        assert answer.status_code == 200, answer.text
