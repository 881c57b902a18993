"""Quotas and deadlines of annotators, and the forecast of the end."""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError
from django.urls import reverse
from django.utils import timezone

from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.work.workload import forecast, workloads
from annotation.models import Quota
from core.models import Event
from tests.factories import AnnotationFactory, TagFactory

pytestmark = pytest.mark.django_db


def set_quota(client, person, annotations="", deadline=""):
    return client.post(
        reverse("workload_quota", args=[person.pk]), {"annotations": annotations, "deadline": deadline}
    )


@pytest.fixture
def steady(annotator) -> None:
    """Two a day for the last ten days."""
    for back in range(1, 11):
        for _ in range(2):
            at = timezone.now() - timedelta(days=back)
            AnnotationFactory(annotator=annotator, state="submitted", version=1, submitted_at=at)


def test_a_steady_pace_has_a_narrow_forecast():
    assert forecast((2,) * 10, 20) == (10, 10)


def test_an_uneven_pace_has_a_wide_one_around_the_mean():
    first, last = forecast((0, 0, 10, 0, 1, 0, 0, 7, 0, 2), 40)
    assert first < 20 < last


def test_few_days_give_no_forecast_and_a_slow_pace_no_end():
    assert forecast((5, 5, 5), 10) is None
    assert forecast((0,) * 9 + (5,), 10) is None
    first, last = forecast((1, 0, 0, 1, 0, 0, 1, 0, 0, 0), 200)
    assert (first > 300, last) == (True, 0)


def test_an_admin_sets_changes_and_removes_a_quota(amir, annotator, admin):
    assert set_quota(amir, annotator, "40", "2027-01-31").status_code == 302
    kept = Quota.objects.get()
    assert (kept.person, kept.annotations, kept.deadline, kept.set_by) == (annotator, 40, date(2027, 1, 31), admin)
    set_quota(amir, annotator, "40", "2027-01-31")
    set_quota(amir, annotator)
    assert not Quota.objects.exists()
    log = Event.objects.filter(action="set_quota").order_by("pk")
    assert [entry.after["quota"] for entry in log] == [40, None]


@pytest.mark.parametrize(
    ("annotations", "deadline"), [("0", ""), ("x", ""), ("9999999", ""), ("", "2027-01-31"), ("4", "soon")]
)
def test_what_is_no_quota_is_refused(annotations, deadline, amir, annotator):
    assert set_quota(amir, annotator, annotations, deadline).status_code == 400
    assert not Quota.objects.exists()


def test_the_page_and_the_home_of_the_person_have_the_forecast(steady, amir, anna, annotator, admin):
    assign_tag(tag=TagFactory(), annotator=annotator, admin=admin)
    set_quota(amir, annotator, "30", "2001-01-01")
    row = workloads([annotator], reader=admin)[0]
    assert (row.left, row.assigned, row.submitted, row.is_late) == (10, 1, 20, True)
    assert row.first == row.last == timezone.localdate() + timedelta(days=5)
    page = amir.get(reverse("workload")).content.decode()
    assert row.forecast in page
    assert "after the deadline" in page
    own = anna.get(reverse("home")).content.decode() + anna.get(reverse("overview")).content.decode()
    assert "of 30 by 1 January 2001" in own
    assert row.forecast in own


def test_a_quota_that_is_met_says_so(steady, amir, annotator, admin):
    set_quota(amir, annotator, "20")
    assert workloads([annotator], reader=admin)[0].forecast == "quota met"


def test_work_to_which_the_admin_is_blind_is_not_counted(annotator, admin):
    tag = TagFactory(annotations_needed=2)
    for person in (annotator, admin):
        person.groups.add(*annotator.groups.all())
    assign_tag(tag=tag, annotator=admin, admin=admin)
    before = workloads([annotator], reader=admin)
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    assert workloads([annotator], reader=admin) == before


@pytest.mark.parametrize("name", ["anna", "rita", "ada"])
def test_only_admins_open_and_set_it(name, request, annotator):
    client = request.getfixturevalue(name)
    assert client.get(reverse("workload")).status_code == 403
    assert set_quota(client, annotator, "4").status_code == 403


def test_the_database_refuses_a_quota_of_nothing(annotator, admin):
    with pytest.raises(IntegrityError):
        Quota.objects.create(person=annotator, annotations=0, set_by=admin)


def test_programs_set_and_read_quotas(amir, annotator, admin):
    address = f"/api/v1/people/{annotator.pk}/quota/"
    sent = {"annotations": 30, "deadline": "2030-01-31"}
    assert amir.post(address, sent, content_type="application/json").json()["quota"] == 30
    (found,) = amir.get("/api/v1/workload/").json()["results"]
    assert (found["username"], found["quota"], found["deadline"]) == (annotator.username, 30, "2030-01-31")
    assert amir.post(address, {"annotations": 0}, content_type="application/json").status_code == 400
    assert amir.post(address, {"annotations": None}, content_type="application/json").json()["quota"] is None
    assert not Quota.objects.exists()
