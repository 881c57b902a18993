"""The desk says whether the tag is still in its article, and asks a worker to check again."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation import tasks
from annotation.evidence import watch
from annotation.models import Annotation, WatchResult
from annotation.releases.datasheets.datasheet import datasheet, markdown
from annotation.releases.freezing import create_release
from core.models import Role
from tests.annotation.desk_helpers import claim, submit
from tests.annotation.reviewing.test_annotation_reviews import submit_annotation
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory

HTMX = {"HX-Request": "true"}
CHANGED = "The tag is still there, but the article no longer says passage 1 as it did."
AGO = timezone.now() - timedelta(hours=3)


@pytest.fixture
def asked(monkeypatch) -> list[int]:
    """The tags that a worker was asked to look at."""
    tags: list[int] = []
    monkeypatch.setattr(tasks.watch_tag, "apply_async", lambda args, **more: tags.append(args[0]))
    return tags


def draft_of(annotator, **more) -> Annotation:
    TagFactory(**more)
    return claim(annotator)


def found(annotation: Annotation, state="changed", message=CHANGED, **more) -> WatchResult:
    values = {"revision_id": 2000, "url": "https://wiki.example.org/?oldid=2000", "last_seen_at": AGO}
    return WatchResult.objects.create(tag=annotation.tag, state=state, message=message, **values | more)


def desk(client, annotation) -> str:
    return client.get(reverse("desk_annotation", args=[annotation.pk])).text


def test_both_desks_say_what_changed_and_when_that_was_checked(annotator, reviewer, sign_in):
    draft = draft_of(annotator)
    assert "Not checked yet" in desk(sign_in(annotator), draft)
    found(draft, paragraph="The bridge opened in 1904. It was closed in 1899.")
    submit(draft)
    second = sign_in(reviewer).get(reverse("reviews_annotation", args=[draft.pk])).text
    for shown in (desk(sign_in(annotator), draft), second):
        assert CHANGED in shown
        assert "3\xa0hours ago" in shown
        assert 'href="https://wiki.example.org/?oldid=2000"' in shown
        assert "<del>1903</del><ins>1904</ins>" in shown


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("unchanged", "the annotated text has not changed"),
        ("tag gone", "The tag is no longer in the article."),
        ("article gone", "The article is no longer there."),
        ("unknown", "could not be checked"),
    ],
)
def test_each_finding_has_its_words(annotator, sign_in, state, words):
    draft = draft_of(annotator)
    found(draft, state, "")
    assert words in desk(sign_in(annotator), draft)


def test_where_no_wiki_can_be_asked_nothing_is_said_and_nothing_offered(annotator, sign_in, asked):
    draft = draft_of(annotator, article__wiki__is_allowed=False)
    address = reverse("desk_watch", args=[draft.pk])
    assert "Still tagged?" not in desk(sign_in(annotator), draft)
    assert sign_in(annotator).post(address, headers=HTMX).status_code == 409
    assert asked == []


@pytest.mark.parametrize("who", ["annotator", "reviewer"])
def test_looking_again_asks_a_worker_and_waits_for_what_it_finds(
    who, request, annotator, sign_in, asked, django_capture_on_commit_callbacks
):
    draft = draft_of(annotator)
    result = found(draft)
    name = "desk_watch"
    if who == "reviewer":
        submit(draft)
        name = "reviews_watch"
    client = sign_in(request.getfixturevalue(who))
    address = reverse(name, args=[draft.pk])
    assert address in client.get(reverse(name.replace("watch", "annotation"), args=[draft.pk])).text
    with django_capture_on_commit_callbacks(execute=True):
        waiting = client.post(address, headers=HTMX).text
    assert asked == [draft.tag_id]
    assert "Checking" in waiting
    again = waiting.split('hx-get="')[1].split('"')[0].replace("&amp;", "&")
    assert "Checking" in client.get(again).text
    WatchResult.objects.filter(pk=result.pk).update(last_seen_at=timezone.now() + timedelta(seconds=1))
    shown = client.get(again).text
    assert "Checking" not in shown
    assert "Check again" in shown


def test_waiting_ends_with_words_when_nobody_answers(annotator, sign_in):
    draft = draft_of(annotator)
    shown = sign_in(annotator).get(reverse("desk_watch", args=[draft.pk]) + "?since=1&tries=30").text
    assert "No answer after a minute" in shown
    for query in ("since=x", "since=99999999999999999999", "tries=-1"):
        assert sign_in(annotator).get(reverse("desk_watch", args=[draft.pk]) + f"?{query}").status_code == 200


def test_without_script_the_button_leads_back_to_the_desk(
    annotator, sign_in, asked, django_capture_on_commit_callbacks
):
    draft = draft_of(annotator)
    with django_capture_on_commit_callbacks(execute=True):
        answer = sign_in(annotator).post(reverse("desk_watch", args=[draft.pk]))
    assert answer["Location"] == reverse("desk_annotation", args=[draft.pk])
    assert asked == [draft.tag_id]


def test_who_annotates_a_tag_beside_others_reads_nothing_of_their_passages(annotator, other_annotator, sign_in):
    tag = TagFactory(annotations_needed=2)
    submit_annotation(other_annotator, tag)
    draft = claim(annotator)
    client, worlds = sign_in(annotator), []
    for state, message, paragraph in (("changed", CHANGED, "The bridge opened in 1904."), ("unchanged", "", "")):
        WatchResult.objects.all().delete()
        found(draft, state, message, paragraph=paragraph, tag_is_there=True)
        shown = client.get(reverse("desk_watch", args=[draft.pk])).text
        worlds.append(re.sub('value="[A-Za-z0-9]{64}"', "", shown))  # the token is drawn anew each time
    assert "passage" not in worlds[0]
    assert "The tag is still in the article." in worlds[0]
    assert worlds[0] == worlds[1]
    WatchResult.objects.all().delete()
    found(draft, "tag gone", "The tag is no longer in the article; the passages have changed as well.")
    assert "passages" not in client.get(reverse("desk_watch", args=[draft.pk])).text


def test_nor_by_way_of_the_review(annotator, reviewer, other_annotator, sign_in):
    tag = TagFactory(annotations_needed=2)
    both = make_person("bea", Role.REVIEWER, Role.ANNOTATOR)
    own = submit_annotation(both, tag)
    found(own)
    assert "passage" not in sign_in(both).get(reverse("reviews_watch", args=[own.pk])).text
    submit_annotation(other_annotator, tag)
    assert "passage 1" in sign_in(reviewer).get(reverse("reviews_watch", args=[own.pk])).text


def test_the_datasheet_of_a_release_says_it_too(admin, annotator, sign_in):
    annotation = AnnotationFactory(annotator=annotator)
    release = create_release(name="One", admin=admin)
    found(annotation, "tag gone", "")
    for text in (
        markdown(datasheet(release)),
        sign_in(admin).get(reverse("release_datasheet", args=[release.number])).text,
    ):
        assert "Since the articles were read" in text
        assert "Tag no longer in the article" in text


def test_a_look_whose_message_was_lost_is_taken_up_by_the_clock(
    annotator, sign_in, monkeypatch, django_capture_on_commit_callbacks
):
    draft = draft_of(annotator)

    def away(*arguments, **more):
        raise OperationalError("no broker")

    monkeypatch.setattr(tasks.watch_tag, "apply_async", away)
    client = sign_in(annotator)
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(reverse("desk_watch", args=[draft.pk]), headers=HTMX)
    assert answer.status_code == 200
    taken_up: list[int] = []
    monkeypatch.setattr(tasks.watch_tag, "apply_async", lambda args, **more: taken_up.append(args[0]))
    tasks.wake_watching()
    assert taken_up == [draft.tag_id]
    looked_at: list[int] = []
    monkeypatch.setattr(watch, "watch_tags", lambda tags: looked_at.extend(tag.pk for tag in tags))
    tasks.watch_tag(draft.tag_id)
    tasks.watch_tag(draft.tag_id)
    assert looked_at == [draft.tag_id]
    tasks.wake_watching()
    assert taken_up == [draft.tag_id]
