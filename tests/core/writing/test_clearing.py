"""The clock deletes what no longer counts: expired sessions, answers kept for requests that are sent again."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.module_loading import import_string

from core.models import KeptAnswer

NOW = timezone.now()


def the_clock_strikes() -> None:
    """Run what the clock runs, by the name that it has in the schedule."""
    import_string(settings.CELERY_BEAT_SCHEDULE["clear expired"]["task"])()


@pytest.mark.django_db(transaction=True)
def test_expired_sessions_are_deleted_and_others_kept():
    for key, hours in (("old", -1), ("new", 1)):
        Session.objects.create(session_key=key, session_data="", expire_date=NOW + timedelta(hours=hours))
    the_clock_strikes()
    assert [each.session_key for each in Session.objects.all()] == ["new"]


@pytest.mark.django_db(transaction=True)
def test_old_answers_are_deleted_though_their_person_sends_nothing_more(annotator):
    for key, hours, status in (("old", 25, 200), ("never answered", 25, None), ("new", 23, 200)):
        begun = NOW - timedelta(hours=hours)
        KeptAnswer.objects.create(person=annotator, key=key, request_hash="x", begun_at=begun, status=status)
    the_clock_strikes()
    assert [each.key for each in KeptAnswer.objects.all()] == ["new"]
