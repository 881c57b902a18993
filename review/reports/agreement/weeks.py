"""Judging by week: whether reviewers drift apart, or become stricter or milder over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from django.db.models import Func, IntegerField
from django.utils.formats import date_format

from core.languages import Text, say, say_count
from judging.protocol.verdicts import Verdict

from ...models import CELLS
from ...statistics.estimates import Estimate, Undefined
from ...statistics.shares import is_too_close, share_difference, share_estimates
from ..clusters import POOLED, K, instances_are_many
from ..counting.columns import numbered, read_columns
from ..drawing.plots import SHARES, Intervals, intervals
from ..kinds import SHORT, verdict_column
from ..layout import (
    Cell,
    Column,
    Note,
    Report,
    Section,
    Table,
    Value,
    estimate_point,
    share_cell,
    share_data,
    share_in_words,
    share_record,
    shown,
)
from ..links import ResponseFilter, response_list
from ..scope import Scope

MOST_WEEKS = 104
# Weeks are numbered from this Monday.
FIRST_MONDAY = date(1970, 1, 5)


class WeekNumber(Func):
    """The number of the week of a time, from Monday on in UTC. Django's own truncation calls Python for each row on
    SQLite. Fractions of seconds are cut off here, as SQLite would round them up into the next week.
    """

    output_field = IntegerField()
    days_before = (FIRST_MONDAY - date(1970, 1, 1)).days

    def as_postgresql(self, compiler, connection, **context):
        return self._as_sql(compiler, connection, "floor(date_part('epoch', %(expressions)s))::bigint", **context)

    def as_sqlite(self, compiler, connection, **context):
        return self._as_sql(
            compiler, connection, "CAST(strftime('%%%%s', substr(%(expressions)s, 1, 19)) AS integer)", **context
        )

    def _as_sql(self, compiler, connection, seconds, **context):
        template = f"(({seconds} / 86400 - {self.days_before}) / 7)"
        return super().as_sql(compiler, connection, template=template, **context)


@dataclass(frozen=True, slots=True)
class Week:
    """The pairs of judgments completed in a week, which began at `start`: the number of equal ones, and the number of
    each verdict, both as counts by cluster and as shares.
    """

    start: date
    same: np.ndarray
    given: np.ndarray
    agreement: Estimate | Undefined
    verdicts: Sequence[Estimate | Undefined]

    @property
    def n(self) -> int:
        return int(self.same.sum())


def weeks_report(scope: Scope) -> Report:
    """Agreement before adjudication and the shares of verdicts, week by week."""
    weeks, earlier = _weeks(scope)
    of_scope = scope.notes()
    return Report(
        title=say("Judging by week"),
        lead=_sentences(weeks),
        sections=[Section("", plots=[_plot(weeks)], table=_table(scope, weeks))],
        data={"weeks": [_data(week) for week in weeks]},
        records=[_record(week) for week in weeks],
        notes=[*_notes(weeks, earlier), *of_scope],
        about=say(
            "A pair of judgments counts in the week, from Monday on in UTC, in which it was complete. "
            "Same: both gave the same verdict, before adjudication. Responses are dealt at random, so "
            "changes from week to week beyond the intervals come from the reviewers or from the "
            "responses of the round."
        ),
        empty=say(
            "No response was judged by two people yet. Once both judgments of a response can no longer "
            "be taken back, the week counts here."
        ),
    )


def _weeks(scope: Scope) -> tuple[list[Week], int]:
    """The latest weeks, and the number of earlier ones."""
    instance, cell, completed = read_columns(scope.pairs(), "instance_id", "cell", WeekNumber("completed_at"))
    if not len(cell):
        return [], 0
    first, second = np.divmod(cell, CELLS)
    known = (first < K) & (second < K)
    units = scope.units.unit(instance[known])
    clusters, cluster = numbered(units % POOLED if instances_are_many() else units)
    weeks, week = numbered(completed[known])
    starts = [FIRST_MONDAY + timedelta(weeks=number) for number in weeks.tolist()]

    def counted(what: np.ndarray, size: int) -> np.ndarray:
        shape = (len(clusters), len(starts), size)
        where = np.ravel_multi_index((cluster, week, what[known]), shape)
        return np.bincount(where, minlength=int(np.prod(shape))).astype(float).reshape(shape)

    same = counted((first != second).astype(int), 2)
    given = counted(first, K) + counted(second, K)
    kept = slice(max(0, len(starts) - MOST_WEEKS), len(starts))
    rows = zip(
        starts[kept],
        same.transpose(1, 0, 2)[kept],
        given.transpose(1, 0, 2)[kept],
        share_estimates(same[:, kept]),
        share_estimates(given[:, kept]),
        strict=True,
    )
    return [Week(start, both, of, shares[0], verdicts) for start, both, of, shares, verdicts in rows], kept.start


def _notes(weeks: Sequence[Week], earlier: int) -> list[Note]:
    return (
        [
            Note(
                say(
                    "Of {weeks:,} weeks the latest {most} are shown.",
                    weeks=earlier + len(weeks),
                    most=MOST_WEEKS,
                )
            )
        ]
        if earlier
        else []
    )


def _sentences(weeks: Sequence[Week]) -> list[str]:
    """A comparison of the first week with the last one."""
    if not weeks:
        return []
    first, last = weeks[0], weeks[-1]
    said = say(
        "In the week of {day} two people gave the same verdict in {agreement}",
        day=_day(last.start),
        agreement=share_in_words(last.agreement),
    )
    if len(weeks) == 1:
        return [
            say(
                "{said} of {pairs}.",
                said=said,
                pairs=say_count(last.n, "{count:,} pair of judgments", "{count:,} pairs of judgments"),
            )
        ]
    change = (
        say("too close to call a change")
        if is_too_close(share_difference(last.same, first.same))
        else say("a change")
    )
    sentences: list[str] = [
        say(
            "{said} of {n:,}, in that of {day} in {agreement}: {change}.",
            said=said,
            n=last.n,
            day=_day(first.start),
            agreement=share_in_words(first.agreement),
            change=change,
        )
    ]
    one, other = first.verdicts[0], last.verdicts[0]
    if isinstance(one, Estimate) and isinstance(other, Estimate):
        called = (
            say("too close to call") if is_too_close(share_difference(last.given, first.given)) else say("a change")
        )
        sentences.append(
            say(
                "“Correct” was {first:f}% of the verdicts at first and {last:f}% at last: {called}.",
                first=shown(one.value, as_percent=True),
                last=shown(other.value, as_percent=True),
                called=called,
            )
        )
    return sentences


def _day(day: date) -> str:
    return Text(f"{day:%d %B %Y}", lambda: date_format(day, "DATE_FORMAT"))


def _plot(weeks: Sequence[Week]) -> Intervals:
    rows = []
    for week in weeks:
        points = [
            estimate_point(number, say("{week}: {name}", week=week.start.isoformat(), name=name), kind)
            for number, name, kind in (
                (week.agreement, say("same verdict"), "circle"),
                (week.verdicts[0], say("correct"), "diamond"),
            )
            if isinstance(number, Estimate)
        ]
        rows.append(("", week.start.isoformat(), points, say("n {n:,}", n=week.n)))
    legend = [("circle", say("same verdict of both")), ("diamond", say("correct, among all verdicts"))]
    return intervals(say("By week, with 95% intervals"), rows, ticks=SHARES, legend=legend, as_percent=True)


def _table(scope: Scope, weeks: Sequence[Week]) -> Table:
    columns = [
        Column(say("Week of"), words=True),
        Column("n", title=say("Pairs with two verdicts")),
        Column(say("Same, %"), title=say("Both gave the same verdict")),
        *(verdict_column(verdict, say("Verdicts, %")) for verdict in Verdict),
    ]
    rows = []
    for week in weeks:
        chosen = ResponseFilter(scope=scope, pairs="both", week=week.start.isoformat())
        href = response_list(chosen)
        row = [Cell(week.start.isoformat()), Cell(week.n, href=href)]
        row.append(
            _cell(
                week.agreement, say("In {pairs}", pairs=say_count(week.n, "{count:,} pair", "{count:,} pairs")), href
            )
        )
        total = int(week.given.sum())
        row += [
            _cell(
                number,
                say("Of {verdicts}", verdicts=say_count(total, "{count:,} verdict", "{count:,} verdicts")),
                response_list(chosen, given=verdict.value),
            )
            for verdict, number in zip(Verdict, week.verdicts, strict=True)
        ]
        rows.append(row)
    return Table(say("Judging by week"), columns, rows)


def _cell(number: Estimate | Undefined, title: str, href: str) -> Cell:
    value = None if isinstance(number, Undefined) else shown(number.value, as_percent=True)
    return share_cell(value, number, title=title, href=href)


def _data(week: Week) -> dict[str, object]:
    return {
        "week": week.start.isoformat(),
        "n": week.n,
        "same": {"count": int(week.same[:, 0].sum()), **share_data(week.agreement)},
        **{
            SHORT[verdict]: {"count": int(count), **share_data(number)}
            for verdict, count, number in zip(Verdict, week.given.sum(axis=0), week.verdicts, strict=True)
        },
    }


def _record(week: Week) -> dict[str, Value]:
    record: dict[str, Value] = {"week": week.start.isoformat(), "n": week.n, "same": int(week.same[:, 0].sum())}
    record |= share_record("same", week.agreement)
    for verdict, count, number in zip(Verdict, week.given.sum(axis=0), week.verdicts, strict=True):
        record[verdict.value] = int(count)
        record |= share_record(verdict.value, number)
    return record
