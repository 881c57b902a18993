"""Nothing that a program or a page is given contains the running number of an entry of the log or of a message: gaps
would tell of entries that the reader may not know of."""

import base64
import json

import pytest
from django.urls import reverse

from core.models import CoreAction, Delivery, Event
from core.webhooks import webhooks
from core.webhooks.outbox import known_deliveries
from tests.core.webhooks.test_webhooks import told

pytestmark = pytest.mark.django_db


def record(admin, count: int) -> None:
    for _ in range(count):
        Event.record(CoreAction.RENAMED, admin, actor=admin)


def test_entries_of_the_log_have_names_that_stay_and_tell_no_number(admin, sign_in):
    record(admin, 3)
    client = sign_in(admin)
    names = [row["id"] for row in client.get("/api/v1/activity/").json()["results"]]
    assert names == [row["id"] for row in client.get("/api/v1/activity/").json()["results"]]
    assert len(set(names)) == len(names)
    assert not any(name.isdigit() for name in names)


def test_positions_in_addresses_can_be_read_by_this_site_alone(admin, sign_in):
    record(admin, 120)
    client, where, seen = sign_in(admin), "/api/v1/activity/", []
    while where:
        page = client.get(where).json()
        seen += [row["id"] for row in page["results"]]
        where = page["next"]
        if where:
            code = where.partition("after-")[2].partition("&")[0]
            with pytest.raises(ValueError, match=r"."):
                json.loads(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)))
    assert len(seen) == len(set(seen)) == Event.objects.open_log(admin).count()


def test_a_position_that_was_not_sealed_here_gives_the_first_page(admin, sign_in):
    record(admin, 60)
    client, forged = sign_in(admin), base64.urlsafe_b64encode(b"[3]").decode().rstrip("=")
    where = reverse("activity")
    assert client.get(f"{where}?page=after-{forged}").status_code == 200


def test_a_message_is_known_by_its_key_alone(hook, admin, sign_in):
    told()
    (row,) = sign_in(admin).get("/api/v1/deliveries/").json()["results"]
    assert "id" not in row
    page = sign_in(admin).get(reverse("webhook", args=[hook.pk])).text
    assert f"/deliveries/{Delivery.objects.get().pk}/" not in page


def test_the_log_names_no_message_by_its_number(hook, admin, sign_in):
    """Of five messages two are sent again: how many others there are between them is told nowhere."""
    messages = [told() for _ in range(5)]
    for message in (messages[0], messages[4]):
        webhooks.send_again(delivery=message, admin=admin)
    client = sign_in(admin)
    entries = [row for row in client.get("/api/v1/activity/").json()["results"] if row["action"] == "sent_again"]
    assert [(row["subject_kind"], row["subject_id"]) for row in entries] == [("webhook", hook.pk)] * 2
    assert {row["after"]["message"] for row in entries} == {str(messages[0].key), str(messages[4].key)}
    assert f"webhook {hook.pk}" in client.get(reverse("activity")).text
    assert not Event.objects.filter(subject_kind__in=("delivery", "deliveryattempt", "event")).exists()


def test_messages_about_annotations_are_hidden_from_annotators_of_such_a_tag(hook, admin, monkeypatch):
    Delivery.objects.create(webhook=hook, event="annotation.returned", body="{}")
    assert known_deliveries(admin).count() == 1
    monkeypatch.setattr("core.webhooks.outbox._hidden", {"annotation.returned": lambda person: True})
    assert not known_deliveries(admin).exists()
