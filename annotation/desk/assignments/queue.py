"""The queue of an annotator, in its order. Reads only: `assignment.py` claims the tags found here."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Subquery, Value
from django.utils import timezone

from core.engine.queries.conditions import is_found
from core.engine.queries.counts import Different, PreparedCounts
from core.engine.queries.rows import PreparedRows
from core.models import Project, User

from ...models import Annotation, AnnotationState, Assignment, Tag
from .practice_due import MustPractise

# Candidates fetched at once: others may be asking for the first of them at the same moment.
CANDIDATES = 32
# Beyond this many, people are only told that the queue is longer ("more than").
MOST_COUNTED = 100


# A part of what a person may take, and the columns of each part by its rank.
Part = Callable[..., models.QuerySet[Assignment]]
Columns = Callable[[User, int], list[Any]]


class Candidate(NamedTuple):
    """An assignment that a person may take next, with the data needed to claim it."""

    rank: int  # 0 what is theirs, 1 their drafts, 2 the queue
    pk: int
    tag_id: int
    number: int
    priority: int
    annotator_id: int | None
    # Their annotation of the tag, if there is one from before.
    annotation_id: int | None
    lease_seconds: int | None
    # Whether there is so much that this person may not take again that finding the next may take long.
    is_far: bool
    # Whether the project wants this person to practise first.
    must_practise: bool


class Start(NamedTuple):
    """The position where a search of the queue found the first tag for a person: nothing before it was available to
    them.
    """

    priority: int
    tag_id: int
    until: float

    @property
    def arguments(self) -> dict[str, int]:
        return {"priority": self.priority, "tag": self.tag_id}


# By person, in this process only: it saves those who had much of the queue from going through all of it each time.
# Their returned tags are offered to them when their time is over, or when nothing else is left.
_starts: dict[int, Start] = {}
START_SECONDS = 600
# A person with this many past tags makes a search long.
FAR = 500


def _start_of(annotator: User) -> Start | None:
    start = _starts.get(annotator.pk)
    return start if start and time.monotonic() < start.until else None


def left_for(annotator: User) -> int:
    """The number of tags remaining for this person: their own open ones and those with a free assignment. Counted up
    to `MOST_COUNTED`, so that a long queue costs no more than a short one; `MOST_COUNTED` + 1 for any more.
    """
    asked = {"person": annotator.pk, "now": timezone.now()}
    if start := _start_of(annotator):
        left = up_to_most(_left_from.now(**asked, **start.arguments)[""])
        if left > MOST_COUNTED:
            return left
    return up_to_most(_left.now(**asked)[""])


def tags_left(annotator: User, *, at: datetime) -> Different:
    """The tags that `left_for` counts; each part up to `MOST_COUNTED`."""
    return Different(_parts(_tag_alone, MOST_COUNTED + 1)(annotator.pk, at))


def up_to_most(left: int) -> int:
    """The number of `tags_left`; `MOST_COUNTED` + 1 for any more."""
    return min(left, MOST_COUNTED + 1)


def left_in_words(left: int) -> str:
    """The result of `left_for` in words, for a page."""
    return f"more than {MOST_COUNTED}" if left > MOST_COUNTED else str(left)


def next_for(annotator: User) -> list[Candidate]:
    """The tags that this person may take next, in order: their own, then their drafts, then by priority and age. One
    query, each part of which finds its first row by an index, however long the queue is.
    """
    asked = {"person": annotator.pk, "now": timezone.now()}
    if start := _start_of(annotator):
        found = _in_order(_next_from.all(**asked, **start.arguments))
        if found:
            return found
    found = _in_order(_next.all(**asked))
    first = next((each for each in found if each.rank == 2 and each.annotator_id is None), None)
    if first and first.is_far:
        _starts[annotator.pk] = Start(first.priority, first.tag_id, time.monotonic() + START_SECONDS)
    return found


def _in_order(rows: list[tuple]) -> list[Candidate]:
    # The first two parts have orders of their own; the sort keeps them.
    return sorted((Candidate(*row) for row in rows), key=_in_the_queue)


def _in_the_queue(each: Candidate) -> tuple[int, ...]:
    return (each.rank, -each.priority, each.tag_id, each.number) if each.rank == 2 else (each.rank,)


def own_assignments(annotator: User, *, at: datetime | None = None) -> models.QuerySet[Assignment]:
    """This person's unfinished assignments, live claims first; expired ones only while their tag is offered, and none
    that is waiting for an answer.
    """
    assignments = Assignment.objects.unfinished().filter(annotator=annotator, asked_at=None)
    # By the tag's key: as a set, PostgreSQL would read all tags that are offered.
    is_offered = Exists(Tag.objects.offered().filter(pk=OuterRef("tag_id")))
    lapsed = Q(lease_expires_at__lte=at or timezone.now()) & ~is_offered
    return assignments.exclude(lapsed).order_by(F("lease_expires_at").desc(nulls_last=True), "claimed_at", "pk")


def untouched(annotator: User, *, at: datetime | None = None) -> models.QuerySet[Assignment]:
    queue = Assignment.objects.filter(annotator=None, done_at=None).order_by("-priority", "tag_id", "number")
    return _open_to(queue, annotator)


def _untouched_from(priority: int, tag: int) -> list[Part]:
    """The same, without those before this tag at its priority: three ranges of the queue's index."""

    def stretch(**where: int) -> Part:
        return lambda annotator, at=None: untouched(annotator).filter(**where)

    return [stretch(priority__gt=priority), stretch(priority=priority, tag__gte=tag), stretch(priority__lt=priority)]


def lapsed(annotator: User, *, at: datetime | None = None) -> models.QuerySet[Assignment]:
    # Found first: PostgreSQL takes a third of all leases for lapsed where it plans for any time.
    over = Assignment.objects.filter(done_at=None, lease_expires_at__lte=at or timezone.now()).order_by().values("pk")
    found = Assignment.objects.filter(is_found("pk", over))
    return _open_to(found, annotator).order_by("-priority", "tag_id", "number")


def own_drafts(annotator: User, *, at: datetime | None = None) -> models.QuerySet[Assignment]:
    drafts = Annotation.objects.filter(annotator=annotator, state__in=AnnotationState.writable())
    found = _open_to(Assignment.objects.free(at=at), annotator).filter(tag__in=drafts.order_by().values("tag"))
    return found.order_by("-priority", "tag_id", "number")


def _open_to(assignments: models.QuerySet[Assignment], annotator: User) -> models.QuerySet[Assignment]:
    # The tag itself, not its article: that brings the whole wikitext, for each candidate.
    offered = assignments.filter(tag__gone_at=None, tag__flagged_at=None)
    return offered.filter(IsOpenTo("tag_id", person=annotator))


def _parts(columns: Columns, most: int) -> Callable[..., list[models.QuerySet]]:
    def parts(person: int, now: datetime, **start: int) -> list[models.QuerySet]:
        annotator, queue = User(pk=person), _untouched_from(**start) if start else [untouched]
        ranked: list[tuple[int, Part]] = [(0, own_assignments), (1, own_drafts)]
        ranked += [(2, part) for part in [*queue, lapsed]]
        return [part(annotator, at=now).values_list(*columns(annotator, rank))[:most] for rank, part in ranked]

    return parts


def _tag_alone(annotator: User, rank: int) -> list[Any]:
    return ["tag_id"]


def _of_a_candidate(annotator: User, rank: int) -> list[Any]:
    written = Annotation.everything.filter(tag=OuterRef("tag_id"), annotator=annotator).order_by()
    columns = ["pk", "tag_id", "number", "priority", "annotator_id"]
    return [
        Value(rank, models.IntegerField()),
        *columns,
        Subquery(written.values("pk")[:1]),
        Subquery(Project.objects.values("lease_seconds")[:1]),
        HasHadMany(annotator) if rank == 2 else Value(False),
        MustPractise(annotator) if rank == 2 else Value(False),
    ]


class HasHadMany(models.Func):
    """The condition that there are `FAR` tags or more that this person skipped, has or had, or saw annotated."""

    output_field = models.BooleanField()
    sql = """(SELECT COUNT(*) >= {far} FROM (
        SELECT id FROM annotation_skip WHERE annotator_id = %s
        UNION ALL SELECT id FROM annotation_assignment WHERE annotator_id = %s
        UNION ALL SELECT id FROM annotation_seenannotation WHERE person_id = %s LIMIT {far}
    ) had)"""

    def __init__(self, person: User):
        super().__init__()
        self.person = person

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        return self.sql.format(far=FAR), [self.person.pk] * 3


# With the tag of which a check was made; or they have seen another person's annotation of another check of it.
_HAS_TO_DO_WITH = """(
    EXISTS (SELECT 1 FROM annotation_skip WHERE tag_id = {0} AND annotator_id = %s)
    OR EXISTS (SELECT 1 FROM annotation_assignment own WHERE own.tag_id = {0} AND own.annotator_id = %s)
    OR EXISTS (SELECT 1 FROM annotation_annotation written WHERE written.tag_id = {0} AND written.annotator_id = %s)
    OR EXISTS (
        SELECT 1 FROM annotation_seenannotation seen
        JOIN annotation_annotation written ON written.id = seen.annotation_id
        WHERE seen.person_id = %s AND (written.tag_id = {0} OR written.tag_id IN (
            SELECT other.tag_id FROM annotation_checktag other WHERE other.original_id = {0}
        ))
    )
)"""


class IsOpenTo(models.Func):
    """The condition that a tag may be offered to this person: they have neither skipped nor annotated it, have no
    assignment of it, and have seen no other annotation of it. A check tag (`CheckTag`) is open to its person only, if
    they do not know its answer, and its original no longer is. As SQL in one piece: Django would compile five
    subqueries again at each claim.
    """

    output_field = models.BooleanField()
    sql = """(
        NOT EXISTS (SELECT 1 FROM annotation_skip WHERE tag_id = {tag} AND annotator_id = %s)
        AND NOT EXISTS (SELECT 1 FROM annotation_assignment own WHERE own.tag_id = {tag} AND own.annotator_id = %s)
        AND NOT EXISTS (
            SELECT 1 FROM annotation_annotation written WHERE written.tag_id = {tag} AND (
                (written.annotator_id = %s AND written.state NOT IN ('draft', 'returned'))
                OR EXISTS (
                    SELECT 1 FROM annotation_seenannotation seen
                    WHERE seen.annotation_id = written.id AND seen.person_id = %s
                )
            )
        )
        AND NOT EXISTS (
            SELECT 1 FROM annotation_checktag made WHERE made.tag_id = {tag} AND (made.person_id <> %s OR {original})
        )
        AND NOT EXISTS (
            SELECT 1 FROM annotation_checktag made WHERE made.original_id = {tag} AND made.person_id = %s
        )
    )"""

    def __init__(self, tag: str, *, person: User):
        super().__init__(tag)
        self.person = person

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        column, parameters = compiler.compile(self.source_expressions[0])
        original = _HAS_TO_DO_WITH.format("made.original_id")
        return self.sql.format(tag=column, original=original), [*parameters, *[self.person.pk] * 10]


_WHO = {"person": int, "now": datetime}
_FROM = {"priority": int, "tag": int}
_next = PreparedRows(_parts(_of_a_candidate, CANDIDATES), **_WHO)
_next_from = PreparedRows(_parts(_of_a_candidate, CANDIDATES), **_WHO, **_FROM)
_left = PreparedCounts(lambda person, now: {"": tags_left(User(pk=person), at=now)}, **_WHO)
_left_from = PreparedCounts(
    lambda **asked: {"": Different(_parts(_tag_alone, MOST_COUNTED + 1)(**asked))}, **_WHO, **_FROM
)
