"""What lists and first pages ask of the database: so many queries, however many rows there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Assignment, Tag
from annotation.tags.states import TagState
from core.models import Event, Role, User
from judging.models import LanguageModel, ModelKind, PromptTemplate, Response, Run, RunKind, RunState
from tests.conftest import make_person
from tests.factories import TagFactory
from tests.judging.making import make_instance

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def fill(count: int) -> None:
    """So many tags, a third of them annotated, and as many responses, events and people."""
    first = TagFactory()
    names = [field.attname for field in Tag._meta.concrete_fields if field.attname != "id"]
    values = {name: getattr(first, name) for name in names}
    tags = Tag.objects.bulk_create(Tag(**values | {"occurrence": number}) for number in range(count))
    Assignment.objects.bulk_create(Assignment.of(tag, 1) for tag in tags)
    writer = make_person(f"writer{count}", Role.ANNOTATOR)
    Annotation.objects.bulk_create(
        Annotation(tag=tag, annotator=writer, state="submitted", version=1, submitted_at=NOW) for tag in tags[::3]
    )
    Event.objects.bulk_create(
        Event(action="claimed", subject_kind="tag", subject_id=tag.pk, actor=writer) for tag in tags
    )
    people = User.objects.bulk_create(User(username=f"person{count}-{number}") for number in range(count))
    writer.groups.get().user_set.add(*people)
    run = Run.objects.create(kind=RunKind.IMPORT, state=RunState.FINISHED, started_at=NOW)
    model = LanguageModel.objects.create(name=f"Model {count}", kind=ModelKind.IMPORTED)
    template = PromptTemplate.objects.get(code="1", version=1)
    instances = [make_instance(question=f"When did bridge {count}-{number} open?") for number in range(count)]
    Response.objects.bulk_create(
        Response(run=run, instance=each, model=model, template=template, imported={}) for each in instances
    )


LISTS = ("tags", "responses", "reviews", "activity", "people", "progress")
MOST_QUERIES = 15


def queries_of(client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as caught:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in caught.captured_queries]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_takes_as_many_queries_for_many_rows_as_for_some(name, admin, sign_in):
    client = sign_in(admin)
    fill(120)  # so many annotators that none are offered to choose from
    address = reverse(name)
    queries_of(client, address)  # what a process keeps is made
    found = []
    for more in (140, 280):
        found.append((len(queries_of(client, address)), len(queries_of(client, f"{address}?page=last"))))
        fill(more)
    assert found[0] == found[1]
    assert max(found[0]) <= MOST_QUERIES


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN])
def test_the_first_page_takes_as_many_queries_for_many_rows_as_for_some(role, sign_in):
    client = sign_in(make_person("paul", role))
    fill(30)
    queries_of(client, "/")
    found = []
    for more in (60, 120):
        found.append(len(queries_of(client, "/")))
        fill(more)
    assert found[0] == found[1]


ADDRESSES = [
    "/annotation/tags/",
    "/annotation/tags/?page=last",
    "/annotation/tags/?sort=queue",
    *(f"/annotation/tags/?state={state}" for state in TagState.values),
    "/annotation/tags/?family=inconsistent",
    "/annotation/tags/?q=Velm",
    "/judging/responses/",
    "/judging/responses/?page=last",
    "/judging/responses/?mark=complete",
    "/judging/responses/?mark=empty",
    "/judging/responses/?model={model}",
    "/judging/responses/?template={template}",
    "/judging/responses/?run={run}",
    "/judging/responses/?q=when+did",
    "/annotation/reviews/",
    "/annotation/reviews/?state=accepted",
    "/activity/",
    "/activity/?kind=tag",
    "/activity/?actor=writer3000",
    "/",
]
LONG = ("annotation_tag", "annotation_assignment", "annotation_annotation", "judging_response", "core_event")


def test_no_long_table_is_read_as_a_whole(admin, sign_in):
    client = sign_in(admin)
    fill(3_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    named = {name: model.objects.values_list("pk", flat=True).last() for name, model in NAMED.items()}
    for address in ADDRESSES:
        for query in queries_of(client, address.format(**named)):
            if query.startswith("SELECT"):
                assert not slow_lines(query), f"{address}: {query}"


NAMED = {"model": LanguageModel, "template": PromptTemplate, "run": Run}


def slow_lines(query: str) -> list[str]:
    """The lines of the database's plan by which it reads a long table as a whole, not up to a limit."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # With so few rows PostgreSQL may rather read them all: what counts is whether an index could serve.
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {query}")
            plan = [line for (line,) in cursor.fetchall()]
            below = zip(["", *plan], plan, strict=False)
            reads = [line for above, line in below if "Seq Scan on" in line and "Limit" not in above]
            return [line for line in reads if any(f"Seq Scan on {table}" in line for table in LONG)]
        cursor.execute(f"EXPLAIN QUERY PLAN {query}")
        plan = [line for *_, line in cursor.fetchall()]
    scans = [line for line in plan if line.startswith("SCAN ") and line.split()[1] in LONG and "USING" not in line]
    return [] if "LIMIT" in query else scans
