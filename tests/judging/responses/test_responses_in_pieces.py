"""An import of responses is written in pieces: nobody sees half of it, half is cleared, and a check takes no lock."""

import io
import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Instance
from core.models import Batch, Event
from judging.files.imports import import_responses
from judging.models import LanguageModel, Response, Run
from tests.factories.judging import templates
from tests.interleaving.pieces import PIECE, Killed

pytestmark = pytest.mark.usefixtures("engine", "pauses")
MANY = 35


@pytest.fixture(autouse=True)
def protocol(pauses):
    templates()


def bring_in(**values):
    sample = {"model": "Old model", "template": "5", "text": "In 1903.", "answer_1": "1903"}
    lines = [json.dumps(sample | {"question": f"When was bridge {number} open?"}) for number in range(MANY)]
    return import_responses(io.BytesIO("\n".join(lines).encode()), name="Elsewhere", **values)


def shown() -> list[int]:
    models = Run.objects.all(), LanguageModel.objects.filter(name="Old model"), Instance.objects.all()
    return [each.count() for each in (*models, Response.objects.all(), Event.objects.filter(subject_kind="run"))]


def test_others_write_while_responses_come_in_and_see_none_of_them(pauses):
    seen = []
    pauses.count = Response.everything.count
    pauses.look = lambda: seen.append(shown())
    assert bring_in().new == MANY
    assert max(pauses.grew_by()) <= PIECE
    assert len(seen) > MANY / PIECE
    assert seen == [[0] * 5] * len(seen)
    assert shown() == [1, 1, MANY, MANY, 1]


def test_an_import_of_responses_that_was_killed_leaves_nothing_and_can_be_done_again(pauses):
    pauses.kill_at = 6
    with pytest.raises(Killed):
        bring_in()
    pauses.kill_at = None
    assert shown() == [0] * 5
    assert 0 < Response.everything.count() < MANY
    Batch.objects.update(alive_until=timezone.now() - timedelta(seconds=1))
    assert bring_in().new == MANY
    assert shown() == [1, 1, MANY, MANY, 1]
    assert Response.everything.count() == MANY
    assert (bring_in().new, bring_in().there) == (0, MANY)


def test_a_check_of_responses_takes_no_lock():
    with CaptureQueriesContext(connection) as queries:
        assert bring_in(check_only=True).new == MANY
    # PostgreSQL reads much with a cursor, which it declares.
    assert [each["sql"] for each in queries if not each["sql"].startswith(("SELECT", "DECLARE"))] == []


def test_records_without_key_or_number_are_found_in_one_reading_of_the_instances():
    bring_in()
    with CaptureQueriesContext(connection) as queries:
        bring_in(check_only=True)
    readings = [each for each in queries if 'FROM "annotation_instance"' in each["sql"] and "ORDER BY" in each["sql"]]
    assert len(readings) == 1
