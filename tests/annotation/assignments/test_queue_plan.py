"""The next tag is the first entry of an index, however long the queue is: what the databases say they will do."""

import pytest
from django.db import connection
from django.utils import timezone

from annotation.desk.assignments.queue import CANDIDATES, MOST_COUNTED, lapsed, own_drafts, untouched
from annotation.models import Assignment, Tag
from core.models import User
from tests.browser.desk_driver import make_tag

pytestmark = pytest.mark.django_db

TAGS = 3_000


@pytest.fixture(scope="module")
def long_queue(module_transaction) -> None:
    first = make_tag()
    values = {
        field.attname: getattr(first, field.attname) for field in Tag._meta.concrete_fields if field.attname != "id"
    }
    tags = Tag.objects.bulk_create(Tag(**values) for _ in range(TAGS))
    Assignment.objects.bulk_create(Assignment.of(tag, 1) for tag in tags)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@pytest.fixture
def work_done_by_many(long_queue) -> None:
    """Each person has few tags. A database that takes nobody for one of them expects few that nobody has."""
    people = User.objects.bulk_create(User(username=f"annotator{number}") for number in range(200))
    done = list(Assignment.objects.all()[: TAGS // 10])
    for number, assignment in enumerate(done):
        assignment.annotator = people[number % len(people)]
        assignment.claimed_at = assignment.done_at = timezone.now()
    Assignment.objects.bulk_update(done, ["annotator", "claimed_at", "done_at"])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@pytest.mark.parametrize("part", [untouched, lapsed, own_drafts])
def test_the_queue_is_neither_scanned_nor_sorted(part, long_queue, annotator):
    plan = part(annotator)[:CANDIDATES].explain()
    queue = [line for line in plan.splitlines() if "annotation_assignment" in line]
    assert queue, plan
    assert not [line for line in queue if "SCAN annotation_assignment" in line and "USING" not in line], plan
    assert not [line for line in queue if "Seq Scan on annotation_assignment" in line], plan
    if part is untouched:  # the others are few: a person's own, and those whose page was closed
        assert "assignment_queue" in plan, plan
        assert "TEMP B-TREE" not in plan, plan
        assert "Sort" not in plan, plan


@pytest.mark.parametrize("most", [1, CANDIDATES, MOST_COUNTED + 1])
def test_the_queue_is_not_read_by_who_has_nothing_of_it(work_done_by_many, annotator, most):
    plan = untouched(annotator).values_list("tag")[:most].explain()
    assert "assignment_queue" in plan, plan
    assert "TEMP B-TREE" not in plan, plan
    assert "Sort" not in plan, plan
