"""Several annotations at once: accepted ones exported, open ones handed over; by page and by program, all or none.
Decisions of reviewers stay one by one."""

import csv
import io
import json

import pytest

from annotation.desk.assignments.assigning import set_annotations_needed
from annotation.desk.assignments.assignment import claim_next_tag
from annotation.models import Annotation, AnnotationState, Assignment, SeenAnnotation, Skip
from annotation.tags.changes import set_priority
from core.models import Role
from tests.annotation.desk_helpers import complete_content, save
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory

LIST = "/annotation/reviews/?state=accepted"
EXPORT = "/annotation/export/"


@pytest.fixture
def amir(admin, sign_in):
    return sign_in(admin)


@pytest.fixture
def accepted(db) -> list[Annotation]:
    """Two of three."""
    return AnnotationFactory.create_batch(3)[1:]


def query(annotations) -> str:
    return "?annotation=&" + "&".join(f"annotation={getattr(each, 'pk', each)}" for each in annotations)


def titles(annotations) -> list[str]:
    return [each.tag.article.title for each in annotations]


def test_admins_tick_accepted_annotations_and_reviewers_none(amir, accepted, reviewer, sign_in):
    page = amir.get(LIST).content.decode()
    assert page.count('name="annotation" value="') == 3
    assert "Export as JSON" in page
    assert 'name="annotation"' not in amir.get("/annotation/reviews/").content.decode()
    assert 'name="annotation"' not in sign_in(reviewer).get(LIST).content.decode()


def test_the_ticked_are_exported_in_each_form(amir, accepted, annotator):
    as_json = b"".join(amir.get(f"{EXPORT}json/{query(accepted)}"))
    assert [each["title"] for each in json.loads(as_json)] == titles(accepted)
    as_csv = b"".join(amir.get(f"{EXPORT}csv/{query(accepted)}")).decode()
    rows = csv.DictReader(io.StringIO(as_csv))
    assert list(dict.fromkeys(row["WikipediaArticleTitle"] for row in rows)) == titles(accepted)
    as_lines = b"".join(amir.get(f"/api/v1/annotations/{query(accepted)}")).decode().splitlines()
    assert [json.loads(line)["title"] for line in as_lines] == titles(accepted)
    Annotation.objects.update(annotator=annotator, version=1)
    work = b"".join(amir.get(f"{EXPORT}work/{query(accepted[:1])}")).decode().splitlines()
    assert [json.loads(line)["title"] for line in work] == titles(accepted[:1])


@pytest.mark.parametrize("address", [f"{EXPORT}json/", f"{EXPORT}csv/", "/api/v1/annotations/"])
def test_one_that_is_not_accepted_or_not_there_stops_everything(address, amir, accepted):
    Annotation.objects.filter(pk=accepted[1].pk).update(state=AnnotationState.SUBMITTED)
    assert amir.get(address + query(accepted)).status_code == 404
    assert amir.get(address + query([accepted[0], 2**40])).status_code == 404
    assert amir.get(address + query([accepted[0], "x"])).status_code == 400
    assert amir.get(f"{address}?annotation=").status_code == 400


def test_an_admin_who_annotates_the_tag_does_not_get_the_annotations_of_others(accepted, sign_in):
    both = make_person("both", Role.ADMIN, Role.ANNOTATOR)
    set_annotations_needed(tag=accepted[0].tag, needed=2, admin=both)
    set_priority(tag=accepted[0].tag, priority=1, admin=both)
    mine = claim_next_tag(annotator=both)
    assert mine
    assert mine.tag == accepted[0].tag
    save(mine, complete_content())
    client = sign_in(both)
    for address in (f"{EXPORT}json/", "/api/v1/annotations/"):
        assert client.get(address + query(accepted)).status_code == 404
        assert client.get(address + query(accepted[1:])).status_code == 200
    assert not SeenAnnotation.objects.filter(person=both, annotation=accepted[0]).exists()


def hand_over(client, tags, to, address="/api/v1/tags/change/"):
    sent = {"ids": [tag.pk for tag in tags], "action": "hand_over", "annotator": to.pk}
    return client.post(address, sent, content_type="application/json")


def holders() -> set[str]:
    taken = Assignment.objects.unfinished().filter(annotator__isnull=False)
    return set(taken.values_list("annotator__username", flat=True))


def test_open_annotations_are_handed_over_by_page_and_program(amir, annotator):
    tags = TagFactory.create_batch(2)
    draft = claim_next_tag(annotator=annotator)
    assert draft
    save(draft, complete_content())
    other = make_person("nina", Role.ANNOTATOR)
    amir.post("/annotation/tags/change/", {"tag": draft.tag_id, "action": "hand_over", "annotator": other.pk})
    assert holders() == {"nina"}
    # The draft stays with its writer, to whom the queue does not offer the tag again.
    assert Annotation.objects.get(pk=draft.pk).annotator == annotator
    assert Skip.objects.filter(tag=draft.tag, annotator=annotator).exists()
    assert hand_over(amir, [draft.tag], annotator).json()["changed"] == 1
    assert holders() == {annotator.username}
    # Nobody has the other one: none is changed.
    refused = hand_over(amir, tags, other)
    assert refused.status_code == 409
    assert "None of these tags was changed" in refused.json()["detail"]
    assert holders() == {annotator.username}


def test_two_annotations_of_one_tag_are_not_handed_to_one_person(amir, admin, annotator, other_annotator):
    tag = TagFactory()
    set_annotations_needed(tag=tag, needed=2, admin=admin)
    for person in (annotator, other_annotator):
        assert claim_next_tag(annotator=person)
    refused = hand_over(amir, [tag], make_person("nina", Role.ANNOTATOR))
    assert "Several people have this tag" in refused.json()["detail"]
    assert len(holders()) == 2


def test_nothing_is_handed_to_whoever_has_it_or_does_not_annotate(amir, annotator, reviewer):
    tag = TagFactory()
    assert claim_next_tag(annotator=annotator)
    assert hand_over(amir, [tag], annotator).status_code == 409
    assert hand_over(amir, [tag], reviewer).status_code == 409
    assert holders() == {annotator.username}
    sent = {"ids": [tag.pk], "action": "hand_over"}
    assert amir.post("/api/v1/tags/change/", sent, content_type="application/json").status_code == 400


def test_only_admins_hand_over(annotator, reviewer, sign_in):
    tag = TagFactory()
    assert claim_next_tag(annotator=annotator)
    for person in (annotator, reviewer):
        client = sign_in(person)
        assert hand_over(client, [tag], annotator).status_code == 403
        assert client.get(f"{EXPORT}json/{query([1])}").status_code == 403
