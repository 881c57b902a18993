"""The activity log and the pages with a part of it name people, though the rows hold their numbers."""

from collections import Counter

import pytest
from django.apps import apps
from django.urls import reverse

from annotation.desk.assignments.assigning import assign_tag, unassign, unflag_tag
from annotation.desk.assignments.assignment import flag_tag
from annotation.models import AnnotationAction
from core.models import CoreAction, Event, Project
from core.models.events import log_kind
from tests.annotation.desk_helpers import claim
from tests.factories import TagFactory


@pytest.fixture
def handled_tag(annotator, admin):
    annotator.first_name, annotator.last_name = "Anna", "Berg"
    annotator.save()
    tag = TagFactory()
    claim(annotator)
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    flag_tag(tag=tag, annotator=annotator, reason="unclear")
    tag.refresh_from_db()
    unflag_tag(tag=tag, admin=admin)
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    unassign(tag=tag, annotator=annotator, admin=admin)
    return tag


def test_the_log_and_the_page_of_a_tag_name_people(handled_tag, annotator, admin, sign_in):
    for address in (reverse("activity"), reverse("tag", args=[handled_tag.pk])):
        page = sign_in(admin).get(address).text
        assert '<span class="muted">annotator</span> none → Anna Berg' in page
        assert '<span class="muted">flagged by</span> Anna Berg' in page
        assert f"annotator</span> {annotator.pk}" not in page


def test_the_names_of_a_long_log_take_one_query(
    handled_tag, annotator, admin, sign_in, django_assert_max_num_queries
):
    client = sign_in(admin)
    Event.objects.bulk_create(
        Event(action="claimed", subject_kind="tag", subject_id=handled_tag.pk, after={"annotator": annotator.pk})
        for _ in range(80)
    )
    with django_assert_max_num_queries(12):
        assert client.get(reverse("activity")).text.count("Anna Berg") >= 50


def test_the_kinds_of_rows_in_the_log_are_of_one_table_each():
    kinds = Counter(log_kind(model) for model in apps.get_models())
    assert [kind for kind, count in kinds.items() if count > 1] == []


def test_a_name_that_is_not_known_here_is_still_a_person(handled_tag, admin, sign_in):
    Event.record(AnnotationAction.CLAIMED, handled_tag, after={"annotator": 987_654})
    assert "person 987654" in sign_in(admin).get(reverse("activity")).text


def test_the_log_is_sentences_whose_names_are_links(handled_tag, annotator, admin, sign_in):
    Event.record(CoreAction.SET_ROLES, annotator, actor=admin, after={"roles": ["reviewer"]})
    Event.record(CoreAction.CHANGED_SETTINGS, Project.get(), actor=admin)
    Event.record(CoreAction.SIGNED_IN, annotator, actor=annotator)
    client = sign_in(admin)
    page = client.get(reverse("activity")).text
    anna = f'<a href="{reverse("person", args=[annotator.pk])}">Anna Berg</a>'
    lines = [" ".join(line.split()) for line in page.split("<li>")]
    assert any(f"{anna} signed in </li>" in line for line in lines)
    assert any(f"set roles ({anna})" in line for line in lines)
    assert any("changed the settings </li>" in line for line in lines)
    tag = f'<a href="{reverse("tag", args=[handled_tag.pk])}">tag {handled_tag.pk}</a>'
    assert any(f"removed the flag ({tag})" in line for line in lines)
    assert client.get(reverse("tag", args=[handled_tag.pk])).status_code == 200
