"""A human evaluation is written in pieces: nobody sees half of it, half is cleared, and a check takes no lock."""

import io
import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Instance
from benchmarks.wikicontradict.human_evaluation.importing import import_human_evaluation
from core.models import Batch, Event
from judging.models import LanguageModel, Response, Run
from review.models import EvaluatedRecord, FinalVerdict
from tests.interleaving.pieces import PIECE, Killed

from .evaluation import record

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pauses")]
MANY = 35


def bring_in(**values):
    text = json.dumps({"mist": [record(number) for number in range(MANY)]})
    return import_human_evaluation(io.BytesIO(text.encode()), **values)


def shown() -> list[int]:
    models = (Instance, Response, FinalVerdict, EvaluatedRecord)
    events = Event.objects.filter(action="imported")
    return [Run.objects.count(), LanguageModel.objects.filter(name="mist").count(), events.count()] + [
        model.objects.count() for model in models
    ]


ALL = [1, 1, 1, MANY, 2 * MANY, 2 * MANY, MANY]


def test_others_write_while_an_evaluation_comes_in_and_see_none_of_it(pauses):
    seen = []
    pauses.count = Response.everything.count
    pauses.look = lambda: seen.append(shown())
    assert bring_in().new == MANY
    assert max(pauses.grew_by()) <= PIECE
    assert len(seen) > MANY / PIECE
    assert seen == [[0] * 7] * len(seen)
    assert shown() == ALL


def test_an_evaluation_whose_import_was_killed_leaves_nothing_and_can_be_brought_in_again(pauses):
    pauses.kill_at = 8
    with pytest.raises(Killed):
        bring_in()
    pauses.kill_at = None
    assert shown() == [0] * 7
    assert 0 < Response.everything.count() < 2 * MANY
    Batch.objects.update(alive_until=timezone.now() - timedelta(seconds=1))
    assert bring_in().new == MANY
    assert shown() == ALL
    assert (Response.everything.count(), FinalVerdict.everything.count()) == (2 * MANY, 2 * MANY)
    assert bring_in().new == 0


def test_a_check_of_an_evaluation_takes_no_lock():
    with CaptureQueriesContext(connection) as queries:
        assert bring_in(check_only=True).new == MANY
    assert [each["sql"] for each in queries if not each["sql"].lstrip().upper().startswith("SELECT")] == []
