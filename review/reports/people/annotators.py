"""The annotators' progress: a report on the stage before responses."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from annotation.content.fields import STEPS
from annotation.desk.drafts.time import Medians, medians_of_submitted
from annotation.tags.listing import Work
from annotation.tags.progress import AnnotatorProgress, annotators_progress
from core.words import plural

from ...statistics.estimates import Undefined
from ...statistics.rounding import half_up
from ..drawing.plots import amounts
from ..layout import Cell, Column, Report, Section, Table, Value, undefined_cell
from ..links import quality_page, tag_list
from ..scope import Scope

# The counts of an annotator: label, and the list of tags behind it.
COUNTS = {
    "held": ("Has now", Work.HELD),
    "drafts": ("Drafts", Work.DRAFT),
    "returned": ("Returned", Work.RETURNED),
    "submitted": ("Submitted", Work.SUBMITTED),
    "accepted": ("Accepted", Work.ACCEPTED),
    "excluded": ("Excluded", Work.EXCLUDED),
}


def annotators_report(scope: Scope) -> Report:
    """Each annotator's annotations and their outcomes; the scope does not narrow it."""
    rows = annotators_progress(scope.reader)
    accepted = sum(row.accepted for row in rows)
    waiting = sum(row.submitted for row in rows)
    sentence = (
        f"{plural(len(rows), 'annotator has', 'annotators have')} {plural(accepted, 'annotation')} "
        f"accepted; {plural(waiting, 'waits', 'wait')} for review."
    )
    medians = medians_of_submitted(scope.reader)
    data = [_data(row, medians.get(row.annotator.pk)) for row in rows]
    return Report(
        title="Progress of the annotators",
        lead=[sentence, *_pace(medians.get(None))] if rows else (),
        sections=[
            Section(
                "",
                plots=[
                    amounts(
                        "Accepted annotations",
                        [(str(row.annotator), row.accepted, f"{row.accepted:,}") for row in rows],
                    )
                ],
                table=_progress_table(rows, medians),
            ),
            *_minutes_by_step(rows, medians),
        ],
        data={"annotators": data},
        records=[_record(each) for each in data],
        about="Active minutes are minutes at the desk with typing, clicking or scrolling. Medians are "
        "over the annotations that were submitted, where time was counted.",
        empty="Nobody has the role annotator yet. Invite people; their progress then appears here.",
    )


NOT_TIMED = Undefined("no time was counted")


def _record(data: Mapping[str, Any]) -> dict[str, Value]:
    record = {name: value for name, value in data.items() if name != "median_minutes_by_step"}
    return record | ({"median_minutes": NOT_TIMED} if record["median_minutes"] is None else {})


def _pace(everybody: Medians | None) -> list[str]:
    if everybody is None:
        return []
    longest = max(everybody.by_step, key=lambda step: everybody.by_step[step])
    return [
        f"Half of {plural(everybody.n, 'annotation')} took {_minutes(everybody.whole)} active "
        f"minutes or less; the step that takes longest is {longest}, {STEPS[longest].lower()}."
    ]


def _minutes(seconds: float) -> Decimal:
    return half_up(seconds / 60, 1)


def _tags(row: AnnotatorProgress, work: Work) -> str:
    """The address of the annotator's tags with this state."""
    return tag_list(person=row.annotator.pk, work=work.value)


def _progress_table(rows: Sequence[AnnotatorProgress], medians: dict[int | None, Medians]) -> Table:
    columns = [
        Column("Annotator", words=True),
        *(Column(label) for label, _ in COUNTS.values()),
        Column("Active min", title="Active time pauses after one minute without input"),
        Column("Median min", title="Active minutes of a submitted annotation"),
    ]
    lines = []
    for row in rows:
        own = medians.get(row.annotator.pk)
        lines.append(
            [
                Cell(str(row.annotator), "Quality of work", quality_page(row.annotator.pk)),
                *(Cell(getattr(row, name), href=_tags(row, work)) for name, (_, work) in COUNTS.items()),
                Cell(row.active_minutes, href=tag_list(person=row.annotator.pk)),
                Cell(_minutes(own.whole), f"Over {plural(own.n, 'annotation')}", _tags(row, Work.TIMED))
                if own
                else undefined_cell(NOT_TIMED),
            ]
        )
    return Table("Progress of the annotators", columns, lines)


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
            *(Cell(_minutes(seconds), f"Step {step}", href) for step, seconds in of.by_step.items()),
        ]
        for name, href, of in [*timed, ("Everyone", tag_list(work=Work.TIMED.value), medians[None])]
    ]
    columns = [Column("Annotator", words=True), Column("n", title="Annotations submitted, with time counted")]
    columns += [Column(f"{step} {name}", "Median active minutes") for step, name in STEPS.items()]
    return [Section("Minutes by step", table=Table("Median active minutes by step", columns, lines))]


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
