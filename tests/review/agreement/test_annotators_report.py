"""The report of the annotators; and what every report says while there is nothing to count."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.desk.assignments.assignment import claim_next_tag
from annotation.models import StepTime
from annotation.tags.listing import TagFilters
from benchmarks.wikicontradict.items import CODE
from core.models import User
from review.reports.formats import FORMATS
from review.reports.registry import all_reports
from review.reports.scope import Scope
from tests.factories import AnnotationFactory, TagFactory

REPORTS = {name: each for name, each in all_reports().items() if each.benchmark == CODE}

pytestmark = pytest.mark.django_db


def page(client, name: str, **query) -> str:
    response = client.get(reverse("report", args=[name]), query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def annotated(annotator, other_annotator) -> None:
    """Two annotators with work in each state, and active minutes at the steps of what they submitted."""
    for number, state in enumerate(("draft", "returned", "submitted", "accepted", "accepted", "excluded")):
        message = "see the talk page" if state in ("returned", "excluded") else ""
        submitted = None if state == "draft" else timezone.now()
        own = AnnotationFactory(
            annotator=annotator, state=state, version=1, review_message=message, submitted_at=submitted
        )
        for step, seconds in ((1, 30), (2, 60 * number or 1), (5, 120)):
            StepTime.objects.create(annotation=own, page="a", step=step, seconds=seconds)
    AnnotationFactory(annotator=other_annotator, state="submitted", version=1, submitted_at=timezone.now())
    TagFactory()
    claim_next_tag(annotator=other_annotator)


def test_every_number_of_the_annotators_leads_to_as_many_tags(annotated, admin, sign_in):
    leads = 0
    for section in REPORTS["annotators"].make(Scope()).sections:
        for line in section.table.lines:
            for column, _, cell in line:
                if isinstance(cell.value, int) and column.name != "Active min":
                    query = {key: values[0] for key, values in parse_qs(urlsplit(cell.href).query).items()}
                    assert TagFilters(query).tags(admin).count() == cell.value, f"{column.name} of {line[0][2].value}"
                    leads += 1
    assert leads == 2 * 6 + 2
    page = sign_in(admin).get(f"{reverse('tags')}?work=accepted&person={User.objects.get(username='anna').pk}")
    assert "Work: accepted" in page.content.decode()


def test_the_annotators_have_their_median_minutes_by_step(annotated, admin, sign_in):
    report = json.loads(FORMATS["json"](REPORTS["annotators"].make(Scope())))
    anna, arthur = sorted(report["annotators"], key=lambda row: -row["accepted"])
    # 30 s, 1 to 5 minutes, and 2 minutes, of the five that were submitted; and the draft's, which was not.
    assert (anna["active_minutes"], anna["timed"], anna["median_minutes"]) == (30, 5, 5.5)
    assert anna["median_minutes_by_step"] == {"1": 0.5, "2": 3.0, "3": 0.0, "4": 0.0, "5": 2.0, "6": 0.0}
    assert (arthur["active_minutes"], arthur["timed"], arthur["median_minutes"]) == (0, 0, None)
    shown = page(sign_in(admin), "annotators")
    assert (
        "Half of 5 annotations took 5.5 active minutes or less; the step that takes longest is 2, passages." in shown
    )
    assert "Minutes by step" in shown


@pytest.mark.parametrize("name", REPORTS)
def test_an_empty_page_says_what_will_be_here(name, admin, sign_in):
    shown = page(sign_in(admin), name)
    assert 'class="empty"' in shown
    assert "download" not in shown
