"""Whatever narrows or sorts a list, or searches, tells those who judge nothing either: every choice that a page
offers, every parameter of the API, and every word that leads to what others do."""

from functools import partial
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from core.models import Role
from tests.core.addresses import LISTED
from tests.core.asking import address
from tests.doors.narrowing import narrowed, parameters_of_the_api
from tests.doors.walking import FRAME, Door, told_by
from tests.review.blindness.test_blindness_roles import (
    ACTS,
    NOT_WALKED,
    Stage,
    made,  # noqa: F401
    opens,
    stage,  # noqa: F401
    variants,
    without_work,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def doors(client, stage: Stage, rows: dict, roles: tuple[str, ...]) -> dict[str, Door]:  # noqa: F811
    names = [name for name in LISTED if name not in NOT_WALKED and opens(name, roles)]
    pages = sorted({address(name, rows | each) for name in names for each in variants(stage)})
    words = [stage.ralph.username, stage.ada.username, "walked", stage.waiting.response.answer[:20], "no year"]
    found = narrowed(client, pages, words=words)
    people = [person.pk for person in (stage.ralph, stage.ada, stage.rita)]
    numbers: dict[str, list] = {
        "": [stage.round.pk, *people, stage.waiting.response.run_id, stage.of_ralph(stage.waiting).pk]
    }
    numbers |= {"q": words, "search": words}
    found += parameters_of_the_api(client, numbers)
    found += [f"{reverse('find')}?{urlencode({'q': word})}" for word in (*words, str(stage.waiting.response.key))]
    return {FRAME: lambda client: client.get("/account/")} | {
        f"GET {where}": lambda client, where=where: client.get(where) for where in found
    }


ROLES = [
    (Role.REVIEWER, Role.ADJUDICATOR),
    pytest.param((Role.REVIEWER, Role.ADMIN), marks=pytest.mark.thorough),
    pytest.param(tuple(Role.values), marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("roles", ROLES, ids="+".join)
def test_no_choice_of_a_list_tells_what_others_do(roles, stage, rows, sign_in):  # noqa: F811
    for role in roles:
        stage.rita.groups.add(Group.objects.get_or_create(name=role)[0])
    client = sign_in(stage.rita)
    client.get("/account/")  # makes the session's own rows
    listed = doors(client, stage, rows, roles)
    acts = {name: partial(act, stage) for name, act in ACTS.items()}
    assert told_by(listed, acts, client.cookies, compared=without_work) == {}
