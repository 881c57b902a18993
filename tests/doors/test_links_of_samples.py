"""No page links to an address that is refused to the reader: every page that links lead to, in the samples of a first
start.
"""

import pytest

from annotation.samples.articles import harvest_samples
from annotation.samples.work import release_samples
from core.accounts.sample_people import DEMO_PEOPLE, make_demo_people, run_later_preparations, run_preparations
from core.models import Role
from tests.doors.browsing import assert_no_refused_link
from tests.doors.people import with_roles

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

# Of the others there, each pair is walked in the smaller project alone: an admin has the most links.
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


@pytest.mark.parametrize("roles", IN_THE_SAMPLES, ids="+".join)
def test_no_link_in_the_samples_is_refused(roles, samples, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    assert_no_refused_link(with_roles(SAMPLE_PEOPLE[roles[0]], *roles))
