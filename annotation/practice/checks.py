"""Check tags: tags with known answers, mixed into the queue so that annotators cannot tell them from others.

A check takes the number of a tag that nobody has begun, and so its position in the queue. That tag gets a new number
at the end. So neither numbers nor order tell which tag is a check, and no door of an annotator asks.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from core.engine.writing.pieces import in_chunks
from core.languages import say
from core.models import Event, Role, User
from core.outside import required_text
from core.refusals import Forbidden, Refusal
from core.writing.locking import lock

from ..content.rows import content_of
from ..desk.assignments.assigning import knows_the_text
from ..desk.visibility import known_to, note_seen
from ..models import (
    Annotation,
    AnnotationAction,
    Assignment,
    CheckTag,
    Evidence,
    EvidenceRequest,
    RequestState,
    Skip,
    Tag,
    WatchResult,
)
from .copying import FIELDS_OF_A_TAG

MOST_SEED, MOST_PERCENT, MOST_AT_ONCE = 50, 50, 1_000
ANSWERED = (RequestState.DONE, RequestState.MISSING)
# The kinds and states of the requests for a tag's evidence, in order.
Shape = tuple[tuple[str, str], ...]
# The columns that make a tag this one: all but its number and its position.
TEXT = (*FIELDS_OF_A_TAG, "article_id", "last_seen_in_id", "start", "end", "occurrence")
MOVED = (*TEXT, "harvest_id", "imported_record", "found_at", "look_asked_at", "priority")


def refuse_annotators(person: User) -> None:
    """Raises Forbidden if this admin annotates: they would know which of their tags are checks."""
    if person.has_role(Role.ANNOTATOR):
        raise Forbidden(
            say(
                "You annotate in this project, so check tags are hidden from you. An admin who does not annotate can "
                "choose them and see the results."
            )
        )


def positions() -> QuerySet[Tag]:
    """The tags that a check can take the position of, in the order of the queue: nobody has begun them, and no worker
    is fetching anything for them.
    """

    def there(rows: QuerySet) -> Exists:
        return Exists(rows.filter(tag=OuterRef("pk")))

    taken = Assignment.objects.exclude(number=1, annotator=None, done_at=None)
    asked = EvidenceRequest.objects.filter(~Q(state__in=ANSWERED) | Q(requested_by__isnull=False))
    untouched = Tag.objects.offered().filter(there(Assignment.objects.all()), check_tag=None, candidate=None)
    for rows in (taken, Annotation.everything.all(), Skip.objects.all(), WatchResult.objects.all(), asked):
        untouched = untouched.filter(~there(rows))
    return untouched.order_by("-priority", "pk")


def _shapes(tags: Iterable[int]) -> dict[int, Shape]:
    """For each of these tags for which evidence was requested, the kinds and states of the requests. A check needs
    evidence of the same kinds as the tag whose position it takes, as it takes the numbers of these rows, too.
    """
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for some in in_chunks(iter(tags), 500):
        asked = EvidenceRequest.objects.filter(tag__in=some, requested_by=None)
        for tag, kind, state in asked.values_list("tag", "kind", "state"):
            found[tag].append((kind, state))
    return {tag: tuple(sorted(asked)) for tag, asked in found.items()}


def to_choose_from(admin: User) -> QuerySet[Annotation]:
    """Accepted annotations whose answer can be used for checks, the newest first."""
    waiting = Assignment.objects.unfinished().order_by().values("tag")
    accepted = Annotation.objects.accepted().without_checks().filter(known_to(admin), tag__gone_at=None)
    accepted = accepted.filter(tag__candidate=None).exclude(tag__in=waiting)
    return accepted.select_related("tag__article", "annotator").defer("tag__article__wikitext").order_by("-pk")


@transaction.atomic
def mix_in_checks(*, sources: Collection[int], percent: int, seed: str, admin: User) -> list[CheckTag]:
    """Mix checks made of these accepted annotations (by primary key) into the queue.

    Args:
        percent: the share of the tags in the queue that nobody has begun which become checks; at least one.
        seed: draws their positions, and which annotation is used where. Each annotator gets as many as the others,
            and none twice.

    Raises Forbidden if the admin annotates, and Refusal if an annotation cannot be used, if the numbers are out of
    range, or if the queue has no position for them.
    """
    refuse_annotators(admin)
    seed = required_text(seed, say("Give a seed: the same seed draws the same positions. Nothing was changed."))[
        :MOST_SEED
    ]
    if not 1 <= percent <= MOST_PERCENT:
        raise Refusal(
            say("The share is 1 to {most} percent. Nothing was changed.", most=MOST_PERCENT),
            status=400,
        )
    known = list(to_choose_from(admin).filter(pk__in=sources).order_by("pk"))
    if not known or len(known) != len(set(sources)):
        raise Refusal(say("Choose accepted annotations from the list. Nothing was changed."), status=400)
    draw = random.Random(seed)  # noqa: S311  # to be repeated, not to be secret
    chosen = _draw(draw, known, percent)
    note_seen([each.pk for each in known], reader=admin)
    made = (_mix_in(position, source, person, seed, admin) for position, source, person in chosen)
    return [each for each in made if each]


def in_the_queue() -> QuerySet[CheckTag]:
    """The checks that their annotators have not begun."""
    begun = Annotation.everything.filter(tag=OuterRef("tag"))
    return CheckTag.objects.filter(~Exists(begun), tag__gone_at=None)


@transaction.atomic
def take_out_checks(*, checks: Collection[int], admin: User) -> int:
    """Take these checks (by primary key) out of the queue; returns their number. Their tags become gone, as if they
    had left their articles, and the queue no longer has them. Checks that were begun stay, and what was submitted
    counts in the results.

    Raises Forbidden if the admin annotates, and Refusal, having changed nothing, if one of them was begun or taken
    out.
    """
    refuse_annotators(admin)
    # Claiming one writes its assignment: of the two, one waits for the other.
    lock(Assignment.objects.filter(tag__check_tag__in=checks))
    found = list(in_the_queue().filter(pk__in=checks))
    if not found or len(found) != len(set(checks)):
        raise Refusal(say("Choose checks that nobody has begun from the list. Nothing was changed."))
    now = timezone.now()
    Tag.objects.filter(check_tag__in=found).update(gone_at=now)
    for check in found:
        Event.record(AnnotationAction.TOOK_OUT, check, actor=admin, after={"tag": check.tag_id})
    return len(found)


def _draw(draw: random.Random, sources: list[Annotation], percent: int) -> list[tuple[int, Annotation, User]]:
    """Positions in the queue, each with the annotation whose tag goes there, and the person who gets it."""
    free = list(positions().values_list("pk", flat=True))
    wanted = min(max(1, len(free) * percent // 100), MOST_AT_ONCE)
    shapes = _shapes([*free, *(each.tag_id for each in sources)])
    draw.shuffle(free)
    there: dict[Shape, list[int]] = defaultdict(list)
    for pk in free:
        there[shapes.get(pk, ())].append(pk)
    chosen: list[tuple[int, Annotation, User]] = []
    for source, person in _turns(draw, sources) if len(free) > wanted else []:
        position = max(there[()], there[shapes.get(source.tag_id, ())], key=len)
        if position and len(chosen) < wanted:
            chosen.append((position.pop(), source, person))
    if not chosen:
        raise Refusal(
            say(
                "No check could be hidden: the queue has too few tags that nobody has begun and that a check could "
                "take the position of, or every annotator knows these answers or has had these checks. Nothing was "
                "changed."
            )
        )
    return sorted(chosen, key=lambda each: each[0])


def _turns(draw: random.Random, sources: list[Annotation]) -> Iterator[tuple[Annotation, User]]:
    """The annotators in turn, each with a source whose answer they do not know, until all have had all of them."""
    found = User.objects.filter(is_active=True, groups__name=Role.ANNOTATOR).exclude(groups__name=Role.ADMIN)
    people = list(found.order_by("pk"))
    had = set(CheckTag.objects.values_list("original", "person"))
    draw.shuffle(people)
    own = {person.pk: draw.sample(sources, len(sources)) for person in people}
    for at in range(len(sources)):
        for person in people:
            source = own[person.pk][at]
            if (source.tag_id, person.pk) not in had and not _knows(source, person):
                yield source, person


def _knows(source: Annotation, person: User) -> bool:
    mine = Annotation.objects.filter(tag=source.tag_id, annotator=person).exists()
    skipped = Skip.objects.filter(tag=source.tag_id, annotator=person).exists()
    return mine or skipped or knows_the_text(source.tag, person)


def _mix_in(position: int, source: Annotation, person: User, seed: str, admin: User) -> CheckTag | None:
    """Give the position to a check; None if someone has begun its tag meanwhile."""
    lock(Assignment.objects.filter(tag=position))
    tag = positions().filter(pk=position).first()
    asked, found = _shapes([position]).get(position, ()), _shapes([source.tag_id]).get(source.tag_id, ())
    if tag is None or asked not in ((), found):
        return None
    moved = Tag.objects.create(**{name: getattr(tag, name) for name in MOVED})
    Assignment.of(moved, 1).save()
    text = {name: getattr(source.tag, name) for name in TEXT}
    Tag.objects.filter(pk=position).update(**text, imported_record="")
    _move_evidence(tag, moved, source.tag)
    reference = {name: value for name, value in content_of(source).items() if value}
    made = {"original": source.tag, "reference": reference, "seed": seed, "made_by": admin, "person": person}
    check = CheckTag.objects.create(tag=tag, source=source, **made)
    after = {"tag": position, "annotation": source.pk, "annotator": person.pk, "moved_to": moved.pk}
    Event.record(AnnotationAction.MIXED_IN, check, actor=admin, after=after)
    return check


def _move_evidence(tag: Tag, moved: Tag, source: Tag) -> None:
    """Copy the evidence of the tag to its new number; in its position comes the source's, under the same numbers."""
    theirs = EvidenceRequest.objects.filter(tag=source, requested_by=None).select_related("evidence")
    by_kind = defaultdict(list)
    for asked in theirs.order_by("kind", "state", "pk"):
        by_kind[asked.kind, asked.state].append(asked)
    for asked in EvidenceRequest.objects.filter(tag=tag).select_related("evidence").order_by("kind", "state", "pk"):
        own, like = asked.evidence, by_kind[asked.kind, asked.state].pop(0)
        copied = _copy(own, tag=moved) if own else None
        EvidenceRequest.objects.create(tag=moved, evidence=copied, **_named(asked, OF_REQUESTS))
        if own and like.evidence:
            # Deleted and written again, as the database refuses to change one.
            Evidence.objects.filter(pk=own.pk)._raw_delete(DEFAULT_DB_ALIAS)
            _copy(like.evidence, pk=own.pk, tag=tag, fetched_at=own.fetched_at)
        changed = {name: getattr(like, name) for name in ("article_id", "wiki_id", "subject", "reason")}
        EvidenceRequest.objects.filter(pk=asked.pk).update(**changed)


OF_REQUESTS = ("article_id", "kind", "wiki_id", "subject", "state", "reason", "priority", "requested_at")
OF_EVIDENCE = (
    *("kind", "rendering", "wiki_id", "title", "language", "revision_id", "revised_at", "url", "page_id"),
    *("marks", "details", "fetched_at"),
)


def _named(row: Evidence | EvidenceRequest, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _copy(evidence: Evidence, **changes: Any) -> Evidence:
    return Evidence.objects.create(**_named(evidence, OF_EVIDENCE) | changes)
