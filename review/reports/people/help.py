"""Does help help? Annotations of tags with and without suggested counterparts, which the tag's number tells apart."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from statistics import mean, median

from annotation.desk.visibility import known_to
from annotation.models import Annotation, AnnotationState
from core.words import plural

from ...statistics.arms import difference_of_means, ratio_of_means
from ...statistics.estimates import Estimate, Undefined
from ...statistics.rounding import half_up
from ..layout import Cell, Column, Note, Report, Section, Table, Value, estimate_record, undefined_cell
from ..scope import Scope

WITH, WITHOUT = "with", "without"
NOTHING = Undefined("nothing is counted here")


@dataclass(slots=True)
class Tags:
    """Numbers of one group, a number for each tag: the mean of its annotations."""

    annotations: int = 0
    listed: int = 0
    taken: int = 0
    minutes: list[float] = field(default_factory=list)
    agreeing: list[float] = field(default_factory=list)
    accepted: list[float] = field(default_factory=list)


def help_report(scope: Scope) -> Report:
    """Both groups, as far as the reader may know of them; the scope does not narrow it."""
    rows = (
        Annotation.objects.filter(known_to(scope.reader), state__in=AnnotationState.submitted())
        .filter(counterpart_offer__isnull=False)
        .order_by("pk")
        .values_list(
            "tag",
            "state",
            "validity",
            "seconds",
            "counterpart_offer__is_on",
            "counterpart_offer__shown",
            "counterpart_offer__taken",
        )
    )
    groups = _groups(rows)
    ratio = ratio_of_means(groups[WITH].minutes, groups[WITHOUT].minutes)
    differences = {
        name: difference_of_means(getattr(groups[WITH], name), getattr(groups[WITHOUT], name))
        for name in ("agreeing", "accepted")
    }
    numbers = {"minutes_ratio": ratio, **{f"{name}_difference": each for name, each in differences.items()}}
    counted = sum(group.annotations for group in groups.values())
    return Report(
        title="Does help help?",
        lead=_lead(groups, ratio) if counted else (),
        sections=[Section("", table=_table(groups, ratio, differences))] if counted else (),
        data={
            **{name: _reasoned(_data(group)) for name, group in groups.items()},
            **{name: _estimate_data(number) for name, number in numbers.items()},
        },
        records=_records(groups, numbers),
        notes=[Note("No tag went without: set a share under Settings, or there is nothing to compare with.")]
        if counted and not groups[WITHOUT].annotations
        else (),
        about="Submitted annotations whose desk asked for counterparts. Whether a tag goes without is drawn from its "
        "number; turning the setting off for all tags at one time and on at another compares times, too. Each tag "
        "counts once, with the mean of its annotations. The ratio of minutes is that of geometric means; intervals "
        "are 95%, by Welch. Clicks and keys are not recorded.",
        empty="No annotation with suggested counterparts was submitted yet.",
    )


def _groups(rows: Iterable[tuple]) -> dict[str, Tags]:
    groups = {WITH: Tags(), WITHOUT: Tags()}
    by_tag: dict[tuple[str, int], list[tuple]] = defaultdict(list)
    for tag, state, validity, seconds, is_on, shown, taken in rows:
        name = WITH if is_on else WITHOUT
        group = groups[name]
        group.annotations += 1
        group.listed += bool(shown)
        group.taken += taken is not None
        by_tag[name, tag].append((state, validity, seconds))
    for (name, _), of in by_tag.items():
        group = groups[name]
        times = [seconds / 60 for _, _, seconds in of if seconds]
        if times:
            group.minutes.append(mean(times))
        pairs = list(combinations([validity for _, validity, _ in of], 2))
        if pairs:
            group.agreeing.append(mean(one == other for one, other in pairs))
        decided = [state == AnnotationState.ACCEPTED for state, _, _ in of if state != AnnotationState.SUBMITTED]
        if decided:
            group.accepted.append(mean(decided))
    return groups


def _lead(groups: Mapping[str, Tags], ratio: Estimate | Undefined) -> list[str]:
    own = groups[WITH]
    share = f"{half_up(100 * own.taken / own.listed, 1)}%" if own.listed else "none"
    sentences = [f"{plural(own.listed, 'annotation')} had counterparts listed; one was taken in {share} of them."]
    if isinstance(ratio, Estimate):
        words = f" (95% interval {ratio.interval})" if ratio.interval else ""
        sentences.append(f"Tags with help took {half_up(ratio.value, 2)} times as long as tags without{words}.")
    else:
        sentences.append(f"Whether that saves time is not known: {ratio.reason}.")
    return sentences


def _table(
    groups: Mapping[str, Tags], ratio: Estimate | Undefined, differences: Mapping[str, Estimate | Undefined]
) -> Table:
    columns = [
        Column("", words=True),
        Column("With"),
        Column("Without"),
        Column("Compared", title="The ratio of minutes; the difference of the others in percentage points"),
        Column("95% interval"),
    ]
    pair = (groups[WITH], groups[WITHOUT])
    rows = [
        [Cell("Annotations"), *(Cell(group.annotations) for group in pair), Cell(None), Cell(None)],
        [Cell("With counterparts listed"), *(Cell(group.listed) for group in pair), Cell(None), Cell(None)],
        [Cell("One of them taken"), *(Cell(group.taken) for group in pair), Cell(None), Cell(None)],
        [Cell("Median active minutes of a tag"), *(_middle(group.minutes) for group in pair), *_compared(ratio, 1)],
    ]
    labels = {"agreeing": "Annotators agree on validity, in percent", "accepted": "Accepted by reviewers, in percent"}
    rows += [
        [Cell(labels[name]), *(_share(getattr(group, name)) for group in pair), *_compared(number, 100)]
        for name, number in differences.items()
    ]
    return Table("Tags with and without suggested counterparts", columns, rows)


def _middle(values: list[float]) -> Cell:
    title = f"Over {plural(len(values), 'tag')}"
    return Cell(half_up(median(values), 1), title) if values else undefined_cell(NOTHING)


def _share(values: list[float]) -> Cell:
    title = f"Over {plural(len(values), 'tag')}"
    return Cell(half_up(100 * mean(values), 1), title) if values else undefined_cell(NOTHING)


def _compared(number: Estimate | Undefined, scale: int) -> list[Cell]:
    if isinstance(number, Undefined):
        return [undefined_cell(number), Cell(None)]
    between = number.interval
    digits = 2 if scale == 1 else 1
    value = Cell(half_up(number.value * scale, digits))
    if isinstance(between, Undefined):
        return [value, undefined_cell(between)]
    return [value, Cell(f"{half_up(between.low * scale, digits)} to {half_up(between.high * scale, digits)}")]


def _data(group: Tags) -> dict[str, Value]:
    return {
        "annotations": group.annotations,
        "listed": group.listed,
        "taken": group.taken,
        "median_minutes": median(group.minutes) if group.minutes else None,
        "agreement_on_validity": mean(group.agreeing) if group.agreeing else None,
        "accepted": mean(group.accepted) if group.accepted else None,
    }


def _reasoned(data: dict[str, Value]) -> dict[str, Value]:
    return {name: NOTHING if value is None else value for name, value in data.items()}


def _estimate_data(number: Estimate | Undefined) -> dict[str, Value]:
    return estimate_record("value", number)


# The measure that each comparison belongs to.
COMPARED = {
    "median_minutes": "minutes_ratio",
    "agreement_on_validity": "agreeing_difference",
    "accepted": "accepted_difference",
}


def _records(groups: Mapping[str, Tags], numbers: Mapping[str, Estimate | Undefined]) -> list[dict[str, Value]]:
    """A row for each measure: its number in both groups, and how they compare."""
    both = {name: _data(group) for name, group in groups.items()}
    nothing = dict.fromkeys(estimate_record("compared", NOTHING))
    return [
        {
            "measure": measure,
            **{name: data[measure] for name, data in both.items()},
            **(estimate_record("compared", numbers[COMPARED[measure]]) if measure in COMPARED else nothing),
        }
        for measure in both[WITH]
    ]
