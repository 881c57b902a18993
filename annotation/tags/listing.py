"""The list of all tags for admins: filtered, sorted, a page at a time."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from django import forms
from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.functional import cached_property

from core.engine.queries.conditions import is_found, is_one_of
from core.engine.queries.instances import PreparedInstances
from core.engine.queries.parameters import Numbers
from core.languages import say
from core.lists.filters import SUBMITS, Filters, RowField, SearchField
from core.lists.pages import Window
from core.lists.search import found_in, search_note
from core.models import Event, User

from ..desk.visibility import is_blind_to_each
from ..models import Annotation, Article, Assignment, Family, Tag, Wiki
from .states import QUEUE, TagState, held_assignments, queued_near, tags_near, with_state

# The filter's value for tags from a file without a wiki.
NO_WIKI = "none"


class Work(models.TextChoices):
    """A person's work on a tag, as the progress page counts it; several people may work on one tag."""

    HELD = "held", say("has it now")
    DRAFT = "draft", say("draft")
    RETURNED = "returned", say("returned")
    SUBMITTED = "submitted", say("submitted")
    ACCEPTED = "accepted", say("accepted")
    EXCLUDED = "excluded", say("excluded")
    TIMED = "timed", say("submitted, time counted")


class FoundBy(models.TextChoices):
    """The origin of a tag: the article's source, or a comparison of its texts."""

    EDITOR = "editor", say("an editor")
    PROGRAM = "program", say("the program")


def annotations_in(work: str) -> QuerySet[Annotation]:
    """The annotations that the progress page counts under this word."""
    if work == Work.TIMED:
        return Annotation.objects.exclude(submitted_at=None).filter(step_times__isnull=False)
    found = Annotation.objects.filter(state=work)
    # A draft with nothing saved yet is just the claim that opened it.
    return found.filter(version__gt=0) if work == Work.DRAFT else found


def _worked_on(work: str) -> QuerySet[Assignment] | QuerySet[Annotation]:
    return held_assignments() if work == Work.HELD else annotations_in(work)


def _has_work_of(person: int, work: str) -> Q:
    if work:
        theirs: QuerySet = _worked_on(work)
        return Q(is_found("pk", theirs.filter(annotator=person).order_by().values("tag")))
    assigned = Assignment.objects.filter(annotator=person).order_by().values("tag")
    written = Annotation.objects.filter(annotator=person).order_by().values("tag")
    return Q(is_found("pk", assigned)) | Q(is_found("pk", written))


# "queue" is the order in which the queue hands tags out.
SORTS = {"newest": ("-pk",), "queue": QUEUE}


# The filters of the list.
FILTERS = ("q", "family", "found_by", "wiki", "state", "harvest", "person", "work")


class TagFilters(Filters):
    """The filters of the list of tags."""

    q = SearchField(label=say("Title"))
    search_note = search_note(say("titles"), say("articles"))
    family = forms.ChoiceField(
        label=say("Family"), choices=[("", say("every type")), *Family.choices], widget=forms.Select(attrs=SUBMITS)
    )
    found_by = forms.ChoiceField(
        choices=[("", say("anyone")), *FoundBy.choices], widget=forms.Select(attrs=SUBMITS), label=say("Found by")
    )
    wiki = RowField(label=say("Wiki"), words=[NO_WIKI], widget=forms.Select(attrs=SUBMITS))
    state = forms.ChoiceField(choices=TagState.choices, widget=forms.HiddenInput)
    harvest = RowField()
    person = RowField()
    work = forms.ChoiceField(choices=Work.choices, widget=forms.HiddenInput)
    sort = forms.ChoiceField(choices=[(name, name) for name in SORTS], initial="newest", widget=forms.HiddenInput)

    def offer_wikis(self) -> None:
        wikis = Wiki.objects.filter(Exists(Article.objects.filter(wiki=OuterRef("pk"))))
        choices = [*wikis.values_list("pk", "name"), (NO_WIKI, say("imported from a file"))]
        self.offer(wiki=(say("every wiki"), choices))

    def tags(self, reader: User) -> QuerySet[Tag]:
        """The tags in any state that pass the other filters, as far as this person may know of the work on them."""
        tags: QuerySet[Tag] = Tag.objects.all()
        chosen = self.chosen
        if chosen["family"]:
            tags = tags.filter(family=chosen["family"])
        if chosen["found_by"]:
            tags = tags.filter(candidate__isnull=chosen["found_by"] == FoundBy.EDITOR)
        if wiki := chosen["wiki"]:
            tags = tags.filter(article__wiki=None if wiki == NO_WIKI else wiki)
        if chosen["harvest"]:
            tags = tags.filter(harvest=chosen["harvest"])
        if chosen["person"] or chosen["work"]:
            tags = self._in_progress_of(tags, reader)
        return tags.filter(article__in=self._sought) if chosen["q"] else tags

    @cached_property
    def _sought(self) -> Numbers:
        return found_in(Article.objects.all(), "title", self.chosen["q"])

    def _in_progress_of(self, tags: QuerySet[Tag], reader: User) -> QuerySet[Tag]:
        """The tags on which the chosen person, or anyone, has done work of the kind `work`."""
        person, work = self.chosen["person"], self.chosen["work"]
        if person == reader.pk:
            return tags.filter(_has_work_of(person, work))
        known = ~Q(is_blind_to_each("pk", reader))
        if person:
            return tags.filter(_has_work_of(person, work), known)
        anyones = Q(Exists(_worked_on(work).filter(tag=OuterRef("pk"))))
        return tags.filter((anyones & known) | _has_work_of(reader.pk, work))

    def listed(self, reader: User) -> QuerySet[Tag]:
        """The chosen tags, unordered."""
        tags, state = self.tags(reader), self.chosen["state"]
        if not state:
            return tags
        near = tags_near(state)
        if near.key == "tag_id":
            # A row that the index names is found at a fraction of what the state costs.
            tags = tags.filter(Exists(near.rows.order_by().filter(tag=OuterRef("pk"))))
        return with_state(tags, reader=reader).filter(state=state)  # type: ignore[misc]

    def window(self, reader: User) -> Window:
        """A superset of the chosen tags, in the chosen order, served by the best index."""
        chosen, names = self.chosen, [name for name in FILTERS if self.chosen[name]]
        tags = Tag.objects.all()
        if chosen["sort"] == "queue":
            near = queued_near(chosen["state"]) if chosen["state"] else Window(tags, QUEUE, is_whole=True)
            return near if names in ([], ["state"]) else replace(near, is_whole=False)
        if chosen["q"] or chosen["person"]:
            # The tags of a search or of one person are few.
            return Window(self.tags(reader), is_whole=not chosen["state"])
        if chosen["state"]:
            near = tags_near(chosen["state"])
            return near if names == ["state"] else replace(near, is_whole=False)
        if chosen["work"]:
            return Window(_worked_on(chosen["work"]), ("-tag_id",), key="tag_id")
        if chosen["found_by"] == FoundBy.PROGRAM:
            return Window(tags.filter(candidate__isnull=False), is_whole=names == ["found_by"])
        for name in ("harvest", "family"):
            if chosen[name]:
                return Window(tags.filter(**{name: chosen[name]}), is_whole=names == [name])
        return Window(tags, is_whole=not names)


def _of_these(reader: int, tags: Numbers) -> QuerySet[Tag]:
    shown = ("family", "candidate_id", "date", "reason", "section", "priority", "found_at", "article__title")
    found = with_state(Tag.objects.filter(is_one_of("pk", tags)), reader=User(pk=reader))
    return found.select_related("article").only(*shown)


_shown = PreparedInstances(_of_these, reader=int, tags=Numbers)


def shown_tags(tags: Numbers, *, reader: User) -> list[Tag]:
    """These tags, unordered, each as in `with_state`, with the other values that the list shows."""
    return _shown.all(reader=reader.pk, tags=tags)


@dataclass(frozen=True, slots=True)
class Taken:
    """An assignment that a person has or had."""

    annotator: str
    is_done: bool
    is_waiting: bool
    is_given: bool  # by an admin


@dataclass(slots=True)
class Assigned:
    """The number of annotations a tag needs, and the people who have or had it."""

    needed: int = 0
    taken: list[Taken] = field(default_factory=list)


ASSIGNED = (
    *("tag_id", "annotator_id", "done_at", "asked_at", "assigned_by_id"),
    *(f"annotator__{name}" for name in User.NAMES),
)


def assigned(tags: Iterable[Tag], *, reader: User) -> list[tuple[Tag, Assigned]]:
    """Each tag, as in `with_state`, with its assignments that this person may know of."""
    found = {tag.pk: (tag, Assigned()) for tag in tags}
    for of, annotator, done, asked, given, *name in Assignment.objects.filter(tag__in=found).values_list(*ASSIGNED):
        tag, assigned = found[of]
        assigned.needed += 1
        is_known = not tag.is_blind or annotator == reader.pk  # type: ignore[attr-defined]  # from with_state
        if annotator is not None and is_known:
            assigned.taken.append(Taken(User.named(*name), done is not None, asked is not None, given is not None))
    return list(found.values())


def activity_of(tag: Tag, *, reader: User) -> QuerySet[Event]:
    """The activity log of the tag and its annotations, as far as this person may know of it, newest first."""
    annotations = tag.annotations.values("pk")
    about = Q(subject_kind="tag", subject_id=tag.pk) | Q(subject_kind="annotation", subject_id__in=annotations)
    return Event.objects.filter(about).open_to(reader).select_related("actor").order_by("-pk")
