"""The other annotation of one's own tag is hidden, page by page. `test_same_tag_roles.py` tries all doors."""

import json

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from annotation.desk.assignments.assigning import assign_tag, set_annotations_needed
from annotation.desk.assignments.assignment import claim_next_tag, flag_tag, skip_tag
from annotation.desk.comments.about_annotations import AboutAnnotation
from annotation.desk.comments.comments import ask_question, reopen_comment, resolve_comment, write_comment
from annotation.evidence import ask_for_article
from annotation.models import (
    Evidence,
    EvidenceKind,
    EvidencePage,
    EvidenceRequest,
    Rendering,
    RequestState,
    SeenAnnotation,
)
from core.models import Role, User
from core.refusals import Refusal
from review.models import Judgment
from tests.annotation.desk_helpers import submit
from tests.annotation.same_tag.desk import with_roles
from tests.conftest import make_person
from tests.factories.judging import make_instance
from tests.factories.review import make_imported_run, make_response, make_round

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def test_a_flag_says_that_it_is_there_and_to_others_not_why(desk, sign_in):
    flag_tag(tag=desk.tag, annotator=desk.ansel, reason="The years agree once one reads on.")
    page = sign_in(desk.rita).get(reverse("desk_annotation", args=[desk.mine.pk])).content.decode()
    assert "This tag is flagged" in page
    assert "The years agree" not in page
    page = sign_in(desk.ansel).get(reverse("desk_annotation", args=[desk.theirs.pk])).content.decode()
    assert "The years agree" in page


def test_a_further_article_of_the_other_one_is_not_there(desk, sign_in):
    """Neither by its number, which can be guessed, nor by asking for the same one."""
    theirs = ask_for_article(tag=desk.tag, text="Velm Bridge", by=desk.ansel)
    kept = {"tag": desk.tag, "kind": EvidenceKind.FURTHER, "title": "Velm Bridge", "rendering": Rendering.WIKITEXT}
    page = Evidence.objects.create(page=EvidencePage.of("<p>It opened in 1899.</p>"), **kept)
    EvidenceRequest.objects.filter(pk=theirs.pk).update(state=RequestState.DONE, evidence=page)

    def select(person, annotation, evidence):
        sent = {
            "evidence": evidence,
            "start": 0,
            "end": 18,
            "words": "It opened in 1899.",
            "position": 1,
            "is_first": True,
        }
        address = reverse("desk_select", args=[annotation.pk])
        return sign_in(person).post(address, json.dumps(sent), content_type="application/json")

    def again(person, annotation, request):
        return sign_in(person).post(reverse("desk_evidence_again", args=[annotation.pk, request])).status_code

    refused = select(desk.rita, desk.mine, page.pk)
    assert refused.status_code == 409
    assert refused.content == select(desk.rita, desk.mine, page.pk + 1000).content
    assert select(desk.ansel, desk.theirs, page.pk).json()["title"] == "Velm Bridge"
    assert again(desk.rita, desk.mine, theirs.pk) == again(desk.rita, desk.mine, theirs.pk + 1000) == 404
    mine = ask_for_article(tag=desk.tag, text="Velm Bridge", by=desk.rita)
    assert (mine.requested_by, mine.state) == (desk.rita, RequestState.WAITING)
    tab = sign_in(desk.rita).get(reverse("desk_evidence", args=[desk.mine.pk, "further"])).text
    assert "Velm Bridge" in tab


def test_who_has_read_another_annotation_is_not_handed_the_tag(desk, admin, sign_in):
    """Ralph annotates, too, but read Ansel's in a review; neither the queue nor an admin gives him the tag."""
    submit(desk.theirs)
    submit(desk.mine)
    page = sign_in(desk.ralph).get(reverse("reviews_annotation", args=[desk.theirs.pk]))
    assert page.status_code == 200
    assert SeenAnnotation.objects.filter(person=desk.ralph, annotation=desk.theirs).exists()
    desk.ralph.groups.add(Group.objects.get_or_create(name=Role.ANNOTATOR)[0])
    ralph = User.objects.get(pk=desk.ralph.pk)
    set_annotations_needed(tag=desk.tag, needed=3, admin=admin)
    with pytest.raises(Refusal, match="has seen another annotation"):
        assign_tag(tag=desk.tag, annotator=ralph, admin=admin)
    sign_in(ralph).post(reverse("desk_next"))
    assert not desk.tag.annotations.filter(annotator=ralph).exists()


def test_an_admin_who_has_read_the_page_of_a_tag_is_not_handed_it(desk, admin, sign_in):
    """It says whether others hold the tag valid."""
    page = sign_in(admin).get(reverse("tag", args=[desk.tag.pk])).text
    assert "<td>Valid</td>" in page
    admin = with_roles(admin, Role.ANNOTATOR, Role.ADMIN)
    set_annotations_needed(tag=desk.tag, needed=3, admin=admin)
    with pytest.raises(Refusal, match="has seen another annotation"):
        assign_tag(tag=desk.tag, annotator=admin, admin=admin)
    assert claim_next_tag(annotator=admin).tag != desk.tag


def test_an_admin_who_annotates_a_tag_leaves_it_to_others_who_else_has_it(desk, sign_in):
    """An action that would reveal the other annotation is refused; any other is done."""
    rita = with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN)

    def change(**sent):
        page = sign_in(rita).post(reverse("tags_change"), {"tag": desk.tag.pk} | sent, follow=True)
        return "Another admin can do this" in page.text

    assert change(action="assign", annotator=desk.ralph.pk)
    assert change(action="unassign", annotator=desk.ansel.pk)
    assert change(action="unassign")
    assert change(action="needed", number=1)
    assert not change(action="needed", number=3)
    assert not change(action="priority", number=3)
    assert not change(action="assign", annotator=rita.pk)
    assert desk.tag.assignments.filter(annotator__in=[rita, desk.ansel], asked_at=None).count() == 2
    assert desk.tag.assignments.count() == 3
    assert not change(action="unassign", annotator=rita.pk)


def test_a_flag_that_an_admin_who_annotates_the_tag_takes_off_does_not_tell_its_reason(desk, sign_in):
    flag_tag(tag=desk.tag, annotator=desk.ansel, reason="The years agree once one reads on.")
    client = sign_in(with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN))
    pages = [client.get(reverse("tag", args=[desk.tag.pk])).text]
    assert "Flagged" in pages[0]
    client.post(reverse("tags_change"), {"tag": desk.tag.pk, "action": "unflag"})
    desk.tag.refresh_from_db()
    assert desk.tag.flagged_at is None
    pages += [client.get(where).text for where in (reverse("tag", args=[desk.tag.pk]), reverse("activity"))]
    assert not [page for page in pages if "The years agree" in page]


def test_an_admin_who_annotates_a_tag_finds_their_own_acts_in_the_log(desk, sign_in):
    skip_tag(annotation=desk.theirs, annotator=desk.ansel, reason="I know the bridge.")
    skip_tag(annotation=desk.mine, annotator=desk.rita, reason="I know the river.")
    client = sign_in(with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN))
    pages = [client.get(where).text for where in (reverse("activity"), reverse("tag", args=[desk.tag.pk]))]
    assert all("I know the river." in page for page in pages)
    assert not any("I know the bridge." in page for page in pages)


def test_who_annotated_a_tag_may_judge_responses_to_its_instances(desk, admin):
    """Annotating tells nothing of what a model answers, nor of what others say of the answer."""
    submit(desk.mine)
    run = make_imported_run(0)
    make_response(run, make_instance(1, tag=desk.tag))
    round = make_round(admin, [desk.rita, desk.ralph], run)
    assert Judgment.objects.filter(round=round, reviewer=desk.rita).count() == 1


def test_that_a_former_annotator_has_work_on_the_tag_is_hidden(desk, admin, sign_in):
    carl = make_person("carl", Role.ANNOTATOR)
    set_annotations_needed(tag=desk.tag, needed=3, admin=admin)
    assign_tag(tag=desk.tag, annotator=carl, admin=admin)
    with_roles(carl)
    rita = with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN)
    assert "carl" in sign_in(admin).get(reverse("progress")).text
    assert "carl" not in sign_in(rita).get(reverse("progress")).text


def test_how_many_questions_another_waits_for_is_hidden(desk, admin, sign_in):
    def row(person: User) -> str:
        page = sign_in(person).get(reverse("progress")).text
        return page[page.index("ansel") :].split("</tr>")[0]

    rita = with_roles(desk.rita, Role.ANNOTATOR, Role.ADMIN)
    before = row(rita), row(admin)
    ask_question(annotation=desk.theirs, annotator=desk.ansel, text="Which year is it?")
    assert row(rita) == before[0]
    assert row(admin) != before[1]


def test_no_rule_lets_anyone_say_something_of_what_is_hidden_from_them(desk):
    """The pages do not even find it."""
    said = desk.theirs.comments.get(pk=desk.comment)
    for act in (
        lambda: write_comment(topic=AboutAnnotation(desk.theirs), person=desk.rita, text="Which year?"),
        lambda: resolve_comment(comment=said, person=desk.rita),
        lambda: reopen_comment(comment=said, person=desk.rita),
    ):
        with pytest.raises(Refusal, match="not open to you"):
            act()
