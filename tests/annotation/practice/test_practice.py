"""Practice runs: the desk with known answers, by the doors that people use."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.content.fields import empty_content
from annotation.desk.assignments.assigning import set_annotations_needed
from annotation.desk.assignments.assignment import claim_next_tag
from annotation.desk.assignments.practice_due import PracticeDue
from annotation.models import (
    AnnotationState,
    Assignment,
    Evidence,
    EvidenceKind,
    EvidencePage,
    PracticeAttempt,
    PracticeTag,
    Rendering,
    SeenAnnotation,
)
from annotation.practice.attempts import begin_attempt, finish_attempt, offered_to
from annotation.practice.comparing import compare_step
from annotation.practice.shipped import install_practice, shipped_practice
from core.models import Event, Project
from core.refusals import Refusal
from tests.annotation.desk_helpers import claim, submit
from tests.factories import AnnotationFactory, TagFactory

PRACTICE = "/annotation/practice/"


def shipped(key: str) -> PracticeTag:
    return PracticeTag.objects.get(key=key)


def begin(client, key: str = "mira-castellan") -> PracticeAttempt:
    client.post(f"{PRACTICE}{shipped(key).pk}/begin/")
    return PracticeAttempt.objects.latest("pk")


def send(client, attempt: PracticeAttempt, act: str, body: dict, version: int | None = None):
    attempt.refresh_from_db()
    return client.post(
        f"{PRACTICE}runs/{attempt.pk}/{act}/",
        json.dumps({"operation": str(uuid4()), "tab": "a"} | body),
        content_type="application/json",
        headers={"If-Match": str(attempt.version if version is None else version)},
    )


def reference(key: str, **changes) -> dict:
    return empty_content() | shipped(key).reference | changes


def finish(person, key: str, **changes) -> PracticeAttempt:
    attempt = begin_attempt(practice_tag=shipped(key), person=person)
    content = reference(key, **changes)
    assert not finish_attempt(attempt=attempt, person=person, content=content, base_version=0).problems
    return attempt


def finish_all(person) -> None:
    for fields in shipped_practice():
        finish(person, fields["key"])


# --- what ships ---------------------------------------------------------------------------------------------------


def test_what_ships_is_there_once_and_keeps_what_an_admin_changed(db):
    keys = [fields["key"] for fields in shipped_practice()]
    assert list(PracticeTag.objects.values_list("key", flat=True)) == keys
    PracticeTag.objects.filter(key=keys[0]).update(is_offered=False, why={"1": "mine"})
    install_practice()
    assert PracticeTag.objects.count() == len(keys)
    assert (shipped(keys[0]).is_offered, shipped(keys[0]).why) == (False, {"1": "mine"})


@pytest.mark.parametrize("fields", shipped_practice(), ids=lambda fields: fields["key"])
def test_each_reference_could_be_submitted_and_says_why_in_each_step(fields, annotator):
    attempt = finish(annotator, fields["key"])
    assert attempt.matched == attempt.of > 0
    assert fields["why"].keys() >= attempt.first.keys()


def test_one_of_those_that_ship_is_not_valid(db):
    assert shipped("old-ferry-inn").reference["wikitag_label_valid"] == "Invalid"


# --- at the desk --------------------------------------------------------------------------------------------------


def test_the_list_offers_the_tags_and_leads_to_the_desk(anna):
    page = anna.get(PRACTICE).content.decode()
    assert "Mira Castellan" in page
    assert "Old Ferry Inn" in page
    attempt = begin(anna)
    page = anna.get(f"{PRACTICE}runs/{attempt.pk}/").content.decode()
    assert "11 March 1872" in page  # the article
    assert "Self-contradictory" in page  # the tag
    assert 'id="step-6"' in page
    assert 'id="keys-dialog"' in page
    assert "1868" not in page  # the reference is not


def test_a_second_click_goes_on_with_the_same_attempt(anna):
    assert begin(anna) == begin(anna)
    assert PracticeAttempt.objects.count() == 1


def test_a_draft_is_kept_and_found_again(anna):
    attempt = begin(anna)
    answer = send(anna, attempt, "save", {"content": {"wikitag_label_valid": "Valid", "valid_comment": "Two dates."}})
    assert answer.json() == {"version": 1, "standing": "held", "message": ""}
    assert "Two dates." in anna.get(f"{PRACTICE}runs/{attempt.pk}/").content.decode()
    assert "Continue" in anna.get(PRACTICE).content.decode()


def test_a_stale_save_changes_nothing_and_tells_what_is_there(anna):
    attempt = begin(anna)
    send(anna, attempt, "save", {"content": {"valid_comment": "first"}})
    answer = send(anna, attempt, "save", {"content": {"valid_comment": "second"}}, version=0)
    assert answer.status_code == 409
    assert (answer.json()["reason"], answer.json()["content"]["valid_comment"]) == ("stale", "first")
    again = send(anna, attempt, "save", {"content": {"valid_comment": "first"}}, version=0)
    assert (again.status_code, again.json()["version"]) == (200, 1)


def test_a_step_is_compared_and_the_first_time_is_its_score(anna):
    attempt = begin(anna)
    send(anna, attempt, "save", {"content": {"wikitag_label_valid": "Invalid", "valid_comment": "No idea."}})
    shown = send(anna, attempt, "compare", {"step": 1}).content.decode()
    assert "0 of 1 agree" in shown
    assert "1941 − 73 is 1868" in shown
    send(anna, attempt, "save", {"content": {"wikitag_label_valid": "Valid"}})
    assert "Agrees" in send(anna, attempt, "compare", {"step": 1}).content.decode()
    attempt.refresh_from_db()
    assert attempt.first == {"1": [0, 1]}
    assert "1941 − 73 is 1868" in anna.get(f"{PRACTICE}runs/{attempt.pk}/").content.decode()


def test_a_step_without_anything_in_it_gives_nothing_away(anna):
    attempt = begin(anna)
    answer = send(anna, attempt, "compare", {"step": 2})
    assert (answer.status_code, answer.json()["reason"]) == (400, "refused")
    assert "Step 2 is still empty" in answer.json()["message"]
    attempt.refresh_from_db()
    assert attempt.first == {}


def test_without_javascript_comparing_saves_first_and_leads_to_the_step(anna):
    attempt = begin(anna)
    form = {"base_version": "0", "operation": str(uuid4()), "wikitag_label_valid": "Valid", "step": "1"}
    answer = anna.post(f"{PRACTICE}runs/{attempt.pk}/compare/", form)
    assert (answer.status_code, answer["Location"]) == (302, f"{PRACTICE}runs/{attempt.pk}/#compared-1")
    attempt.refresh_from_db()
    assert attempt.content["wikitag_label_valid"] == "Valid"
    assert attempt.first == {"1": [1, 1]}


def test_without_javascript_another_tab_overwrites_nothing(anna):
    attempt = begin(anna)
    send(anna, attempt, "save", {"content": {"valid_comment": "first"}})
    form = {"base_version": "0", "operation": str(uuid4()), "valid_comment": "second"}
    answer = anna.post(f"{PRACTICE}runs/{attempt.pk}/save/", form)
    assert answer.status_code == 409
    assert "second" in answer.content.decode()
    attempt.refresh_from_db()
    assert attempt.content["valid_comment"] == "first"


def test_it_is_finished_like_an_annotation_and_then_does_not_change(anna):
    attempt = begin(anna)
    answer = send(anna, attempt, "submit", {"content": reference("mira-castellan", confidence="")})
    assert (answer.status_code, answer.json()["reason"]) == (422, "problems")
    answer = send(anna, attempt, "submit", {"content": reference("mira-castellan")})
    assert answer.json() == {"next": f"{PRACTICE}runs/{attempt.pk}/"}
    page = anna.get(answer.json()["next"]).content.decode()
    assert "8 of 8 choices agreed" in page
    assert "Next practice tag" in page
    assert send(anna, attempt, "submit", {"content": {}}).json() == answer.json()  # sent twice
    assert send(anna, attempt, "save", {"content": {}}).status_code == 409


def test_it_may_be_repeated_and_the_earlier_attempt_stays(anna, annotator):
    first = finish(annotator, "mira-castellan", **{"Contradict type IV": ["EXP"]})
    second = begin(anna)
    assert (second.number, second.content["wikitag_label_valid"]) == (2, "")
    assert "7 of 8 agreed" in anna.get(PRACTICE).content.decode()
    assert first.first == PracticeAttempt.objects.get(pk=first.pk).first


def test_a_passage_is_taken_from_the_article_and_put_back(anna):
    attempt = begin(anna)
    taken = send(anna, attempt, "select", {"evidence": 1, "tagged": True, "position": 1, "is_first": True}).json()
    sources = taken["sources"]
    assert (sources[0]["text"], sources[0]["kind"]) == ("Birth date: 11 March 1872", "infobox")
    twice = send(anna, attempt, "select", {"evidence": 1, "tagged": True, "position": 1})
    assert twice.status_code == 409
    assert send(anna, attempt, "sources", {"position": 1, "parts": []}).json() == {"sources": []}
    assert send(anna, attempt, "sources", {"position": 1, "parts": sources}).json() == {"sources": sources}


@pytest.mark.parametrize("body", [{"evidence": 9}, {"position": 3}, {"start": 10**9, "end": 10**9}])
def test_a_selection_that_cannot_be_is_refused(anna, body):
    attempt = begin(anna)
    sent = {"evidence": 1, "start": 0, "end": 5, "position": 1, "is_first": True} | body
    assert send(anna, attempt, "select", sent).status_code in (400, 409)


def test_the_article_opens_as_a_page_of_its_own(anna):
    attempt = begin(anna)
    assert "Herbarium" in anna.get(f"{PRACTICE}runs/{attempt.pk}/pages/article/").content.decode()
    assert anna.get(f"{PRACTICE}runs/{attempt.pk}/pages/talk/").status_code == 404


def test_the_attempt_of_another_person_is_not_found(anna, other_annotator, sign_in):
    attempt, other = begin(anna), sign_in(other_annotator)
    assert other.get(f"{PRACTICE}runs/{attempt.pk}/").status_code == 404
    assert send(other, attempt, "compare", {"step": 1}).status_code == 404


# --- what agrees --------------------------------------------------------------------------------------------------


def test_passages_the_other_way_round_are_as_good(db):
    whole = reference("mira-castellan")
    turned = dict(whole)
    for name in ("paragraph{}_information", "paragraph{}_information_standalone"):
        one, other = name.format("A"), name.format("B")
        turned[one], turned[other] = whole[other], whole[one]
    compared = compare_step(2, turned, whole)
    assert compared.is_swapped
    assert compared.matched == compared.of == 3


def test_the_order_of_ticking_makes_no_difference_and_a_missing_tick_does():
    one, other = empty_content(), empty_content()
    one["Contradict type I"], other["Contradict type I"] = ["DATE", "NUM"], ["NUM", "DATE"]
    assert compare_step(4, one, other).matched == 4
    other["Contradict type I"] = ["NUM"]
    assert compare_step(4, one, other).matched == 3


def test_what_is_in_ones_own_words_is_shown_and_not_scored(db):
    compared = compare_step(3, empty_content(), reference("mira-castellan"))
    assert compared.of == 0
    assert "1868" in compared.rows[2].reference


# --- required -----------------------------------------------------------------------------------------------------


def require() -> None:
    Project.get()
    Project.objects.update(practice_required=True)


def test_a_newcomer_gets_no_tag_before_the_practice_run_is_finished(anna, annotator):
    TagFactory()
    require()
    assert anna.post("/annotation/desk/next/")["Location"] == PRACTICE
    assert "finish a practice run before your first tag" in anna.get("/annotation/desk/").content.decode()
    assert "Start with a practice run" in anna.get("/", headers={"HX-Request": "true"}).content.decode()
    with pytest.raises(PracticeDue):
        claim_next_tag(annotator=annotator)
    assert not Assignment.objects.filter(annotator=annotator).exists()
    finish_all(annotator)
    assert claim_next_tag(annotator=annotator) is not None


def test_the_first_page_offers_it_to_newcomers_only(anna, annotator):
    offer = "Take the tour of the desk and a practice run"
    assert offer in anna.get("/").content.decode()
    TagFactory()
    submit(claim(annotator))
    assert offer not in anna.get("/").content.decode()


def test_whoever_has_submitted_an_annotation_goes_on(annotator):
    TagFactory()
    submit(claim(annotator))
    TagFactory()
    require()
    assert claim_next_tag(annotator=annotator) is not None


def test_what_is_theirs_already_stays_with_them(annotator):
    TagFactory()
    held = claim(annotator)
    require()
    assert claim_next_tag(annotator=annotator) == held


def test_nothing_is_required_where_no_tag_is_offered(annotator):
    TagFactory()
    require()
    PracticeTag.objects.update(is_offered=False)
    assert claim_next_tag(annotator=annotator) is not None


def test_programs_are_told_so(annotator, anna):
    TagFactory()
    require()
    answer = anna.post("/api/v1/assignments/next/", content_type="application/json")
    assert answer.status_code == 409
    assert "practice run" in answer.content.decode()


# --- chosen by admins ---------------------------------------------------------------------------------------------


@pytest.fixture
def accepted(other_annotator):
    """An accepted annotation whose article is kept."""
    tag = TagFactory(
        article__title="Velm Bridge", paragraph="It opened in 1903.", paragraph_clean="It opened in 1903."
    )
    Assignment.objects.filter(tag=tag).delete()
    return AnnotationFactory(tag=tag, annotator=other_annotator, state=AnnotationState.ACCEPTED)


@pytest.fixture
def kept(accepted):
    page = EvidencePage.of("<p>It opened in 1903.</p>")
    article = {"kind": EvidenceKind.ARTICLE, "rendering": Rendering.PARAGRAPH, "title": "Velm Bridge", "page": page}
    Evidence.objects.create(tag=accepted.tag, revision_id=accepted.tag.article.revision_id, **article)
    return accepted


def test_an_accepted_annotation_becomes_a_reference_with_reasons(amir, anna, annotator, kept):
    assert "Velm Bridge" in amir.get(f"{PRACTICE}tags/").content.decode()
    amir.post(f"{PRACTICE}tags/choose/", {"annotation": kept.pk})
    chosen = PracticeTag.objects.get(annotation=kept)
    amir.post(f"{PRACTICE}tags/{chosen.pk}/", {"why_1": "Two years for one opening."})
    attempt = begin_attempt(practice_tag=chosen, person=annotator)
    send(anna, attempt, "save", {"content": {"wikitag_label_valid": "Valid"}})
    assert "Two years for one opening." in send(anna, attempt, "compare", {"step": 1}).content.decode()


def test_whoever_practises_on_it_is_never_given_its_tag(kept, amir, annotator, admin):
    amir.post(f"{PRACTICE}tags/choose/", {"annotation": kept.pk})
    begin_attempt(practice_tag=PracticeTag.objects.get(annotation=kept), person=annotator)
    assert SeenAnnotation.objects.filter(annotation=kept, person=annotator).exists()
    set_annotations_needed(tag=kept.tag, needed=2, admin=admin)
    assert claim_next_tag(annotator=annotator) is None


def test_whoever_annotates_the_tag_is_not_offered_its_reference(kept, amir, annotator, other_annotator):
    amir.post(f"{PRACTICE}tags/choose/", {"annotation": kept.pk})
    chosen = PracticeTag.objects.get(annotation=kept)
    AnnotationFactory(tag=kept.tag, annotator=annotator, state=AnnotationState.DRAFT)
    for person in (annotator, other_annotator):
        assert not offered_to(person).filter(pk=chosen.pk).exists()
        with pytest.raises(Refusal):
            begin_attempt(practice_tag=chosen, person=person)


def test_an_annotation_is_not_chosen_while_another_of_its_tag_is_to_come(kept, amir, admin):
    set_annotations_needed(tag=kept.tag, needed=2, admin=admin)
    answer = amir.post(f"{PRACTICE}tags/choose/", {"annotation": kept.pk})
    assert answer.status_code == 409
    assert not PracticeTag.objects.exclude(annotation=None).exists()


def test_an_annotation_without_its_article_is_not_chosen(accepted, amir):
    answer = amir.post(f"{PRACTICE}tags/choose/", {"annotation": accepted.pk})
    assert answer.status_code == 409
    assert "not kept" in answer.content.decode()


def test_what_is_not_offered_is_not_begun_but_an_open_attempt_is_finished(amir, anna):
    attempt = begin(anna)
    amir.post(f"{PRACTICE}tags/{attempt.practice_tag_id}/offer/", {"offered": "no"})
    assert "Mira Castellan" not in anna.get(PRACTICE).content.decode()
    assert send(anna, attempt, "submit", {"content": reference("mira-castellan")}).status_code == 200
    assert anna.post(f"{PRACTICE}{attempt.practice_tag_id}/begin/").status_code == 409


def test_an_admin_sees_how_each_person_did(amir, annotator, other_annotator):
    finish(annotator, "mira-castellan", **{"Contradict type IV": ["EXP"]})
    begin_attempt(practice_tag=shipped("old-ferry-inn"), person=other_annotator)
    page = amir.get(f"{PRACTICE}tags/").content.decode()
    assert "7 of 8" in page
    assert "begun" in page


def test_the_time_on_each_step_is_kept_also_what_arrives_last_and_admins_see_it(anna, amir, annotator, admin):
    attempt = finish(annotator, "mira-castellan")
    PracticeAttempt.objects.update(begun_at=timezone.now() - timedelta(minutes=10))
    for page, seconds in (("a", {"1": 30}), ("a", {"1": 60, "4": 20}), ("b", {"4": 65}), ("b", {"4": 1})):
        assert send(anna, attempt, "time", {"page": page, "seconds": seconds}).status_code == 200
    assert send(anna, attempt, "time", {"page": "c", "seconds": {"7": 1}}).status_code == 400
    assert send(amir, attempt, "time", {"page": "c", "seconds": {"1": 1}}).status_code == 403
    assert "2 min" in amir.get(f"{PRACTICE}tags/").content.decode()
    (told,) = amir.get("/api/v1/practice/attempts/").json()["results"]
    assert (told["person"], told["title"], told["number"], told["matched"]) == (
        "anna",
        attempt.practice_tag.title,
        1,
        8,
    )
    assert told["seconds"] == 145
    assert told["steps"]["4"] == {"matched": 4, "of": 4, "seconds": 85}
    assert told["steps"]["3"]["seconds"] == 0


def test_no_more_time_is_kept_than_has_passed(anna):
    attempt = begin(anna)
    send(anna, attempt, "time", {"page": "a", "seconds": {"2": 100_000}})
    attempt.refresh_from_db()
    assert 0 < attempt.seconds < 120


def test_an_admin_says_in_which_order_people_practise(amir, anna):
    def order() -> list[str]:
        return [offer.tag.key for offer in anna.get(PRACTICE).context["offers"]]

    first, second, third = order()
    address = f"{PRACTICE}tags/{shipped(third).pk}/move/"
    for to, status, expected in (
        ("earlier", 302, [first, third, second]),
        ("earlier", 302, [third, first, second]),
        ("earlier", 302, [third, first, second]),
        ("later", 302, [first, third, second]),
        ("away", 400, [first, third, second]),
    ):
        assert amir.post(address, {"to": to}).status_code == status
        assert order() == expected
    assert Event.objects.filter(action="moved_practice").count() == 3


def test_begin_finish_and_choice_are_in_the_log(annotator, amir, kept):
    finish(annotator, "old-ferry-inn")
    amir.post(f"{PRACTICE}tags/choose/", {"annotation": kept.pk})
    actions = set(Event.objects.values_list("action", flat=True))
    assert {"began_practice", "finished_practice", "chose_for_practice"} <= actions


@pytest.mark.parametrize(
    "values", [{"number": 1}, {"number": 2}, {"number": 0}], ids=["the same number", "two open", "no number"]
)
def test_the_database_refuses_attempts_that_cannot_be(annotator, values):
    first = begin_attempt(practice_tag=shipped("mira-castellan"), person=annotator)
    with pytest.raises(IntegrityError), transaction.atomic():
        PracticeAttempt.objects.create(practice_tag=first.practice_tag, person=annotator, content={}, **values)
