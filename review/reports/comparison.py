"""Model against model: every pair over the instances that both answered, by template and over all templates."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from core.lists.pages import plural
from judging.models import LanguageModel, PromptTemplate

from ..statistics.comparison import LEVEL_OF_TESTS, REPEATED, Comparison, compare, holm
from ..statistics.estimates import Estimate, Interval, Undefined
from ..statistics.p_values import p_words
from .clusters import K, Units
from .counterparts import Counterparts, counterparts
from .kinds import headline, in_order, template_key, wants_different_passages
from .layout import (
    Cell,
    Column,
    Note,
    Report,
    Section,
    Table,
    Value,
    ends_in_record,
    in_record,
    number_cell,
    shown,
    undefined_cell,
)
from .links import ResponseFilter, response_list
from .packed import PackedVerdicts, numbered, packed_verdicts
from .plots import Grid, GridField, Intervals, Plot, Point, intervals
from .scope import Scope
from .verdict_counts import counted_in_tables

BREAKDOWNS = {"template": "By prompt template", "pooled": "All templates together"}
# Ten models are 45 pairs. With more, those that have the most final verdicts are compared.
# Comparisons that a note lists.
MOST_DETAILS = 50
MOST_MODELS = 10
MINUS = "−"
# Where the scale of differences may end.
REACHES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two models with one template, or with all where `template` is None. `p` and `p_verdicts` are adjusted for all
    pairs that are shown together."""

    template: PromptTemplate | None
    first: LanguageModel
    second: LanguageModel
    found: Comparison
    p: float | Undefined
    p_verdicts: float | Undefined
    counterparts: Counterparts

    @property
    def why_not_all(self) -> str:
        """Why not all instances of each are compared; empty if all are."""
        return self.counterparts.words(self.first.name, self.second.name)

    @property
    def is_told(self) -> bool:
        """Whether the data say which of the two is correct more often."""
        return not isinstance(self.p, Undefined) and self.p < LEVEL_OF_TESTS

    @property
    def ahead(self) -> tuple[LanguageModel, LanguageModel]:
        """The model that is correct more often, and the other."""
        value = self.found.difference.value
        return (self.second, self.first) if value is not None and value < 0 else (self.first, self.second)


def comparison_report(scope: Scope, by: str = "", page: int | None = None) -> Report:
    """Broken down by template, or over all templates together; without `by` both, as a file has them."""
    models, left_out, packed, templates = _read(scope)
    compared: dict[str, list[Compared]] = {}
    if len(models) > 1:
        for each in [by] if by else BREAKDOWNS:
            compared[each] = _compare(packed, models, templates if each == "template" else [None], scope.units)
    shown_first = next(iter(compared.values()), [])
    known = [each for each in shown_first if each.found.units]
    return Report(
        title="Model against model",
        lead=_sentences(known),
        sections=[part for each in compared.values() for part in _sections(scope, models, each)],
        data={"comparison": {name: _data(each) for name, each in compared.items()}},
        records=[_record(each) for of in compared.values() for each in of],
        notes=[*_notes(left_out, shown_first), *scope.notes()],
        about="Each pair of models over the instances that both answered. The difference is in percentage points of "
        "correct responses, with its 95 % interval. p is McNemar's exact test of correct or not: of related "
        "responses, of one tag or to one instance, the model counts that is correct on more of them. The test of all "
        "verdicts swaps the two models at random, on related responses together. Both are adjusted by Holm's "
        "method for all pairs on this page: below 0.05 a pair is told apart, else it is too close to call.",
        empty="No two models have final verdicts on the same instances and template yet. Once they have, "
        "their difference, its interval and tests appear here.",
        breakdowns=list(BREAKDOWNS.items()),
    )


def compared_at_headline(scope: Scope) -> list[Compared]:
    """Every pair of models with the template that reports mention first; none without two models that answered it."""
    models, _, packed, templates = _read(scope)
    if len(models) < 2:
        return []
    answered = {each: int(np.count_nonzero(packed.template == each.pk)) for each in templates}
    return [each for each in _compare(packed, models, [headline(answered)], scope.units) if each.found.units]


def _read(scope: Scope) -> tuple[list[LanguageModel], int, PackedVerdicts, list[PromptTemplate]]:
    """The models to compare, how many there are beside them, their verdicts by instance, and the templates."""
    packed = packed_verdicts(scope.final_verdicts())
    every = PromptTemplate.objects.in_bulk(numbered(packed.template)[0].tolist())
    packed = packed.where(counted_in_tables(packed, every.values())) if len(packed.verdict) else packed
    keys, model = numbered(packed.model)
    counts = np.bincount(model, minlength=len(keys))
    kept = keys[np.argsort(-counts, kind="stable")][:MOST_MODELS]
    packed = packed.where(np.isin(packed.model, kept))
    models = list(LanguageModel.objects.filter(pk__in=kept.tolist()).order_by("name"))
    templates = in_order(every[pk] for pk in numbered(packed.template)[0].tolist())
    return models, len(keys) - len(kept), packed, templates


def _compare(
    packed: PackedVerdicts,
    models: Sequence[LanguageModel],
    templates: Sequence[PromptTemplate | None],
    units: Units,
) -> list[Compared]:
    """Every pair of models with each of these templates, adjusted for all of them."""
    pairs = list(combinations(range(len(models)), 2))
    keys = [(models[one].pk, models[other].pk) for one, other in pairs]
    found: list[tuple[PromptTemplate | None, tuple[int, int], Comparison]] = []
    whole: list[Counterparts] = []
    for template in templates:
        own = packed if template is None else packed.where(packed.template == template.pk)
        results = compare(*_shares(own, models), pairs, unit_of=units.unit)
        found += [(template, pair, each) for pair, each in zip(pairs, results, strict=True)]
        whole += counterparts(own, keys)
    mcnemar = holm([each.mcnemar for *_, each in found])
    verdicts = holm([each.verdicts for *_, each in found])
    return [
        Compared(template, models[one], models[other], each, p, p_verdicts, of)
        for (template, (one, other), each), p, p_verdicts, of in zip(found, mcnemar, verdicts, whole, strict=True)
    ]


def _shares(packed: PackedVerdicts, models: Sequence[LanguageModel]) -> tuple[np.ndarray, np.ndarray]:
    """(the share of each verdict by unit and model, the instance of each unit), as `compare` takes them."""
    if not len(packed.verdict):
        return np.zeros((0, len(models), K)), np.zeros(0, dtype=int)
    instances, instance = numbered(packed.instance)
    templates, template = numbered(packed.template)
    order = {model.pk: at for at, model in enumerate(models)}
    keys, model = numbered(packed.model)
    column = np.array([order[pk] for pk in keys.tolist()])[model]
    shape = (len(instances) * len(templates), len(models), K)
    where = np.ravel_multi_index((instance * len(templates) + template, column, packed.verdict), shape)
    counts = np.bincount(where, minlength=int(np.prod(shape))).astype(float).reshape(shape)
    n = counts.sum(axis=2, keepdims=True)
    return np.divide(counts, n, out=np.full(shape, np.nan), where=n > 0), np.repeat(instances, len(templates))


def _sentences(known: Sequence[Compared]) -> list[str]:
    """How many pairs are told apart, and the largest difference, with one template."""
    if not known:
        return []
    units: dict[PromptTemplate, int] = {}
    for each in known:
        if each.template:
            units[each.template] = units.get(each.template, 0) + each.found.units
    template = headline(units) if units else None
    own = [each for each in known if each.template == template]
    told = [each for each in own if each.is_told]
    where = f"With template {template.label} ({template.name})" if template else "Over all templates together"
    count = plural(len(own), "pair of models is", "pairs of models are")
    if not told:
        return [f"{where}, {'the two models' if len(own) == 1 else 'all pairs of models'} are too close to call."]
    if len(told) < len(own):
        said = f"{where}, {len(told)} of {count} told apart; the rest are too close to call."
    else:
        said = f"{where}, all {count} told apart." if len(own) > 1 else f"{where}, the two models differ."
    most = max(told, key=lambda each: abs(each.found.difference.value or 0))
    first, second = most.ahead
    largest = ", the largest difference" if len(told) > 1 else ""
    return [said, f"{first} is correct more often than {second} by {_points_in_words(most)}{largest}."]


def _points_in_words(each: Compared) -> str:
    value = abs(each.found.difference.value or 0)
    interval = each.found.difference.interval
    words = f"{shown(value, as_percent=True)} percentage points"
    if isinstance(interval, Interval):
        low, high = (
            sorted((abs(interval.low), abs(interval.high)))
            if interval.low * interval.high > 0
            else (interval.low, interval.high)
        )
        words += f" (95 % interval {shown(low, as_percent=True)} to {shown(high, as_percent=True)})"
    return words


def _notes(left_out: int, compared: Sequence[Compared]) -> list[Note]:
    notes = []
    if left_out:
        words = plural(left_out, "further model is", "further models are")
        notes.append(Note(f"{words} left out: the {MOST_MODELS} with the most final verdicts are compared."))
    if lacking := [each for each in compared if each.why_not_all]:
        said = f"In {plural(len(lacking), 'comparison')}, not all instances of both models could be compared."
        notes.append(Note(said, details=[_lacking(each) for each in lacking[:MOST_DETAILS]]))
    if any(each.found.difference.analytic is REPEATED for each in compared):
        notes.append(Note("A model answered some instances more than once: the share of its responses counts there."))
    return notes


def _lacking(each: Compared) -> str:
    return f"{_heading(each.template)}, {each.first} and {each.second}: {each.why_not_all}"


def _sections(scope: Scope, models: Sequence[LanguageModel], compared: Sequence[Compared]) -> list[Section]:
    sections = []
    reach = _reach(compared)
    for template in dict.fromkeys(each.template for each in compared):
        own = [each for each in compared if each.template == template and each.found.units]
        if not own:
            continue
        heading = _heading(template)
        plots: list[Plot] = [_matrix(heading, models, own), _forest(own, reach)]
        sections.append(Section(heading, plots=plots, table=_table(scope, heading, own)))
    return sections


def _heading(template: PromptTemplate | None) -> str:
    return f"Template {template.label}: {template.name}" if template else "All templates together"


def _matrix(heading: str, models: Sequence[LanguageModel], own: Sequence[Compared]) -> Grid:
    """Rows less columns; what is told apart is shaded."""
    fields: dict[tuple[int, int], GridField] = {}
    for each in own:
        value = each.found.difference.value or 0.0
        for one, other, sign in ((each.first, each.second, 1), (each.second, each.first, -1)):
            call = "told apart" if each.is_told else "too close to call"
            title = f"{one} less {other}: {_signed(sign * value)} points, {call}; {_discordant(each)}"
            level = min(10, 4 + round(abs(value) * 10)) if each.is_told else 0
            fields[one.pk, other.pk] = GridField(_signed(sign * value), level, title)
    present = [model for model in models if any(model.pk in key for key in fields)]
    lines = [
        (model.name, [fields.get((model.pk, other.pk), GridField("")) for other in present]) for model in present
    ]
    return Grid(
        name=f"Differences in percentage points, {heading[0].lower()}{heading[1:]}",
        columns=[model.name for model in present],
        lines=lines,
        about="Row less column, in percentage points of correct responses. Shaded: told apart; the others are too "
        "close to call.",
    )


def _discordant(each: Compared) -> str:
    return f"{plural(each.found.discordant, 'instance')} of {each.found.instances:,} discordant"


def _reach(compared: Sequence[Compared]) -> float:
    """How far the scale of all forest plots of a page goes in both directions."""
    found = [each.found.difference for each in compared]
    ends = [abs(end) for each in found for end in (each.value, each.interval.low, each.interval.high) if end]
    return next((reach for reach in REACHES if reach >= max(ends, default=0.0)), 1.0)


def _forest(own: Sequence[Compared], reach: float) -> Intervals:
    rows = []
    for each in own:
        difference = each.found.difference
        if not isinstance(difference, Estimate):
            continue
        low, high = difference.interval.low, difference.interval.high
        title = f"{each.first} less {each.second}: {_signed(difference.value)} points{_ends(difference.interval)}"
        point = Point(difference.value, low, high, title, "circle" if each.is_told else "ring")
        aside = f"n {each.found.instances:,}, discordant {each.found.discordant:,}"
        rows.append(("", f"{each.first} {MINUS} {each.second}", [point], aside))
    ticks = (-reach, -reach / 2, 0.0, reach / 2, reach)
    legend = [("circle", "told apart"), ("ring", "too close to call")]
    names = [_signed(tick, decimals=False) for tick in ticks]
    return intervals(
        "Differences in percentage points, with their 95 % intervals",
        rows,
        ticks=ticks,
        legend=legend,
        names=names,
        has_zero=True,
    )


def _signed(value: float, *, decimals: bool = True) -> str:
    """A difference of shares in percentage points, with its sign."""
    points = shown(value, as_percent=True)
    if not decimals:
        points = points.quantize(1)
    return f"+{points}" if points > 0 else f"{MINUS}{-points}" if points < 0 else f"{points}"


def _ends(interval: Interval | Undefined) -> str:
    if isinstance(interval, Undefined):
        return f"; no interval: {interval.reason}"
    return f", 95 % interval {_between(interval)}"


def _between(interval: Interval) -> str:
    return f"{_signed(interval.low)} to {_signed(interval.high)}"


def _table(scope: Scope, heading: str, own: Sequence[Compared]) -> Table:
    columns = [
        Column("First", words=True),
        Column("Second", words=True),
        Column("Call", words=True),
        Column("n", "Instances", title="Instances that both answered"),
        Column("First only", "Instances", title="Discordant: the first is correct more often"),
        Column("Second only", "Instances", title="Discordant: the second is correct more often"),
        Column("First", "Correct, %"),
        Column("Second", "Correct, %"),
        Column("Points", "Difference", title="First less second, in percentage points"),
        Column("95 %", "Difference", title="By resampling"),
        Column("Analytic 95 %", "Difference", title="Newcombe's, taking responses as independent"),
        Column("p", "Correct or not", title="McNemar's exact test"),
        Column("Holm", "Correct or not", title="Adjusted for all pairs shown"),
        Column("p", "All verdicts", title="Models swapped at random, instance by instance"),
        Column("Holm", "All verdicts", title="Adjusted for all pairs shown"),
    ]
    return Table(f"Model against model: {heading}", columns, [_row(scope, each) for each in own])


def _row(scope: Scope, each: Compared) -> list[Cell]:
    found, difference = each.found, each.found.difference
    one, other = _Links(scope, each), _Links(scope, each, turned=True)
    ahead = f"{each.ahead[0]} ahead" if each.is_told else "too close to call"
    return [
        Cell(each.first.name),
        Cell(each.second.name),
        Cell(ahead),
        Cell(
            found.instances,
            " ".join(filter(None, [f"With {plural(found.units, 'response')} of each.", each.why_not_all])),
            one.to(verdict="any"),
        ),
        Cell(found.first_only, href=one.to(verdict="correct", counterpart="other")),
        Cell(found.second_only, href=other.to(verdict="correct", counterpart="other")),
        _share(found.first, one.to(verdict="correct")),
        _share(found.second, other.to(verdict="correct")),
        Cell(_signed(difference.value), _discordant(each))
        if isinstance(difference, Estimate)
        else undefined_cell(difference),
        _interval(difference.interval),
        _interval(difference.analytic),
        _p_cell(found.mcnemar),
        _p_cell(each.p),
        _p_cell(found.verdicts),
        _p_cell(each.p_verdicts),
    ]


@dataclass(frozen=True, slots=True)
class _Links:
    """Addresses of the first model's responses, or of the second's, to which the other has a counterpart."""

    scope: Scope
    each: Compared
    turned: bool = False

    def to(self, **more: str) -> str:
        """Empty where instances are counted and an instance has several responses."""
        found, template = self.each.found, self.each.template
        is_counted_once = found.units == found.instances and found.difference.analytic is not REPEATED
        if not is_counted_once and more != {"verdict": "correct"}:
            return ""
        one, other = (self.each.first, self.each.second)[:: -1 if self.turned else 1]
        passages = "reported" if template is None else "different" if wants_different_passages(template) else ""
        return response_list(
            ResponseFilter(
                scope=self.scope,
                template=template.pk if template else None,
                model=one.pk,
                against=other.pk,
                passages=passages,
                **more,  # type: ignore[arg-type]
            )
        )


def _share(value: float | Undefined, href: str) -> Cell:
    return number_cell(value, href=href, as_percent=True)


def _interval(interval: Interval | Undefined) -> Cell:
    if isinstance(interval, Undefined):
        return undefined_cell(interval)
    return Cell(_between(interval))


def _p_cell(p: float | Undefined) -> Cell:
    if isinstance(p, Undefined):
        return undefined_cell(p)
    return Cell(p_words(p), f"p {p:.2g}")


def _data(compared: Sequence[Compared]) -> list[dict[str, Any]]:
    return [
        {
            "template": template_key(each.template) if each.template else None,
            "first_model": each.first.name,
            "second_model": each.second.name,
            **asdict(each.found),
            "discordant": each.found.discordant,
            "counterparts": {**asdict(each.counterparts), "reason": each.why_not_all},
            "mcnemar_holm": each.p,
            "verdicts_holm": each.p_verdicts,
            "told_apart": each.is_told,
        }
        for each in compared
    ]


def _record(each: Compared) -> dict[str, Value]:
    found, difference = each.found, each.found.difference
    return {
        "template": each.template.label if each.template else "all",
        "first": each.first.name,
        "second": each.second.name,
        "instances": found.instances,
        "units": found.units,
        "instances_of_first": each.counterparts.first,
        "instances_of_second": each.counterparts.second,
        "why_not_all": each.why_not_all,
        "first_only": found.first_only,
        "second_only": found.second_only,
        "first_correct": in_record(found.first),
        "second_correct": in_record(found.second),
        "difference": in_record(difference),
        **ends_in_record("difference", difference.interval),
        **ends_in_record("difference_newcombe", difference.analytic),
        "mcnemar_p": in_record(found.mcnemar),
        "mcnemar_holm": in_record(each.p),
        "verdicts_p": in_record(found.verdicts),
        "verdicts_holm": in_record(each.p_verdicts),
        "told_apart": "yes" if each.is_told else "no",
    }
