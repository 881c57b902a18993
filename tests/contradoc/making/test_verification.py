"""Candidates of ContraDoc are verified by two people, blind; the expert decides where they differ."""

import re
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.models import Release
from benchmarks.contradoc.models import Candidate, CandidateState
from core.models import Role
from core.refusals import Refusal
from review.models import Adjudication, FinalAnswers, Item, Judgment, Round
from review.rounds.adjudication import adjudicate, reopen
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment, reset_judgment, take_back
from review.rounds.questionnaires import questionnaire_of
from review.rounds.reviewers.reviewers import reviewers_of
from review.rounds.rounds import close_round, round_progress
from tests.factories.contradoc import (
    CONTRADICTION,
    ORIGINAL,
    TEXT,
    make_candidate,
    make_document,
    make_questionnaire_round,
)

pytestmark = pytest.mark.django_db
YES = {"contradict": "yes", "feasible": "yes", "acceptable": "yes", "scope": "global", "types": ["Content"]}
NO = {"contradict": "no", "feasible": "yes", "acceptable": "no"}


@pytest.fixture
def candidate() -> Candidate:
    return make_candidate()


@pytest.fixture
def round(candidate, admin, reviewer, other_reviewer) -> Round:
    return make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer], undo_minutes=0)


def answer(round: Round, person, **answers) -> Judgment:
    slot = Judgment.objects.select_related("round", "item").get(round=round, reviewer=person, judged_at=None)
    given = record_judgment(slot=slot, reviewer=person, answers=answers, at=timezone.now())
    complete_pairs(round=round)
    return given


def both(round: Round, one: dict, other: dict, reviewer, other_reviewer) -> Item:
    answer(round, reviewer, **one)
    answer(round, other_reviewer, **other)
    return round.items.get()


def state(candidate: Candidate) -> str:
    return Candidate.objects.get(pk=candidate.pk).state


# --- The outcome of two people's answers
# -----------------------------------------------------------------------------


def test_it_is_kept_if_both_say_yes_with_the_closer_scope_and_all_types(round, candidate, reviewer, other_reviewer):
    other = YES | {"scope": "local", "types": ["Numeric", "Negation"]}
    item = both(round, YES, other, reviewer, other_reviewer)
    assert item.final_answers.outcome == "kept"
    assert item.final_answers.answers["scope"] == "local"
    assert item.final_answers.answers["types"] == ["Negation", "Numeric", "Content"]
    assert state(candidate) == CandidateState.VERIFIED


def test_a_long_document_offers_the_gaps_near_the_insertion(admin, reviewer, other_reviewer, client):
    code = make_document("9", f"{TEXT} {'Nothing else happened. ' * 500}").code
    make_candidate(code, gap=300)
    round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer])
    client.force_login(reviewer)
    page = client.get(reverse("judge_round", args=[round.key])).text
    offered = [int(number) for number in re.findall(r'type="radio" name="gap" value="(\d+)"', page)]
    assert offered == [number for number in range(100, 501) if number != 300]
    assert page.count("Nothing else happened.") >= 500


def test_it_is_a_negative_if_both_say_that_it_does_not_contradict(round, candidate, reviewer, other_reviewer):
    item = both(round, NO, NO | {"acceptable": "yes"}, reviewer, other_reviewer)
    assert item.final_answers.outcome == "negative"
    assert state(candidate) == CandidateState.NEGATIVE


def test_it_is_rejected_if_both_say_no_to_another_question(round, candidate, reviewer, other_reviewer):
    unacceptable = YES | {"acceptable": "no"}
    both(round, unacceptable, unacceptable, reviewer, other_reviewer)
    assert state(candidate) == CandidateState.REJECTED


@pytest.mark.parametrize("other", [NO, YES | {"acceptable": "no"}, YES | {"controversial": "yes"}])
def test_an_expert_decides_where_they_differ_or_one_marked_it(
    other, round, candidate, reviewer, other_reviewer, adjudicator
):
    item = both(round, YES, other, reviewer, other_reviewer)
    assert not FinalAnswers.objects.exists()
    assert state(candidate) == CandidateState.CHOSEN
    adjudicate(adjudication=item.adjudication, person=adjudicator, answers=YES | {"scope": "intra"}, reason="clear")
    item = round.items.get()
    assert (item.final_answers.outcome, item.final_answers.how) == ("kept", "adjudicated")
    assert item.final_answers.answers["scope"] == "intra"
    assert state(candidate) == CandidateState.VERIFIED


def test_a_person_who_could_not_judge_leaves_it_to_the_expert(round, reviewer, other_reviewer):
    slot = Judgment.objects.get(round=round, reviewer=reviewer)
    record_judgment(slot=slot, reviewer=reviewer, cannot_judge="it is in another language")
    answer(round, other_reviewer, **YES)
    assert Adjudication.objects.get().cause == "cannot_judge"


def test_reopening_takes_back_what_followed(round, candidate, reviewer, other_reviewer, adjudicator):
    item = both(round, YES, NO, reviewer, other_reviewer)
    adjudicate(adjudication=item.adjudication, person=adjudicator, answers=YES, reason="clear")
    reopen(adjudication=item.adjudication, person=adjudicator, reason="looked again")
    assert state(candidate) == CandidateState.CHOSEN
    assert not FinalAnswers.objects.exists()
    adjudicate(adjudication=Adjudication.objects.get(), person=adjudicator, answers=NO, reason="not so clear")
    assert state(candidate) == CandidateState.NEGATIVE


def test_resetting_a_judgment_takes_back_what_followed(round, candidate, reviewer, other_reviewer, admin):
    both(round, YES, YES, reviewer, other_reviewer)
    given = Judgment.objects.get(reviewer=reviewer)
    reset_judgment(judgment=given, admin=admin, reason="the wrong document")
    assert state(candidate) == CandidateState.CHOSEN
    assert not FinalAnswers.objects.exists()
    answer(round, reviewer, **YES)
    assert state(candidate) == CandidateState.VERIFIED


def test_another_gap_makes_a_further_candidate_that_others_verify(round, candidate, admin, reviewer, other_reviewer):
    moved = YES | {"feasible": "no", "gap": [7]}
    both(round, moved, YES | {"feasible": "no"}, reviewer, other_reviewer)
    assert state(candidate) == CandidateState.REJECTED
    further = Candidate.objects.get(moved_from=candidate)
    assert further.state == CandidateState.CHOSEN
    assert further.text.replace(f" {CONTRADICTION}", "") == candidate.document.text
    # Who proposed the gap does not verify it.
    again = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer])
    assert not again.items.exists()
    assert again.left_out == {"seen": 1}


# --- What the rules refuse ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"contradict": ""}, "not answered these questions"),
        ({"contradict": "maybe"}, "The answers to"),
        ({"contradict": ["yes", "no"]}, "The answers to"),
        ({"types": []}, "not answered these questions"),
        ({"types": ["Content", "Odd"]}, "The answers to"),
        ({"feasible": "no", "gap": [900]}, "at most 1 of the 9 spots"),
        ({"feasible": "no", "gap": [1, 2]}, "at most 1 of the 9 spots"),
        ({"feasible": "no", "gap": [-1]}, "at most 1 of the 9 spots"),
    ],
)
def test_wrong_answers_are_refused_whole(wrong, said, round, client, reviewer):
    slot = Judgment.objects.get(round=round, reviewer=reviewer)
    client.force_login(reviewer)
    sent = YES | wrong
    page = client.post(reverse("judgment", args=[slot.key]), sent).content.decode()
    assert said in page
    assert not Judgment.objects.given().exists()


def test_what_was_not_asked_is_not_kept(round, reviewer):
    given = answer(round, reviewer, **YES, gap=[2], anything="else")
    assert given.answers == YES


def test_a_replacement_is_not_asked_for_its_position(admin, reviewer, other_reviewer):
    make_candidate("8", insert=False)
    round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer])
    asked = [field.name for field in questionnaire_of(round.questionnaire).asked(round.items.get())]
    assert asked == ["contradict", "acceptable", "scope", "types", "controversial"]


def test_a_judgment_has_a_verdict_or_answers_or_a_reason(round, reviewer):
    given = answer(round, reviewer, **YES)
    for wrong in ({"verdict": "correct"}, {"answers": None}, {"cannot_judge": "no"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Judgment.objects.filter(pk=given.pk).update(**wrong)


def test_an_item_has_one_subject(round, candidate):
    with pytest.raises(IntegrityError), transaction.atomic():
        Item.objects.filter(round=round).update(subject_kind="", subject_number=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        Item.objects.create(round=round, subject_kind="candidate", subject_number=candidate.pk)


def test_the_questionnaire_of_a_round_and_final_answers_never_change(round, reviewer, other_reviewer):
    both(round, YES, YES, reviewer, other_reviewer)
    for rows, change in (
        (Round.objects, {"questionnaire": "verdicts"}),
        (FinalAnswers.objects, {"outcome": "negative"}),
    ):
        with pytest.raises(Exception, match="never change"), transaction.atomic():
            rows.update(**change)


def test_a_candidate_is_verified_in_one_round(round, admin, reviewer, other_reviewer):
    with pytest.raises(Refusal, match="no candidates waiting"):
        make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer])
    assert Round.objects.count() == 1


# --- The pages ------------------------------------------------------------------------------------------------------


def test_the_page_marks_both_statements_and_asks_the_papers_questions(round, client, reviewer):
    client.force_login(reviewer)
    page = client.get(reverse("judge_round", args=[round.key])).content.decode()
    assert re.search(r'<mark id="original-[^"]+" class="statement-original">.*Original.*' + re.escape(ORIGINAL), page)
    assert re.search(
        r'<mark id="introduced-[^"]+" class="statement-introduced">.*Introduced.*' + re.escape(CONTRADICTION), page
    )
    for question in (
        "Do you think the two statements contradict each other?",
        "(If applicable): Is the position of the inserted statement (red color) feasible?",
        "Overall, do you think it makes an acceptable contradictory document?",
        "How close in the context of the modified sentence can you find the evidence for the self-contradiction? "
        "(As described in 3.1)",
        "Select Type(s) of self-contradiction.",
    ):
        assert question in page
    assert "Mist" not in page


def test_answers_go_in_through_the_page_and_can_be_taken_back(candidate, admin, client, reviewer, other_reviewer):
    round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer])
    client.force_login(reviewer)
    slot = Judgment.objects.get(round=round, reviewer=reviewer)
    answered = client.post(
        reverse("judgment", args=[slot.key]), YES | {"comment": "clear", "seconds": "9"}, follow=True
    )
    assert "Nothing left to judge" in answered.content.decode()
    slot.refresh_from_db()
    assert (slot.answers, slot.comment, slot.seconds) == (YES, "clear", 9)
    take_back(judgment=slot, reviewer=reviewer)
    slot.refresh_from_db()
    assert slot.answers is None
    assert slot.taken_back.get().answers == YES


def test_the_expert_sees_both_sides_without_names_and_decides(
    round, candidate, client, reviewer, other_reviewer, adjudicator
):
    item = both(round, YES, NO, reviewer, other_reviewer)
    client.force_login(adjudicator)
    address = reverse("adjudicate_item", args=[item.adjudication.key])
    page = client.get(address).content.decode()
    assert "Judgment A" in page
    assert "Judgment B" in page
    assert reviewer.username not in page
    client.post(address, YES | {"reason": "It cannot be both."})
    assert state(candidate) == CandidateState.VERIFIED
    assert "It cannot be both." in client.get(address).content.decode()
    assert client.get(reverse("adjudicate"), {"show": "decided"}).status_code == 200


def test_the_expert_reads_where_they_differ_and_which_gap_was_meant(
    round, client, admin, reviewer, other_reviewer, adjudicator
):
    item = both(round, YES | {"feasible": "no", "gap": [7]}, NO, reviewer, other_reviewer)
    client.force_login(adjudicator)
    page = client.get(reverse("adjudicate_item", args=[item.adjudication.key])).text
    assert '<dd class="differs">after “…The school was built later.”</dd>' in page
    # Gaps cut the original statement in pieces; its name stands before the first one.
    assert page.count('class="mark-name">Original<') == 1
    assert f"7: {CONTRADICTION}" in client.get(reverse("adjudicate")).text
    client.force_login(admin)
    page = client.get(reverse("round", args=[round.pk])).text
    assert "with final answers" in page
    assert "Agrees with others" not in page
    assert [each.could_not for each in reviewers_of(round)] == [0, 0]


def test_who_verified_it_is_not_its_expert(round, client, reviewer, other_reviewer):
    item = both(round, YES, NO, reviewer, other_reviewer)
    reviewer.groups.add(Group.objects.get_or_create(name=Role.ADJUDICATOR)[0])
    client.force_login(reviewer)
    assert client.get(reverse("adjudicate_item", args=[item.adjudication.key])).status_code == 404


def test_all_pages_of_a_round_open(round, client, admin, reviewer, other_reviewer):
    both(round, YES, NO, reviewer, other_reviewer)
    client.force_login(admin)
    for name, arguments in (
        ("rounds", []),
        ("round", [round.pk]),
        ("round_left_out", [round.pk]),
        ("round_reviewer", [round.pk, reviewer.pk]),
        ("judgment_export", ["judgments", "csv"]),
    ):
        answered = client.get(reverse(name, args=arguments))
        assert answered.status_code == 200, name
    progress = round_progress(round)
    assert (progress.responses, progress.judgments, progress.open_disagreements, progress.final) == (1, 2, 1, 0)
    close_round(round=round, admin=admin)
    client.force_login(reviewer)
    assert client.get(reverse("my_judgments", args=[round.key])).status_code == 200


# --- The command ----------------------------------------------------------------------------------------------------


def begin(*options: str) -> str:
    out = StringIO()
    call_command(
        "begin_questionnaire_round", "First", "--questionnaire", "contradoc-verification", *options, stdout=out
    )
    return out.getvalue()


def test_a_round_is_begun_by_command(candidate, reviewer, other_reviewer):
    people = ["--reviewers", reviewer.username, other_reviewer.username]
    assert "No round was begun." in begin(*people, "--dry-run")
    assert "1 candidate dealt" in begin(*people, "--undo-minutes", "0")
    assert Round.objects.get().judgments_each == 2
    with pytest.raises(CommandError, match="at least two reviewers"):
        begin("--reviewers", reviewer.username)


def test_a_dry_run_says_what_the_round_would_deal(candidate, reviewer, other_reviewer):
    people = ["--reviewers", reviewer.username, other_reviewer.username]
    make_candidate("8")
    make_candidate("9")
    said = begin(*people, "--sample-size", "2", "--dry-run")
    assert "2 candidates would be dealt." in said
    assert f"{reviewer.username}: 2 judgments." in said
    assert "Left out: 1, Not drawn for the sample." in said
    assert not Round.objects.exists()
    done = begin(*people, "--sample-size", "2")
    assert "2 candidates dealt" in done
    assert "Left out: 1, Not drawn for the sample." in done


def test_a_dry_run_refuses_what_the_round_would_refuse(candidate, reviewer, other_reviewer):
    people = ["--reviewers", reviewer.username, other_reviewer.username]
    begin(*people)
    with pytest.raises(CommandError) as refused:
        begin(*people)
    with pytest.raises(CommandError) as tried:
        begin(*people, "--dry-run")
    assert str(tried.value) == str(refused.value)


def test_a_round_is_begun_on_its_page(candidate, client, admin, reviewer, other_reviewer):
    client.force_login(admin)
    address = reverse("round_new_of", args=["contradoc-verification"])
    assert "Five questions" in client.get(address).content.decode()
    sent: dict[str, Any] = {"name": "First", "reviewers": [reviewer.pk, other_reviewer.pk]}
    sent |= {"seed": 5, "undo_minutes": 15, "lease_minutes": 30}
    assert client.post(address, sent).status_code == 302
    assert Round.objects.get().questionnaire == "contradoc-verification"
    assert client.get(reverse("round_new_of", args=["nothing"])).status_code == 404


# --- The release ----------------------------------------------------------------------------------------------------


@pytest.fixture
def finished(admin, reviewer, other_reviewer) -> Round:
    """A round that kept an insertion and a replacement, and called one candidate no contradiction."""
    for code, insert in (("7", True), ("news_train_8", False), ("9", True)):
        make_candidate(code, insert=insert)
    make_document("10")
    people = [reviewer, other_reviewer]
    round = make_questionnaire_round("contradoc-verification", admin, people, undo_minutes=0)
    for slot in Judgment.objects.filter(round=round).select_related("item", "round"):
        said = NO if slot.item.subject.document.code == "9" else YES
        record_judgment(slot=slot, reviewer=slot.reviewer, answers=said)
    close_round(round=round, admin=admin)
    return Round.objects.get(pk=round.pk)


def release_by_command(*options: str) -> Release:
    out = StringIO()
    call_command("release_candidates", "--round", str(Round.objects.get().pk), *options, stdout=out)
    release = Release.objects.latest("number")
    assert f"Release {release.number} " in out.getvalue()
    return release


def test_a_dry_run_says_how_many_documents_there_would_be(finished):
    out = StringIO()
    call_command("release_candidates", "--round", str(finished.pk), "--with-clean", "--dry-run", stdout=out)
    assert "The release would have 4 documents. Nothing was made." in out.getvalue()
    assert not Release.objects.exists()
    made = release_by_command("--with-clean")
    call_command("release_candidates", "--round", str(finished.pk), "--with-clean", "--dry-run", stdout=out)
    assert f"Release {made.number} “{made.name}” already has them." in out.getvalue()


def test_verified_candidates_become_a_release(finished):
    release = release_by_command()
    positive, replaced, negative = [each.content for each in release.instances.order_by("released_instances__number")]
    inserted = Candidate.objects.get(document__code="7")
    assert positive == {
        "label": "pos",
        "text": inserted.text,
        "evidence": CONTRADICTION,
        "unique id": f"7_{inserted.pk}",
        "doc_type": "news",
        "contra_plug": "Insert",
        "contra_type": ["Content"],
        "scope": "global",
        "ref sentences": [ORIGINAL],
    }
    assert replaced["contra_plug"] == "Replace"
    assert "ref sentences" not in replaced
    assert re.fullmatch(r"1\d{13}_\d+", replaced["unique id"])
    assert (negative["label"], set(negative)) == ("neg", {"label", "text", "unique id", "doc_type"})


def test_making_it_again_gives_the_same_release_and_clean_documents_make_another(finished):
    first = release_by_command()
    assert release_by_command() == first
    with_clean = release_by_command("--with-clean")
    added = with_clean.instances.exclude(pk__in=first.instances.values("pk")).get()
    assert (added.content["unique id"], added.content["label"]) == ("10", "neg")


def test_a_release_is_made_on_the_page_of_the_round(finished, client, admin):
    client.force_login(admin)
    page = client.get(reverse("round", args=[finished.pk])).content.decode()
    assert "Make a release of the kept ones" in page
    made = client.post(reverse("round_release", args=[finished.pk]), {"name": "Ours"}, follow=True)
    assert "Ours" in made.content.decode()
    assert Release.objects.get().how_made["rounds"] == [finished.name]


def test_nothing_is_released_of_a_round_that_is_not_finished(round, client, admin):
    with pytest.raises(CommandError, match="Not finished yet"):
        release_by_command()
    client.force_login(admin)
    assert client.post(reverse("round_release", args=[round.pk]), {"name": "Ours"}).status_code == 409
    assert not Release.objects.exists()


# --- Programs -------------------------------------------------------------------------------------------------------


def ask(client, person, method: str, address: str, body: dict[str, Any] | None = None) -> Any:
    client.force_login(person)
    answered = getattr(client, method)(f"/api/v1/{address}", body, content_type="application/json")
    assert answered.status_code in (200, 201, 204), answered.content
    return answered.json() if answered.content else None


def test_programs_verify_and_decide(round, candidate, client, reviewer, other_reviewer, adjudicator):
    for person, said in ((reviewer, YES), (other_reviewer, NO)):
        slot = ask(client, person, "post", f"judging/{round.key}/next/")
        assert (slot["form"], slot["subject"]["introduced"]) == ("contradoc-verification", CONTRADICTION)
        assert [each["name"] for each in slot["questions"]][:3] == ["contradict", "feasible", "gap"]
        given = ask(client, person, "post", f"judgments/{slot['judgment']}/", {"answers": said})
        assert given["answers"] == said
        assert (
            ask(client, person, "get", f"judging/{round.key}/mine/")["results"][0]["question"]
            == f"7: {CONTRADICTION}"
        )
    found = ask(client, adjudicator, "post", "adjudications/next/")
    assert sorted(side["answers"]["contradict"] for side in found["sides"]) == ["no", "yes"]
    sent = {"answers": YES, "reason": "It cannot be both."}
    assert ask(client, adjudicator, "post", f"adjudications/{found['key']}/", sent)["answers"] == YES
    assert (
        ask(client, adjudicator, "get", "adjudications/?show=decided")["results"][0]["question"]
        == f"7: {CONTRADICTION}"
    )
    assert state(candidate) == CandidateState.VERIFIED
