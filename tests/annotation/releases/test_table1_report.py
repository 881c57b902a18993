"""Table 1 of the current state and of a release."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.content.checks import is_yes_no
from annotation.models import Annotation, AnnotationState, ContradictionType, Question, Validity
from annotation.releases.freezing import create_release
from tests.factories import AnnotationFactory

pytestmark = pytest.mark.django_db


def report(*arguments) -> str:
    output = io.StringIO()
    call_command("report", "table1", *arguments, stdout=output)
    return output.getvalue()


def fill() -> None:
    """Three valid tags (implicit, explicit after a change of mind, unset) and an invalid one: five instances."""
    implicit = AnnotationFactory()
    Question.objects.create(annotation=implicit, position=2, text=" Did it open twice?")
    Question.objects.create(annotation=implicit, position=3, text="", answer_1="no question")
    explicit = AnnotationFactory()
    ContradictionType.objects.create(annotation=explicit, position=9, dimension="reasoning_type", code="EXP")
    Question.objects.create(annotation=explicit, position=2, text="IS it open?")
    unset = AnnotationFactory()
    unset.contradiction_types.filter(dimension="reasoning_type").update(code="")
    AnnotationFactory(validity=Validity.INVALID, valid_comment="No.")
    AnnotationFactory(state=AnnotationState.SUBMITTED)


COUNTS = {
    "tags": 4,
    "verified_valid_tags": 3,
    "annotated_instances": 5,
    "yes_no_questions": 2,
    "wh_questions": 3,
    "explicit": 2,
    "implicit": 2,
    "reasoning_type_unset": 1,
}


def test_it_counts_what_is_accepted_now():
    fill()
    assert json.loads(report("--format", "json")) == COUNTS


def test_a_release_counts_what_was_frozen(admin):
    fill()
    create_release(name="First", admin=admin)
    Annotation.objects.update(validity=Validity.INVALID)
    assert json.loads(report("--format", "json", "--release", "1")) == COUNTS
    assert json.loads(report("--format", "json"))["annotated_instances"] == 0


def test_an_empty_project_counts_nothing():
    assert set(json.loads(report("--format", "json")).values()) == {0}


def test_it_comes_as_text_csv_and_latex():
    fill()
    assert "Annotated instances" in report()
    rows = list(csv.reader(io.StringIO(report("--format", "csv"))))
    assert ["Wh-questions", "3"] in rows
    assert r"Wh-questions & 3 \\" in report("--format", "latex")


def test_a_release_that_is_not_there_is_said_in_words():
    with pytest.raises(CommandError, match="There is no release 4"):
        report("--release", "4")


@pytest.mark.parametrize("question", ["Is it?", "did it", "WAS IT?", "Does x", "can y", "Do", "\tAre they", "has it"])
def test_a_yes_no_question_begins_with_one_of_eight_words(question):
    assert is_yes_no(question)


@pytest.mark.parametrize("question", ["When?", "Were they?", "Isn't it?", "Is, then", "", "  ", "Which is it?"])
def test_any_other_question_is_a_wh_question(question):
    assert not is_yes_no(question)
