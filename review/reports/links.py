"""Links a number in a report to its responses: one filter makes the address and finds the rows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from annotation.content.instances import SAME_PASSAGE
from core.languages import say
from core.outside import whole_number
from core.refusals import Refusal
from judging.models import Mark, Response
from judging.protocol.tasks import reported_without
from judging.protocol.verdicts import Verdict

from ..models import FinalVerdict, Pair, Round
from .kinds import CATEGORIES
from .scope import Scope

NO_VERDICT = "none"
ANY_VERDICT = "any"
UNREADABLE = "unreadable"
CANNOT_JUDGE = "cannot_judge"
WORDS: dict[str, tuple[str, ...]] = {
    "subset": ("exp", "imp", "unset"),
    "passages": ("different", "same", "reported"),
    "verdict": (*Verdict.values, ANY_VERDICT, NO_VERDICT),
    "said": (*Verdict.values, ANY_VERDICT, UNREADABLE),
    "pairs": ("both", "many", "all"),
    "first": (*Verdict.values, CANNOT_JUDGE),
    "second": (*Verdict.values, CANNOT_JUDGE),
    "mark": tuple(Mark.values),
    "reopened": ("yes",),
    "counterpart": ("correct", "other"),
    "given": tuple(Verdict.values),
}
NUMBERS = ("template", "model", "judge", "person", "other", "against")
FIELDS = (*WORDS, "week", *NUMBERS)
OF_SUBSET = {**CATEGORIES, "unset": ""}


@dataclass(frozen=True, slots=True)
class ResponseFilter:
    """Selects responses within a scope. Empty fields do not filter.

    `verdict` is the final one; `judge` and `said` a judge model and its verdict; `pairs` asks for responses that were
    judged twice, "both" for two verdicts, "many" for these in rounds that ask for more than two, and `first` and
    `second` for these two, as `person_order` has them, of the reviewers `person` and `other`, if these are given.
    `against` is another model that has a final verdict on the same instance and template: `counterpart` says whether
    it is correct. Passages that are "reported" are those that the tables count for a template. `week` is the Monday
    of the week in which a pair was complete, and `given` a verdict that one of the two gave.
    """

    scope: Scope = field(default_factory=Scope)
    template: int | None = None
    model: int | None = None
    subset: str = ""
    passages: str = ""
    verdict: str = ""
    judge: int | None = None
    said: str = ""
    pairs: str = ""
    person: int | None = None
    other: int | None = None
    first: str = ""
    second: str = ""
    mark: str = ""
    reopened: str = ""
    against: int | None = None
    counterpart: str = ""
    week: str = ""
    given: str = ""

    @classmethod
    def of(cls, values: Mapping[str, str], *, hidden: Iterable[Round] = ()) -> "ResponseFilter":
        """The filter in an address. Raises Refusal if it cannot be read: the list would not be the requested one."""
        chosen: dict[str, Any] = {"scope": Scope.of(values, hidden=hidden)}
        for name in FIELDS:
            value = values.get(name, "")
            chosen[name] = _read(name, value)
            if value and chosen[name] is None:
                raise Refusal(say("There is no {name} “{value}”.", name=name, value=value[:30]), status=404)
        return cls(**chosen)

    @property
    def parameters(self) -> dict[str, str]:
        return self.scope.parameters | dict(self._own({}))

    def query(self, changes: Mapping[str, str | int | None]) -> str:
        """The filter, without these fields, as the query of an address. Each name and value is one of our words, a
        day or a number, so nothing in it has to be quoted.
        """
        own = [f"{name}={value}" for name, value in self._own(changes)]
        return "&".join([self.scope.query, *own] if self.scope.query else own)

    def _own(self, changes: Mapping[str, str | int | None]) -> Iterator[tuple[str, str]]:
        for name in FIELDS:
            value = changes[name] if name in changes else getattr(self, name)
            if value:
                yield name, str(value)

    def without(self, name: str) -> "ResponseFilter":
        """The filter without this field."""
        changes: dict[str, Any] = {name: None if name in NUMBERS else ""}
        return replace(self, **changes)

    def responses(self) -> QuerySet[Response]:
        """The responses, unordered."""
        found = self.scope.responses()
        for name in ("template", "model", "mark"):
            if value := getattr(self, name):
                found = found.filter(**{name: value})
        if self.subset:
            found = found.filter(instance__category=OF_SUBSET[self.subset])
        if self.passages == "reported":
            for asked, left_out in reported_without().items():
                found = found.exclude(instance__subcategory=left_out, template__applies_to=asked)
        elif self.passages:
            of_same = Q(instance__subcategory=SAME_PASSAGE)
            found = found.filter(of_same if self.passages == "same" else ~of_same)
        if self.reopened:
            found = found.filter(items__adjudication__times_reopened__gt=0)
        found = self._by_final_verdict(found)
        if self.against:
            found = found.filter(Exists(self._counterparts()))
        if self.judge:
            found = found.filter(pk__in=self._judged().values("response"))
        if self.pairs or self.week or self.given or self.first or self.second or self.person or self.other:
            found = found.filter(pk__in=self._pairs().values("response"))
        return found

    def _by_final_verdict(self, found: QuerySet[Response]) -> QuerySet[Response]:
        if self.verdict == NO_VERDICT:
            return found.filter(final_verdict=None)
        if self.verdict == ANY_VERDICT:
            return found.filter(pk__in=FinalVerdict.objects.values("response"))
        if self.verdict:
            return found.filter(pk__in=FinalVerdict.objects.filter(verdict=self.verdict).values("response"))
        return found

    def _counterparts(self) -> QuerySet[FinalVerdict]:
        """Final verdicts of the other model on the same instance and template."""
        same = {name: OuterRef(name) for name in ("instance", "template")}
        found = self.scope.final_verdicts().filter(model=self.against, **same)
        match self.counterpart:
            case "correct":
                return found.filter(verdict=Verdict.CORRECT)
            case "other":
                return found.exclude(verdict=Verdict.CORRECT)
        return found

    def _judged(self):
        judged = self.scope.model_judgments().filter(model=self.judge)
        match self.said:
            case "unreadable":
                return judged.filter(verdict="")
            case "any":
                return judged.exclude(verdict="")
            case "":
                return judged
        return judged.filter(verdict=self.said)

    def _pairs(self) -> QuerySet[Pair]:
        found = self.scope.pairs()
        people = [person for person in (self.person, self.other) if person]
        for person in people:
            found = found.filter(Q(reviewer_1=person) | Q(reviewer_2=person))
        monday = _monday(self.week)
        if monday:
            found = found.filter(completed_at__gte=monday, completed_at__lt=monday + timedelta(days=7))
        if self.given:
            found = found.filter(Q(verdict_1=self.given) | Q(verdict_2=self.given))
        if self.pairs in ("both", "many"):
            found = found.exclude(verdict_1="").exclude(verdict_2="")
        if self.pairs == "many":
            found = found.filter(round__judgments_each__gt=2)
        if CANNOT_JUDGE in (self.first, self.second):
            return found.filter(Q(verdict_1="") | Q(verdict_2=""))
        if self.first:
            found = found.filter(verdict_1=self.first)
        if self.second:
            found = found.filter(verdict_2=self.second)
        return found


def _read(name: str, value: str) -> str | int | None:
    """A field of the filter in an address. None if it cannot be read, and for a missing number."""
    if name in NUMBERS:
        return whole_number(value)
    is_known = value in WORDS[name] if name in WORDS else _monday(value) is not None
    return value if is_known or not value else None


def _monday(text: str) -> datetime | None:
    """The midnight in UTC at which this week begins; None if the text is not a Monday."""
    if not re.fullmatch(r"[12]\d{3}-\d\d-\d\d", text, re.ASCII):
        return None
    try:
        found = datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
    return found if found.weekday() == 0 else None


def response_list(chosen: ResponseFilter, **changes: str | int | None) -> str:
    """The address of the list of these responses, with these fields of the filter changed."""
    return f"{_list_page()}?{chosen.query(changes)}"


def tag_list(**wanted: str | int) -> str:
    """The address of the list of these tags."""
    return f"{reverse('tags')}?{urlencode(wanted)}"


def quality_page(person: int) -> str:
    """The address of the page about the quality of this person's work."""
    return reverse("person_quality", args=[person])


@cache
def _list_page() -> str:
    return reverse("report_responses")
