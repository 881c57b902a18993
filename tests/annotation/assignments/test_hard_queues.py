"""Queues that are hard on whoever asks, and clocks that jump: through the desk's pages."""

import json
import random
from contextlib import suppress
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.content.rows import content_of
from annotation.desk.assignments import queue
from annotation.desk.assignments.assignment import claim_next_tag, renew_lease
from annotation.desk.assignments.queue import CANDIDATES
from annotation.models import Annotation, Assignment, Skip, Tag
from core.models import User
from core.refusals import Refusal
from tests.annotation.desk_helpers import complete_content, submit
from tests.conftest import make_person
from tests.factories import ArticleFactory, TagFactory

pytestmark = pytest.mark.django_db

MANY = 3 * CANDIDATES


def next_tag(client: Client) -> Annotation | None:
    """The annotation that “Next tag” leads to."""
    address = client.post(reverse("desk_next"))["Location"]
    number = address.rstrip("/").rpartition("/")[2]
    return Annotation.objects.get(pk=number) if number.isdigit() else None


def skip(person: User, tags: list[Tag]) -> None:
    Skip.objects.bulk_create(Skip(tag=tag, annotator=person, reason="Not mine") for tag in tags)


def send(client: Client, act: str, annotation: Annotation, **changes):
    annotation.refresh_from_db()
    body = {"content": complete_content(**changes), "operation": str(uuid4()), "tab": "t"}
    return client.post(
        reverse(f"desk_{act}", args=[annotation.pk]),
        json.dumps(body),
        content_type="application/json",
        headers={"If-Match": f'"{annotation.version}"'},
    )


def test_who_skipped_all_that_comes_first_gets_what_comes_after(annotator, other_annotator, sign_in):
    tags = TagFactory.create_batch(MANY + 1, article=ArticleFactory())
    skip(annotator, tags[:MANY])
    asked = []
    for person, expected in ((other_annotator, tags[0]), (annotator, tags[MANY])):
        client = sign_in(person)
        client.get(reverse("desk"))
        with CaptureQueriesContext(connection) as queries:
            got = next_tag(client)
        assert got is not None
        assert got.tag == expected
        asked.append(len(queries))
    assert asked[1] <= asked[0]


def test_who_may_have_none_of_what_is_left_is_told_so_and_others_get_it(annotator, other_annotator, sign_in):
    skip(annotator, TagFactory.create_batch(MANY, article=ArticleFactory()))
    client = sign_in(annotator)
    client.get(reverse("desk"))
    with CaptureQueriesContext(connection) as queries:
        assert next_tag(client) is None
    assert len(queries) < 20
    page = client.get(reverse("desk"))
    assert page.status_code == 200
    assert not Assignment.objects.filter(annotator=annotator).exists()
    assert next_tag(sign_in(other_annotator)) is not None


def test_an_article_with_many_tags_costs_a_page_no_more_than_one_with_a_few(annotator, other_annotator, sign_in):
    counts = []
    for person, tags in ((annotator, 5), (other_annotator, MANY)):
        TagFactory.create_batch(tags, article=ArticleFactory(), priority=tags)
        client = sign_in(person)
        shown = next_tag(client)
        assert shown is not None
        address = reverse("desk_annotation", args=[shown.pk])
        client.get(address)  # the first look asks for evidence
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))
        assert Tag.objects.filter(article=shown.tag.article_id).count() == tags
    assert counts[0] == counts[1]


class Clock:
    """The time that a process sees."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.offset, real = timedelta(), timezone.now
        monkeypatch.setattr(timezone, "now", lambda: real() + self.offset)

    def is_off_by(self, **offset: float) -> None:
        self.offset = timedelta(**offset)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def pair(annotator, other_annotator, sign_in) -> tuple[Client, Client]:
    return sign_in(annotator), sign_in(other_annotator)


def test_a_process_an_hour_ahead_hands_no_tag_to_two(pair, clock):
    """It takes the leases of the others for lapsed. The tag then has one annotator, and what both wrote is kept."""
    tag = TagFactory()
    ahead, behind = pair[1], pair[0]
    first = next_tag(behind)
    assert first is not None
    assert send(behind, "save", first, valid_comment="of the first").status_code == 200
    clock.is_off_by(hours=1)
    second = next_tag(ahead)
    assert second is not None
    assert send(ahead, "submit", second, valid_comment="of the second").status_code == 200
    clock.is_off_by()
    kept = send(behind, "save", first, valid_comment="of the first, and more")
    assert kept.json()["standing"] == "lost"
    refused = send(behind, "submit", first, valid_comment="of the first, and more")
    assert refused.status_code == 409
    assert Assignment.objects.get(tag=tag).annotator == second.annotator
    assert content_of(Annotation.objects.get(pk=first.pk))["valid_comment"] == "of the first, and more"
    assert Annotation.objects.exclude(submitted_at=None).get() == second


def test_who_goes_on_working_keeps_the_tag_when_the_clock_jumps_ahead(pair, clock):
    TagFactory()
    at_work = next_tag(pair[0])
    assert at_work is not None
    clock.is_off_by(hours=1)
    answer = pair[0].post(reverse("desk_renew", args=[at_work.pk]), "{}", content_type="application/json")
    assert answer.json()["standing"] == "held"
    assert next_tag(pair[1]) is None
    assert send(pair[0], "submit", at_work).status_code == 200


@pytest.mark.parametrize("offset", [{"hours": -1}, {"days": -400}, {"days": 400}])
def test_a_clock_that_jumps_while_a_tag_is_open_loses_nothing(pair, clock, offset, annotator):
    TagFactory.create_batch(2)
    at_work = next_tag(pair[0])
    assert at_work is not None
    assert send(pair[0], "save", at_work, valid_comment="before").status_code == 200
    clock.is_off_by(**offset)
    client = Client()
    client.force_login(annotator, backend="core.accounts.adapter.Backend")  # sessions end when their time is over
    for name, arguments in (("desk", []), ("my_work", []), ("desk_annotation", [at_work.pk])):
        assert client.get(reverse(name, args=arguments), follow=True).status_code == 200
    assert send(client, "save", at_work, valid_comment="after").status_code == 200
    assert send(client, "submit", at_work, valid_comment="after").status_code == 200
    stored = Annotation.objects.get(pk=at_work.pk)
    assert isinstance(stored.submitted_at, datetime)
    assert content_of(stored)["valid_comment"] == "after"
    following = next_tag(client)
    assert following is not None
    assert following.tag != at_work.tag


@pytest.mark.parametrize("seed", range(3))
def test_by_processes_with_different_clocks_each_tag_is_annotated_once(clock, seed):
    """Each person asks a process whose clock is right, ahead or behind; for each, others have lapsed. Nobody has
    two tags at a time, no tag has two annotators, and in the end none is left."""
    tags, drawn = TagFactory.create_batch(6), random.Random(seed)
    people = [make_person(f"annotator{number}", "annotator") for number in range(6)]
    hours = dict(zip(people, (0, 0, 5, 5, -5, -5), strict=True))
    at_work: dict[User, Annotation] = {}

    def turn(person: User, act: str) -> None:
        clock.is_off_by(hours=hours[person])
        if person not in at_work or act == "ask":
            found = claim_next_tag(annotator=person)
            if found:
                at_work[person] = found
        elif act == "renew":
            renew_lease(annotation=at_work[person], annotator=person)
        else:
            with suppress(Refusal):  # another one has taken the tag meanwhile; the draft stays
                submit(at_work[person])
            del at_work[person]

    for _ in range(60):
        turn(drawn.choice(people), drawn.choice(["ask", "renew", "submit"]))
        in_hand = [each.annotator_id for each in Assignment.objects.unfinished().exclude(annotator=None)]
        assert len(in_hand) == len(set(in_hand))
    for person in people * len(tags):
        turn(person, "submit")
    assert not Assignment.objects.filter(done_at=None).exists()
    submitted = Annotation.objects.exclude(submitted_at=None)
    assert sorted(submitted.values_list("tag", flat=True)) == sorted(tag.pk for tag in tags)


@pytest.fixture
def far(monkeypatch) -> None:
    """Ten tags are many."""
    monkeypatch.setattr(queue, "FAR", 10)
    monkeypatch.setattr(queue, "_starts", {})
    for name in ("_next", "_next_from"):  # with the number of many in its text
        monkeypatch.setattr(getattr(queue, name), "_compiled", {})


def test_who_had_much_goes_on_where_the_last_search_ended(far, annotator, sign_in):
    article = ArticleFactory()
    tags = TagFactory.create_batch(20, article=article)
    skip(annotator, tags[:12])
    client = sign_in(annotator)
    for expected in tags[12:14]:
        got = next_tag(client)
        assert got is not None
        assert got.tag == expected
        assert send(client, "submit", got).status_code == 200
    start = queue._starts[annotator.pk]
    assert (start.priority, start.tag_id) == (0, tags[12].pk)
    assert queue.left_for(annotator) == 6
    # Urgent tags still come first; earlier returned ones are theirs when nothing else is left.
    urgent = TagFactory(article=article, priority=3)
    Skip.objects.filter(annotator=annotator, tag=tags[0]).delete()
    order = []
    while (got := next_tag(client)) is not None:
        order.append(got.tag)
        assert send(client, "submit", got).status_code == 200
    assert order == [tags[14], urgent, *tags[15:], tags[0]]  # the first was theirs already


def test_where_the_last_search_ended_is_forgotten_after_a_while(far, annotator, sign_in, monkeypatch):
    tags = TagFactory.create_batch(16, article=ArticleFactory())
    skip(annotator, tags[:12])
    client = sign_in(annotator)
    first = next_tag(client)
    assert first is not None
    Skip.objects.filter(annotator=annotator, tag=tags[0]).delete()
    assert send(client, "submit", first).status_code == 200
    second = next_tag(client)
    assert second is not None
    assert second.tag == tags[13]
    monkeypatch.setattr(queue, "_starts", {annotator.pk: queue._starts[annotator.pk]._replace(until=0)})
    assert send(client, "submit", second).status_code == 200
    third = next_tag(client)
    assert third is not None
    assert third.tag == tags[0]
