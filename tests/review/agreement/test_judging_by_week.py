"""The report by week: whether reviewers drift apart as time goes by."""

import csv
import io
import json
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from core.refusals import Refusal
from review.reports.links import ResponseFilter
from tests.review.agreement.test_agreement_report import judged
from tests.wikicontradict.test_table2 import IC, C, report

pytestmark = pytest.mark.django_db


@pytest.fixture
def two_weeks(admin, reviewer, other_reviewer, monkeypatch):
    """The last moment of Sunday and the first of Monday: two weeks, of eight pairs that agree and of eight of which
    two agree."""
    sunday, monday = datetime(2027, 1, 3, 23, 59, 59, 999_999, UTC), datetime(2027, 1, 4, tzinfo=UTC)
    for at, pairs in ((sunday, [(C, C)] * 6 + [(IC, IC)] * 2), (monday, [(C, C)] * 2 + [(C, IC)] * 6)):
        monkeypatch.setattr(timezone, "now", lambda at=at: at)
        judged(admin, [reviewer, other_reviewer], *pairs)


def test_each_week_has_its_agreement_and_verdicts(two_weeks):
    first, second = csv.DictReader(io.StringIO(report("weeks", format="csv")))
    assert (first["week"], first["n"], first["same"], first["correct"]) == ("2026-12-28", "8", "8", "12")
    assert (second["week"], second["n"], second["same"], second["incorrect"]) == ("2027-01-04", "8", "2", "6")
    found = json.loads(report("weeks", format="json"))["weeks"][1]["same"]
    # Wilson's for 2 of 8: 7.1 to 59.1.
    assert found["wilson"] == {"low": 7.1, "high": 59.1}


def test_a_change_is_told_from_chance(two_weeks):
    text = report("weeks")
    assert "in 25.0%" in text
    assert "in that of 28 December 2026 in 100.0%: a change." in text
    assert "“Correct” was 75.0% of the verdicts at first and 62.5% at last: too close to call." in text


def test_a_number_leads_to_the_responses_of_its_week(two_weeks):
    chosen = ResponseFilter.of({"pairs": "both", "week": "2027-01-04"})
    assert chosen.responses().count() == 8
    assert ResponseFilter.of({"week": "2027-01-04", "given": "incorrect"}).responses().count() == 6
    for wrong in ("2027-01-05", "2027-13-01", "week", "٢٠٢٧-٠١-٠٤", "0000-00-00"):
        with pytest.raises(Refusal):
            ResponseFilter.of({"week": wrong})
