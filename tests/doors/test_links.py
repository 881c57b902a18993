"""No page links to an address that is refused to the reader: every page that links lead to, for each role, each pair
of roles and all of them, in a project with one of everything and in the samples of a first start.
"""

import pytest

from annotation.samples.articles import harvest_samples
from annotation.samples.work import release_samples
from core.accounts.sample_people import DEMO_PEOPLE, make_demo_people, run_later_preparations, run_preparations
from core.models import Role, User
from tests.conftest import signed_in
from tests.core.world import NAMES
from tests.doors.browsing import offered, shape_of
from tests.doors.people import EACH_AND_PAIRS, with_roles

pytestmark = [pytest.mark.django_db]

# Signing out, and in as another, ends the walk.
# The world's saved view is of an admin's list, whoever holds it.
WITHOUT = ("/account/logout", "/account/sessions", "/sample", "/annotation/tags/?a=b")
MOST = 1500
OF_A_PATH = 3
REFUSED = (403, 404, 405)
# Of the others there, each pair is walked in the smaller project alone: a walk with an admin's links takes a minute.
IN_THE_SAMPLES = [(Role.ANNOTATOR,), (Role.REVIEWER,), (Role.ADJUDICATOR,), (Role.REVIEWER, Role.ADMIN)]
# The sample people who hold work of a role.
SAMPLE_PEOPLE = {role: name for name, (role,) in reversed(DEMO_PEOPLE.items())}


@pytest.fixture(scope="module")
def samples(module_transaction) -> None:
    """A first start with everything that is made while its site runs."""
    make_demo_people()
    harvest_samples()
    release_samples()
    run_preparations()
    run_later_preparations()


def refused_links(person: User) -> list[str]:
    """The links that are offered to this person and answered by a refusal or an error."""
    client, seen, failed = signed_in(person), 0, dict[tuple[str, str], str]()
    client.raise_request_exception = False
    for visit in offered(client, without=WITHOUT, most=MOST, of_a_path=OF_A_PATH):
        seen += 1
        status = visit.answer.status_code
        if status in REFUSED or status >= 500:
            failed[shape_of(visit.address), shape_of(visit.linked_on)] = (
                f"{status} {visit.address} on {visit.linked_on}"
            )
    assert 10 < seen < MOST
    return list(failed.values())


def assert_no_refused_link(person: User) -> None:
    refused = refused_links(person)
    assert not refused, "\n".join(["", *refused])


@pytest.mark.parametrize("roles", EACH_AND_PAIRS)
def test_no_link_in_a_project_with_one_of_everything_is_refused(roles, world, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    for role in roles:
        assert_no_refused_link(with_roles(NAMES[role], *roles))


@pytest.mark.thorough
@pytest.mark.parametrize("roles", IN_THE_SAMPLES, ids="+".join)
def test_no_link_in_the_samples_is_refused(roles, samples, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    assert_no_refused_link(with_roles(SAMPLE_PEOPLE[roles[0]], *roles))
