"""The state of work on a tag, for the list of tags, and for each state an index that finds its tags."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.db import models
from django.db.models import Case, Func, QuerySet, When
from django.db.models.functions import Now

from core.engine.queries.conditions import is_found
from core.languages import say
from core.lists.pages import ChipCounts, Window
from core.models import User
from core.models.batches import is_visible

from ..desk.visibility import with_blindness
from ..models import Annotation, AnnotationState, Assignment, Tag


class TagState(models.TextChoices):
    """The state of work on a tag; with several annotations, the most advanced one counts."""

    FREE = "free", say("Free")
    CLAIMED = "claimed", say("Claimed")
    DRAFT = "draft", say("In draft")
    WAITING = "waiting", say("Waiting for an answer")
    SUBMITTED = "submitted", say("Submitted")
    ACCEPTED = "accepted", say("Accepted")
    EXCLUDED = "excluded", say("Excluded")
    FLAGGED = "flagged", say("Flagged")
    GONE = "gone", say("Gone")


class StateOfTag(Func):
    """A tag's `TagState`, by everybody's work or by that of one person. As SQL in one piece: Django would compile
    eight subqueries again for each list.
    """

    output_field = models.CharField()
    # Waiting comes before draft: it needs a reviewer or an admin. Returned work is being rewritten. A draft with
    # nothing saved yet is just the claim that opened it.
    sql = """CASE
        WHEN {gone} IS NOT NULL THEN 'gone'
        WHEN {flagged} IS NOT NULL THEN 'flagged'
        ELSE CASE (SELECT MIN(reached) FROM (
            SELECT CASE
                WHEN state = 'accepted' THEN 1
                WHEN state = 'submitted' THEN 2
                WHEN state = 'returned' OR (state = 'draft' AND version > 0) THEN 4
                WHEN state = 'excluded' THEN 6
                END AS reached
            FROM annotation_annotation WHERE tag_id = {tag} AND {theirs}
            AND {annotation_annotation}
            UNION ALL SELECT CASE
                WHEN asked_at IS NOT NULL THEN 3
                WHEN done_at IS NULL AND annotator_id IS NOT NULL
                AND (lease_expires_at IS NULL OR lease_expires_at > {now}) THEN 5
                END
            FROM annotation_assignment WHERE tag_id = {tag} AND {theirs}
            AND {annotation_assignment}
        ) AS work)
        WHEN 1 THEN 'accepted' WHEN 2 THEN 'submitted' WHEN 3 THEN 'waiting'
        WHEN 4 THEN 'draft' WHEN 5 THEN 'claimed' WHEN 6 THEN 'excluded' ELSE 'free' END
    END"""

    def __init__(self, worker: User | None = None):
        super().__init__("pk", "gone_at", "flagged_at", Now())
        self.theirs, self.workers = ("annotator_id = %s", [worker.pk] * 2) if worker else ("1 = 1", [])

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        compiled = [compiler.compile(each) for each in self.source_expressions]
        names = dict(zip(("tag", "gone", "flagged", "now"), (sql for sql, _ in compiled), strict=True))
        visible = {table: is_visible(table) for table in ("annotation_annotation", "annotation_assignment")}
        return self.sql.format(**names, **visible, theirs=self.theirs), self.workers


class _IsWritable(Func):
    """The condition that an annotation is a draft or returned, in the words of its index: SQLite does not match an
    index to a value that comes later.
    """

    output_field = models.BooleanField()
    template = f"%(expressions)s IN ({', '.join(map(repr, map(str, sorted(AnnotationState.writable()))))})"
    arity = 1


QUEUE = ("-priority", "pk")
# People's current tags are few, however many tags there are.
IN_HAND, MOST_IN_HAND = (TagState.CLAIMED, TagState.WAITING, TagState.DRAFT), 100_000


def held_assignments() -> QuerySet[Assignment]:
    """Unfinished assignments that a person holds now: assigned by an admin, or claimed with a live lease. Those
    waiting for an answer are not included.
    """
    return Assignment.objects.held().filter(asked_at=None)


def with_state(tags: QuerySet[Tag], *, reader: User) -> QuerySet[Tag]:
    """The tags with their `TagState` as `state`, and `is_blind`: whether the work of others on the tag is hidden from
    this person, for whom only their own then counts.
    """
    state = Case(When(is_blind=True, then=StateOfTag(reader)), default=StateOfTag())
    return with_blindness(tags, reader).annotate(state=state)


def tags_near(state: str) -> Window:
    """A superset of the tags in this state, newest first, found by an index."""
    match state:
        case TagState.GONE:
            return Window(Tag.objects.filter(gone_at__isnull=False), is_whole=True)
        case TagState.FLAGGED:
            return Window(Tag.objects.filter(flagged_at__isnull=False, gone_at=None), is_whole=True)
        case TagState.WAITING:
            return _by_tag(Assignment.objects.waiting())
        case TagState.CLAIMED:
            return _by_tag(Assignment.objects.filter(annotator__isnull=False, done_at=None))
        case TagState.FREE:
            # Mostly the newest: the queue begins with the oldest.
            return Window(Tag.objects.present())
        case TagState.DRAFT:
            return _by_tag(Annotation.objects.filter(_IsWritable("state")))
    return _by_tag(Annotation.objects.filter(state=state))


def _by_tag(rows: QuerySet[Assignment] | QuerySet[Annotation]) -> Window:
    return Window(rows, ("-tag_id",), key="tag_id", is_nearly_whole=True)


def queued_near(state: str) -> Window:
    """The same in the order of the queue. Free tags are searched among all tags."""
    near = tags_near(state)
    if state == TagState.FREE:
        return Window(Tag.objects.all(), QUEUE)
    if near.key == "pk":
        return replace(near, order=QUEUE)
    rows: QuerySet[Any] = near.rows
    if state in IN_HAND:
        # Found by the index that has these few, before they are sorted; SQLite would rather look through all.
        few = rows.order_by("-tag_id").values("pk")[:MOST_IN_HAND]
        rows = rows.model._default_manager.filter(is_found("pk", few))
    # An assignment and an annotation have the priority of their tag.
    return Window(rows, ("-priority", "tag_id"), key="tag_id", is_nearly_whole=True)


@lru_cache(maxsize=16)  # admins who look at the list
def chip_counts(reader: User) -> ChipCounts[str]:
    """The number of tags in each state, as far as this person may know."""
    tags = with_state(Tag.objects.all(), reader=reader)
    return ChipCounts(
        {state: (tags_near(state), tags.filter(state=state)) for state in TagState.values}  # type: ignore[misc]
    )
