"""`check_sums` finds numbers that the database keeps and that are not what the rows say, and puts them right."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.db.models import F

from annotation.models import Annotation, StepTime, SubmissionCounts
from core.engine.kept.keepers import check_sums, keepers
from core.engine.kept.sums import KeepSums
from judging.models import CallSums, OutputSums
from review.models import RoundReviewer
from tests.factories import AnnotationFactory
from tests.factories.review import make_imported_run, make_round
from tests.untriggered import without_triggers

pytestmark = pytest.mark.django_db
MODEL_OF_A_RUN = {"run_id": "run", "model_id": "languagemodel"}


@pytest.fixture
def work(admin, annotator, reviewer, other_reviewer):
    """Rows in every table that sums follow from."""
    annotation = AnnotationFactory(annotator=annotator, state="submitted", submitted_at="2026-01-01T00:00Z")
    StepTime.objects.create(annotation=annotation, step=1, seconds=40)
    return make_round(admin, [reviewer, other_reviewer], make_imported_run(3))


def told(capsys, **options) -> str:
    call_command("check_sums", **options)
    return capsys.readouterr().out


def test_sums_of_an_ordinary_site_are_right(work, capsys):
    assert told(capsys) == "All sums are correct.\n"


@pytest.mark.parametrize(
    ("keeper", "changed"),
    [
        (Annotation, {"seconds": F("seconds") + 3}),
        (Annotation, {"priority": F("priority") + 1}),
        (SubmissionCounts, {"count": F("count") + 5}),
        (OutputSums, {"count": 0}),
        (RoundReviewer, {"judged": 7}),
    ],
)
def test_a_sum_that_is_wrong_is_named_and_put_right(work, capsys, keeper, changed):
    [column] = changed
    before = list(keeper.objects.order_by("pk").values_list("pk", column))
    with without_triggers():
        assert keeper.objects.update(**changed)
    with pytest.raises(CommandError, match="--repair"):
        call_command("check_sums")
    assert re.search(rf"{keeper._meta.db_table} .*{column} is -?[\d.]+, the rows say [\d.]+", capsys.readouterr().out)
    assert told(capsys, repair=True).endswith("All sums are correct now.\n")
    assert list(keeper.objects.order_by("pk").values_list("pk", column)) == before
    assert check_sums() == []


def test_rows_that_came_while_triggers_were_off_are_summed(work, capsys):
    with without_triggers():
        StepTime.objects.create(annotation=Annotation.objects.get(), step=2, seconds=2)
        SubmissionCounts.objects.all().delete()
    told(capsys, repair=True)
    assert Annotation.objects.get().seconds == 42
    assert SubmissionCounts.objects.get().count == 1


def test_a_sum_that_is_added_to_a_table_with_rows_begins_with_them(work):
    """A later migration may keep a new sum over rows that are there."""
    added = KeepSums(
        name="steps_by_annotation", table="annotation_steptime", keeper="judging_callsums",
        key={name: f"(SELECT MIN(id) FROM judging_{of})" for name, of in MODEL_OF_A_RUN.items()},
        sums={"cancelled": "{row}.seconds"}, reads=["seconds"], makes_keepers=True,
    )  # fmt: skip
    added.database_forwards("annotation", Editor(), None, None)
    assert CallSums.objects.aggregate(models.Sum("cancelled"))["cancelled__sum"] == 40
    StepTime.objects.update(seconds=41)
    assert CallSums.objects.aggregate(models.Sum("cancelled"))["cancelled__sum"] == 41
    added.database_backwards("annotation", Editor(), None, None)
    CallSums.objects.all().delete()


def test_every_table_that_keeps_sums_is_looked_at():
    assert {each.table for each in keepers()} == {
        "annotation_annotation", "annotation_submissioncounts", "judging_callsums",
        "judging_outputsums", "judging_judgepairsums", "review_roundreviewer",
    }  # fmt: skip


class Editor:
    """Django's own needs a transaction of its own on SQLite."""

    connection = connection

    def execute(self, sql, params=()):
        with connection.cursor() as cursor:
            cursor.execute(sql, params)
