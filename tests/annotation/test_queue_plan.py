"""The next tag is the first entry of an index, however long the queue is: what the databases say they will do."""

import pytest
from django.db import connection

from annotation.desk.queue import CANDIDATES, lapsed, own_drafts, untouched
from annotation.models import Assignment, Tag
from tests.browser.desk_driver import make_tag

pytestmark = pytest.mark.django_db

TAGS = 3_000


@pytest.fixture
def long_queue() -> None:
    first = make_tag()
    values = {
        field.attname: getattr(first, field.attname) for field in Tag._meta.concrete_fields if field.attname != "id"
    }
    tags = Tag.objects.bulk_create(Tag(**values) for _ in range(TAGS))
    Assignment.objects.bulk_create(Assignment.of(tag, 1) for tag in tags)
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
