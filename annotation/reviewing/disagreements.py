"""Tags that two or more people annotated differently: which, in what, and how many of how many.

As in the agreement of annotators, first submissions are compared, once all annotations of a tag are complete.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from django import forms
from django.db.models import QuerySet

from core.engine.queries.conditions import is_found
from core.engine.queries.parameters import Numbers
from core.engine.writing.pieces import few_at_a_time, in_chunks
from core.languages import say
from core.lists.filters import SUBMITS, Filters, RowField
from core.lists.pages import Window
from core.models import Role, User

from .. import taxonomy
from ..content.choices import as_text, in_words
from ..content.fields import Content, questions_of
from ..desk.visibility import note_opened
from ..models import Annotation, Assignment, Family, Tag
from .differing import COMPARED, Row, compare_two, rows_of
from .first_submissions import FirstSubmitted, annotated_twice, first_submissions

# With more annotators than that, none is offered in the menus.
MOST_TO_CHOOSE = 100
TYPES = tuple(
    (dimension.name, tuple((f"{dimension.code}:{each.code}", in_words(each)) for each in dimension.options))
    for dimension in taxonomy.DIMENSIONS
)


@dataclass(slots=True)
class Two:
    """Two annotations of one tag, and whether they differ in each field that both have, by its code."""

    one: FirstSubmitted
    other: FirstSubmitted
    compared: dict[str, bool]

    @property
    def differing(self) -> list[str]:
        return [code for code, differs in self.compared.items() if differs]


@dataclass(slots=True)
class Shown:
    """Two annotations that differ, with the people and what the page shows side by side."""

    two: Two
    people: list[User]
    annotations: list[Annotation]
    rows: list[Row]

    @property
    def fields(self) -> list[str]:
        return [COMPARED[code].label for code in self.two.differing]


@dataclass(slots=True)
class Disagreement:
    """A tag of which annotations differ, every two of them on their own."""

    tag: Tag
    shown: list[Shown] = field(default_factory=list)

    @property
    def pk(self) -> int:
        return self.tag.pk


class DisagreementFilters(Filters):
    """The filters of the list. With one person, everyone else is the other; with two, they are the pair."""

    field = forms.ChoiceField(
        label=say("Field"),
        choices=[("", say("any field")), *((each.code, each.label) for each in COMPARED.values())],
        widget=forms.Select(attrs=SUBMITS),
    )
    type = forms.ChoiceField(
        label=say("Contradiction type"), choices=[("", say("any type")), *TYPES], widget=forms.Select(attrs=SUBMITS)
    )
    family = forms.ChoiceField(
        label=say("Tag type"), choices=[("", say("any type")), *Family.choices], widget=forms.Select(attrs=SUBMITS)
    )
    person = RowField(label=say("Annotator"), widget=forms.Select(attrs=SUBMITS))
    other = RowField(label=say("and"), widget=forms.Select(attrs=SUBMITS))

    def offer_people(self) -> None:
        """Offer the annotators, unless they are too many for a menu; then only those chosen."""
        everyone = User.objects.filter(groups__name=Role.ANNOTATOR).order_by("username")[: MOST_TO_CHOOSE + 1]
        people = {each.pk: str(each) for each in everyone}
        if len(people) > MOST_TO_CHOOSE:
            people = {}
        chosen = User.objects.in_bulk({self.chosen[name] for name in ("person", "other")} - {"", *people})
        offered = [*people.items(), *((pk, str(each)) for pk, each in chosen.items())]
        self.offer(person=("anyone", offered), other=("anyone", offered))

    @property
    def people(self) -> set[int]:
        return {self.chosen[name] for name in ("person", "other") if self.chosen[name]}

    def tags(self, reader: User | None) -> QuerySet[Assignment]:
        """The second assignments of the tags that these filters leave, as far as the database can tell."""
        found = annotated_twice(reader)
        if self.chosen["family"]:
            found = found.filter(tag__family=self.chosen["family"])
        for person in self.people:
            theirs = Assignment.objects.filter(annotator=person).order_by().values("tag")
            found = found.filter(is_found("tag", theirs))
        return found

    def pairs(self, annotations: Sequence[FirstSubmitted]) -> list[Two]:
        """Every two of a tag's annotations by the people chosen."""
        found = [
            Two(one, other, compare_two(one.content, other.content)) for one, other in combinations(annotations, 2)
        ]
        return [two for two in found if self.people <= {two.one.annotator, two.other.annotator}]

    def listed(self, annotations: Sequence[FirstSubmitted]) -> list[Two]:
        """The same, without those that agree in the chosen field, or in all, and those without the chosen type."""
        code, chosen = self.chosen["field"], self.chosen["type"]
        return [
            two
            for two in self.pairs(annotations)
            if (two.compared.get(code) if code else two.differing) and (not chosen or _has_type(two, chosen))
        ]


def _has_type(two: Two, chosen: str) -> bool:
    dimension, _, code = chosen.partition(":")
    key = taxonomy.BY_CODE[dimension].key
    return any(code in each.content[key] for each in (two.one, two.other))


class DisagreementList:
    """The list for one request: the differing annotations among some tags, and how a page shows them."""

    def __init__(self, filters: DisagreementFilters, reader: User):
        self.filters, self.reader = filters, reader
        self._found: dict[int, list[Two]] = {}
        self._read: dict[int, list[FirstSubmitted]] = {}

    def window(self) -> Window:
        """The tags annotated twice, newest first."""
        return Window(self.filters.tags(self.reader), ("-tag_id",), key="tag_id")

    def among(self, tags: Numbers) -> set[int]:
        """The tags among these that the list shows."""
        for annotations in self.first_submissions(tags):
            if listed := self.filters.listed(annotations):
                self._found[annotations[0].tag] = listed
        return {tag for tag in tags if tag in self._found}

    def first_submissions(self, tags: Iterable[int]) -> list[list[FirstSubmitted]]:
        """The first submissions of each of these tags that has two or more; each tag is read once."""
        tags = list(tags)
        for annotations in first_submissions([tag for tag in tags if tag not in self._read], reader=self.reader):
            self._read[annotations[0].tag] = annotations
        return [self._read[tag] for tag in tags if tag in self._read]

    def shown(self, tags: Numbers) -> list[Disagreement]:
        """These tags as the page shows them, unordered; the reader opens their annotations."""
        return as_shown({tag: self._found[tag] for tag in tags}, self.filters.chosen["field"], reader=self.reader)


def as_shown(found: Mapping[int, list[Two]], code: str, *, reader: User | None) -> list[Disagreement]:
    """The differing annotations by tag, with their texts side by side: of the field with this code, or of all."""
    tags = Tag.objects.filter(pk__in=found).select_related("article").defer("article__wikitext")
    pairs = [two for of in found.values() for two in of]
    numbers = {each.annotation for two in pairs for each in (two.one, two.other)}
    annotations = Annotation.objects.select_related("annotator").in_bulk(numbers)
    if reader is not None:
        note_opened(annotations.values(), reader=reader)
    return [Disagreement(tag, [_shown(two, code, annotations) for two in found[tag.pk]]) for tag in tags]


def _shown(two: Two, code: str, annotations: Mapping[int, Annotation]) -> Shown:
    own = [annotations[each.annotation] for each in (two.one, two.other)]
    rows = rows_of([code] if code else two.differing, two.one.content, two.other.content)
    return Shown(two, [each.annotator for each in own if each.annotator], own, rows)


@dataclass(frozen=True, slots=True)
class Count:
    """In how many of the pairs of annotations with a value in both they differ."""

    code: str
    label: str
    differ: int
    of: int


def counts(pairs: Iterable[Two]) -> list[Count]:
    """One for each field, in the order of the form."""
    differ: Counter[str] = Counter()
    of: Counter[str] = Counter()
    for two in pairs:
        of.update(two.compared.keys())
        differ.update(two.differing)
    return [Count(code, each.label, differ[code], of[code]) for code, each in COMPARED.items()]


COLUMNS = (
    *("tag", "article", "tag_type", "field", "annotator_1", "annotator_2", "value_1", "value_2"),
    *("annotation_1", "annotation_2"),
)
AT_ONCE = 200


def file_rows(filters: DisagreementFilters, reader: User) -> Iterator[dict[str, Any]]:
    """All of the list, one row for each field in which two annotations differ; `reader` opens all of them."""
    for tags in in_chunks(few_at_a_time(filters.tags(reader).values_list("tag_id", flat=True)), AT_ONCE):
        listing = DisagreementList(filters, reader)
        kept = Numbers(each for each in tags if each in listing.among(Numbers(tags)))
        for found in sorted(listing.shown(kept), key=lambda each: -each.pk):
            for shown in found.shown:
                yield from _file_rows(found.tag, shown, filters.chosen["field"])


def _file_rows(tag: Tag, shown: Shown, code: str) -> Iterator[dict[str, Any]]:
    two = shown.two
    for each in [code] if code else two.differing:
        people = [person.username for person in shown.people]
        values = [value_in_words(each, of.content) for of in (two.one, two.other)]
        yield dict(
            zip(
                COLUMNS,
                [
                    *(tag.pk, tag.article.title, tag.get_family_display(), each, *people, *values),
                    *(two.one.annotation, two.other.annotation),
                ],
                strict=True,
            )
        )


def value_in_words(code: str, content: Content) -> str:
    """The value of a field as text, its parts on lines of their own."""
    if code == "questions":
        return "\n".join(" | ".join(row) for row in questions_of(content))
    return "\n".join(as_text(name, content[name]) for name in COMPARED[code].parts if content[name])
