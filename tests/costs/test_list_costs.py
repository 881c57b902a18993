"""Lists and first pages send the same number of queries, however many rows there are."""

from collections.abc import Iterator
from itertools import islice

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Assignment, Instance, Release, ReleasedInstance, Tag
from annotation.tags.states import TagState
from core.models import Event, Role, User
from judging.models import LanguageModel, ModelKind, PromptTemplate, Response, Run, RunKind, RunState
from tests.conftest import make_person
from tests.factories import TagFactory
from tests.factories.judging import unsaved_instance

pytestmark = pytest.mark.django_db
NOW = timezone.now()
WORK = 600


def fill(count: int, *, people: int | None = None) -> None:
    """This number of tags, a third of them annotated, and as many responses, instances of a release, events and
    people, if these are not as many as said. A person annotates two hundred at most."""
    first = TagFactory()
    names = [field.attname for field in Tag._meta.concrete_fields if field.attname != "id"]
    values = {name: getattr(first, name) for name in names}
    tags = Tag.objects.bulk_create(Tag(**values | {"occurrence": number}) for number in range(count))
    Assignment.objects.bulk_create(Assignment.of(tag, 1) for tag in tags)
    writers = [make_person(f"writer{count}-{number}", Role.ANNOTATOR) for number in range(-(-count // WORK))]
    Annotation.objects.bulk_create(
        Annotation(tag=tag, annotator=writers[number // WORK], state="submitted", version=1, submitted_at=NOW)
        for number, tag in enumerate(tags)
        if not number % 3
    )
    Event.objects.bulk_create(
        Event(action="claimed", subject_kind="tag", subject_id=tag.pk, actor=writers[number // WORK])
        for number, tag in enumerate(tags)
    )
    others = count if people is None else people
    made = User.objects.bulk_create(User(username=f"person{count}-{number}") for number in range(others))
    writers[0].groups.get().user_set.add(*made)
    run = Run.objects.create(kind=RunKind.IMPORT, state=RunState.FINISHED, started_at=NOW)
    model = LanguageModel.objects.create(name=f"Model {count}", kind=ModelKind.IMPORTED)
    template = PromptTemplate.objects.get(code="1", version=1)
    instances = Instance.objects.bulk_create(
        unsaved_instance(question=f"When did bridge {count}-{number} open?") for number in range(count)
    )
    Response.objects.bulk_create(
        Response(run=run, instance=each, model=model, template=template, imported={}) for each in instances
    )
    number = Release.objects.count() + 1
    release = Release.objects.create(
        number=number, benchmark="wikicontradict", name=f"Bridges {number}", content_hash="0" * 64
    )
    ReleasedInstance.objects.bulk_create(
        ReleasedInstance(release=release, instance=each, number=order)
        for order, each in enumerate(instances, start=1)
    )


# Who is signed in, what is new for them and the list itself: statements of its first page, and of its last.
LISTS = {
    "tags": (11, 11),
    "responses": (13, 13),
    "reviews": (9, 9),
    "activity": (9, 9),
    "people": (12, 12),
    "progress": (10, 10),
    "resolved_passages": (10, 10),
    "report_responses": (21, 21),
    "adjudicate": (9, 9),
    "harvests": (4, 4),
    "comments": (9, 9),
}
FIRST_PAGES = {Role.ANNOTATOR: 10, Role.REVIEWER: 6, Role.ADJUDICATOR: 11, Role.ADMIN: 5}


def queries_of(client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as caught:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in caught.captured_queries]


def test_lists_take_so_many_statements_however_many_rows_there_are(admin, sign_in):
    admin.groups.add(Group.objects.get_or_create(name=Role.ADJUDICATOR)[0])
    client = sign_in(admin)
    addresses = {name: reverse(name) for name in LISTS}
    fill(120)  # enough annotators that none are offered to choose from
    for address in addresses.values():
        queries_of(client, address)  # what a process keeps is made
    assert {name: statements(client, address) for name, address in addresses.items()} == LISTS
    fill(140)
    assert {name: statements(client, address) for name, address in addresses.items()} == LISTS


def statements(client, address: str) -> tuple[int, int]:
    return len(queries_of(client, address)), len(queries_of(client, f"{address}?page=last"))


@pytest.mark.parametrize("role", FIRST_PAGES)
def test_the_first_page_takes_so_many_statements_however_many_rows_there_are(role, sign_in):
    client = sign_in(make_person("paul", role))
    fill(30)
    queries_of(client, "/")
    for more in (60, 120):
        assert len(queries_of(client, "/")) == FIRST_PAGES[role]
        fill(more)


ADDRESSES = [
    "/annotation/tags/",
    "/annotation/tags/?page=last",
    "/annotation/tags/?sort=queue",
    *(f"/annotation/tags/?state={state}" for state in TagState.values),
    *(f"/annotation/tags/?sort=queue&state={state}" for state in TagState.values),
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
    "/annotation/comments/",
    "/annotation/progress/",
    "/people/",
    "/judging/resolved-passages/",
    "/judging/resolved-passages/?show=to_do",
    "/review/reports/responses/",
    "/activity/",
    "/activity/?kind=tag",
    "/activity/?actor=writer3100-0",
    "/",
    "/overview/",
]
LONGER = 3_100  # more tags than a list looks through


@pytest.fixture(scope="module")
def long(module_transaction) -> None:
    fill(LONGER)
    analyse()


def analyse() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


LONG = ("annotation_tag", "annotation_assignment", "annotation_annotation", "judging_response", "core_event")


# The overview counts all tags, assignments and annotations, in a few steps for each tag, and keeps the numbers for
# some seconds once that takes long.
COUNTS_ALL, COUNTED_STEPS = "/overview/", 4


def test_no_long_table_is_read_as_a_whole(long, admin, sign_in):
    client = sign_in(admin)
    named = {name: model.objects.values_list("pk", flat=True).last() for name, model in NAMED.items()}
    for address in ADDRESSES:
        for query in queries_of(client, address.format(**named)):
            if query.startswith("SELECT"):
                counts = address == COUNTS_ALL and "COUNT(*)" in query
                assert counts or not slow_lines(query), f"{address}: {query}"


# The database's steps may vary this much between a queue and one twice as long.
FLAT, STEPS, FEW = 1.1, 100, 20


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite tells how many steps a statement takes")
def test_the_database_takes_as_many_steps_for_many_rows(long, admin, sign_in):
    client = sign_in(admin)
    few = steps_by_address(client)
    fill(LONGER - 1, people=0)
    many = steps_by_address(client)
    grown = {address: (few[address], steps) for address, steps in many.items() if steps > FLAT * few[address] + FEW}
    assert grown.keys() <= {COUNTS_ALL}
    assert (many[COUNTS_ALL] - few[COUNTS_ALL]) * STEPS < COUNTED_STEPS * LONGER


OWN = ("/annotation/tags/", "/annotation/tags/?state=submitted", "/annotation/reviews/", "/activity/")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite tells how many steps a statement takes")
def test_a_page_costs_no_more_for_whoever_annotated_much(long, admin, sign_in):
    admin.groups.add(Group.objects.get_or_create(name=Role.ANNOTATOR)[0])
    client = sign_in(admin)
    tags = iter(Tag.objects.filter(annotations=None).order_by("pk"))
    annotate(admin, tags, 20)
    few = steps_by_address(client, OWN)
    annotate(admin, tags, 900)
    many = steps_by_address(client, OWN)
    grown = {address: (few[address], steps) for address, steps in many.items() if steps > FLAT * few[address] + FEW}
    assert not grown


# Where an annotator sees their own work: statements of its first page, and of its last.
MY_WORK = {
    "/annotation/work/?": 9,
    "/annotation/work/?state=draft&": 11,
    "/annotation/work/?state=submitted&": 11,
    "/annotation/work/?state=accepted&": 11,
    "/annotation/desk/?": 14,  # two of them for a new version of the guideline
}
OF_EACH = ("draft", "submitted", "accepted")


def test_my_work_takes_so_many_statements_however_much_it_is(sign_in):
    paul = make_person("paul", Role.ANNOTATOR)
    client = sign_in(paul)
    fill(400)
    tags = iter(Tag.objects.filter(annotations=None).order_by("pk"))
    for _ in (60, 120):
        for state in OF_EACH:
            annotate(paul, tags, 60, state)
        for address in MY_WORK:
            client.get(address)  # what a process keeps is made
        found = {
            address: (len(queries_of(client, address)), len(queries_of(client, f"{address}page=last")))
            for address in MY_WORK
        }
        assert found == {address: (count, count) for address, count in MY_WORK.items()}


def test_my_work_reads_no_long_table_as_a_whole(long, sign_in):
    paul = make_person("paul", Role.ANNOTATOR)
    client = sign_in(paul)
    tags = iter(Tag.objects.filter(annotations=None).order_by("pk"))
    for state in OF_EACH:
        annotate(paul, tags, 310, state)
    analyse()
    for address in (*MY_WORK, "/annotation/work/?state=waiting", "/annotation/work/?state=not_chosen"):
        for query in queries_of(client, address):
            if query.startswith("SELECT"):
                counts = address == COUNTS_ALL and "COUNT(*)" in query
                assert counts or not slow_lines(query), f"{address}: {query}"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite tells how many steps a statement takes")
def test_my_work_takes_as_many_steps_for_whoever_annotated_much(long, sign_in):
    paul = make_person("paul", Role.ANNOTATOR)
    client = sign_in(paul)
    tags = iter(Tag.objects.filter(annotations=None).order_by("pk"))
    lists = [address for address in MY_WORK if "/work/" in address]
    addresses = [*lists, *(f"{address}page=last" for address in lists)]
    for state in OF_EACH:
        annotate(paul, tags, 310, state)
    few = steps_by_address(client, addresses)
    for state in OF_EACH:
        annotate(paul, tags, 310, state)
    many = steps_by_address(client, addresses)
    grown = {address: (few[address], steps) for address, steps in many.items() if steps > FLAT * few[address] + FEW}
    assert not grown


def annotate(person: User, tags: Iterator[Tag], count: int, state: str = "submitted") -> None:
    Annotation.objects.bulk_create(
        Annotation(tag=tag, annotator=person, state=state, version=1, submitted_at=NOW) for tag in islice(tags, count)
    )


def steps_by_address(client, addresses=ADDRESSES) -> dict[str, int]:
    """For each address the steps of SQLite's machine, in hundreds."""
    analyse()
    named = {name: model.objects.values_list("pk", flat=True).first() for name, model in NAMED.items()}
    found = {}
    for address in addresses:
        client.get(address.format(**named))  # what a process keeps is made
        steps = 0

        def count() -> None:
            nonlocal steps
            steps += 1

        connection.connection.set_progress_handler(count, STEPS)
        assert client.get(address.format(**named)).status_code == 200
        connection.connection.set_progress_handler(None, STEPS)
        found[address] = steps
    return found


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
            return [line for line in reads if any(f"Seq Scan on {table} " in line for table in LONG)]
        cursor.execute(f"EXPLAIN QUERY PLAN {query}")
        plan = [line for *_, line in cursor.fetchall()]
    scans = [line for line in plan if line.startswith("SCAN ") and line.split()[1] in LONG and "USING" not in line]
    return [] if "LIMIT" in query else scans
