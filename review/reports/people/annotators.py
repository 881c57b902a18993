"""The annotators' progress: a report on the stage before responses."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from annotation.content.fields import STEPS
from annotation.desk.drafts.time import Medians, medians_of_submitted
from annotation.tags.listing import Work
from annotation.tags.progress import AnnotatorProgress, annotators_progress
from core.languages import in_sentence, joined, number, say, say_count

from ...statistics.estimates import Undefined
from ...statistics.rounding import half_up
from ..drawing.plots import amounts
from ..layout import Cell, Column, Report, Section, Table, Value, undefined_cell
from ..links import quality_page, tag_list
from ..scope import Scope

# The counts of an annotator: label, and the list of tags behind it.
COUNTS = {
    "held": (say("Has now"), Work.HELD),
    "drafts": (say("Drafts"), Work.DRAFT),
    "returned": (say("Returned"), Work.RETURNED),
    "submitted": (say("Submitted"), Work.SUBMITTED),
    "accepted": (say("Accepted"), Work.ACCEPTED),
    "excluded": (say("Excluded"), Work.EXCLUDED),
}


def annotators_report(scope: Scope) -> Report:
    """Each annotator's annotations and their outcomes; the scope does not narrow it."""
    rows = annotators_progress(scope.reader)
    accepted = sum(row.accepted for row in rows)
    waiting = sum(row.submitted for row in rows)
    sentence = say(
        "{annotators} {annotations} accepted; {waiting} for review.",
        annotators=say_count(len(rows), "{count:,} annotator has", "{count:,} annotators have"),
        annotations=say_count(accepted, "{count:,} annotation", "{count:,} annotations"),
        waiting=say_count(waiting, "{count:,} waits", "{count:,} wait"),
    )
    medians = medians_of_submitted(scope.reader)
    data = [_data(row, medians.get(row.annotator.pk)) for row in rows]
    return Report(
        title=say("Progress of the annotators"),
        lead=[sentence, *_pace(medians.get(None))] if rows else (),
        sections=[
            Section(
                "",
                plots=[
                    amounts(
                        say("Accepted annotations"),
                        [(str(row.annotator), row.accepted, number(row.accepted)) for row in rows],
                    )
                ],
                table=_progress_table(rows, medians),
            ),
            *_minutes_by_step(rows, medians),
        ],
        data={"annotators": data},
        records=[_record(each) for each in data],
        about=say(
            "Active minutes are minutes at the desk with typing, clicking or scrolling. Medians are "
            "over the annotations that were submitted, where time was counted."
        ),
        empty=say("Nobody has the role annotator yet. Invite people; their progress then appears here."),
    )


NOT_TIMED = Undefined(say("no time was counted"))


def _record(data: Mapping[str, Any]) -> dict[str, Value]:
    record = {name: value for name, value in data.items() if name != "median_minutes_by_step"}
    return record | ({"median_minutes": NOT_TIMED} if record["median_minutes"] is None else {})


def _pace(everybody: Medians | None) -> list[str]:
    if everybody is None:
        return []
    longest = max(everybody.by_step, key=lambda step: everybody.by_step[step])
    return [
        say(
            "Half of {annotations} took {minutes:f} active minutes or less; the step that takes longest is "
            "{longest}, {step}.",
            annotations=say_count(everybody.n, "{count:,} annotation", "{count:,} annotations"),
            minutes=_minutes(everybody.whole),
            longest=longest,
            step=in_sentence(STEPS[longest]),
        )
    ]


def _minutes(seconds: float) -> Decimal:
    return half_up(seconds / 60, 1)


def _tags(row: AnnotatorProgress, work: Work) -> str:
    """The address of the annotator's tags with this state."""
    return tag_list(person=row.annotator.pk, work=work.value)


def _progress_table(rows: Sequence[AnnotatorProgress], medians: dict[int | None, Medians]) -> Table:
    columns = [
        Column(say("Annotator"), words=True),
        *(Column(label) for label, _ in COUNTS.values()),
        Column(say("Active min"), title=say("Active time pauses after one minute without input")),
        Column(say("Median min"), title=say("Active minutes of a submitted annotation")),
    ]
    lines = []
    for row in rows:
        own = medians.get(row.annotator.pk)
        lines.append(
            [
                Cell(str(row.annotator), say("Quality of work"), quality_page(row.annotator.pk)),
                *(Cell(getattr(row, name), href=_tags(row, work)) for name, (_, work) in COUNTS.items()),
                Cell(row.active_minutes, href=tag_list(person=row.annotator.pk)),
                Cell(
                    _minutes(own.whole),
                    say(
                        "Over {annotations}",
                        annotations=say_count(own.n, "{count:,} annotation", "{count:,} annotations"),
                    ),
                    _tags(row, Work.TIMED),
                )
                if own
                else undefined_cell(NOT_TIMED),
            ]
        )
    return Table(say("Progress of the annotators"), columns, lines)


def _minutes_by_step(rows: Sequence[AnnotatorProgress], medians: dict[int | None, Medians]) -> list[Section]:
    """Median active minutes for each step of the form; empty if no time was counted."""
    if not medians:
        return []
    timed = [
        (str(row.annotator), _tags(row, Work.TIMED), medians[row.annotator.pk])
        for row in rows
        if row.annotator.pk in medians
    ]
    lines = [
        [
            Cell(name),
            Cell(of.n, href=href),
            *(Cell(_minutes(seconds), say("Step {step}", step=step), href) for step, seconds in of.by_step.items()),
        ]
        for name, href, of in [*timed, (say("Everyone"), tag_list(work=Work.TIMED.value), medians[None])]
    ]
    columns = [
        Column(say("Annotator"), words=True),
        Column("n", title=say("Annotations submitted, with time counted")),
    ]
    columns += [Column(joined([str(step), name]), say("Median active minutes")) for step, name in STEPS.items()]
    return [Section(say("Minutes by step"), table=Table(say("Median active minutes by step"), columns, lines))]


def _data(row: AnnotatorProgress, own: Medians | None) -> dict[str, object]:
    return {
        "annotator": str(row.annotator),
        **{name: getattr(row, name) for name in COUNTS},
        "active_minutes": row.active_minutes,
        "median_minutes": float(_minutes(own.whole)) if own else None,
        "timed": own.n if own else 0,
        "median_minutes_by_step": {
            str(step): float(_minutes(seconds)) for step, seconds in (own.by_step if own else {}).items()
        },
    }
