"""No page links to an address that is refused to the reader: every page that links lead to, for each role, each pair
of roles and all of them, in a project with one of everything.
"""

import pytest

from tests.core.world import NAMES
from tests.doors.browsing import assert_no_refused_link
from tests.doors.people import EACH_AND_PAIRS, with_roles

pytestmark = [pytest.mark.django_db]


@pytest.mark.parametrize("roles", EACH_AND_PAIRS)
def test_no_link_in_a_project_with_one_of_everything_is_refused(roles, world, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    for role in roles:
        assert_no_refused_link(with_roles(NAMES[role], *roles))
