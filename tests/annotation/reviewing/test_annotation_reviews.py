"""A reviewer reads what was submitted, and accepts it, returns it with a message, or excludes it with a reason."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from annotation.desk.assignments.assigning import assign_tag
from annotation.models import Annotation, AnnotationState, Assignment, Passage, Tag
from core.models import Event, Role, User
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory

LIST = "/annotation/reviews/"


def submit_annotation(annotator: User | None, tag: Tag | None = None, **fields) -> Annotation:
    """A submitted annotation of one of the tag's assignments; without an annotator it was imported and has none."""
    tag = tag or TagFactory()
    annotation = AnnotationFactory(tag=tag, annotator=annotator, state=AnnotationState.SUBMITTED, **fields)
    assignment = Assignment.objects.filter(tag=tag, annotator=None)[0]
    if annotator is None:
        assignment.delete()
        return annotation
    now = timezone.now()
    Assignment.objects.filter(pk=assignment.pk).update(annotator=annotator, claimed_at=now, done_at=now)
    return annotation


def page(client, address=LIST):
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def decide(client, annotation, action, **words):
    return client.post(f"{LIST}{annotation.pk}/{action}/", {"seen_version": annotation.version, **words})


def test_the_list_shows_what_waits_longest_waiting_first(annotator, rita):
    late = submit_annotation(annotator)
    early = submit_annotation(annotator, submitted_at=timezone.now() - timedelta(hours=1))
    draft = AnnotationFactory(state=AnnotationState.DRAFT, submitted_at=None)
    assert list(rita.get(LIST).context["page"]) == [early, late]
    assert draft.tag.article.title not in page(rita)


def test_chips_filter_by_where_an_annotation_stands(annotator, rita):
    shown = {
        "waiting": submit_annotation(annotator),
        "returned": AnnotationFactory(state=AnnotationState.RETURNED, review_message="?", annotator=annotator),
        "accepted": AnnotationFactory(annotator=annotator),
        "excluded": AnnotationFactory(state=AnnotationState.EXCLUDED, review_message="?", annotator=annotator),
    }
    for name, annotation in shown.items():
        response = rita.get(f"{LIST}?state={name}")
        assert list(response.context["page"]) == [annotation]
        assert dict(response.context["chips"])[name] == "1"


@pytest.mark.parametrize("query", ["state=nonsense", "state=draft", "page=99", "page=x", "state=%F0%9F%92%A9"])
def test_a_filter_that_cannot_be_read_shows_what_waits(annotator, rita, query):
    annotation = submit_annotation(annotator)
    assert list(rita.get(f"{LIST}?{query}").context["page"]) == [annotation]


def test_an_empty_list_says_what_comes_here(rita):
    for name in ("waiting", "incomplete", "returned", "accepted", "not_chosen", "excluded"):
        assert 'class="empty"' in page(rita, f"{LIST}?state={name}")


def test_the_page_shows_the_work_with_spans_and_changes_marked(annotator, rita):
    annotation = submit_annotation(annotator)
    Passage.objects.filter(annotation=annotation, position=1).update(
        text="It opened in 1903.", standalone_text="The bridge opened in 1903."
    )
    shown = page(rita, f"{LIST}{annotation.pk}/")
    assert '<del>It </del><ins>The bridge </ins>opened in <mark class="span">1903</mark>.' in shown
    assert "1 change from the text as found" in shown
    assert shown.count("The bridge </ins>") == 1, "a passage is on the page once"
    assert '<mark class="tag">{{Inconsistent|date=May 2024}}</mark>' in shown
    assert "Implicit (reasoning required)" in shown
    assert "until 1899" in shown


def test_text_of_people_is_never_markup(annotator, rita):
    evil = "<script>alert(1)</script>"
    annotation = submit_annotation(annotator, valid_comment=evil)
    annotation.passages.update(text=evil, standalone_text=evil + "!", span=evil, statement=evil, article_title=evil)
    annotation.questions.update(text=evil, answer_1=evil)
    Tag.objects.update(raw=evil, paragraph="{{" + evil + "}}", reason=evil, section=evil)
    annotation.tag.article.title = evil
    annotation.tag.article.url = "javascript:alert(1)"
    annotation.tag.article.save()
    for address in (LIST, f"{LIST}{annotation.pk}/"):
        assert "<script>alert" not in page(rita, address)
        assert "javascript:" not in page(rita, address)


def test_imported_work_with_parts_missing_can_be_read(rita):
    annotation = submit_annotation(None, validity="", confidence=None, same_passage="")
    annotation.passages.filter(position=2).delete()
    annotation.passages.update(span="nowhere", standalone_text="")
    annotation.questions.all().delete()
    annotation.contradiction_types.filter(dimension="origin").update(code="")
    shown = page(rita, f"{LIST}{annotation.pk}/")
    assert "not found in the passage" in shown
    assert "No questions." in shown
    assert 'data-opens="return"' not in shown


def test_a_span_from_the_stand_alone_version_is_not_called_lost(rita, annotator):
    annotation = submit_annotation(annotator)
    annotation.passages.update(text="spans = 24", standalone_text="The bridge has 24 spans.", span="24 spans")
    shown = page(rita, f"{LIST}{annotation.pk}/")
    assert 'has <mark class="span">24 spans</mark>.' in re.sub("</?(ins|del)>", "", shown)
    assert "not found in the passage" not in shown


def test_accepting_moves_on_to_the_next(annotator, reviewer, rita):
    first, second = submit_annotation(annotator), submit_annotation(annotator)
    response = decide(rita, first, "accept")
    assert response["Location"] == f"{LIST}{second.pk}/"
    first.refresh_from_db()
    assert (first.state, first.reviewed_by) == ("accepted", reviewer)
    event = Event.objects.about(first).get()
    assert (event.actor, event.before, event.after) == (reviewer, {"state": "submitted"}, {"state": "accepted"})
    assert decide(rita, second, "accept")["Location"] == LIST


def test_an_acceptance_is_undone_by_its_notice(annotator, reviewer, rita):
    annotation = submit_annotation(annotator)
    shown = rita.post(f"{LIST}{annotation.pk}/accept/", {"seen_version": annotation.version}, follow=True)
    (notice,) = shown.context["messages"]
    assert notice.extra_tags == f"{LIST}{annotation.pk}/undo/"
    assert rita.post(notice.extra_tags)["Location"] == f"{LIST}{annotation.pk}/"
    annotation.refresh_from_db()
    assert (annotation.state, annotation.reviewed_by) == ("submitted", None)
    assert Event.objects.about(annotation).latest("pk").action == "reconsidered"
    again = rita.post(notice.extra_tags)
    assert (again.status_code, "can no longer be undone" in again.content.decode()) == (409, True)


def test_nobody_undoes_the_acceptance_of_another(annotator, rita, other_reviewer, sign_in):
    annotation = submit_annotation(annotator)
    decide(rita, annotation, "accept")
    assert sign_in(other_reviewer).post(f"{LIST}{annotation.pk}/undo/").status_code == 409
    annotation.refresh_from_db()
    assert annotation.state == "accepted"


def test_returning_takes_a_message_and_opens_the_assignment_again(annotator, rita):
    annotation = submit_annotation(annotator)
    assert decide(rita, annotation, "return", message="  ").status_code == 400
    decide(rita, annotation, "return", message="Which bridge?")
    annotation.refresh_from_db()
    assert (annotation.state, annotation.review_message) == ("returned", "Which bridge?")
    assert Assignment.objects.get().done_at is None
    assert "Which bridge?" in page(rita, f"{LIST}{annotation.pk}/")


def test_excluding_takes_a_reason(annotator, rita):
    annotation = submit_annotation(annotator)
    assert decide(rita, annotation, "exclude").status_code == 400
    decide(rita, annotation, "exclude", reason="ambiguous")
    annotation.refresh_from_db()
    assert (annotation.state, annotation.review_message) == ("excluded", "ambiguous")


def test_a_decision_is_reconsidered_with_a_reason(annotator, rita):
    annotation = submit_annotation(annotator)
    decide(rita, annotation, "accept")
    assert decide(rita, annotation, "reconsider", reason="").status_code == 400
    decide(rita, annotation, "reconsider", reason="a second bridge")
    annotation.refresh_from_db()
    assert annotation.state == "submitted"


@pytest.mark.parametrize(
    ("is_imported", "action", "says"),
    [
        (False, "accept", "To return or exclude it, reconsider it first."),
        (True, "accept", "To exclude it, reconsider it first."),
        (False, "exclude", "To accept or return it, reconsider it first."),
        (True, "exclude", "To accept it, reconsider it first."),
        (False, "return", "Its annotator has it again, so it cannot be decided on until it is submitted."),
    ],
)
def test_a_decided_one_says_which_decisions_are_still_possible(
    annotator, rita, admin, sign_in, is_imported, action, says
):
    annotation = submit_annotation(None if is_imported else annotator)
    assert says not in page(rita, f"{LIST}{annotation.pk}/")
    decide(rita, annotation, action, message="Which bridge?", reason="ambiguous")
    for client in (rita, sign_in(admin)):
        shown = page(client, f"{LIST}{annotation.pk}/").split('<section class="decide')[1].split("</section>")[0]
        assert says in shown
        assert ("Reconsider…" in shown) == (action != "return")


def test_the_writer_of_a_decided_one_reads_that_another_person_reconsiders_it(annotator, rita, sign_in):
    annotator.groups.add(Group.objects.get_or_create(name=Role.REVIEWER)[0])
    annotation = submit_annotation(annotator)
    decide(rita, annotation, "accept")
    shown = page(sign_in(annotator), f"{LIST}{annotation.pk}/")
    assert "You wrote it, so only another person can reconsider it." in shown
    assert "reconsider it first" not in shown


@pytest.mark.parametrize("seen", ["0", "", "x", "-3", "9" * 30])
def test_a_page_older_than_the_work_decides_nothing(annotator, rita, seen):
    annotation = submit_annotation(annotator, version=7)
    response = rita.post(f"{LIST}{annotation.pk}/accept/", {"seen_version": seen})
    assert response.status_code == 409
    annotation.refresh_from_db()
    assert annotation.state == "submitted"


def test_of_two_reviewers_the_first_decides(annotator, rita, other_reviewer, sign_in):
    annotation = submit_annotation(annotator)
    decide(rita, annotation, "accept")
    response = decide(sign_in(other_reviewer), annotation, "exclude", reason="ambiguous")
    assert response.status_code == 409
    assert "Accepted" in response.content.decode()


def test_nobody_decides_on_the_own_work(annotator, sign_in):
    annotator.groups.add(Group.objects.get_or_create(name=Role.REVIEWER)[0])
    annotation = submit_annotation(annotator)
    client = sign_in(annotator)
    shown = page(client, f"{LIST}{annotation.pk}/")
    assert "You wrote this annotation" in shown
    assert "/accept/" not in shown
    for decision in ("accept", "return", "exclude", "reconsider", "undo"):
        assert f'data-opens="{decision}"' not in shown
    assert decide(client, annotation, "accept").status_code == 403
    assert client.get(f"{LIST}next/")["Location"] == LIST
    assert list(client.get(LIST).context["page"]) == [annotation]
    assert list(client.get(f"{LIST}?mine=no").context["page"]) == []


def test_a_draft_is_nobody_elses_to_read(annotator, rita):
    draft = AnnotationFactory(state=AnnotationState.DRAFT, submitted_at=None, annotator=annotator)
    assert rita.get(f"{LIST}{draft.pk}/").status_code == 404
    assert decide(rita, draft, "accept").status_code == 404


def test_next_goes_round_and_leaves_out_the_one_passed_by(annotator, rita):
    first, second = submit_annotation(annotator), submit_annotation(annotator)
    assert rita.get(f"{LIST}next/")["Location"] == f"{LIST}{first.pk}/"
    assert rita.get(f"{LIST}next/?after={first.pk}")["Location"] == f"{LIST}{second.pk}/"
    assert rita.get(f"{LIST}next/?after={second.pk}")["Location"] == f"{LIST}{first.pk}/"
    for query in ("after=x", "after=99999999999999999999", "after="):
        assert rita.get(f"{LIST}next/?{query}")["Location"] == f"{LIST}{first.pk}/"


class TestATagWithTwoAnnotations:
    """Blind until both are in, then side by side; one of them is chosen."""

    @pytest.fixture
    def tag(self, db):
        return TagFactory(annotations_needed=2)

    def test_the_first_one_waits_for_the_other(self, tag, annotator, rita):
        first = submit_annotation(annotator, tag)
        assert list(rita.get(LIST).context["page"]) == []
        response = rita.get(f"{LIST}{first.pk}/")
        assert response.status_code == 409
        assert "not submitted yet" in response.content.decode()
        assert decide(rita, first, "accept").status_code == 409
        waiting = page(rita, f"{LIST}?state=incomplete")
        assert "shown once all are submitted" in waiting
        assert f"{LIST}{first.pk}/" not in waiting

    def test_both_are_shown_side_by_side_with_what_differs(self, tag, annotator, other_annotator, rita):
        first = submit_annotation(annotator, tag)
        second = submit_annotation(other_annotator, tag, confidence=2)
        second.contradiction_types.filter(dimension="reasoning_type").update(code="EXP")
        response = rita.get(f"{LIST}{first.pk}/")
        agree = {field.label: (field.values, field.agree) for field in response.context["compared"]}
        assert agree["Confidence"] == (["5", "2"], False)
        assert agree["Reasoning Type"] == (["Implicit (reasoning required)", "Explicit"], False)
        assert agree["Validity"] == (["Valid", "Valid"], True)
        shown = response.content.decode()
        assert f'href="{LIST}{second.pk}/"' in shown
        compared = shown.split('id="compared"')[1].split("</table>")[0]
        assert compared.index(">Confidence<") < compared.index(">Validity<"), "what differs stands first"
        assert compared.count('<mark class="span of-1">1903</mark>') == 4  # as found and stand-alone, by two people

    def test_the_order_is_the_same_from_either_side(self, tag, annotator, other_annotator, rita):
        pair = [submit_annotation(annotator, tag), submit_annotation(other_annotator, tag)]
        for each in pair:
            together = rita.get(f"{LIST}{each.pk}/").context["together"]
            assert [annotation for annotation, _ in together] == pair

    def test_accepting_one_leaves_the_other_not_chosen(self, tag, annotator, other_annotator, rita):
        first, second = submit_annotation(annotator, tag), submit_annotation(other_annotator, tag)
        assert decide(rita, first, "accept")["Location"] == LIST
        assert list(rita.get(f"{LIST}?state=not_chosen").context["page"]) == [second]
        assert "is not chosen" in page(rita, f"{LIST}{second.pk}/")
        refused = decide(rita, second, "accept")
        assert refused.status_code == 409
        assert "only one can be" in refused.content.decode()
        decide(rita, first, "reconsider", reason="the other is better")
        decide(rita, second, "accept")
        assert list(rita.get(f"{LIST}?state=not_chosen").context["page"]) == [first]

    def test_returning_one_lets_the_other_wait_again(self, tag, annotator, other_annotator, rita):
        first, second = submit_annotation(annotator, tag), submit_annotation(other_annotator, tag)
        decide(rita, first, "return", message="Which bridge?")
        assert list(rita.get(f"{LIST}?state=incomplete").context["page"]) == [second]

    def test_who_is_to_annotate_the_tag_sees_nothing_of_the_others(self, tag, annotator, sign_in, admin):
        first = submit_annotation(annotator, tag)
        both = make_person("bea", Role.REVIEWER, Role.ANNOTATOR)
        client = sign_in(both)
        assign_tag(tag=tag, annotator=both, admin=admin)
        for state in ("waiting", "incomplete"):
            response = client.get(f"{LIST}?state={state}")
            assert tag.article.title not in response.content.decode()
            assert set(dict(response.context["chips"]).values()) == {"0"}
        assert client.get(f"{LIST}{first.pk}/").status_code == 404

    def test_who_annotated_the_tag_sees_the_others_only_after_the_decision(self, tag, annotator, rita, sign_in):
        both = make_person("bea", Role.REVIEWER, Role.ANNOTATOR)
        client = sign_in(both)
        first, own = submit_annotation(annotator, tag), submit_annotation(both, tag)
        assert client.get(f"{LIST}{first.pk}/").status_code == 404
        assert decide(client, first, "exclude", reason="mine is better").status_code == 404
        assert client.get(f"{LIST}{own.pk}/").context["compared"] == []
        decide(rita, own, "accept")
        assert client.get(f"{LIST}{first.pk}/").status_code == 200


def test_the_first_page_counts_what_waits_for_this_person(annotator, rita):
    submit_annotation(annotator)
    submit_annotation(annotator, TagFactory(annotations_needed=2))
    assert "1 annotation<" in page(rita, "/")


def test_the_list_needs_as_many_queries_for_many_as_for_few(annotator, rita, django_assert_max_num_queries):
    for _ in range(12):
        submit_annotation(annotator)
    with django_assert_max_num_queries(15):
        page(rita)
