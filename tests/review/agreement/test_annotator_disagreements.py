"""The page of disagreements of annotators: what differs, side by side, for whom, and how many of how many."""

import csv
import io
from collections.abc import Sequence

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.fields import Content
from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.assignments.assignment import has_seen
from annotation.models import Annotation, Family, Tag
from core.models import Role, User
from review.reports.people.annotator_agreement import annotator_agreement
from review.reports.scope import Scope
from tests.annotation.desk_helpers import complete_content, invalid_content, submit
from tests.conftest import make_person
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db
PAGE = "/review/annotations/disagreements/"


@pytest.fixture
def two() -> list[User]:
    return [make_person(name, Role.ANNOTATOR) for name in ("anna", "bert")]


def annotated(people: Sequence[User], admin: User, *contents: Content, **tag: object) -> Tag:
    made = TagFactory(annotations_needed=len(contents), **tag)
    for person, content in zip(people, contents, strict=True):
        assign_tag(tag=made, annotator=person, admin=admin)
        submit(Annotation.objects.get(tag=made, annotator=person), content)
    return made


def page_for(client, reader: User, /, **filters: object) -> str:
    client.force_login(reader)
    return client.get(PAGE, filters).content.decode()


def changed(**values: object) -> Content:
    return complete_content() | values


def test_texts_are_side_by_side_with_what_differs_marked(client, admin, two):
    other = changed(**{"Contradict type IV": ["EXP"], "paragraphA_information": "The bridge opened in 1904."})
    tag = annotated(two, admin, complete_content(), other)
    shown = page_for(client, admin)
    assert tag.article.title in shown
    assert "differ in reasoning type, passages" in shown
    assert "<mark>1904</mark>" in shown
    assert "<mark>Explicit</mark>" in shown


def test_tags_on_which_all_agree_are_not_listed(client, admin, two):
    tag = annotated(two, admin, complete_content(), complete_content())
    shown = page_for(client, admin)
    assert tag.article.title not in shown
    assert "The annotations agree in every field." in shown


def test_a_field_that_only_one_has_is_not_compared(client, admin, two):
    annotated(two, admin, complete_content(), invalid_content())
    assert "differ in validity" in page_for(client, admin)
    assert "No disagreement with these filters" in page_for(client, admin, field="passages")


def test_filters_narrow_by_field_type_tag_and_pair(client, admin, two):
    carl = make_person("carl", Role.ANNOTATOR)
    explicit = changed(**{"Contradict type IV": ["EXP"]})
    one = annotated(two, admin, complete_content(), explicit)
    another = annotated(
        [two[0], carl], admin, complete_content(), invalid_content(), family=Family.SELF_CONTRADICTORY
    )
    titles = {one.article.title, another.article.title}

    def found(**filters: object) -> set[str]:
        shown = page_for(client, admin, **filters)
        return {title for title in titles if f">{title}</h2>" in shown}

    assert found() == titles
    assert found(field="reasoning_type") == {one.article.title}
    assert found(type="reasoning_type:EXP") == {one.article.title}
    assert found(type="reasoning_type:IMP") == titles
    assert found(family=Family.SELF_CONTRADICTORY) == {another.article.title}
    assert found(person=two[0].pk) == titles
    assert found(person=two[0].pk, other=carl.pk) == {another.article.title}
    assert found(person=two[1].pk, other=carl.pk) == set()


def test_counts_are_those_of_the_agreement_report(client, admin, two):
    annotated(two, admin, complete_content(), changed(**{"Contradict type IV": ["EXP"]}))
    annotated(two, admin, complete_content(), complete_content())
    annotated(two, admin, complete_content(), invalid_content())
    report = annotator_agreement(Scope(reader=admin)).data["all"]["choices"]
    client.force_login(admin)
    table = client.get(PAGE).context["table"]
    counts = {row[0].value: (row[1].value, row[2].value) for row in table.rows}
    assert counts["Validity"] == (1, 3)
    assert counts["Reasoning Type"] == (1, 2)
    for choice in report.values():
        differ, of = counts[choice["name"]]
        assert of == choice["n"]
        assert differ == pytest.approx(of * (1 - choice["same"]["value"]))


def test_nobody_sees_the_annotations_of_a_tag_to_which_they_are_blind(client, two):
    admin = make_person("dora", Role.ADMIN)
    writer = make_person("emil", Role.ANNOTATOR, Role.REVIEWER)
    tag = annotated([two[0], writer], admin, complete_content(), invalid_content())
    assert tag.article.title not in page_for(client, writer)
    assert tag.article.title in page_for(client, admin)


def test_incomplete_tags_are_not_listed(client, admin, two):
    tag = TagFactory(annotations_needed=3)
    for person, content in zip(two, (complete_content(), invalid_content()), strict=True):
        assign_tag(tag=tag, annotator=person, admin=admin)
        submit(Annotation.objects.get(tag=tag, annotator=person), content)
    assert tag.article.title not in page_for(client, admin)


def test_who_reads_them_has_seen_the_annotations(client, admin, two):
    tag = annotated(two, admin, complete_content(), invalid_content())
    reader = make_person("rita", Role.REVIEWER, Role.ANNOTATOR)
    page_for(client, reader)
    assert has_seen(tag, reader)


def test_the_empty_page_says_what_comes_and_offers_it(client, admin):
    shown = page_for(client, admin)
    assert "No tag has two complete annotations yet" in shown
    assert reverse("project") in shown


def test_the_file_has_a_row_for_each_field_in_which_two_differ(client, admin, two):
    tag = annotated(two, admin, complete_content(), changed(**{"Contradict type IV": ["EXP"], "confidence": "1"}))
    client.force_login(admin)
    answer = client.get(f"{PAGE}csv/")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [row["field"] for row in rows] == ["reasoning_type", "confidence"]
    assert {row["tag"] for row in rows} == {str(tag.pk)}
    assert (rows[0]["annotator_1"], rows[0]["annotator_2"]) == ("anna", "bert")
    assert rows[1]["value_2"] == "1"


def test_programs_read_the_same_list(client, admin, two):
    tag = annotated(two, admin, complete_content(), changed(**{"Contradict type IV": ["EXP"]}))
    annotated(two, admin, complete_content(), invalid_content())
    client.force_login(admin)
    found = client.get("/api/v1/disagreements/", {"field": "reasoning_type"}).json()["results"]
    assert [each["tag"] for each in found] == [tag.pk]
    pair = found[0]["pairs"][0]
    assert pair["annotators"] == ["anna", "bert"]
    assert pair["differ"] == [{"field": "reasoning_type", "values": ["Implicit (reasoning required)", "Explicit"]}]


def test_a_page_sends_as_many_queries_for_many_tags_as_for_few(client, admin, two):
    def queries() -> int:
        client.force_login(admin)
        with CaptureQueriesContext(connection) as sent:
            client.get(PAGE)
        return len(sent)

    annotated(two, admin, complete_content(), invalid_content())
    client.force_login(admin)
    client.get(PAGE)
    few = queries()
    for _ in range(4):
        annotated(two, admin, complete_content(), invalid_content())
    client.get(PAGE)
    assert queries() == few
