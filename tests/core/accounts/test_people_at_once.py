"""Acts of two people in the same instant: one link makes one account, and one admin stays."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from django.db import connection

from core.accounts import people
from core.models import Invitation, Role, User
from core.refusals import Refusal
from tests.conftest import make_person

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*acts: Callable[[], object]) -> list[str]:
    """Do all of these in the same instant, each on a connection of its own; returns their outcomes."""
    barrier = Barrier(len(acts))

    def run(act: Callable[[], object]) -> str:
        barrier.wait()
        try:
            act()
        except Refusal:
            return "refused"
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(acts)) as pool:
        return sorted(pool.map(run, acts))


def test_of_many_who_open_one_link_one_gets_the_account():
    invitation, _ = people.invite(admin=make_person("amir", Role.ADMIN), roles=[Role.ANNOTATOR], note="Bo")

    def accept(number: int) -> Callable[[], object]:
        return lambda: people.accept_invitation(
            invitation=Invitation.objects.get(pk=invitation.pk), username=f"bo{number}", password="five green bridges"
        )

    assert at_once(*[accept(number) for number in range(6)]) == ["done", *["refused"] * 5]
    assert User.objects.filter(username__startswith="bo").count() == 1


def test_of_many_who_take_one_name_one_gets_it():
    admin = make_person("amir", Role.ADMIN)
    links = [people.invite(admin=admin, roles=[Role.ANNOTATOR], note=f"link {n}")[0] for n in range(4)]

    def accept(invitation: Invitation) -> Callable[[], object]:
        return lambda: people.accept_invitation(invitation=invitation, username="bo", password="five green bridges")

    assert at_once(*[accept(link) for link in links]) == ["done", *["refused"] * 3]
    assert Invitation.objects.open().count() == 3


def test_a_link_is_used_or_withdrawn_and_never_both():
    admin = make_person("amir", Role.ADMIN)
    for number in range(5):
        link, _ = people.invite(admin=admin, roles=[Role.ANNOTATOR], note="Bo")
        outcome = at_once(
            partial(people.accept_invitation, invitation=link, username=f"bo{number}", password="five bridges"),
            partial(people.withdraw_invitation, invitation=link, admin=admin),
        )
        assert outcome == ["done", "refused"]
        link.refresh_from_db()
        assert (link.accepted_at is None) != (link.withdrawn_at is None)


@pytest.mark.parametrize("rounds", [5])
def test_two_admins_who_take_each_others_role_leave_one_admin(rounds):
    amir, olga = make_person("amir", Role.ADMIN), make_person("olga", Role.ADMIN)
    for _ in range(rounds):
        outcome = at_once(
            lambda: people.set_roles(person=olga, roles=[], admin=amir),
            lambda: people.deactivate_person(person=amir, admin=olga),
        )
        assert outcome == ["done", "refused"]
        User.objects.update(is_active=True)
        for person in (amir, olga):
            person.refresh_from_db()
            vars(person).pop("roles", None)
            people.set_roles(person=person, roles=[Role.ADMIN], admin=amir)


def test_of_links_made_at_once_for_one_address_or_person_one_is_open():
    """A second click makes another one, and the first, which nobody was shown, must not stay valid."""
    amir, bo = make_person("amir", Role.ADMIN), make_person("bo", Role.ANNOTATOR)
    invite = partial(people.invite, admin=amir, roles=[Role.ANNOTATOR], email="ben@example.org")
    assert at_once(*[invite] * 4) == ["done"] * 4
    assert Invitation.objects.open().get().email == "ben@example.org"
    assert at_once(*[partial(people.make_password_link, person=bo, admin=amir)] * 4) == ["done"] * 4
    assert Invitation.objects.open().filter(person=bo).count() == 1
