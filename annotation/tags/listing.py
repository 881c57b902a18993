"""The list of all tags for admins: where each stands, filtered, sorted, counted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from core.models import Event
from core.outside import is_row_number, page_number

from ..models import Annotation, AnnotationState, Assignment, Family, Tag, Wiki

TAGS_ON_A_PAGE = 50
MOST_PAGES = 100_000


class TagState(models.TextChoices):
    """What is going on at a tag; with several annotations, the one that got farthest counts."""

    FREE = "free", "Free"
    CLAIMED = "claimed", "Claimed"
    DRAFT = "draft", "In draft"
    WAITING = "waiting", "Waiting for an answer"
    SUBMITTED = "submitted", "Submitted"
    ACCEPTED = "accepted", "Accepted"
    EXCLUDED = "excluded", "Excluded"
    FLAGGED = "flagged", "Flagged"
    GONE = "gone", "Gone"


def held_assignments() -> QuerySet[Assignment]:
    """Unfinished assignments that a person holds now: given by an admin, or claimed with a live lease. Those waiting
    for the answer to a question are not among them."""
    live = Q(lease_expires_at=None) | Q(lease_expires_at__gt=timezone.now())
    return Assignment.objects.unfinished().filter(live, annotator__isnull=False, asked_at=None)


def with_state(tags: QuerySet[Tag]) -> QuerySet[Tag]:
    """The tags with their `TagState` as `state`."""
    annotations = Annotation.objects.filter(tag=OuterRef("pk"))
    # Returned work is being written again. A draft in which nothing was saved yet is the claim that opened it.
    written = Q(state=AnnotationState.RETURNED) | Q(state=AnnotationState.DRAFT, version__gt=0)
    held = held_assignments().filter(tag=OuterRef("pk"))
    state = Case(
        When(gone_at__isnull=False, then=Value(TagState.GONE)),
        When(flagged_at__isnull=False, then=Value(TagState.FLAGGED)),
        When(Exists(annotations.filter(state=AnnotationState.ACCEPTED)), then=Value(TagState.ACCEPTED)),
        When(Exists(annotations.filter(state=AnnotationState.SUBMITTED)), then=Value(TagState.SUBMITTED)),
        # Before a draft: it needs a reviewer or an admin.
        When(Exists(Assignment.objects.waiting().filter(tag=OuterRef("pk"))), then=Value(TagState.WAITING)),
        When(Exists(annotations.filter(written)), then=Value(TagState.DRAFT)),
        When(Exists(held), then=Value(TagState.CLAIMED)),
        When(Exists(annotations.filter(state=AnnotationState.EXCLUDED)), then=Value(TagState.EXCLUDED)),
        default=Value(TagState.FREE),
    )
    return tags.annotate(state=state)


def count_states(tags: QuerySet[Tag]) -> dict[str, int]:
    """How many of the tags are in each state."""
    rows = with_state(tags).order_by().values_list("state").annotate(count=Count("pk"))  # type: ignore[misc]
    counts = dict(rows)
    return {state: counts.get(state, 0) for state in TagState.values}


class Work(models.TextChoices):
    """What a person has of a tag, as progress counts it; a tag can be several people's."""

    HELD = "held", "has it now"
    DRAFT = "draft", "draft"
    RETURNED = "returned", "returned"
    SUBMITTED = "submitted", "submitted"
    ACCEPTED = "accepted", "accepted"
    EXCLUDED = "excluded", "excluded"
    TIMED = "timed", "handed in, time counted"


def annotations_in(work: str) -> QuerySet[Annotation]:
    """The annotations that progress counts under this word."""
    if work == Work.TIMED:
        return Annotation.objects.exclude(submitted_at=None).filter(step_times__isnull=False)
    found = Annotation.objects.filter(state=work)
    # A draft in which nothing was saved yet is the claim that opened it.
    return found.filter(version__gt=0) if work == Work.DRAFT else found


# "queue" is the order in which the queue hands tags out.
SORTS = {"queue": ("-priority", "pk"), "newest": ("-pk",), "title": ("article__title", "pk")}


@dataclass(frozen=True, slots=True)
class TagFilter:
    """What an admin wants to see, as it stands in the address of the page. What cannot be read is no filter."""

    state: str = ""
    family: str = ""
    wiki: str = ""
    harvest: str = ""
    person: str = ""
    work: str = ""
    q: str = ""
    sort: str = "queue"
    page: int = 1

    @classmethod
    def of(cls, values: Mapping[str, str]) -> "TagFilter":
        chosen: dict[str, Any] = {name: values.get(name, "").strip() for name in ("q", "wiki", "harvest", "person")}
        for name in ("wiki", "harvest", "person"):
            if not is_row_number(chosen[name]) and not (name == "wiki" and chosen[name] == "none"):
                chosen[name] = ""
        chosen["q"] = chosen["q"].replace("\0", "")[:500]
        for name, options in (
            ("state", TagState.values),
            ("family", Family.values),
            ("work", Work.values),
            ("sort", list(SORTS)),
        ):
            chosen[name] = values.get(name) if values.get(name) in options else cls.__dataclass_fields__[name].default
        page = values.get("page", "")
        return cls(**chosen, page=page_number(page, most=MOST_PAGES))

    def tags(self) -> QuerySet[Tag]:
        """The tags in any state that pass the other filters."""
        tags: QuerySet[Tag] = Tag.objects.all()
        if self.family:
            tags = tags.filter(family=self.family)
        if self.wiki:
            tags = tags.filter(article__wiki=None if self.wiki == "none" else int(self.wiki))
        if self.harvest:
            tags = tags.filter(harvest=int(self.harvest))
        if self.person or self.work:
            tags = self._in_progress_of(tags)
        if self.q:
            tags = tags.filter(article__title__icontains=self.q)
        return tags

    def _in_progress_of(self, tags: QuerySet[Tag]) -> QuerySet[Tag]:
        """Those that the person, or any person, has or has worked on in the way of `work`."""
        whose = {"annotator": int(self.person)} if self.person else {}
        if self.work == Work.HELD:
            return tags.filter(Exists(held_assignments().filter(tag=OuterRef("pk"), **whose)))
        if self.work:
            return tags.filter(Exists(annotations_in(self.work).filter(tag=OuterRef("pk"), **whose)))
        assignments = Assignment.objects.filter(tag=OuterRef("pk"), **whose)
        written = Annotation.objects.filter(tag=OuterRef("pk"), **whose)
        return tags.filter(Exists(assignments) | Exists(written))


@dataclass(slots=True)
class TagPage:
    """One page of the list with the counts above it."""

    tags: list[Tag]
    counts: dict[str, int]
    first: int
    total: int
    number: int
    pages: int
    wikis: list[Wiki] = field(default_factory=list)

    @property
    def last(self) -> int:
        return self.first + len(self.tags) - 1

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def following(self) -> int:
        return self.number + 1


def tag_page(chosen: TagFilter) -> TagPage:
    """The tags that are wanted, each with `state`, its article, assignments and their annotators."""
    tags = chosen.tags()
    counts = count_states(tags)
    total = counts[chosen.state] if chosen.state else sum(counts.values())
    pages = max(1, -(-total // TAGS_ON_A_PAGE))
    number = min(chosen.page, pages)
    tags = with_state(tags)
    if chosen.state:
        tags = tags.filter(state=chosen.state)  # type: ignore[misc]  # from with_state
    start = (number - 1) * TAGS_ON_A_PAGE
    rows = (
        tags.select_related("article__wiki")
        .defer("article__wikitext")
        .prefetch_related("assignments__annotator")
        .order_by(*SORTS[chosen.sort])[start : start + TAGS_ON_A_PAGE]
    )
    wikis = list(Wiki.objects.filter(articles__isnull=False).distinct())
    return TagPage(list(rows), counts, start + 1, total, number, pages, wikis)


def activity_of(tag: Tag) -> QuerySet[Event]:
    """All that happened to the tag and to its annotations, newest first."""
    annotations = tag.annotations.values("pk")
    about = Q(subject_kind="tag", subject_id=tag.pk) | Q(subject_kind="annotation", subject_id__in=annotations)
    return Event.objects.filter(about).select_related("actor").order_by("-pk")
