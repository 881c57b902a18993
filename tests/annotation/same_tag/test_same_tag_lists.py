"""Whatever narrows or sorts a list, or searches, tells those who annotate a tag nothing of the other annotation:
every choice that a page offers, every parameter of the API, and every word that leads to it."""

from urllib.parse import urlencode

import pytest
from django.urls import reverse

from core.models import Role
from tests.annotation.same_tag.desk import Desk, read_anew, with_roles
from tests.annotation.same_tag.test_same_tag_roles import (
    OTHERS_QUESTION,
    STAGES,
    has_submitted,
    opens,
    status_and_text,
    writes,
)
from tests.core.addresses import LISTED
from tests.core.asking import address
from tests.doors.narrowing import narrowed, parameters_of_the_api
from tests.doors.walking import FRAME, Door, told_by

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
NOT_WALKED = ("account_", "mfa_", "sample_", "ready")


def doors(client, desk: Desk, rows: dict, roles: tuple[str, ...]) -> dict[str, Door]:
    own = {"own_annotation": desk.mine.pk, "comment": desk.comment, "tag": desk.tag.pk, "submitted": desk.mine.pk}
    names = [name for name in LISTED if not name.startswith(NOT_WALKED) and opens(name, roles)]
    pages = sorted({address(name, rows | own) for name in names})
    words = [desk.ansel.username, desk.ralph.username, desk.tag.article.title, OTHERS_QUESTION, "look here"]
    found = narrowed(client, pages, words=words)
    people = [person.pk for person in (desk.ansel, desk.ralph, desk.rita)]
    numbers = {"": [*people, desk.tag.pk, desk.mine.pk, desk.theirs.pk], "q": words, "search": words}
    found += parameters_of_the_api(client, numbers)
    found += [f"{reverse('find')}?{urlencode({'q': word})}" for word in (*words, f"#{desk.theirs.pk}")]
    return {FRAME: lambda client: client.get("/account/")} | {
        f"GET {where}": lambda client, where=where: client.get(where) for where in found
    }


@pytest.mark.parametrize("role", [Role.REVIEWER, pytest.param(Role.ADMIN, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("stage", [writes, has_submitted], ids=lambda stage: stage.__name__)
def test_no_choice_of_a_list_tells_of_the_other_annotation(stage, role, desk, rows, sign_in):
    roles = (Role.ANNOTATOR, role)
    client = sign_in(with_roles(desk.rita, *roles))
    client.get("/account/")  # makes the session's own rows
    listed = doors(client, desk, rows, roles)
    stage(read_anew(desk))
    done = {act.__name__: lambda act=act: act(read_anew(desk)) for act in STAGES[stage]}
    assert told_by(listed, done, client.cookies, compared=status_and_text) == {}
