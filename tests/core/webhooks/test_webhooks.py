"""Webhooks: the messages stored with an event, the requests to a real server, and the outcome of each attempt."""

import base64
import json
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.desk.decisions import return_annotation
from annotation.models import AnnotationState
from annotation.models.hooks import ANNOTATION_RETURNED, RELEASE_MADE
from annotation.releases.freezing import create_release
from core.accounts import tokens
from core.models import Delivery, DeliveryState, Event, Webhook
from core.refusals import Refusal
from core.webhooks import sending, waiting, webhooks
from core.webhooks.addresses import check_address
from core.webhooks.outbox import announce, registered_events
from core.webhooks.tasks import deliver_waiting
from judging.models import RunKind
from judging.runs.runs import cancel_run, create_run
from review.models import Adjudication
from review.rounds.adjudication import adjudicate, hold
from review.rounds.rounds import close_round
from tests.core.api.test_api import program
from tests.core.conftest import ALL
from tests.factories import AnnotationFactory
from tests.factories.judging import make_model, make_release, templates
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).parents[3] / "docs"


def told(data: dict[str, Any] | None = None) -> Delivery:
    announce(RELEASE_MADE, lambda: data or {"release": 1})
    return Delivery.objects.latest("pk")


def due_again(delivery: Delivery) -> None:
    """Its pause is over."""
    Delivery.objects.filter(pk=delivery.pk).update(not_before=timezone.now())


def state(delivery: Delivery) -> tuple[str, list[int | None]]:
    delivery.refresh_from_db()
    return delivery.state, [attempt.status for attempt in delivery.attempts.order_by("pk")]


# --- What is sent --------------------------------------------------------------------------------------------------


def test_a_message_is_signed_so_that_the_receiver_in_the_docs_takes_it(hook, receiver, admin):
    """The receiver as it stands in docs/webhooks.md, on its own."""
    secret = webhooks.make_secret(webhook=hook, admin=admin)
    told({"release": 7, "name": "Größe 10⁶"})
    deliver_waiting()
    (headers,), (body,) = receiver.headers, receiver.bodies
    code = next(re.finditer(r"```python\n(.*?)```", (DOCS / "webhooks.md").read_text(), re.S))[1]
    program: dict[str, Any] = {}
    exec(code, program)  # what the docs show is what is tested
    verified = program["verified"]
    message = verified(secret, headers, body)
    assert message["type"] == "release.made"
    assert message["data"] == {"release": 7, "name": "Größe 10⁶"}
    old = headers | {"webhook-timestamp": str(int(time.time()) - 3600)}
    for wrong in ((secret, headers, body + b" "), (secret, headers | {"webhook-id": "x"}, body), (secret, old, body)):
        with pytest.raises(ValueError, match=r"signature|time"):
            verified(*wrong)
    with pytest.raises(ValueError, match="signature"):
        verified(webhooks.make_secret(webhook=hook, admin=admin), headers, body)
    assert secret not in "".join(map(str, [*Webhook.objects.values(), *Event.objects.values()]))


def test_each_rule_that_is_told_of_writes_down_what_everybody_may_know(
    hook, admin, annotator, reviewer, other_reviewer, adjudicator
):
    annotation = AnnotationFactory(state=AnnotationState.SUBMITTED, annotator=annotator)
    return_annotation(annotation=annotation, reviewer=reviewer, message="The second passage is missing.")
    AnnotationFactory()
    release = create_release(name="First", admin=admin)
    run = create_run(release=make_release(1), language_models=[make_model()], templates=templates("5"))
    cancel_run(run=run)
    round = make_round(admin, [reviewer, other_reviewer], training_required=False)
    first, *others = round.items.order_by("pk")
    give_all(first, "correct", "incorrect")
    for item in others:
        give_all(item, "correct", "correct")
    close_round(round=round, admin=admin)
    assert not Delivery.objects.filter(event="round.finished").exists(), "a disagreement is left"
    left = Adjudication.objects.get()
    hold(left, adjudicator)
    adjudicate(adjudication=left, person=adjudicator, verdict="correct", reason="It names both.")
    bodies = {row.event: json.loads(row.body) for row in Delivery.objects.all()}
    assert Delivery.objects.count() == 4
    assert {name: body["data"] for name, body in bodies.items()} == {
        "annotation.returned": {"annotator": "anna"},
        "release.made": {
            "release": 1,
            "benchmark": "wikicontradict",
            "name": "First",
            "content_hash": release.content_hash,
            "tags": 1,
            "instances": 1,
        },
        "run.ended": {"run": run.pk, "name": "", "kind": RunKind.ANSWER, "state": "cancelled", "calls": {}},
        "round.finished": {
            "round": round.pk,
            "form": "verdicts",
            "responses": 6,
            "final_verdicts": 6,
            "adjudicated": 1,
        },
    }


def test_a_message_is_written_with_its_event_or_not_at_all(hook, admin):
    with transaction.atomic():
        told()
        transaction.set_rollback(True)
    assert not Delivery.objects.exists()
    webhooks.change_webhook(webhook=hook, admin=admin, events=["run.ended"], is_on=True)
    announce(RELEASE_MADE, lambda: pytest.fail("nobody wants to hear of it"))
    webhooks.change_webhook(webhook=hook, admin=admin, events=ALL, is_on=False)
    announce(ANNOTATION_RETURNED, lambda: pytest.fail("nobody wants to hear of it"))
    assert not Delivery.objects.exists()
    assert [event.name for event in registered_events()] == ALL


# --- The outcome ---------------------------------------------------------------------------------------------------


def test_a_failure_is_tried_again_under_the_same_id_with_growing_pauses(hook, receiver):
    receiver.answers = [500, "drop", "later", 204]
    delivery = told()
    pauses = []
    for _ in range(4):
        deliver_waiting()
        deliver_waiting()  # nothing is due
        delivery.refresh_from_db()
        pauses.append((delivery.not_before - timezone.now()).total_seconds())
        due_again(delivery)
    assert state(delivery) == (DeliveryState.DELIVERED, [500, None, 503, 204])
    assert pauses[0] <= 30
    assert pauses[1] <= 60
    assert 1_100 < pauses[2] < 1_300, "as Retry-After asks"
    assert len({headers["webhook-id"] for headers in receiver.headers}) == 1
    assert len(receiver.bodies) == 4
    assert delivery.attempts.first().answer == "answer 500 <b>\N{REPLACEMENT CHARACTER}"


def test_it_is_given_up_after_its_last_try_and_can_be_sent_again(hook, receiver, admin):
    receiver.answers = [500]
    delivery = told()
    Delivery.objects.filter(pk=delivery.pk).update(tries=sending.MOST_TRIES - 1)
    deliver_waiting()
    assert state(delivery) == (DeliveryState.FAILED, [500])
    receiver.answers = [200]
    webhooks.send_again(delivery=delivery, admin=admin)
    deliver_waiting()
    assert state(delivery) == (DeliveryState.DELIVERED, [500, 200])


def test_no_answer_holds_a_worker_for_long_or_fills_its_memory(hook, receiver, monkeypatch):
    monkeypatch.setattr(sending, "WAIT", 1.0)
    monkeypatch.setattr(sending, "WHOLE", 3.0)
    receiver.answers = ["hang", "drip", "huge"]
    delivery = told()
    for _ in range(3):
        deliver_waiting()
        due_again(delivery)
    hung, dripped, huge = delivery.attempts.order_by("pk")
    assert "timed out" in hung.error.lower()
    assert dripped.error == "No answer within 3 seconds."
    assert max(hung.seconds, dripped.seconds) < 30
    assert (huge.status, huge.answer) == (200, "y" * sending.READ_BYTES)


def test_a_redirect_is_not_followed_and_a_410_turns_the_webhook_off(hook, receiver):
    receiver.answers = ["redirect", 410]
    delivery = told()
    deliver_waiting()
    assert state(delivery) == (DeliveryState.WAITING, [302])
    assert len(receiver.bodies) == 1
    due_again(delivery)
    deliver_waiting()
    assert state(delivery) == (DeliveryState.FAILED, [302, 410])
    hook.refresh_from_db()
    assert not hook.is_on


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("https://elsewhere.example/hooks", "not a host"),
        ("http://10.0.0.5/", "must be in WEBHOOK_ALLOWED_HOSTS by name"),
        ("http://public.example.org/", "must begin with https"),
        ("https://me:secret@public.example.org/", "user name"),
        ("https://public.example.org\\@elsewhere.example/", "cannot contain|not an address|not among"),
        ("ftp://public.example.org/", "must begin with https"),
        ("https://[::1", "not an address"),
        ("", "Give the address"),
    ],
)
def test_an_address_is_refused_that_the_deployment_does_not_tell(address, says, admin, settings):
    settings.WEBHOOK_ALLOWED_HOSTS = ["public.example.org", "*"] if "10.0" in address else ["public.example.org"]
    with pytest.raises(Refusal, match=says):
        webhooks.add_webhook(admin=admin, url=address, events=ALL)
    assert not Webhook.objects.exists()


def test_where_the_host_leads_to_is_checked_when_it_connects(hook, receiver, settings, monkeypatch):
    """A name in the list that resolves to this machine, or to cloud metadata; and a host that left the list."""
    resolved = [(None, None, None, None, ("169.254.169.254", 443))]
    monkeypatch.setattr("core.hosts.socket.getaddrinfo", lambda *args, **kwargs: resolved)
    settings.WEBHOOK_ALLOWED_HOSTS = ["*"]
    Webhook.objects.update(url="https://public.example.org/hooks")
    assert not check_address("https://public.example.org/hooks")
    delivery = told()
    deliver_waiting()
    assert state(delivery) == (DeliveryState.FAILED, [None])
    assert "metadata address" in delivery.attempts.get().error
    settings.WEBHOOK_ALLOWED_HOSTS = []
    later = told()
    deliver_waiting()
    assert "not a host" in later.attempts.get().error
    assert receiver.bodies == []


def test_two_workers_send_a_message_once_and_that_of_a_dead_one_is_sent_after_its_lease(hook, receiver):
    delivery = told()
    held = waiting.claim(delivery.pk)
    assert held
    deliver_waiting()
    sending.deliver_one(delivery.pk)
    assert receiver.bodies == [], "another worker has it"
    Delivery.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    deliver_waiting()
    assert state(delivery) == (DeliveryState.DELIVERED, [200])
    # The first worker was only slow: its result no longer changes anything.
    sending.note(held, sending.Outcome(error="too late"), seconds=1.0)
    assert state(delivery) == (DeliveryState.DELIVERED, [200, None])


def test_old_messages_are_forgotten_and_waiting_ones_never(hook, receiver):
    receiver.answers = [200, 500]
    done, waits = told(), None
    deliver_waiting()
    waits = told()
    deliver_waiting()
    Delivery.objects.update(created_at=timezone.now() - waiting.KEPT - timedelta(days=1))
    deliver_waiting()
    assert list(Delivery.objects.all()) == [waits]
    assert done != waits


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_while_it_sends_loses_no_message(hook, receiver, tmp_path):
    """In a process of its own, killed as soon as the receiver has the first bytes of it."""
    receiver.answers = ["hang", 200]
    delivery = Delivery.objects.create(webhook=hook, event="ping", body="{}")
    if connection.vendor == "postgresql":
        database = connection.settings_dict
        url = "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**database)
    else:
        url = f"sqlite:///{connection.settings_dict['NAME']}"
    code = f"import django; django.setup(); from core.webhooks.sending import deliver_one; deliver_one({delivery.pk})"
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": url, "VAR_DIR": str(tmp_path)}
    environment["SECRET_KEY"] = "a long key that is only for this test of killed workers"
    worker = subprocess.Popen([sys.executable, "-c", code], cwd=DOCS.parent, env=environment)
    try:
        give_up_at = time.monotonic() + 60
        while not receiver.bodies and worker.poll() is None and time.monotonic() < give_up_at:
            time.sleep(0.02)
    finally:
        worker.kill()
        worker.wait()
    assert receiver.bodies
    assert state(delivery) == (DeliveryState.WAITING, [])
    assert delivery.lease_expires_at
    Delivery.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    deliver_waiting()
    assert state(delivery) == (DeliveryState.DELIVERED, [200])
    assert receiver.headers[0]["webhook-id"] == receiver.headers[1]["webhook-id"], "so that it can be dropped"


# --- Pages, API, feed ----------------------------------------------------------------------------------------------


def test_an_admin_adds_an_address_tries_it_and_sends_a_message_again(
    admin, receiver, sign_in, django_capture_on_commit_callbacks
):
    client = sign_in(admin)
    assert reverse("webhooks") in client.get(reverse("project")).content.decode()
    refused = client.post(reverse("webhooks"), {"url": "https://elsewhere.example/", "events": ALL})
    assert refused.status_code == 400
    sent = {"url": f"{receiver.url}/hooks", "events": ["run.ended"], "about": "Our chat"}
    page = client.post(reverse("webhooks"), sent).content.decode()
    secret = re.search(r"whsec_[\w+/]{43}=", page)[0]
    hook = Webhook.objects.get()
    address = reverse("webhook", args=[hook.pk])
    for where in (reverse("webhooks"), address):
        shown = client.get(where).content.decode()
        assert "Our chat" in shown
        assert secret not in shown
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("webhook_ping", args=[hook.pk]))
    assert json.loads(receiver.bodies[0])["type"] == "ping"
    shown = client.get(address).content.decode()
    assert "Delivered" in shown
    assert "answer 200 &lt;b&gt;" in shown
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("delivery_again", args=[Delivery.objects.get().key]))
    assert len(receiver.bodies) == 2
    client.post(address, {"events": ALL})  # the box is not ticked
    hook.refresh_from_db()
    assert (hook.events, hook.is_on) == (ALL, False)
    assert client.post(reverse("webhook_ping", args=[hook.pk])).status_code == 409
    client.post(reverse("webhook_secret", args=[hook.pk]))
    done = (
        Event.objects.filter(subject_kind__in=["webhook", "delivery"]).order_by("pk").values_list("action", flat=True)
    )
    assert list(done) == ["added_webhook", "sent_again", "changed_webhook", "made_secret"]


def test_programs_see_what_became_of_messages_and_send_them_again(hook, receiver, admin):
    receiver.answers = [500, 200]
    delivery = told()
    deliver_waiting()
    client = program(admin, may_administer=True)
    assert client.get("/api/v1/webhooks/").json()["results"][0]["events"] == ALL
    (row,) = client.get("/api/v1/deliveries/").json()["results"]
    assert (row["key"], row["state"], row["attempts"][0]["status"]) == (str(delivery.key), "waiting", 500)
    assert (
        client.post(f"/api/v1/deliveries/{delivery.key}/again/", content_type="application/json").json()["tries"] == 0
    )
    deliver_waiting()
    assert client.get("/api/v1/deliveries/").json()["results"][0]["state"] == "delivered"


def test_the_feed_has_what_happened_for_readers_with_a_token(admin, reviewer, other_reviewer, client):
    run = create_run(release=make_release(1), language_models=[make_model()], templates=templates("5"))
    cancel_run(run=run)
    answers = make_imported_run(1, name="\x0b<b>")
    round = make_round(admin, [reviewer, other_reviewer], answers, training_required=False)
    for item in round.items.all():
        give_all(item, "correct", "correct")
    close_round(round=round, admin=admin)
    make_round(admin, [reviewer, other_reviewer], make_imported_run(1), name="Goes on", training_required=False)
    _, token = tokens.make_token(person=admin, name="reader")
    password = base64.b64encode(f"amir:{token}".encode()).decode()
    answer = client.get("/api/v1/news/", headers={"Authorization": f"Basic {password}"})
    assert answer["Content-Type"].startswith("application/atom+xml")
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ET.fromstring(answer.content)  # our own
    entries = {entry.find(f"{atom}title").text: entry for entry in feed.iter(f"{atom}entry")}
    assert set(entries) == {f"Run {run.pk}: cancelled", "Release 1: Bridges", "Round Round 1 is finished"}
    assert len({entry.find(f"{atom}id").text for entry in entries.values()}) == 3
    assert entries["Release 1: Bridges"].find(f"{atom}link").get("href") == "http://testserver/annotation/releases/1/"
    assert client.get("/api/v1/news/").status_code == 401
    assert client.get("/api/v1/news/", headers={"Authorization": "Basic !!"}).status_code == 401
    assert program(reviewer).get("/api/v1/news/").status_code == 403
