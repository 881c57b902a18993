"""An admin who judges does not open the way into the account of those who judge beside them, nor into one that is
shown what others judge: another admin does."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from core.models import Approval, Event, Invitation, Role, User
from review.models import ReviewAction
from review.rounds.rounds import close_round
from tests.conftest import make_person
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_admin_is_enough(settings) -> None:
    """The rule for two admins stands beside this one; the last tests have both."""
    settings.SECOND_ADMIN_APPROVES = False


@pytest.fixture
def judging_admin(reviewer):
    reviewer.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
    return User.objects.get(pk=reviewer.pk)


@pytest.fixture
def round(admin, judging_admin, other_reviewer):
    return make_round(
        admin, [judging_admin, other_reviewer], make_imported_run(1, models=("Mist",)), training_required=False
    )


def link_for(client, person: User):
    return client.post(reverse("person_password_link", args=[person.pk]))


def invite(client, *roles: str):
    return client.post(reverse("invite"), {"email": "second@example.org", "roles": roles})


def roles_of(client, person: User, *roles: str):
    return client.post(reverse("person_roles", args=[person.pk]), {"roles": roles})


def test_the_link_is_refused_and_another_admin_makes_it(round, admin, judging_admin, other_reviewer, sign_in):
    answer = link_for(sign_in(judging_admin), other_reviewer)
    assert answer.status_code == 403
    assert "another admin has to do it" in answer.text
    assert not Invitation.objects.filter(person=other_reviewer).exists()
    assert link_for(sign_in(admin), other_reviewer).status_code == 200


@pytest.mark.parametrize("role", [Role.ADMIN, Role.ADJUDICATOR])
def test_accounts_that_are_shown_more_are_refused(role, round, admin, judging_admin, sign_in):
    """A second account of one's own, a role for an accomplice, the account of a person who has the role."""
    client, accomplice, holder = sign_in(judging_admin), make_person("ann", "annotator"), make_person("holder", role)
    assert invite(client, role).status_code == 403
    assert roles_of(client, accomplice, Role.ANNOTATOR, role).status_code == 403
    assert link_for(client, holder).status_code == 403
    assert not Invitation.objects.exists()
    assert invite(sign_in(admin), role).status_code == 200


def test_other_accounts_are_not_concerned(round, admin, judging_admin, sign_in):
    client, other = sign_in(judging_admin), make_person("ann", "annotator")
    assert link_for(client, other).status_code == 200
    assert invite(client, Role.ANNOTATOR).status_code == 200
    assert roles_of(client, other, Role.ANNOTATOR, Role.REVIEWER).status_code == 302


def test_a_link_of_another_admin_cannot_be_renewed(round, admin, judging_admin, other_reviewer, sign_in):
    link_for(sign_in(admin), other_reviewer)
    link = Invitation.objects.get(person=other_reviewer)
    answer = sign_in(judging_admin).post(reverse("invitations_change"), {"invitation": [link.pk], "action": "renew"})
    assert answer.status_code == 403
    assert Invitation.objects.open().get() == link


def test_once_the_round_is_finished_nothing_is_refused(round, admin, judging_admin, other_reviewer, sign_in):
    give_all(round.items.get(), "correct", "correct")
    close_round(round=round, admin=admin)
    assert link_for(sign_in(judging_admin), other_reviewer).status_code == 200


def test_the_only_admin_may_and_the_round_and_both_people_are_told(
    round, admin, judging_admin, other_reviewer, sign_in
):
    User.objects.filter(pk=admin.pk).update(is_active=False)
    assert link_for(sign_in(judging_admin), other_reviewer).status_code == 200
    event = Event.objects.get(action=ReviewAction.OPENED_ACCESS)
    assert (event.subject_id, event.actor) == (round.pk, judging_admin)
    for person in (judging_admin, other_reviewer):
        page = sign_in(person).get(reverse("judge_round", args=[round.key]))
        assert "made a password link for ralph" in page.text
    give_all(round.items.get(), "correct", "correct")
    close_round(round=round, admin=judging_admin)
    report = sign_in(judging_admin).get(reverse("report", args=["table2"]), {"round": round.pk})
    assert "Its judgments may not be independent" in report.text


def test_an_admin_who_judges_beside_a_person_neither_asks_nor_approves(
    round, admin, judging_admin, other_reviewer, sign_in, settings
):
    settings.SECOND_ADMIN_APPROVES = True
    third = make_person("theo", Role.ADMIN)
    assert link_for(sign_in(judging_admin), other_reviewer).status_code == 403
    assert not Approval.objects.exists()
    assert link_for(sign_in(admin), other_reviewer).status_code == 302
    approval = Approval.objects.get()
    where = reverse("approval_approve", args=[approval.pk])
    assert sign_in(judging_admin).post(where).status_code == 403
    assert not Invitation.objects.filter(person=other_reviewer).exists()
    assert sign_in(third).post(where).status_code == 200


def test_where_the_only_other_admin_judges_beside_the_person_none_is_waited_for(
    round, admin, judging_admin, other_reviewer, sign_in, settings
):
    settings.SECOND_ADMIN_APPROVES = True
    assert link_for(sign_in(admin), other_reviewer).status_code == 200
