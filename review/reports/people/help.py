"""Does help help? Annotations of tags with and without suggested counterparts, which the tag's number tells apart."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import mean, median

from annotation.desk.drafts.time import Moves, moves_of
from annotation.desk.visibility import known_to
from annotation.models import Annotation, AnnotationState
from core.languages import say, say_count

from ...statistics.arms import difference_of_means, ratio_of_means
from ...statistics.estimates import Estimate, Undefined
from ...statistics.rounding import half_up
from ..layout import Cell, Column, Note, Report, Section, Table, Value, estimate_record, undefined_cell
from ..scope import Scope

WITH, WITHOUT = "with", "without"
NOTHING = Undefined(say("nothing is counted here"))


@dataclass(slots=True)
class Tags:
    """Numbers of one group, a number for each tag: the mean of its annotations."""

    annotations: int = 0
    listed: int = 0
    taken: int = 0
    minutes: list[float] = field(default_factory=list)
    actions: list[float] = field(default_factory=list)
    typed: list[float] = field(default_factory=list)
    agreeing: list[float] = field(default_factory=list)
    accepted: list[float] = field(default_factory=list)


def help_report(scope: Scope) -> Report:
    """Both groups, as far as the reader may know of them; the scope does not narrow it."""
    compared = Annotation.objects.filter(
        known_to(scope.reader), state__in=AnnotationState.submitted(), counterpart_offer__isnull=False
    )
    rows = compared.order_by("pk").values_list(
        "pk",
        "tag",
        "state",
        "validity",
        "seconds",
        "counterpart_offer__is_on",
        "counterpart_offer__shown",
        "counterpart_offer__taken",
    )
    groups = _groups(rows, moves_of(compared))
    ratios = {name: ratio_of_means(*_both(groups, name)) for name in ("minutes", "actions")}
    differences = {name: difference_of_means(*_both(groups, name)) for name in ("typed", "agreeing", "accepted")}
    numbers = {f"{name}_ratio": each for name, each in ratios.items()}
    numbers |= {f"{name}_difference": each for name, each in differences.items()}
    counted = sum(group.annotations for group in groups.values())
    return Report(
        title=say("Does help help?"),
        lead=_lead(groups, ratios["minutes"]) if counted else (),
        sections=[Section("", table=_table(groups, ratios | differences))] if counted else (),
        data={
            **{name: _reasoned(_data(group)) for name, group in groups.items()},
            **{name: _estimate_data(number) for name, number in numbers.items()},
        },
        records=_records(groups, numbers),
        notes=[Note(say("No tag went without: set a share under Settings, or there is nothing to compare with."))]
        if counted and not groups[WITHOUT].annotations
        else (),
        about=say(
            "Submitted annotations whose desk asked for counterparts. Whether a tag goes without is "
            "drawn from its number; turning the setting off for all tags at one time and on at another "
            "compares times, too. Each tag counts once, with the mean of its annotations. Ratios are "
            "those of geometric means; intervals are 95%, by Welch. Actions are clicks, selections and "
            "keys that type no character; only their numbers are recorded."
        ),
        empty=say("No annotation with suggested counterparts was submitted yet."),
    )


def _both(groups: Mapping[str, Tags], name: str) -> tuple[list[float], list[float]]:
    return getattr(groups[WITH], name), getattr(groups[WITHOUT], name)


def _groups(rows: Iterable[tuple], moves: Mapping[int, Moves]) -> dict[str, Tags]:
    groups = {WITH: Tags(), WITHOUT: Tags()}
    by_tag: dict[tuple[str, int], list[tuple]] = defaultdict(list)
    for pk, tag, state, validity, seconds, is_on, shown, taken in rows:
        name = WITH if is_on else WITHOUT
        group = groups[name]
        group.annotations += 1
        group.listed += bool(shown)
        group.taken += taken is not None
        by_tag[name, tag].append((state, validity, seconds, moves.get(pk)))
    for (name, _), of in by_tag.items():
        group = groups[name]
        made = [moved for *_, moved in of if moved]
        pairs = combinations([validity for _, validity, *_ in of], 2)
        _add_mean(group.minutes, [seconds / 60 for _, _, seconds, _ in of if seconds])
        _add_mean(group.actions, [moved.actions for moved in made])
        _add_mean(group.typed, [moved.typed for moved in made])
        _add_mean(group.agreeing, [one == other for one, other in pairs])
        decided = [state for state, *_ in of if state != AnnotationState.SUBMITTED]
        _add_mean(group.accepted, [state == AnnotationState.ACCEPTED for state in decided])
    return groups


def _add_mean(means: list[float], values: Sequence[float]) -> None:
    """Add the mean of a tag's values, if it has any."""
    if values:
        means.append(mean(values))


def _lead(groups: Mapping[str, Tags], ratio: Estimate | Undefined) -> list[str]:
    own = groups[WITH]
    share = say("{percent:f}%", percent=half_up(100 * own.taken / own.listed, 1)) if own.listed else say("none")
    sentences: list[str] = [
        say(
            "{annotations} had counterparts listed; one was taken in {share} of them.",
            annotations=say_count(own.listed, "{count:,} annotation", "{count:,} annotations"),
            share=share,
        )
    ]
    if isinstance(ratio, Estimate):
        words = say(" (95% interval {interval})", interval=str(ratio.interval)) if ratio.interval else ""
        sentences.append(
            say(
                "Tags with help took {value:f} times as long as tags without{words}.",
                value=half_up(ratio.value, 2),
                words=words,
            )
        )
    else:
        sentences.append(say("Whether that saves time is not known: {reason}.", reason=ratio.reason))
    return sentences


def _table(groups: Mapping[str, Tags], numbers: Mapping[str, Estimate | Undefined]) -> Table:
    columns = [
        Column("", words=True),
        Column(say("With")),
        Column(say("Without")),
        Column(say("Compared"), title=say("The ratio of minutes and actions; the difference of the others")),
        Column(say("95% interval")),
    ]
    pair = (groups[WITH], groups[WITHOUT])
    rows = [
        [Cell(say("Annotations")), *(Cell(group.annotations) for group in pair), Cell(None), Cell(None)],
        [Cell(say("With counterparts listed")), *(Cell(group.listed) for group in pair), Cell(None), Cell(None)],
        [Cell(say("One of them taken")), *(Cell(group.taken) for group in pair), Cell(None), Cell(None)],
    ]
    rows += [
        [Cell(words), *(shown(values) for values in _both(groups, name)), *_compared(numbers[name], scale)]
        for name, (words, shown, scale) in MEASURES.items()
    ]
    return Table(say("Tags with and without suggested counterparts"), columns, rows)


def _middle(values: list[float]) -> Cell:
    title = say("Over {tags}", tags=say_count(len(values), "{count:,} tag", "{count:,} tags"))
    return Cell(half_up(median(values), 1), title) if values else undefined_cell(NOTHING)


def _share(values: list[float]) -> Cell:
    title = say("Over {tags}", tags=say_count(len(values), "{count:,} tag", "{count:,} tags"))
    return Cell(half_up(100 * mean(values), 1), title) if values else undefined_cell(NOTHING)


# The rows of the table, with the scale of each comparison.
MEASURES = {
    "minutes": (say("Median active minutes of a tag"), _middle, 1),
    "actions": (say("Median actions"), _middle, 1),
    "typed": (say("Median typed characters"), _middle, 1),
    "agreeing": (say("Annotators agree on validity, in percent"), _share, 100),
    "accepted": (say("Accepted by reviewers, in percent"), _share, 100),
}


def _compared(number: Estimate | Undefined, scale: int) -> list[Cell]:
    if isinstance(number, Undefined):
        return [undefined_cell(number), Cell(None)]
    between = number.interval
    digits = 2 if scale == 1 else 1
    value = Cell(half_up(number.value * scale, digits))
    if isinstance(between, Undefined):
        return [value, undefined_cell(between)]
    return [
        value,
        Cell(
            say(
                "{low:f} to {high:f}",
                low=half_up(between.low * scale, digits),
                high=half_up(between.high * scale, digits),
            )
        ),
    ]


def _data(group: Tags) -> dict[str, Value]:
    return {
        "annotations": group.annotations,
        "listed": group.listed,
        "taken": group.taken,
        "median_minutes": median(group.minutes) if group.minutes else None,
        "median_actions": median(group.actions) if group.actions else None,
        "median_typed_characters": median(group.typed) if group.typed else None,
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
    "median_actions": "actions_ratio",
    "median_typed_characters": "typed_difference",
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
