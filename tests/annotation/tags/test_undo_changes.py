"""An admin's change of several tags is undone as a whole, while nothing of it has changed since."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.desk.assignments.assignment import claim_next_tag, skip_tag
from annotation.models import Annotation, Assignment, BulkChange, ChangedTag, Skip, Tag
from annotation.tags.changes import change_tags
from annotation.tags.undoing import undo_change
from core.models import Event
from tests.annotation.desk_helpers import complete_content, submit
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db


def change(client, tags, action: str, **more) -> BulkChange:
    """Change the tags through the page; its notice has the undo."""
    response = client.post(
        reverse("tags_change"), {"tag": [tag.pk for tag in tags], "action": action} | more, follow=True
    )
    made = BulkChange.objects.latest("pk")
    assert reverse("tags_undo", args=[made.pk]) in response.content.decode()
    return made


def undo(client, made: BulkChange):
    return client.post(reverse("tags_undo", args=[made.pk]))


def people(tags) -> list[object]:
    """Everything about the people of these tags."""
    rows = Assignment.objects.filter(tag__in=tags).order_by("tag", "number")
    return [
        list(rows.values("tag", "number", "annotator", "assigned_by", "claimed_at", "lease_expires_at", "done_at")),
        list(Skip.objects.order_by("tag", "annotator").values_list("tag", "annotator", "reason")),
        list(Annotation.objects.order_by("pk").values_list("pk", "version", "state")),
    ]


@pytest.fixture
def tags() -> list[Tag]:
    return TagFactory.create_batch(3)


@pytest.mark.parametrize("action", ["priority", "needed"])
def test_numbers_are_as_before(action, tags, amir):
    Tag.objects.filter(pk=tags[0].pk).update(priority=7)
    Assignment.objects.filter(tag=tags[0]).update(priority=7)
    before = list(Assignment.objects.order_by("tag", "number").values_list("tag", "number", "priority"))
    made = change(amir, tags, action, number="3")
    assert list(Assignment.objects.order_by("tag", "number").values_list("tag", "number", "priority")) != before
    assert undo(amir, made).status_code == 302
    assert list(Assignment.objects.order_by("tag", "number").values_list("tag", "number", "priority")) == before
    assert list(Tag.objects.order_by("pk").values_list("priority", flat=True)) == [7, 0, 0]


def test_flags_are_back_with_person_time_and_reason(tags, amir, annotator):
    at = timezone.now()
    Tag.objects.update(flagged_at=at, flagged_by=annotator, flag_reason="two articles")
    made = change(amir, tags, "unflag")
    undo(amir, made)
    assert set(Tag.objects.values_list("flagged_at", "flagged_by", "flag_reason")) == {
        (at, annotator.pk, "two articles")
    }


def test_assigned_tags_are_free_again_and_a_skip_is_back(tags, amir, annotator):
    own = claim_next_tag(annotator=annotator)
    skip_tag(annotation=own, annotator=annotator, reason="too long")
    before = people(tags)
    made = change(amir, tags, "assign", annotator=annotator.pk)
    assert Assignment.objects.filter(annotator=annotator).count() == 3
    undo(amir, made)
    assert people(tags) == before


def test_unassigned_and_reassigned_tags_are_back_with_their_drafts(tags, amir, annotator, other_annotator):
    change(amir, tags[:2], "assign", annotator=annotator.pk)
    before = people(tags)
    made = change(amir, tags[:2], "hand_over", annotator=other_annotator.pk)
    assert set(Assignment.objects.filter(tag__in=tags[:2]).values_list("annotator", flat=True)) == {
        other_annotator.pk
    }
    undo(amir, made)
    assert people(tags) == before
    made = change(amir, tags[:2], "unassign")
    assert not Assignment.objects.filter(annotator__isnull=False).exists()
    undo(amir, made)
    assert people(tags) == before


def test_nothing_is_undone_once_something_has_changed_since(tags, amir, annotator):
    made = change(amir, tags, "assign", annotator=annotator.pk)
    submit(Annotation.objects.get(tag=tags[1], annotator=annotator), complete_content())
    before = people(tags)
    refused = undo(amir, made)
    assert refused.status_code == 409
    assert tags[1].article.title in refused.content.decode()
    assert people(tags) == before
    made.refresh_from_db()
    assert made.undone_at is None
    assert "no longer possible" in amir.get(reverse("tags_changes")).content.decode()


def test_another_part_of_the_tag_may_have_changed(tags, amir, annotator):
    made = change(amir, tags, "priority", number="4")
    change(amir, tags, "assign", annotator=annotator.pk)
    assert undo(amir, made).status_code == 302
    assert set(Tag.objects.values_list("priority", flat=True)) == {0}


def test_it_is_undone_once_and_recorded(tags, amir, admin):
    made = change(amir, tags, "priority", number="4")
    assert undo(amir, made).status_code == 302
    assert undo(amir, made).status_code == 409
    log = Event.objects.filter(action="undid")
    assert sorted(log.values_list("subject_kind", flat=True)) == ["bulkchange", "tag", "tag", "tag"]
    assert set(log.values_list("actor", flat=True)) == {admin.pk}
    page = amir.get(reverse("tags_changes")).content.decode()
    assert "Set priority to 4: 3 tags" in page
    assert "undone by amir" in page


def test_a_person_without_the_role_gets_nothing_back(tags, amir, annotator):
    change(amir, tags, "assign", annotator=annotator.pk)
    made = change(amir, tags, "unassign")
    annotator.groups.clear()
    assert undo(amir, made).status_code == 409
    assert not Assignment.objects.filter(annotator__isnull=False).exists()


def test_an_admin_who_annotates_one_of_the_tags_learns_nothing_and_undoes_nothing(tags, amir, admin, annotator):
    Assignment.of(tags[0], 2).save()
    made, _, _ = change_tags(tags=tags, action="assign", admin=admin, annotator=annotator)
    change_tags(tags=tags[:1], action="assign", admin=admin, annotator=annotator)
    admin.groups.add(*annotator.groups.all())
    change_tags(tags=tags[:1], action="assign", admin=admin, annotator=admin)
    before = amir.get(reverse("tags_changes")).content.decode().split("<main", 1)[1]
    assert "anna" not in before
    submit(Annotation.objects.get(tag=tags[0], annotator=annotator), complete_content())
    after = amir.get(reverse("tags_changes")).content.decode().split("<main", 1)[1]
    strip = lambda page: [line for line in page.splitlines() if "ago" not in line and "time" not in line]  # noqa: E731
    assert strip(after) == strip(before)
    assert undo(amir, made).status_code == 403
    assert Assignment.objects.filter(annotator=annotator).count() == 3


@pytest.mark.parametrize("name", ["anna", "rita", "ada"])
def test_only_admins_undo(name, request, tags, admin):
    made, _, _ = change_tags(tags=tags, action="priority", admin=admin, number=2)
    client = request.getfixturevalue(name)
    assert undo(client, made).status_code == 403
    assert client.get(reverse("tags_changes")).status_code == 403


def test_the_database_wants_person_and_time_of_an_undo(tags, admin):
    made, _, _ = change_tags(tags=tags, action="priority", admin=admin, number=2)
    with pytest.raises(IntegrityError), transaction.atomic():
        BulkChange.objects.filter(pk=made.pk).update(undone_at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        ChangedTag.objects.create(change=made, tag=tags[0], before={}, after={})


def test_a_page_without_changes_says_what_comes(amir):
    assert 'class="empty"' in amir.get(reverse("tags_changes")).content.decode()


def test_undoing_at_the_function_returns_the_number_of_tags(tags, admin):
    made, _, _ = change_tags(tags=tags, action="priority", admin=admin, number=2)
    assert undo_change(change=made, admin=admin) == 3


def test_programs_undo_the_change_that_their_answer_names(tags, amir):
    sent = {"ids": [tag.pk for tag in tags], "action": "priority", "number": 7}
    answer = amir.post("/api/v1/tags/change/", sent, content_type="application/json").json()
    undone = amir.post(f"/api/v1/tags/changes/{answer['change']}/undo/", {}, content_type="application/json")
    assert undone.json() == {"changed": 3}
    assert set(Tag.objects.values_list("priority", flat=True)) == {0}
    again = amir.post(f"/api/v1/tags/changes/{answer['change']}/undo/", {}, content_type="application/json")
    assert again.status_code == 409
