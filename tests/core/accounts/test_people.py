"""Admins see who takes part, give roles, and close accounts without deleting anything."""

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.models import AnnotationAction, AnnotationState, Assignment
from core.accounts import people
from core.accounts.people import change_people
from core.accounts.tokens import make_token
from core.models import CoreAction, Event, Project, Role, User
from core.refusals import Refusal
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory


def page(client, address):
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_the_list_tells_what_each_person_did(admin, annotator, reviewer, sign_in):
    AnnotationFactory(annotator=annotator, reviewed_by=reviewer)
    AnnotationFactory(annotator=annotator, state=AnnotationState.SUBMITTED)
    AnnotationFactory(annotator=annotator, state=AnnotationState.DRAFT, submitted_at=None)
    rows = {row.person: row for row in sign_in(admin).get("/people/").context["rows"]}
    assert (rows[annotator].work.submitted, rows[annotator].work.accepted) == (2, 1)
    assert rows[reviewer].work.reviewed == 1
    assert rows[annotator].roles == ["annotator"]
    assert rows[annotator].last_seen is not None
    assert rows[reviewer].last_seen is None


def test_the_list_needs_as_many_queries_for_many_people_as_for_few(admin, sign_in, django_assert_max_num_queries):
    for number in range(20):
        make_person(f"person{number}", Role.ANNOTATOR)
    client = sign_in(admin)
    page(client, "/people/")
    with django_assert_max_num_queries(20):
        page(client, "/people/")


def test_roles_are_given_and_taken_and_written_down(admin, annotator, sign_in):
    client = sign_in(admin)
    response = client.post(f"/people/{annotator.pk}/roles/", {"roles": ["reviewer", "adjudicator"]})
    assert response["Location"] == f"/people/{annotator.pk}/"
    assert User.objects.get(pk=annotator.pk).roles == {"reviewer", "adjudicator"}
    event = Event.objects.about(annotator).get()
    assert (event.actor, event.before, event.after) == (
        admin,
        {"roles": ["annotator"]},
        {"roles": ["adjudicator", "reviewer"]},
    )
    assert "set roles" in page(client, f"/people/{annotator.pk}/")


def test_saving_the_same_roles_again_writes_nothing_down(admin, annotator, sign_in):
    sign_in(admin).post(f"/people/{annotator.pk}/roles/", {"roles": ["annotator"]})
    assert not Event.objects.exists()


def test_a_role_counts_from_the_next_request(admin, annotator, sign_in):
    client = sign_in(annotator)
    assert client.get("/people/").status_code == 403
    people.set_roles(person=annotator, roles=["admin"], admin=admin)
    assert client.get("/people/").status_code == 200


def test_an_unknown_role_is_refused(admin, annotator, sign_in):
    response = sign_in(admin).post(f"/people/{annotator.pk}/roles/", {"roles": ["king"]})
    assert response.status_code == 400
    assert User.objects.get(pk=annotator.pk).roles == {"annotator"}


def test_groups_that_are_no_roles_stay_as_they_are(admin, annotator):
    from django.contrib.auth.models import Group

    annotator.groups.add(Group.objects.create(name="friends"))
    people.set_roles(person=annotator, roles=[], admin=admin)
    assert list(annotator.groups.values_list("name", flat=True)) == ["friends"]


def test_the_last_admin_stays_admin(admin, sign_in):
    client = sign_in(admin)
    response = client.post(f"/people/{admin.pk}/roles/", {"roles": ["reviewer"]})
    assert response.status_code == 409
    assert b"last admin" in response.content
    assert User.objects.get(pk=admin.pk).roles == {"admin"}


def test_a_closed_account_is_no_admin_who_could_stay(admin):
    other = make_person("olga", Role.ADMIN)
    people.deactivate_person(person=other, admin=admin)
    with pytest.raises(Refusal, match="last admin"):
        people.set_roles(person=admin, roles=[], admin=admin)


def test_an_admin_may_step_down_while_another_stays(admin, sign_in):
    make_person("olga", Role.ADMIN)
    response = sign_in(admin).post(f"/people/{admin.pk}/roles/", {"roles": ["reviewer"]})
    assert response["Location"] == "/"
    assert User.objects.get(pk=admin.pk).roles == {"reviewer"}


def test_closing_an_account_ends_its_sessions_and_keeps_its_work(admin, annotator, sign_in):
    annotation = AnnotationFactory(annotator=annotator)
    client = sign_in(annotator)
    assert client.get("/").status_code == 200
    sign_in(admin).post(f"/people/{annotator.pk}/deactivate/")
    assert client.get("/").status_code == 302
    annotation.refresh_from_db()
    assert annotation.annotator == annotator
    response = Client().post("/account/login/", {"login": "anna", "password": "anna"}, follow=True)
    assert b"This account is closed" in response.content


def test_closing_an_account_hands_its_tags_back_to_the_queue(admin, annotator, sign_in):
    assignment = TagFactory().assignments.get()
    held = {"annotator": annotator, "claimed_at": assignment.tag.found_at, "assigned_by": admin}
    Assignment.objects.filter(pk=assignment.pk).update(**held)
    response = sign_in(admin).post(f"/people/{annotator.pk}/deactivate/", follow=True)
    assert b"1 unfinished tag went back" in response.content
    assert Assignment.objects.free().get() == assignment


def test_nobody_closes_the_own_account(admin, sign_in):
    make_person("olga", Role.ADMIN)
    assert sign_in(admin).post(f"/people/{admin.pk}/deactivate/").status_code == 409
    assert User.objects.get(pk=admin.pk).is_active


def test_an_account_is_opened_again_with_its_roles(admin, annotator, sign_in):
    client = sign_in(admin)
    client.post(f"/people/{annotator.pk}/deactivate/")
    client.post(f"/people/{annotator.pk}/activate/")
    assert User.objects.get(pk=annotator.pk).is_active
    assert User.objects.get(pk=annotator.pk).roles == {"annotator"}
    actions = [event.label for event in Event.objects.about(annotator)]
    assert actions == ["closed the account", "reopened the account"]


def test_opening_an_account_again_revives_no_session_link_or_token(admin, annotator, sign_in, settings):
    settings.MAIL_CONFIGURED = True
    before, client = sign_in(annotator), sign_in(admin)
    token = make_token(person=annotator, name="script")[1]
    asks = {"headers": {"Authorization": f"Bearer {token}"}}
    Client().post("/account/password/reset/", {"email": annotator.email})
    (link,) = [word for word in mail.outbox[0].body.split() if word.startswith("http://testserver/")]
    assert before.get("/").status_code == 200
    assert b"no longer works" not in Client().get(link, follow=True).content
    for _ in range(2):
        client.post(f"/people/{annotator.pk}/deactivate/")
        client.post(f"/people/{annotator.pk}/activate/")
        assert before.get("/").status_code == 302
        assert Client().get("/api/v1/me/", **asks).status_code == 401
        assert b"no longer works" in Client().get(link, follow=True).content
    annotator.refresh_from_db()
    assert sign_in(annotator).get("/").status_code == 200


def test_closed_by_a_program_an_account_ends_its_sessions_for_good(admin, annotator, sign_in):
    before = sign_in(annotator)
    change_people(people=[annotator], action="close", admin=admin)
    change_people(people=[annotator], action="open", admin=admin)
    assert before.get("/").status_code == 302


def test_two_names_differ_in_more_than_case(annotator):
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("ANNA")


def test_a_person_changes_the_own_name(annotator, sign_in):
    client = sign_in(annotator)
    client.post("/account/name/", {"first_name": "Anna", "last_name": "<b>Bold</b>"})
    assert "&lt;b&gt;Bold" in page(client, "/account/")
    event = Event.objects.about(annotator).get()
    assert event.before == {"first_name": "", "last_name": ""}
    client.post("/account/name/", {"first_name": "Ann", "last_name": "<b>Bold</b>"})
    assert list(Event.objects.about(annotator))[-1].after == {"first_name": "Ann"}


def test_a_name_that_is_too_long_is_told_at_its_field(annotator, sign_in):
    response = sign_in(annotator).post("/account/name/", {"first_name": "x" * 151, "last_name": ""})
    assert response.status_code == 400
    assert b"at most 150" in response.content
    assert User.objects.get(pk=annotator.pk).first_name == ""


def test_the_theme_holds_on_every_page(annotator, sign_in):
    client = sign_in(annotator)
    assert "data-theme" not in page(client, "/")
    client.post("/account/theme/", {"theme": "dark"})
    assert '<html lang="en" data-theme="dark">' in page(client, "/")
    client.post("/account/theme/", {"theme": "system"})
    assert "data-theme" not in page(client, "/")
    assert client.post("/account/theme/", {"theme": "pink"}).status_code == 400


SETTINGS = {
    "name": "WikiContradict Workbench",
    "annotations_per_tag": 1,
    "double_annotation_percent": 0,
    "review_percent": 100,
    "review_first": 10,
    "lease_seconds": 120,
    "suggestions_on": "on",
    "counterparts_on": "on",
    "counterparts_left_out_percent": "0",
    "judgments_each": 2,
    "consensus": "all",
}


def test_settings_are_changed_and_written_down(admin, sign_in):
    sign_in(admin).post("/settings/", {**SETTINGS, "annotations_per_tag": 2})
    assert Project.get().annotations_per_tag == 2
    event = Event.objects.about(Project.get()).get()
    assert (event.before, event.after) == ({"annotations_per_tag": 1}, {"annotations_per_tag": 2})


@pytest.mark.parametrize(
    "wrong",
    [
        {"annotations_per_tag": 0},
        {"double_annotation_percent": 101},
        {"lease_seconds": 5},
        {"lease_seconds": 10**18},
        {"name": ""},
        {"annotations_per_tag": "many"},
        {"judgments_each": 6},
        {"consensus": "the loudest"},
    ],
)
def test_settings_that_make_no_sense_change_nothing(admin, sign_in, wrong):
    response = sign_in(admin).post("/settings/", {**SETTINGS, **wrong})
    assert response.status_code == 400
    assert b"field-error" in response.content
    assert Project.get().lease_seconds == 120


def test_the_log_is_filtered_by_what_and_by_whom(admin, annotator, sign_in):
    tag = TagFactory()
    Event.record(AnnotationAction.FLAGGED, tag, actor=annotator, message="odd <b>tag</b>")
    people.set_roles(person=annotator, roles=["reviewer"], admin=admin)
    client = sign_in(admin)
    everything = page(client, "/activity/")
    assert "flagged" in everything
    assert "odd &lt;b&gt;tag" in everything
    assert "set roles" in everything
    assert "set roles" not in page(client, "/activity/?kind=tag")
    assert "flagged" not in page(client, f"/activity/?actor={admin.pk}")
    assert "set roles" not in page(client, f"/activity/?actor={annotator.username}")
    assert "Nobody has the user name “x”" in page(client, "/activity/?actor=x")
    assert "flagged" in page(client, f"/activity/?kind=tag&subject={tag.pk}")


@pytest.mark.parametrize("query", ["kind=x", "actor=", f"subject={10**30}", "page=-1", "page=after-WzFd8J-SqQ"])
def test_a_filter_that_cannot_be_read_is_no_filter(admin, annotator, sign_in, query):
    people.set_roles(person=annotator, roles=["reviewer"], admin=admin)
    assert "set roles" in page(sign_in(admin), f"/activity/?{query}")


def test_the_log_goes_back_page_by_page(admin, annotator, sign_in):
    for number in range(51):
        Event.record(CoreAction.RENAMED, annotator, actor=admin, message=f"note {number}.")
    client = sign_in(admin)
    newest = page(client, "/activity/")
    assert "note 50." in newest
    assert "note 0." not in newest
    assert "note 0." in page(client, f"/activity/?page={client.get('/activity/').context['page'].next}")


def test_the_log_does_not_tell_that_a_response_was_judged(admin, annotator, sign_in):
    Event.objects.create(action="judged", subject_kind="judgment", subject_id=1, actor=annotator)
    client = sign_in(admin)
    assert "judged" not in page(client, "/activity/")
    assert "judged" not in page(client, "/activity/?kind=judgment")


def test_people_are_found_by_name_and_address(admin, annotator, sign_in):
    client = sign_in(admin)
    assert [row.person for row in client.get("/people/?q=NNA@exam").context["rows"]] == [annotator]
    assert "Nobody has “zz”" in page(client, "/people/?q=zz")
    assert [row.annotator for row in client.get("/annotation/progress/?q=ann").context["rows"]] == [annotator]
    assert "No annotator has “zz”" in page(client, "/annotation/progress/?q=zz")


def test_ticked_accounts_are_closed_and_opened_all_or_none(sign_in, admin, annotator, reviewer):
    client, people = sign_in(admin), [annotator.pk, reviewer.pk]

    def change(ticked, action):
        return client.post("/people/change/", {"person": ticked, "action": action, "sure": "1"}, follow=True)

    refused = change([*people, admin.pk], "close")
    assert refused.status_code == 409
    assert f"{admin}: You cannot close your own account." in refused.text
    assert User.objects.filter(pk__in=people, is_active=True).count() == 2
    assert "Done for 2 people." in change(people, "close").text
    assert not User.objects.filter(pk__in=people, is_active=True).exists()
    change(people[:1], "open")
    assert User.objects.get(pk=people[0]).is_active


def test_the_page_of_an_annotator_leads_to_their_quota(sign_in, admin, annotator, reviewer):
    client = sign_in(admin)
    address = f"{reverse('workload')}?q={annotator.username}"
    assert address in client.get(reverse("person", args=[annotator.pk])).text
    assert annotator.username in client.get(address).text
    assert reverse("workload") not in client.get(reverse("person", args=[reviewer.pk])).text
