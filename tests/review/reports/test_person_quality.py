"""The page about the quality of one person's work: annotations, minutes, agreement, judgments of closed rounds."""

import csv
import io
import json
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.decisions import accept_annotation, return_annotation
from annotation.models import Annotation, FirstSubmission, StepTime
from core.models import User
from review.models import SeenJudgments
from review.rounds.rounds import close_round, reopen_round
from review.statistics.medians import median_estimate
from tests.annotation.desk_helpers import complete_content, invalid_content, submit
from tests.factories import AnnotationFactory, TagFactory
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db


def quality(client, person: User) -> str:
    response = client.get(reverse("person_quality", args=[person.pk]))
    assert response.status_code == 200
    main = response.content.decode().split("<main", 1)[1]
    return re.sub(r'csrfmiddlewaretoken" value="[^"]*"', "", main)


def data(client, person: User) -> dict:
    return client.get(reverse("api:person_quality", args=[person.pk])).json()


@pytest.fixture
def annotated(annotator) -> list[Annotation]:
    """Two weeks of work: in the first, one of three had to be returned; in the second, two of three."""
    made = []
    start = timezone.now() - timedelta(weeks=2)
    for number, (week, returned, state) in enumerate(
        [
            (0, 0, "accepted"),
            (0, 0, "accepted"),
            (0, 1, "accepted"),
            (1, 1, "accepted"),
            (1, 1, "excluded"),
            (1, 0, "submitted"),
        ]
    ):
        at = start + timedelta(weeks=week)
        message = "ambiguous" if state == "excluded" else ""
        own = AnnotationFactory(annotator=annotator, state=state, version=1, submitted_at=at, review_message=message)
        StepTime.objects.create(annotation=own, page="a", step=2, seconds=60 * (number + 1))
        if returned:
            FirstSubmission.objects.create(annotation=own, content={}, submitted_at=at, returned_at=at)
        made.append(own)
    return made


def test_it_counts_outcomes_by_week_with_n(annotated, annotator, amir):
    found = data(amir, annotator)
    assert found["submitted"] == 6
    assert found["accepted"] == {"count": 4, "n": 5}
    assert found["accepted_at_first"] == {"count": 2, "n": 5}
    assert found["returned"] == {"count": 3, "n": 5}
    assert found["excluded"] == {"count": 1, "n": 5}
    assert [(week["submitted"], week["decided"], week["accepted_at_first"]) for week in found["weeks"]] == [
        (3, 3, 2),
        (3, 2, 0),
    ]
    page = quality(amir, annotator)
    assert "reviews decided on 5 and accepted 4 (80.0%), 2 of them without a return" in " ".join(page.split())
    # Below five, counts stand in place of percentages.
    assert "2 of 3" in page
    assert "n 3" in page


def test_minutes_by_step_stand_beside_those_of_others(annotated, annotator, other_annotator, amir):
    other = AnnotationFactory(annotator=other_annotator, state="submitted", version=1)
    StepTime.objects.create(annotation=other, page="a", step=2, seconds=600)
    step = data(amir, annotator)["minutes_by_step"]["2"]
    assert (step["n"], step["median"], step["n_others"], step["median_of_others"]) == (6, 3.5, 1, 10)
    # Of six values the smallest and the largest enclose the median with 96.9%.
    assert (step["median_low"], step["median_high"]) == (1, 6)


def test_a_median_of_few_values_has_no_interval():
    assert not median_estimate([])
    assert not median_estimate([1, 2, 3, 4, 5]).interval
    interval = median_estimate([float(each) for each in range(1, 101)]).interval
    # Conover's table for n = 100: the 40th and the 61st.
    assert (interval.low, interval.high) == (40, 61)


def test_agreement_is_that_of_first_submissions_with_another_annotator(annotator, other_annotator, admin, amir):
    for content in (complete_content(), invalid_content()):
        tag = TagFactory(annotations_needed=2)
        for person, each in ((annotator, complete_content()), (other_annotator, content)):
            assign_tag(tag=tag, annotator=person, admin=admin)
            submit(Annotation.objects.get(tag=tag, annotator=person), each)
    validity = data(amir, annotator)["agreement"]["choices"]["validity"]
    assert (validity["n"], validity["same"]["value"]) == (2, 0.5)
    assert "agrees on validity in 50.0% of 2 tags" in quality(amir, annotator)


def test_judgments_count_once_their_round_is_closed(reviewer, other_reviewer, admin, amir):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(2, models=("Mist",)))
    first, second = round.items.order_by("pk")
    give_all(first, "correct", "correct")
    before = quality(amir, reviewer)
    give_all(second, "correct", "incorrect")
    assert quality(amir, reviewer) == before, "an open round shows nothing, and no change"
    assert data(amir, reviewer)["judging"]["rounds"] == []
    close_round(round=round, admin=admin)
    judging = data(amir, reviewer)["judging"]
    assert judging["rounds"][0]["judged"] == 2
    assert judging["rounds"][0]["same_as_others"] == {"count": 1, "n": 2}
    assert judging["agreement"]["raw"]["value"] == 0.5
    assert judging["became_final"] == {"count": 1, "n": 1}
    assert "2 judgments in 1 closed round" in quality(amir, reviewer)
    assert SeenJudgments.objects.filter(person=admin, round=round).exists(), "the reader judges none of it later"
    reopen_round(round=round, admin=admin)
    assert data(amir, reviewer)["judging"]["rounds"] == []


def test_an_admin_who_judges_in_an_unfinished_round_sees_nothing_of_it(reviewer, admin, amir):
    admin.groups.add(*reviewer.groups.all())
    round = make_round(admin, [reviewer, admin], make_imported_run(1, models=("Mist",)))
    give_all(round.items.get(), "correct", "incorrect")
    close_round(round=round, admin=admin)
    # The disagreement is open: the round is closed, but not finished.
    assert data(amir, reviewer)["judging"]["rounds"] == []


def test_work_to_which_the_reader_is_blind_is_left_out(annotator, admin, amir, reviewer):
    tag = TagFactory(annotations_needed=2)
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    submit(Annotation.objects.get(tag=tag, annotator=annotator), complete_content())
    assert data(amir, annotator)["submitted"] == 1
    admin.groups.add(*annotator.groups.all())
    assign_tag(tag=tag, annotator=admin, admin=admin)
    hidden = quality(amir, annotator)
    own = Annotation.objects.get(tag=tag, annotator=annotator)
    return_annotation(annotation=own, reviewer=reviewer, message="which year?")
    assert quality(amir, annotator) == hidden
    assert data(amir, annotator)["submitted"] == 0


def test_files_have_each_number_with_n_and_interval(annotated, annotator, amir):
    response = amir.get(reverse("person_quality_download", args=[annotator.pk, "csv"]))
    rows = list(csv.DictReader(io.StringIO(b"".join(response).decode("utf-8-sig"))))
    accepted = next(
        row for row in rows if (row["part"], row["group"], row["measure"]) == ("reviews", "all", "accepted")
    )
    assert (accepted["n"], accepted["value"]) == ("5", "0.8")
    assert float(accepted["low"]) < 0.8 < float(accepted["high"])
    whole = amir.get(reverse("person_quality_download", args=[annotator.pk, "json"]))
    assert json.loads(b"".join(whole))["submitted"] == 6
    assert amir.get(reverse("person_quality_download", args=[annotator.pk, "exe"])).status_code == 404
    picture = amir.get(reverse("person_quality_picture", args=[annotator.pk, 1, "svg"]))
    assert picture.status_code == 200
    assert amir.get(reverse("person_quality_picture", args=[annotator.pk, 99, "svg"])).status_code == 404


@pytest.mark.parametrize("name", ["anna", "rita", "ada"])
def test_only_admins_open_it(name, request, annotator):
    client = request.getfixturevalue(name)
    assert client.get(reverse("person_quality", args=[annotator.pk])).status_code == 403
    assert client.get(reverse("api:person_quality", args=[annotator.pk])).status_code == 403


def test_it_is_reached_from_people_activity_and_the_person(annotated, annotator, amir, reviewer):
    accept_annotation(annotation=annotated[-1], reviewer=reviewer)
    address = reverse("person_quality", args=[annotator.pk])
    assert f'href="{address}"' in amir.get(reverse("people")).content.decode()
    assert f'href="{address}"' in amir.get(reverse("person", args=[annotator.pk])).content.decode()
    assert f'href="{address}"' in amir.get(reverse("report", args=["annotators"])).content.decode()
    log = amir.get(reverse("activity")).content.decode()
    # A name there leads to the person, whose page has the link.
    assert f'href="{reverse("person", args=[reviewer.pk])}"' in log


def test_a_person_without_work_has_an_empty_page(annotator, amir):
    assert 'class="empty"' in quality(amir, annotator)
