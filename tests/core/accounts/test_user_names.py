"""A user name that looks like another one is refused, where an invitation is accepted."""

import pytest
from django.test import Client

from core.accounts import people
from core.models import Role, User
from core.refusals import Refusal


@pytest.fixture
def invitation(admin):
    return people.invite(admin=admin, roles=[Role.ANNOTATOR], note="for a friend")


def join(token: str, username: str):
    return Client().post(f"/account/join/{token}/", {"username": username, "password": "five green bridges"})


DECEPTIVE = [
    "\u0430dmin",  # Cyrillic a
    "adm\u0456n",  # Cyrillic i
    "\u03b1nna",  # Greek alpha
    "\u0430\u0441\u0435",  # ace, all of it Cyrillic
    "anna\u4e2d",
    "\u0434\u043e\u043c.anna",
]
PLAIN = [
    "anna",
    "Anna-Maria.2",
    "jos\u00e9",
    "\u0430\u043d\u043d\u0430",
    "\u039d\u03af\u03ba\u03bf\u03c2",
    "\u5f20\u4f1f",
    "\u7530\u4e2d\u3055\u304f\u3089",
    "\uae40\u6c11",
    "user_7",
]


@pytest.mark.parametrize("name", DECEPTIVE)
def test_a_name_that_looks_like_another_is_refused(invitation, name):
    response = join(invitation[1], name)
    assert response.status_code == 200
    assert b"could be mistaken for another" in response.content
    assert not User.objects.filter(username=name).exists()
    with pytest.raises(Refusal):
        people.accept_invitation(invitation=invitation[0], username=name, password="five green bridges")


@pytest.mark.parametrize("name", PLAIN)
def test_a_name_in_one_alphabet_is_good(invitation, name):
    assert join(invitation[1], name).status_code == 302
    assert User.objects.filter(username=name).exists()
