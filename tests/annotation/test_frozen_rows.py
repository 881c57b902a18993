"""The database refuses to change what is released or logged, whoever writes."""

import pytest
from django.db import DatabaseError, transaction

from annotation.models import Event, Instance
from tests.factories import TagFactory


@pytest.mark.django_db
def test_a_released_instance_never_changes():
    instance = Instance.objects.create(key="k", question="When?")
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Instance.objects.filter(pk=instance.pk).update(question="Who?")
    assert Instance.objects.get(pk=instance.pk).question == "When?"


@pytest.mark.django_db
def test_a_logged_event_never_changes():
    event = Event.record("flagged", TagFactory(), message="unclear")
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Event.objects.filter(pk=event.pk).update(message="")
