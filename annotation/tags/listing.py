"""The list of all tags for admins: the state of each, filtered, sorted, counted."""

from django import forms
from django.db import models
from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When

from core.lists import SUBMITS, Filters, RowField, SearchField
from core.models import Event

from ..models import Annotation, AnnotationState, Assignment, Family, Tag, Wiki

# The filter's value for tags from a file without a wiki.
NO_WIKI = "none"


class TagState(models.TextChoices):
    """The state of work on a tag; with several annotations, the most advanced one counts."""

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
    for an answer are not included."""
    return Assignment.objects.held().filter(asked_at=None)


def with_state(tags: QuerySet[Tag]) -> QuerySet[Tag]:
    """The tags with their `TagState` as `state`."""
    annotations = Annotation.objects.filter(tag=OuterRef("pk"))
    # Returned work is being rewritten. A draft with nothing saved yet is just the claim that opened it.
    written = Q(state=AnnotationState.RETURNED) | Q(state=AnnotationState.DRAFT, version__gt=0)
    held = held_assignments().filter(tag=OuterRef("pk"))
    state = Case(
        When(gone_at__isnull=False, then=Value(TagState.GONE)),
        When(flagged_at__isnull=False, then=Value(TagState.FLAGGED)),
        When(Exists(annotations.filter(state=AnnotationState.ACCEPTED)), then=Value(TagState.ACCEPTED)),
        When(Exists(annotations.filter(state=AnnotationState.SUBMITTED)), then=Value(TagState.SUBMITTED)),
        # Comes before draft: it needs a reviewer or an admin.
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
    """What a person has done with a tag, as the progress page counts it; several people may work on one tag."""

    HELD = "held", "has it now"
    DRAFT = "draft", "draft"
    RETURNED = "returned", "returned"
    SUBMITTED = "submitted", "submitted"
    ACCEPTED = "accepted", "accepted"
    EXCLUDED = "excluded", "excluded"
    TIMED = "timed", "handed in, time counted"


def annotations_in(work: str) -> QuerySet[Annotation]:
    """The annotations that the progress page counts under this word."""
    if work == Work.TIMED:
        return Annotation.objects.exclude(submitted_at=None).filter(step_times__isnull=False)
    found = Annotation.objects.filter(state=work)
    # A draft with nothing saved yet is just the claim that opened it.
    return found.filter(version__gt=0) if work == Work.DRAFT else found


# "queue" is the order in which the queue hands tags out.
SORTS = {"queue": ("-priority", "pk"), "newest": ("-pk",), "title": ("article__title", "pk")}


class TagFilters(Filters):
    """The filters of the list of tags."""

    q = SearchField(label="Title")
    family = forms.ChoiceField(choices=[("", "every family"), *Family.choices], widget=forms.Select(attrs=SUBMITS))
    wiki = RowField(words=[NO_WIKI], widget=forms.Select(attrs=SUBMITS))
    state = forms.ChoiceField(choices=TagState.choices, widget=forms.HiddenInput)
    harvest = RowField()
    person = RowField()
    work = forms.ChoiceField(choices=Work.choices, widget=forms.HiddenInput)
    sort = forms.ChoiceField(choices=[(name, name) for name in SORTS], initial="queue", widget=forms.HiddenInput)

    def offer_wikis(self) -> None:
        wikis = Wiki.objects.filter(articles__isnull=False).distinct()
        choices = [*((wiki.pk, wiki.name) for wiki in wikis), (NO_WIKI, "imported from a file")]
        self.offer(wiki=("every wiki", choices))

    def tags(self) -> QuerySet[Tag]:
        """The tags in any state that pass the other filters."""
        tags: QuerySet[Tag] = Tag.objects.all()
        chosen = self.chosen
        if chosen["family"]:
            tags = tags.filter(family=chosen["family"])
        if wiki := chosen["wiki"]:
            tags = tags.filter(article__wiki=None if wiki == NO_WIKI else wiki)
        if chosen["harvest"]:
            tags = tags.filter(harvest=chosen["harvest"])
        if chosen["person"] or chosen["work"]:
            tags = self._in_progress_of(tags)
        if chosen["q"]:
            tags = tags.filter(article__title__icontains=chosen["q"])
        return tags

    def _in_progress_of(self, tags: QuerySet[Tag]) -> QuerySet[Tag]:
        """The tags on which the chosen person, or anyone, has done work of the kind `work`."""
        person, work = self.chosen["person"], self.chosen["work"]
        whose = {"annotator": person} if person else {}
        if work == Work.HELD:
            return tags.filter(Exists(held_assignments().filter(tag=OuterRef("pk"), **whose)))
        if work:
            return tags.filter(Exists(annotations_in(work).filter(tag=OuterRef("pk"), **whose)))
        assignments = Assignment.objects.filter(tag=OuterRef("pk"), **whose)
        written = Annotation.objects.filter(tag=OuterRef("pk"), **whose)
        return tags.filter(Exists(assignments) | Exists(written))

    def listed(self) -> QuerySet[Tag]:
        """The chosen tags, sorted, each with `state`, its article, assignments and their annotators."""
        tags = with_state(self.tags())
        if self.chosen["state"]:
            tags = tags.filter(state=self.chosen["state"])  # type: ignore[misc]  # from with_state
        tags = tags.select_related("article__wiki").defer("article__wikitext")
        return tags.prefetch_related("assignments__annotator").order_by(*SORTS[self.chosen["sort"]])


def activity_of(tag: Tag) -> QuerySet[Event]:
    """All that happened to the tag and to its annotations, newest first."""
    annotations = tag.annotations.values("pk")
    about = Q(subject_kind="tag", subject_id=tag.pk) | Q(subject_kind="annotation", subject_id__in=annotations)
    return Event.objects.filter(about).select_related("actor").order_by("-pk")
