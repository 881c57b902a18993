"""The work of a round's reviewers: amount, speed, and agreement with the others and the check items.

All counted by the database, over judgments that can no longer be taken back.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import accumulate
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet
from django.db.models.functions import TruncWeek

from core.languages import figure, say, say_count
from core.models import User
from judging.protocol.verdicts import Verdict

from ...models import ItemKind, Judgment, Pair, Round, RoundReviewer
from ...statistics.rounding import half_up

# The number of judgments that an estimate of hours is made from: the latest ones.
LATEST_TIMED = 500


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a total; 0 out of 0 is not a share."""

    count: int = 0
    n: int = 0

    def __str__(self) -> str:
        return say("{percent:.0f}%", percent=100 * self.count / self.n) if self.n else "–"

    @property
    def title(self) -> str:
        return say("{count} of {n}", count=self.count, n=self.n)


@dataclass(frozen=True, slots=True)
class Overview:
    """One reviewer in a round."""

    reviewer: RoundReviewer
    judged: int = 0
    left: int = 0
    could_not: int = 0
    median_seconds: int | None = None
    last_at: datetime | None = None
    with_others: Share = field(default_factory=Share)
    with_checks: Share = field(default_factory=Share)

    @property
    def median_minutes(self) -> str:
        return "–" if self.median_seconds is None else figure(f"{self.median_seconds / 60:.1f}")


@dataclass(frozen=True, slots=True)
class Week:
    """One week of one reviewer: a change from week to week is a drift."""

    begins: date
    judged: int
    median_seconds: int | None
    verdicts: list[tuple[Verdict, Share]]
    with_others: Share
    with_checks: Share

    @property
    def median_minutes(self) -> str:
        return "–" if self.median_seconds is None else figure(f"{self.median_seconds / 60:.1f}")


def reviewers_of(round: Round) -> list[Overview]:
    """All reviewers of a round, by name."""
    given = Judgment.objects.shown().fixed().filter(round=round)
    nothing: dict[str, Any] = {"count": 0, "last": None, "could_not": 0}
    judged: dict[int | None, dict[str, Any]] = {
        row["reviewer"]: dict(row)
        for row in given.order_by()
        .values("reviewer")
        .annotate(count=Count("pk"), last=Max("judged_at"), could_not=Count("pk", filter=~Q(cannot_judge="")))
    }
    left = dict(
        Judgment.objects.open()
        .filter(round=round, reviewer__isnull=False)
        .order_by()
        .values_list("reviewer")
        .annotate(count=Count("pk"))
    )
    medians = _medians(given.values_list("reviewer", "seconds"))
    with_others = _agreement(Pair.objects.filter(round=round))
    with_checks = _checks(given, "reviewer")
    reviewers = round.reviewers.select_related("person", "round").order_by("person__username")
    return [
        Overview(
            reviewer=each,
            judged=judged.get(each.person_id, nothing)["count"],
            left=left.get(each.person_id, 0),
            could_not=judged.get(each.person_id, nothing)["could_not"],
            median_seconds=medians.get(each.person_id),
            last_at=judged.get(each.person_id, nothing)["last"],
            with_others=with_others[each.person_id],
            with_checks=with_checks[each.person_id],
        )
        for each in reviewers
    ]


def overviews_of(person: User, rounds: Collection[Round]) -> list[Overview]:
    """This person in each of these rounds, newest first."""
    given = Judgment.objects.shown().fixed().filter(round__in=rounds, reviewer=person)
    by_round = given.order_by().values_list("round")
    counts = {
        of: (judged, could_not, last)
        for of, judged, could_not, last in by_round.annotate(
            judged=Count("pk"), could_not=Count("pk", filter=~Q(cannot_judge="")), last=Max("judged_at")
        )
    }
    medians = _medians(given.values_list("round", "seconds"))
    pairs = Pair.objects.filter(Q(reviewer_1=person) | Q(reviewer_2=person), round__in=rounds)
    with_others = _add_up((of, agreed, count) for of, count, agreed in _agreed(pairs, "round"))
    with_checks = _checks(given, "round")
    reviewers = RoundReviewer.objects.filter(round__in=rounds, person=person).select_related("person", "round")
    found = []
    for each in reviewers.order_by("-round"):
        judged, could_not, last = counts.get(each.round_id, (0, 0, None))
        found.append(
            Overview(
                reviewer=each,
                judged=judged,
                could_not=could_not,
                median_seconds=medians.get(each.round_id),
                last_at=last,
                with_others=with_others[each.round_id],
                with_checks=with_checks[each.round_id],
            )
        )
    return found


def hours_for(judgments: int, *, of: str) -> str:
    """The time that this many judgments of a questionnaire take, by the median of the latest ones whose time was
    counted: "3.5 hours", "20 minutes". Empty if there are none.
    """
    timed = Judgment.objects.filter(round__questionnaire=of, seconds__isnull=False)
    latest = timed.order_by("-pk").values_list("seconds", flat=True)
    known = sorted(seconds for seconds in latest[:LATEST_TIMED] if seconds is not None)
    if not known or not judgments:
        return ""
    minutes = judgments * known[(len(known) - 1) // 2] / 60
    if minutes < 60:
        return say_count(max(1, round(minutes)), "{count:,} minute", "{count:,} minutes")
    return say("{hours:f} hours", hours=half_up(minutes / 60, 1))


def overview_of(reviewer: RoundReviewer) -> Overview:
    return next(each for each in reviewers_of(reviewer.round) if each.reviewer.pk == reviewer.pk)


def _medians(rows: QuerySet) -> dict[int, int]:
    """The median of the seconds of each key, from the frequency of each number of seconds: there are few different
    ones.
    """
    counted = rows.filter(seconds__isnull=False).order_by("seconds").annotate(count=Count("pk"))
    by_key: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for key, seconds, count in counted:
        by_key[key].append((seconds, count))
    return {key: _median(counts) for key, counts in by_key.items()}


def _median(counts: list[tuple[int, int]]) -> int:
    """The lower median of (value, frequency), in the order of the values."""
    middle = (sum(count for _, count in counts) + 1) // 2
    sums = accumulate(count for _, count in counts)
    return next(value for (value, _), up_to in zip(counts, sums, strict=True) if up_to >= middle)


def _agreement(pairs: QuerySet[Pair]) -> dict[int, Share]:
    """Raw agreement of each person with the others before adjudication, where both gave a verdict."""
    counted = _agreed(pairs, "reviewer_1", "reviewer_2")
    return _add_up((person, agreed, count) for one, other, count, agreed in counted for person in (one, other))


def _agreed(pairs: QuerySet[Pair], *by: str) -> QuerySet[Pair, Any]:
    """By these columns: the number of pairs with both verdicts, and the number with equal ones."""
    of_both = pairs.exclude(verdict_1="").exclude(verdict_2="").order_by().values_list(*by)
    return of_both.annotate(count=Count("pk"), agreed=Count("pk", filter=Q(verdict_1=F("verdict_2"))))


def _checks(given: QuerySet[Judgment], key: str) -> dict[int, Share]:
    counted = (
        given.filter(item__kind=ItemKind.CHECK)
        .order_by()
        .values_list(key)
        .annotate(count=Count("pk"), right=Count("pk", filter=Q(verdict=F("item__known__verdict"))))
    )
    return _add_up((key, right, count) for key, count, right in counted)


def _add_up(rows: Iterable[tuple]) -> dict:
    shares: dict = defaultdict(Share)
    for key, count, n in rows:
        shares[key] = Share(shares[key].count + count, shares[key].n + n)
    return shares


def weeks_of(reviewer: RoundReviewer) -> list[Week]:
    """One reviewer's work by week, first week first."""
    given = (
        Judgment.objects.shown()
        .fixed()
        .filter(round=reviewer.round_id, reviewer=reviewer.person_id)
        .annotate(week=TruncWeek("judged_at"))
    )
    verdicts: dict[datetime, dict[str, int]] = defaultdict(dict)
    for week, verdict, count in given.order_by("week").values_list("week", "verdict").annotate(count=Count("pk")):
        verdicts[week][verdict] = count
    medians = _medians(given.values_list("week", "seconds"))
    with_others = _agreement_by_week(reviewer)
    with_checks = _checks(given, "week")
    return [
        Week(
            begins=week.date(),
            judged=sum(counts.values()),
            median_seconds=medians.get(week),  # type: ignore[call-overload]
            verdicts=[(verdict, Share(counts.get(verdict, 0), sum(counts.values()))) for verdict in Verdict],
            with_others=with_others[week],
            with_checks=with_checks[week],  # type: ignore[index]
        )
        for week, counts in verdicts.items()
    ]


def _agreement_by_week(reviewer: RoundReviewer) -> dict[datetime, Share]:
    """Agreement by the week in which this person judged, not in which the pair was completed."""
    person = reviewer.person_id
    own = Pair.objects.filter(Q(reviewer_1=person) | Q(reviewer_2=person), round=reviewer.round_id)
    judged = own.filter(item__judgments__reviewer=person).annotate(week=TruncWeek("item__judgments__judged_at"))
    return _add_up((week, agreed, count) for week, count, agreed in _agreed(judged, "week"))
