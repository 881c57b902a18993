"""Reviewers who hold every other role as well, and a round that one of them has begun."""

import pytest

from core.models import User
from review.models import Judgment, Round
from tests.conftest import make_person
from tests.factories.review import give, make_imported_run, make_round


@pytest.fixture
def rita(db) -> User:
    """Reviews, and holds every other role as well: none of them may open a way around."""
    return make_person("rita", "reviewer", "adjudicator", "admin")


@pytest.fixture
def ralph(other_reviewer) -> User:
    return other_reviewer


@pytest.fixture
def bea(db) -> User:
    """Reviews, adjudicates and is an admin; in no round yet."""
    return make_person("bea", "reviewer", "adjudicator", "admin")


@pytest.fixture
def round(admin, reviewer, other_reviewer) -> Round:
    """Rita and Ralph judge six responses. Rita has judged two, and it counts."""
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(3))
    for slot in Judgment.objects.filter(reviewer=reviewer).order_by("item")[:2]:
        give(slot, "incorrect")
    return round
