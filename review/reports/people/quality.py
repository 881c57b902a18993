"""The quality of one person's work: outcomes of reviews, agreement, minutes and their drift over weeks.

Judgments count once their round is closed: before, a number of one person's verdicts could tell an admin who judges
what another person said.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import cached_property

from annotation.content.fields import STEPS
from annotation.models import Annotation
from annotation.reviewing.first_submissions import annotated_twice, first_submissions
from annotation.reviewing.one_annotator import OTHERS_COMPARED, Submission, submissions_of, times_of_others
from annotation.tags.listing import Work
from core.languages import joined, say, say_count
from core.models import User

from ...models import Round
from ...statistics.estimates import Estimate, Undefined
from ...statistics.medians import median_estimate
from ...statistics.rounding import half_up, percent
from ...statistics.shares import FEWEST_IN_PERCENT
from ..drawing.plots import Intervals, intervals
from ..layout import Cell, Column, Report, Section, Table, Value, estimate_record, with_interval
from ..links import tag_list
from .annotated_twice import AnnotatedTwice, Tag, measured
from .annotator_agreement import whole_sections
from .judged_by import judged_by, judging_sections
from .quality_parts import Counted, ends_of, median_cells, minutes_point, plot_of_shares, record_of, scale_to

MOST_WEEKS = 26
# The newest tags that this person and others annotated.
MOST_TAGS = 500
NO_STEP = 0


@dataclass(frozen=True)  # without slots, as it keeps what it has computed
class Week:
    """The submissions that first came in during a week, which began at `start`."""

    start: date
    submissions: Sequence[Submission]

    @cached_property
    def at_first(self) -> Counted:
        """The share accepted without a return, among the decided ones."""
        return _counted(self.submissions, "is_accepted_at_first")

    @cached_property
    def minutes(self) -> Estimate | Undefined:
        return median_estimate(_minutes(self.submissions))

    @cached_property
    def timed(self) -> int:
        return len(_minutes(self.submissions))


@dataclass(frozen=True)
class Step:
    """The minutes at one step, of this person or of others."""

    minutes: list[float]

    @cached_property
    def median(self) -> Estimate | Undefined:
        return median_estimate(self.minutes)


# By step: of this person, and of others.
Steps = Mapping[int, tuple[Step, Step]]
# By the property of a submission: how many of the decided ones have it.
Outcomes = Mapping[str, Counted]


def _counted(submissions: Iterable[Submission], name: str) -> Counted:
    decided = [each for each in submissions if each.is_decided]
    return Counted(sum(getattr(each, name) for each in decided), len(decided))


def _minutes(submissions: Iterable[Submission]) -> list[float]:
    return [sum(each.seconds.values()) / 60 for each in submissions if each.seconds]


def person_quality(person: User, *, reader: User | None, hidden: Collection[Round] = ()) -> Report:
    """The quality of this person's work, as far as `reader` may know of it; None, a command, may know of all. The
    rounds in `hidden` are left out.
    """
    submissions = submissions_of(person, reader=reader)
    weeks = _by_week(submissions)[-MOST_WEEKS:]
    tags = _with_another(person, reader)
    twice = measured(say("All"), tags, {}) if tags else None
    judged = judged_by(person, hidden=hidden)
    own = [each.seconds for each in submissions if each.seconds]
    others = times_of_others(person, reader=reader) if own else []
    steps = {step: (_step(own, step), _step(others, step)) for step in STEPS}
    outcomes = {attribute: _counted(submissions, attribute) for attribute in OUTCOMES.values()}
    return Report(
        title=say("Quality: {person}", person=person),
        lead=[*_sentences(person, submissions, outcomes), *_said_of_agreement(twice), *judged.sentences],
        sections=[
            *([_outcomes(person, submissions, outcomes), _weeks_section(weeks)] if submissions else []),
            *([_steps_section(steps, len(own), has_others=bool(others))] if own else []),
            *(whole_sections(twice) if twice else []),
            *judging_sections(judged),
        ],
        data={
            "person": str(person),
            "submitted": len(submissions),
            **{name: asdict(outcomes[attribute]) for name, attribute in OUTCOMES.items()},
            "weeks": [_week_data(week) for week in weeks],
            "minutes_by_step": {str(step): _step_data(*sides) for step, sides in steps.items()},
            "agreement": asdict(twice) if twice else None,
            "judging": judged.data,
        },
        records=[*_records(outcomes, weeks, steps if own else {}), *_of_agreement(twice), *judged.records],
        about=say(
            "Reviewers' decisions are the latest ones. Weeks begin on Monday, in UTC, and the latest "
            "{most} with a submission are shown. Intervals are 95%: Wilson's for shares, and "
            "between two of the values for medians. Agreement is that of first submissions of the newest {tags} tags "
            "with another annotator; of a tag with three or more, it compares this person with the one who submitted "
            "first. "
            "Minutes of others are from the {others:,} annotations begun last. Judgments "
            "count once their round is closed.",
            most=MOST_WEEKS,
            tags=MOST_TAGS,
            others=OTHERS_COMPARED,
        ),
        empty=say(
            "{person} has submitted nothing yet, and no round in which {person} judged is closed. The "
            "numbers appear with the first submission.",
            person=person,
        ),
    )


# In files: the count, and the property of a submission.
OUTCOMES = {
    "accepted": "is_accepted",
    "accepted_at_first": "is_accepted_at_first",
    "returned": "was_returned",
    "excluded": "is_excluded",
}


def _by_week(submissions: Sequence[Submission]) -> list[Week]:
    found: dict[date, list[Submission]] = defaultdict(list)
    for each in submissions:
        day = each.first_at.date()
        found[day - timedelta(days=day.weekday())].append(each)
    return [Week(start, of) for start, of in sorted(found.items())]


def _with_another(person: User, reader: User | None) -> list[Tag]:
    """For the newest tags that this person and others annotated: the first submissions of this person and of the
    other who submitted first.
    """
    own = Annotation.objects.filter(annotator=person).order_by().values("tag")
    tags = annotated_twice(reader).filter(tag__in=own).values_list("tag_id", flat=True)[:MOST_TAGS]
    found: list[Tag] = []
    for tag in first_submissions(list(tags), reader=reader):
        mine = [each for each in tag if each.annotator == person.pk]
        others = sorted((each for each in tag if each.annotator != person.pk), key=lambda each: each.submitted_at)
        if mine and others:
            found.append((mine[0], others[0]))
    return found


def _sentences(person: User, submissions: Sequence[Submission], outcomes: Outcomes) -> list[str]:
    if not submissions:
        return []
    words = say(
        "{person} has submitted {annotations}",
        person=person,
        annotations=say_count(len(submissions), "{count:,} annotation", "{count:,} annotations"),
    )
    accepted, at_first = outcomes["is_accepted"], outcomes["is_accepted_at_first"]
    if not accepted.n:
        return [say("{words}; no review has decided on one yet.", words=words)]
    share = (
        say(" ({percent:f}%)", percent=percent(accepted.count, accepted.n)) if accepted.n >= FEWEST_IN_PERCENT else ""
    )
    decided = say(
        "reviews decided on {n:,} and accepted {count:,}{share}", n=accepted.n, count=accepted.count, share=share
    )
    return [
        say(
            "{words}; {decided}, {count:,} of them without a return.",
            words=words,
            decided=decided,
            count=at_first.count,
        )
    ]


def _said_of_agreement(twice: AnnotatedTwice | None) -> list[str]:
    if twice is None:
        return []
    validity = twice.choices["validity"]
    if isinstance(validity.same, Undefined):
        return []
    same = say(
        "{percent:f}% of {tags}",
        percent=half_up(validity.same.value * 100, 1),
        tags=say_count(validity.n, "{count:,} tag", "{count:,} tags"),
    )
    return [say("Another annotator agrees on validity in {same} that both annotated.", same=same)]


def _outcomes(person: User, submissions: Sequence[Submission], outcomes: Outcomes) -> Section:
    labels = {
        "is_accepted": (say("Accepted"), Work.ACCEPTED),
        "is_accepted_at_first": (say("Accepted without a return"), None),
        "was_returned": (say("Returned at least once"), None),
        "is_excluded": (say("Excluded"), Work.EXCLUDED),
    }
    columns = [
        Column(say("Decision"), words=True),
        Column(say("Annotations")),
        *with_interval(Column(say("% of decided"))),
    ]
    rows = []
    for name, (label, work) in labels.items():
        counted = outcomes[name]
        href = tag_list(person=person.pk, work=work.value) if work else ""
        rows.append([Cell(label), Cell(counted.count, say("Of {n:,} decided", n=counted.n), href), *counted.cells()])
    waiting = sum(not each.is_decided for each in submissions)
    rows.append([Cell(say("No decision yet")), Cell(waiting), Cell(None), Cell(None)])
    return Section(say("Outcome of reviews"), table=Table(say("Outcome of reviews"), columns, rows))


def _weeks_section(weeks: Sequence[Week]) -> Section:
    columns = [
        Column(say("Week of"), words=True),
        Column(say("Submitted")),
        Column(say("Decided")),
        *with_interval(Column("%", say("Accepted without a return"))),
        Column("n", say("Active minutes"), title=say("Submissions with time counted")),
        *with_interval(Column(say("Median"), say("Active minutes"))),
    ]
    rows = [
        [
            Cell(week.start.isoformat()),
            Cell(len(week.submissions)),
            Cell(week.at_first.n),
            *week.at_first.cells(),
            Cell(week.timed),
            *median_cells(week.minutes),
        ]
        for week in weeks
    ]
    name = say("Accepted without a return, % of decided, with 95% intervals")
    plots = plot_of_shares(name, [(week.start.isoformat(), week.at_first) for week in weeks])
    return Section(
        say("By week"), plots=[*plots, *_plot_of_minutes(weeks)], table=Table(say("Work by week"), columns, rows)
    )


def _plot_of_minutes(weeks: Sequence[Week]) -> list[Intervals]:
    found = [(week.start.isoformat(), week.minutes, week.timed) for week in weeks]
    rows = [
        ("", start, [minutes_point(start, number)], say("n {n:,}", n=n))
        for start, number, n in found
        if isinstance(number, Estimate)
    ]
    most = max((end for _, number, _ in found for end in ends_of(number)), default=0)
    name = say("Active minutes per annotation, median with 95% interval")
    return [intervals(name, rows, ticks=scale_to(most))] if rows else []


def _step(times: Iterable[dict[int, int]], step: int) -> Step:
    """The minutes at one step, without annotations whose time was not counted by step."""
    return Step([each.get(step, 0) / 60 for each in times if NO_STEP not in each])


def _steps_section(steps: Steps, n: int, *, has_others: bool) -> Section:
    columns = [
        Column(say("Step"), words=True),
        Column("n", say("This person")),
        *with_interval(Column(say("Median min"), say("This person"))),
        Column("n", say("Others")),
        *with_interval(Column(say("Median min"), say("Others"))),
    ]
    lines, points, most = [], [], 0.0
    for step, name in STEPS.items():
        sides = [side.minutes for side in steps[step]]
        numbers = [side.median for side in steps[step]]
        label = joined([str(step), name])
        cells = [(Cell(len(side)), *median_cells(number)) for side, number in zip(sides, numbers, strict=True)]
        lines.append([Cell(label), *cells[0], *cells[1]])
        kinds = zip(numbers, ("circle", "diamond"), strict=True)
        points.append(
            ("", label, [minutes_point(label, each, kind) for each, kind in kinds if isinstance(each, Estimate)], "")
        )
        most = max([most, *(end for each in numbers for end in ends_of(each))])
    legend = [("circle", say("this person")), *([("diamond", say("others"))] if has_others else [])]
    plot = intervals(
        say("Active minutes by step, median with 95% interval, n {n:,}", n=n),
        points,
        ticks=scale_to(most),
        legend=legend,
    )
    return Section(say("Minutes by step"), plots=[plot], table=Table(say("Active minutes by step"), columns, lines))


def _week_data(week: Week) -> dict[str, object]:
    return {
        "week": week.start.isoformat(),
        "submitted": len(week.submissions),
        "decided": week.at_first.n,
        "accepted_at_first": week.at_first.count,
        "timed": week.timed,
        **estimate_record("median_minutes", week.minutes),
    }


def _step_data(own: Step, others: Step) -> dict[str, object]:
    return {
        "n": len(own.minutes),
        **estimate_record("median", own.median),
        "n_others": len(others.minutes),
        **estimate_record("median_of_others", others.median),
    }


def _records(outcomes: Outcomes, weeks: Sequence[Week], steps: Steps) -> list[dict[str, Value]]:
    counted = [(name, outcomes[attribute]) for name, attribute in OUTCOMES.items()]
    found = [record_of("reviews", "all", name, each.n, each.estimate) for name, each in counted]
    for week in weeks:
        start = week.start.isoformat()
        found.append(record_of("reviews", start, "accepted_at_first", week.at_first.n, week.at_first.estimate))
        found.append(record_of("minutes", start, "median", week.timed, week.minutes))
    for step, sides in steps.items():
        for measure, side in zip(("median", "median_of_others"), sides, strict=True):
            found.append(record_of("minutes", f"step {step}", measure, len(side.minutes), side.median))
    return found


def _of_agreement(twice: AnnotatedTwice | None) -> list[dict[str, Value]]:
    if twice is None:
        return []
    found = [
        record_of("agreement", name, statistic, choice.n, getattr(choice, statistic))
        for name, choice in twice.choices.items()
        for statistic in ("same", "kappa", "ac1", "alpha")
    ]
    return found + [record_of("agreement", name, "mean", each.n, each.mean) for name, each in twice.overlaps.items()]
