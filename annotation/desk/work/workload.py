"""Quotas of annotators, and when they will have met them at their present pace."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format

from core.languages import Text, say
from core.models import Event, User
from core.refusals import Refusal

from ...models import Annotation, AnnotationAction, AnnotationState, Assignment, Quota
from ..visibility import each_known_to, known_to

# A forecast looks this many days back and ahead.
DAYS_BACK, DAYS_AHEAD = 28, 365
FEWEST_DAYS, FEWEST_WITH_WORK = 7, 3
DRAWS, SEED = 1_000, 5
HIGHEST_QUOTA = 100_000


@dataclass(frozen=True, slots=True)
class Workload:
    """A person's quota and work: tags in hand (`assigned`) and annotations `submitted`. `first` and `last` are the
    ends of the 95% interval of the day on which the quota is met; `last` is None beyond a year, both are None without
    a forecast.
    """

    person: User
    quota: Quota | None
    assigned: int
    submitted: int
    first: date | None = None
    last: date | None = None

    @property
    def pk(self) -> int:
        return self.person.pk

    @property
    def left(self) -> int:
        return max(0, self.quota.annotations - self.submitted) if self.quota else 0

    @property
    def forecast(self) -> str:
        """The forecast in words; empty without a quota."""
        if self.quota is None:
            return ""
        if not self.left:
            return say("quota met")
        if self.first is None:
            return say("too few days of work for a forecast")
        if self.last is None:
            return say("at this pace: {day} or later, perhaps more than a year from now", day=_day(self.first))
        if self.first == self.last:
            return say("at this pace: {day}", day=_day(self.first))
        return say("at this pace: {first} to {last}", first=_day(self.first), last=_day(self.last))

    @property
    def is_late(self) -> bool:
        """Return whether the deadline lies before the whole interval, or has passed."""
        deadline = self.quota.deadline if self.quota else None
        if deadline is None or not self.left:
            return False
        return deadline < (self.first or timezone.localdate())


def _day(day: date) -> str:
    return Text(f"{day.day} {day:%B %Y}", lambda: date_format(day))


@transaction.atomic
def set_quota(*, person: User, annotations: int | None, deadline: date | None, admin: User) -> None:
    """Set the person's quota and deadline; without a number, remove them. Raises Refusal if the number is out of
    range, or for a deadline without a number.
    """
    before = Quota.objects.filter(person=person).first()
    if annotations is None:
        if deadline is not None:
            raise Refusal(say("A deadline needs a quota. Nothing was changed."), status=400)
        Quota.objects.filter(person=person).delete()
    elif not 1 <= annotations <= HIGHEST_QUOTA:
        raise Refusal(
            say("A quota is a number from 1 to {highest:,}. Nothing was changed.", highest=HIGHEST_QUOTA),
            status=400,
        )
    else:
        values = {"annotations": annotations, "deadline": deadline, "set_by": admin, "set_at": timezone.now()}
        Quota.objects.update_or_create(person=person, defaults=values)
    after = Quota.objects.filter(person=person).first()
    if _in_log(before) != _in_log(after):
        Event.record(AnnotationAction.SET_QUOTA, person, actor=admin, before=_in_log(before), after=_in_log(after))


def _in_log(quota: Quota | None) -> dict[str, object]:
    if quota is None:
        return {"quota": None}
    return {"quota": quota.annotations, "deadline": quota.deadline.isoformat() if quota.deadline else None}


def workloads(people: Collection[User], *, reader: User) -> list[Workload]:
    """The workload of each of these people, in their order, as far as `reader` may know of their work."""
    quotas = {quota.person_id: quota for quota in Quota.objects.filter(person__in=people)}
    # Check tags are work, too; without them, their annotator would recognise one by a count that stays.
    known = Annotation.objects.filter(each_known_to(reader), annotator__in=people)
    submitted = known.filter(state__in=AnnotationState.submitted())
    totals = _by_person(submitted)
    held = _by_person(Assignment.objects.held().filter(known_to(reader), annotator__in=people))
    today = timezone.localdate()
    by_day = _by_day(submitted.filter(annotator__in=quotas), today)
    found = []
    for person in people:
        quota, done = quotas.get(person.pk), totals.get(person.pk, 0)
        left = quota.annotations - done if quota else 0
        days = forecast(_from_the_first(by_day.get(person.pk, ())), left) if left > 0 else None
        first, last = ((today + timedelta(days=each) if each else None) for each in days or (0, 0))
        found.append(Workload(person, quota, held.get(person.pk, 0), done, first, last))
    return found


def _by_person(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.order_by().values_list("annotator").annotate(count=Count("pk")))


def _by_day(submitted: QuerySet[Any], today: date) -> dict[int, tuple[int, ...]]:
    """Each person's submissions on each of the last days, without today. The database counts them: to read the times
    of thousands takes longer than the rest of the page.
    """
    days = [today - timedelta(days=back) for back in range(DAYS_BACK, -1, -1)]
    begins = [timezone.make_aware(datetime.combine(day, time.min)) for day in days]
    on_day = (Q(submitted_at__gte=begin, submitted_at__lt=end) for begin, end in pairwise(begins))
    counts = {f"day_{number}": Count("pk", filter=that) for number, that in enumerate(on_day)}
    within = submitted.filter(submitted_at__gte=begins[0], submitted_at__lt=begins[-1])
    return {person: tuple(of) for person, *of in within.order_by().values_list("annotator").annotate(**counts)}


def _from_the_first(counts: Sequence[int]) -> tuple[int, ...]:
    """The counts from the first day with work on."""
    began = next((number for number, count in enumerate(counts) if count), len(counts))
    return tuple(counts[began:])


@lru_cache(maxsize=1_000)  # a list of people has one for each, and it changes only with their work
def forecast(counts: tuple[int, ...], left: int) -> tuple[int, int] | None:
    """The ends of the 95% interval of the number of days in which `left` more are done, from the counts of past days,
    days without work included; the later end is 0 beyond a year. None if there are too few days to say.

    Days are drawn twice: past ones with replacement, since the pace itself is known from few days only, then future
    ones from these. That takes days as independent, so an absence longer than any in the past is not foreseen.
    """
    if len(counts) < FEWEST_DAYS or sum(count > 0 for count in counts) < FEWEST_WITH_WORK:
        return None
    import numpy as np  # slow to import

    rng = np.random.default_rng(SEED)
    past = rng.choice(np.asarray(counts), size=(DRAWS, len(counts)))
    future = np.take_along_axis(past, rng.integers(len(counts), size=(DRAWS, DAYS_AHEAD)), axis=1)
    done = future.cumsum(axis=1) >= left
    days = np.where(done[:, -1], done.argmax(axis=1) + 1, DAYS_AHEAD + 1)
    days.sort()
    first, last = (int(days[round(share * (DRAWS - 1))]) for share in (0.025, 0.975))
    return first, last if last <= DAYS_AHEAD else 0
