"""No page offers a form that is refused to the person or ends in an error of the server: every form of every page
that links lead to, for each role, each pair of roles and all of them.
"""

import pytest
from django.utils import timezone

from annotation.models import Annotation, Assignment
from core.models import User
from tests.conftest import signed_in
from tests.core.world import NAMES
from tests.doors.browsing import offered, undone
from tests.doors.people import EACH_AND_PAIRS, with_roles

pytestmark = [pytest.mark.django_db]

# Signing out, and in as another, ends the walk.
WITHOUT = ("/account/logout", "/account/sessions", "/sample", "/review/reports/", "/api/")
MOST = 400
REFUSED = (403, 404, 405)


@pytest.fixture(autouse=True)
def accepted_ones_end_their_tags(world, db):
    """As an acceptance does, which the factory leaves out: nobody can get such a tag again."""
    done = Annotation.objects.accepted().values("tag")
    now = timezone.now()
    free = Assignment.objects.filter(tag__in=done, done_at=None)
    free.update(annotator=User.objects.get(username="ansel"), claimed_at=now, done_at=now)


@pytest.fixture
def no_network(monkeypatch):
    def refused(*_args, **_options):
        raise OSError("There is no network in this test.")

    monkeypatch.setattr("socket.getaddrinfo", refused)


def refused_to(person: User) -> list[str]:
    """The forms that are offered to this person and answered by a refusal of the person, or by an error; and the
    pages that are answered by an error."""
    client, failed, forms = signed_in(person), [], 0
    client.raise_request_exception = False
    client.get("/account/")  # makes the session's own rows
    cookies = client.cookies.output(header="", sep=";")
    for visit in offered(client, without=WITHOUT, most=MOST):
        if visit.answer.status_code >= 500:
            failed.append(f"{visit.answer.status_code} GET {visit.address}")
        for each in visit.sendings:
            forms += 1
            with undone():
                said = each.by(client)
                status, ends = said.status_code, said.get("Location", "")
                if status == 302 and ends.startswith("/"):
                    status = client.get(ends).status_code
            client.cookies.clear()
            client.cookies.load(cookies)
            if status in REFUSED or status >= 500:
                failed.append(f"{status} {each.shape} on {visit.address} {f'leads to {ends}' if ends else ''}")
    assert forms > 10
    return failed


@pytest.mark.parametrize("roles", EACH_AND_PAIRS)
def test_no_form_that_is_offered_is_refused(roles, world, no_network, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    # Each is tried by the person who does the work of that role, and holds the others as well.
    for role in roles:
        assert "\n".join(refused_to(with_roles(NAMES[role], *roles))) == ""


def test_what_is_offered_to_people_without_a_role_or_a_password_is_not_refused(world, no_network):
    assert refused_to(User.objects.get(username="stan")) == []
    anna = User.objects.get(username="anna")
    anna.set_unusable_password()
    anna.save()
    assert refused_to(anna) == []
