"""This app's part of the first page: an annotator's own day, and for admins the stages of annotation and the people
active now.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from math import ceil

from django.db.models import CharField, Count, Q, QuerySet, Sum
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from core.engine.queries.counts import Counted, Less, PreparedCounts, count_now
from core.languages import say
from core.models import Role, User
from core.models.batches import visible
from core.navigation import (
    Need,
    Section,
    Stage,
    Stop,
    Tour,
    counted,
    register_sections,
    register_stages,
    register_tours,
)

from .desk.assignments.practice_due import practice_standing
from .desk.comments.conversations import listed, new_notices_for
from .desk.visibility import hidden_from, known_to
from .desk.work.my_work import held_now, outlook_for
from .desk.work.work import count_submitted, count_written, first_part_of
from .desk.work.workload import workloads
from .kinds.registry import annotated, benchmarks
from .models import (
    Annotation,
    AnnotationState,
    Assignment,
    Harvest,
    HarvestState,
    Release,
    ReleasedRecord,
    StepTime,
    Tag,
)
from .releases.items.files import file_in_of

MOST_SHOWN = 5
WEEKS_SHOWN = 12
DAYS_PLOTTED, PLOT_HEIGHT, BAR_STEP = 28, 90, 20
# One date per week is written below the plot.
DAYS_PER_DATE = 7
TO_THE_MINUTE = len("2026-11-22 09:30")
DECIDED = (AnnotationState.ACCEPTED, AnnotationState.EXCLUDED)


# --- The annotator's own day ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar. `level` is 0 for none, then 1 to 4, a quarter each of the busiest day."""

    day: date
    count: int
    level: int


def next_up(user: User) -> dict[str, object]:
    """The current tag or the next one, returned annotations, and messages from others."""
    held = held_now(user)
    returned = Annotation.objects.filter(annotator=user, state=AnnotationState.RETURNED).order_by("-saved_at")
    returned = returned.select_related("tag__article").only("review_message", "tag__article__title")
    shown = list(returned[: MOST_SHOWN + 1])
    return {
        "held": held,
        "title": held.tag.article.title if held else "",
        "outlook": None if held else outlook_for(user),
        "returned": shown[:MOST_SHOWN],
        "more_returned": len(shown) > MOST_SHOWN,
        "practice": practice_standing(user),
        "notices": listed(new_notices_for(user)[:MOST_SHOWN]),
    }


def own_work(user: User) -> dict[str, object]:
    today = timezone.localdate()
    own = Annotation.objects.filter(annotator=user)
    per_day = counted(("own days", user.pk, today), lambda: by_day(own, since=first_shown(today)))
    numbers = counted(("own numbers", user.pk), lambda: _own_numbers(user))
    return {
        "today": per_day.get(today, 0),
        "days": calendar(per_day, today=today),
        "workload": counted(("own workload", user.pk, today), lambda: workloads([user], reader=user)[0]),
        **numbers,
    }


def _own_numbers(user: User) -> dict[str, int]:
    start = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    spent = StepTime.objects.filter(annotation__annotator=user)
    seconds = spent.aggregate(all=Sum("seconds"), today=Sum("seconds", filter=Q(last_at__gte=start)))
    return {
        "in_all": Annotation.objects.filter(annotator=user, state__in=AnnotationState.submitted()).count(),
        "minutes_today": (seconds["today"] or 0) // 60,
        "minutes_in_all": (seconds["all"] or 0) // 60,
    }


def by_day(annotations: QuerySet[Annotation], *, since: date) -> dict[date, int]:
    """The number of these annotations last submitted on each day."""
    submitted = annotations.filter(
        state__in=AnnotationState.submitted(), submitted_at__gte=_start_of(since)
    ).order_by()
    # By minute of UTC first, which is the beginning of a time's text on both databases: to group by the local day,
    # SQLite would call Python for each row.
    minute = Substr(Cast("submitted_at", CharField()), 1, TO_THE_MINUTE)
    per_day: Counter[date] = Counter()
    for text, count in submitted.annotate(minute=minute).values_list("minute").annotate(count=Count("pk")):
        per_day[timezone.localdate(datetime.fromisoformat(text).replace(tzinfo=UTC))] += count
    return dict(per_day)


def _start_of(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, datetime.min.time()))


def first_shown(today: date) -> date:
    """The Monday with which the calendar begins."""
    return today - timedelta(days=today.weekday(), weeks=WEEKS_SHOWN - 1)


def calendar(per_day: dict[date, int], *, today: date) -> list[list[Day]]:
    """The last weeks up to today, as seven rows: all Mondays, then all Tuesdays, the oldest first."""
    first, busiest = first_shown(today), max(per_day.values(), default=0)
    days = (first + timedelta(days=number) for number in range((today - first).days + 1))
    shown = [Day(day, n := per_day.get(day, 0), ceil(4 * n / busiest) if n else 0) for day in days]
    return [shown[weekday::7] for weekday in range(7)]


# --- Who is at work, and for how long still -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    """A day in the plot, `PLOT_HEIGHT` high at most; `x` is its left edge, `dated` whether its date is written."""

    day: date
    count: int
    height: float
    x: int
    dated: bool

    @property
    def top(self) -> float:
        return PLOT_HEIGHT - self.height


def _bars(counts: list[tuple[date, int]]) -> list[Bar]:
    busiest = max(count for _, count in counts)
    last = len(counts) - 1
    return [
        Bar(
            day,
            count,
            height=count / busiest * PLOT_HEIGHT if busiest else 0.0,
            x=number * BAR_STEP,
            dated=(last - number) % DAYS_PER_DATE == 0,
        )
        for number, (day, count) in enumerate(counts)
    ]


def work_of_all(user: User) -> dict[str, object]:
    today = timezone.localdate()
    counts = list(counted(("by day", user.pk, today), lambda: _plotted(user, today), of_all=True).items())
    at_work = Assignment.objects.unfinished().filter(known_to(user), lease_expires_at__gt=timezone.now())
    people = User.objects.filter(pk__in=at_work.values("annotator")).order_by("username")
    return {
        "plot": _bars(counts),
        "busiest": max(count for _, count in counts),
        "submitted": sum(count for _, count in counts),
        "at_work": people[: MOST_SHOWN + 1],
        "done_on": counted(("projected", user.pk), lambda: projected(user, counts[-15:-1], today=today), of_all=True),
    }


def all_benchmarks(user: User) -> dict[str, object]:
    """Each benchmark, and whether a published file of it can be imported."""
    return {"benchmarks": [(each, file_in_of(each)) for each in benchmarks() if each.begins]}


def _plotted(user: User, today: date) -> dict[date, int]:
    """The number of annotations that this person may know of, last submitted on each day: all, minus the few hidden
    ones.
    """
    days = [today - timedelta(days=back) for back in reversed(range(DAYS_PLOTTED))]
    starts = (first_part_of(_start_of(day)) for day in [*days, today + timedelta(days=1)])
    hidden = by_day(Annotation.objects.filter(hidden_from(user)), since=days[0])
    per_day = _submitted_by_day.now(**dict(zip(_STARTS, starts, strict=True)))
    return {day: per_day[number] - hidden.get(day, 0) for number, day in enumerate(days)}


_STARTS = [f"start_{number}" for number in range(DAYS_PLOTTED + 1)]


def _each_day(**starts: int) -> dict[int, Counted]:
    return {
        number: count_submitted(part__gte=start, part__lt=end)
        for number, (start, end) in enumerate(pairwise(starts.values()))
    }


_submitted_by_day = PreparedCounts(_each_day, **dict.fromkeys(_STARTS, int))


def projected(user: User, lately: Iterable[tuple[date, int]], *, today: date) -> date | None:
    """The day on which the last tag will be annotated at the current pace; None if nothing remains, or if nobody did
    anything.
    """
    counts = [count for _, count in lately]
    if not sum(counts) or not (left := left_to_write(user)):
        return None
    return today + timedelta(days=ceil(left * len(counts) / sum(counts)))


def left_to_write(user: User) -> int:
    """The number of annotations still to be written that this person may know of, of tags still in their articles."""
    gone = Tag.objects.filter(gone_at__isnull=False).order_by()
    of_gone = Assignment.objects.unfinished().filter(known_to(user), tag__in=gone.values("pk"))
    left: int = count_now({"": Less(_unfinished(user), [of_gone.order_by()])})[""]
    return left


def _unfinished(user: User) -> Less:
    # An index has those that are done, and none those that are not.
    all_of_them = Assignment.everything.order_by()
    done = visible(all_of_them.filter(done_at__isnull=False))
    hidden = Assignment.objects.unfinished().filter(hidden_from(user)).order_by()
    return Less(visible(all_of_them), [done, hidden])


# --- The stages ---------------------------------------------------------------------------------------------------


def _harvested(user: User, now: datetime) -> dict[str, Counted]:
    harvests, tags = Harvest.objects.order_by(), Tag.everything.order_by()
    return {
        "done": Less(visible(tags), [visible(tags.filter(gone_at__isnull=False))]),
        "waiting": harvests.filter(state__in=HarvestState.open()),
        "failed": harvests.filter(state=HarvestState.FAILED),
    }


def _annotated(user: User, now: datetime) -> dict[str, Counted]:
    return {
        "done": count_written(AnnotationState.submitted(), user),
        "waiting": _unfinished(user),
        "flagged": visible(Tag.everything.present().filter(flagged_at__isnull=False).order_by()),
        "lapsed": Assignment.objects.unfinished().filter(known_to(user), annotator__is_active=False).order_by(),
    }


def _reviewed(user: User, now: datetime) -> dict[str, Counted]:
    return {
        "done": count_written(DECIDED, user),
        "waiting": count_written([AnnotationState.SUBMITTED], user),
    }


def _released(user: User, now: datetime) -> dict[str, Counted]:
    latest = Release.objects.filter(benchmark=annotated().code).order_by("-number").values("pk")[:1]
    records = ReleasedRecord.objects.filter(release__in=latest).order_by()
    in_it = Annotation.objects.filter(known_to(user), pk__in=records.values("annotation")).order_by()
    there = in_it.filter(state=AnnotationState.ACCEPTED)
    return {"done": records, "waiting": Less(count_written([AnnotationState.ACCEPTED], user), [there])}


OF_ANNOTATORS = Tour(
    Role.ANNOTATOR,
    say(
        "An annotator checks tags that Wikipedia's editors left, picks out the two passages "
        "that contradict each other, and asks a question that each answers differently. "
        "The tour begins with practice tags, whose answers are known; nothing in them counts."
    ),
    "practice",
    "desk",
    (
        Stop(
            ".practice-list",
            say("Practice tags"),
            say("They open at the real desk; after each step you see a reference."),
        ),
        Stop(
            ".practice-tour button",
            say("The tour of the desk"),
            say("Start the tour leads to seven stops on the desk."),
        ),
    ),
)


def register() -> None:
    register_tours(OF_ANNOTATORS)
    register_sections(
        Section("annotation/_first_annotator.html", (Role.ANNOTATOR,), 10, next_up),
        Section("annotation/_first_own.html", (Role.ANNOTATOR,), 10, own_work, later=True),
        Section("annotation/_first_work.html", (Role.ADMIN,), 40, work_of_all, later=True),
        Section("annotation/_first_benchmarks.html", (Role.ADMIN,), 50, all_benchmarks, later=True),
    )
    register_stages(
        Stage(
            say("Harvested"),
            "tags",
            10,
            _harvested,
            say("tags"),
            say("running"),
            (Need("failed", say("failed harvest"), say("failed harvests"), "harvests"),),
            begin=say("start a harvest"),
            begin_at="harvest_new",
        ),
        Stage(
            say("Annotated"),
            "progress",
            20,
            _annotated,
            say("annotations"),
            say("to write"),
            (
                Need("flagged", say("flagged tag"), say("flagged tags"), "tags", "?state=flagged"),
                Need("lapsed", say("tag of a closed account"), say("tags of closed accounts"), "people"),
            ),
        ),
        Stage(
            say("Reviewed"),
            "reviews",
            30,
            _reviewed,
            say("decided"),
            say("to review"),
            act=say("review the next"),
            act_at="next/",
        ),
        Stage(
            say("Released"),
            "releases",
            40,
            _released,
            say("tags in the latest release"),
            say("accepted since"),
            act=say("freeze the next release"),
            act_at="#make",
        ),
    )
