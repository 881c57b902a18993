"""An alarm when worker or clock falls silent: once, and once when it is back."""

import json
import time
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from core.health import beating, clock
from core.health.signs import give_sign
from core.models import Delivery, DeliveryState, Role, Sign, SignKind, User, Webhook
from core.seeing import alarms
from tests.conftest import make_person
from tests.core.receiver import receiving

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture(autouse=True)
def after_five_minutes(settings):
    settings.ALARM_AFTER_SECONDS = 300
    settings.MAIL_CONFIGURED = True
    settings.SITE_ADDRESS = "https://bench.example"


@pytest.fixture(autouse=True)
def long_after_the_start(monkeypatch):
    monkeypatch.setattr(alarms, "_began", time.monotonic() - 3600)


@pytest.fixture
def admin(db) -> User:
    admin = make_person("Amira", Role.ADMIN)
    User.objects.filter(pk=admin.pk).update(email="amira@example.org")
    User.objects.filter(pk=make_person("Boris", Role.ADMIN).pk).update(email="boris@example.org")
    User.objects.filter(pk=make_person("Closed", Role.ADMIN).pk).update(email="closed@example.org", is_active=False)
    User.objects.filter(pk=make_person("Ann", Role.ANNOTATOR).pk).update(email="ann@example.org")
    return admin


def silent_for(kind: SignKind, **time: float) -> None:
    give_sign(kind, "here:1")
    Sign.objects.filter(kind=kind).update(at=timezone.now() - timedelta(**time))


def subjects() -> list[tuple[str, str]]:
    return [(message.to[0], message.subject) for message in mail.outbox]


def test_admins_get_one_mail_for_each_silence_and_one_when_it_is_over(admin):
    silent_for(SignKind.WORKER, minutes=4)
    give_sign(SignKind.CLOCK, "here:1")
    alarms.look()
    assert subjects() == []
    silent_for(SignKind.WORKER, minutes=6)
    alarms.look()
    alarms.look()
    assert subjects() == [
        ("amira@example.org", "The worker is silent"),
        ("boris@example.org", "The worker is silent"),
    ]
    assert "no sign of life since" in mail.outbox[0].body
    assert "https://bench.example" in mail.outbox[0].body
    give_sign(SignKind.WORKER, "here:2")
    alarms.look()
    alarms.look()
    assert subjects()[2:] == [
        ("amira@example.org", "The worker is back"),
        ("boris@example.org", "The worker is back"),
    ]
    silent_for(SignKind.WORKER, minutes=6)
    Sign.objects.filter(kind=SignKind.WORKER).update(at=timezone.now() - timedelta(minutes=6))
    alarms.look()
    assert len(mail.outbox) == 6


def test_where_all_stood_still_a_start_leaves_the_others_time_for_their_first_sign(admin, monkeypatch):
    silent_for(SignKind.WORKER, days=2)
    monkeypatch.setattr(alarms, "_began", time.monotonic() - 10)
    alarms.look()
    assert subjects() == []
    monkeypatch.setattr(alarms, "_began", time.monotonic() - 301)
    alarms.look()
    assert subjects()[0][1] == "The worker is silent"
    # Nor is a part that was said to be silent back, because another process looks that has just begun.
    monkeypatch.setattr(alarms, "_began", time.monotonic() - 10)
    alarms.look()
    assert len(mail.outbox) == 2


def test_the_clock_is_looked_after_too_and_what_never_ran_is_not_silent(admin):
    alarms.look()
    silent_for(SignKind.CLOCK, hours=3)
    alarms.look()
    assert subjects()[0][1] == "The clock is silent"
    assert {sign.name: sign.facts["silent"] for sign in Sign.objects.filter(kind=SignKind.ALARM)} == {"clock": True}


def test_a_webhook_gets_the_message_from_the_process_that_noticed(admin, settings):
    with receiving() as receiver:
        settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
        settings.CELERY_TASK_ALWAYS_EAGER = True
        Webhook.objects.create(url=receiver.url, events=["part.silent"], salt="a" * 64, created_by=admin)
        silent_for(SignKind.WORKER, minutes=6)
        alarms.look()
        give_sign(SignKind.WORKER, "here:1")
        alarms.look()
    delivery = Delivery.objects.get()
    assert delivery.state == DeliveryState.DELIVERED
    assert json.loads(delivery.body)["data"].keys() == {"part", "last_sign"}


def test_a_mail_server_that_is_away_stops_nothing(admin, monkeypatch, caplog):
    def away(*_given: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(alarms, "send_mail", away)
    silent_for(SignKind.WORKER, minutes=6)
    alarms.look()
    assert "could not be mailed" in caplog.text


def test_web_worker_and_clock_look_and_not_too_often(admin, monkeypatch, client):
    looks: list[str] = []
    monkeypatch.setattr(alarms, "_look_once", lambda: looks.append("look"))
    monkeypatch.setattr(beating, "write_row", lambda: None)
    monkeypatch.setattr("core.health.signs.give_sign_and_hang_up", lambda *_given, **_named: None)
    for expected, give in ((1, lambda: client.get("/health/")), (2, beating.beat), (3, clock.give_signs)):
        monkeypatch.setattr(alarms, "_looked_at", float("-inf"))
        give()
        give()
        assert len(looks) == expected


def test_with_0_nobody_looks(monkeypatch, client, settings):
    settings.ALARM_AFTER_SECONDS = 0
    looks: list[str] = []
    monkeypatch.setattr(alarms, "_look_once", lambda: looks.append("look"))
    monkeypatch.setattr(alarms, "_looked_at", float("-inf"))
    client.get("/health/")
    assert looks == []
