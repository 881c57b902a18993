"""The agreement report: overall, and by template, model, pair of reviewers and reasoning type."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from django.db.models import Count

from core.lists.pages import plural
from judging.protocol.verdicts import Verdict

from ..models import Judgment, KnownUse, KnownVerdict
from ..statistics.agreement import Agreement
from ..statistics.alpha import krippendorff_alpha
from ..statistics.estimates import Estimate, Interval, Undefined
from ..statistics.rounding import half_up
from .clusters import ORDER, K
from .double_judged import BREAKDOWNS, Breakdown, DoubleJudged, break_down
from .kinds import LABELS
from .layout import (
    Cell,
    Column,
    Note,
    Report,
    Section,
    Table,
    Value,
    interval_cell,
    number_cell,
)
from .links import ResponseFilter, response_list
from .plots import HeatMap, Plot, Point, heat_map, intervals
from .scope import Scope

TICKS = (-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1)
LETTERS = {Verdict.CORRECT: "C", Verdict.PARTIALLY_CORRECT: "P", Verdict.INCORRECT: "I"}
PARAMETERS = {"template": ("template",), "model": ("model",), "reviewers": ("person", "other")}
SUBSETS = {"EXP": "exp", "IMP": "imp", "": "unset"}


def agreement_report(scope: Scope, by: str = "", page: int | None = None) -> Report:
    """The report, broken down by one thing or, without `by`, by each of them."""
    breakdowns = [break_down(scope, each, page=page) for each in ([by] if by else BREAKDOWNS)]
    overall = breakdowns[0].overall
    checked = _check_items(scope)
    return Report(
        title="Agreement between reviewers",
        lead=_sentences(breakdowns) if overall.agreement.n else (),
        sections=[_overall(scope, overall), *(part for each in breakdowns for part in _sections(scope, each))],
        data={
            "overall": overall.as_data(),
            **{f"by_{each.by}": [group.as_data() for group in each.groups] for each in breakdowns},
            "check_items": checked,
        },
        records=[record for each in breakdowns for record in _records(each)],
        notes=[*_notes(scope, overall), *_note_on_check_items(checked), *scope.notes()],
        about="Agreement before adjudication, of responses that two people judged blind. The 95 % interval comes "
        "from resampling whole instances, as responses to one instance are related; beside it the analytic one, "
        "which takes responses as independent.",
        empty="No response was judged by two people yet. Once both judgments of a response can no longer be taken "
        "back, it counts here.",
        breakdowns=list(BREAKDOWNS.items()),
        pages=max(each.pages for each in breakdowns),
    )


def _sentences(breakdowns: Sequence[Breakdown]) -> list[str]:
    whole = breakdowns[0].overall.agreement
    sentences = []
    if isinstance(whole.raw, Estimate):
        twice = plural(whole.n, "response that was", "responses that were")
        agreed = f"Two people gave the same verdict to {half_up(whole.raw.value * 100, 1)} % of {twice} judged twice"
        sentences.append(f"{agreed}; {_kappa_in_words(whole)}.")
    for each in breakdowns[:1]:
        known = [group for group in each.groups if isinstance(group.agreement.kappa, Estimate)]
        known.sort(key=lambda group: group.agreement.kappa.value)  # type: ignore[arg-type, return-value]
        if known and half_up(_value(known[0]), 2) != half_up(_value(known[-1]), 2):
            low, high = (
                f"{_name(each.by, group)} (kappa {half_up(_value(group), 2)}, n {group.agreement.n:,})"
                for group in (known[0], known[-1])
            )
            sentences.append(f"It is lowest for {low} and highest for {high}.")
    return sentences


def _name(by: str, group: DoubleJudged) -> str:
    """The group's name as used within a sentence."""
    match by:
        case "template":
            return group.label.lower()
        case "reasoning":
            return f"{group.label.lower()} conflicts"
    return group.label


def _value(group: DoubleJudged) -> float:
    kappa = group.agreement.kappa
    return kappa.value if isinstance(kappa, Estimate) else 0.0


def _kappa_in_words(whole: Agreement) -> str:
    kappa = whole.kappa
    if isinstance(kappa, Undefined):
        return f"kappa is not defined: {kappa.reason}"
    if isinstance(kappa.interval, Interval):
        return f"kappa is {half_up(kappa.value, 2)} (95 % interval {kappa.interval})"
    return f"kappa is {half_up(kappa.value, 2)}"


def _notes(scope: Scope, overall: DoubleJudged) -> list[Note]:
    if not overall.cannot_judge:
        return []
    words = plural(overall.cannot_judge, "pair is", "pairs are")
    href = response_list(ResponseFilter(scope=scope, first="cannot_judge"))
    return [Note(f"{words} left out of every coefficient, as a reviewer could not judge.", href)]


def _filter(scope: Scope, by: str, group: DoubleJudged) -> ResponseFilter:
    if by == "reasoning":
        return ResponseFilter(scope=scope, pairs="both", subset=SUBSETS[group.key[0]])
    return ResponseFilter(scope=scope, pairs="both", **dict(zip(PARAMETERS.get(by, ()), group.key, strict=True)))


def _heat_map(scope: Scope, by: str, group: DoubleJudged) -> HeatMap:
    chosen = _filter(scope, by, group)
    kinds = [verdict.value for verdict in group.verdicts]
    hrefs = [[response_list(replace(chosen, first=row, second=column)) for column in kinds] for row in kinds]
    one, other = group.label.split(" and ", 1) if by == "reviewers" else ("one", "the other")
    return heat_map(
        group.label if by else "All responses",
        group.agreement.table,
        kinds,
        rows_are=one,
        columns_are=other,
        hrefs=hrefs,
        labels=LABELS,
    )


def _overall(scope: Scope, overall: DoubleJudged) -> Section:
    return Section("All responses", plots=[_heat_map(scope, "", overall)], table=_table(scope, "", "All", [overall]))


def _sections(scope: Scope, each: Breakdown) -> list[Section]:
    name = BREAKDOWNS[each.by]
    plots: list[Plot] = [
        intervals(
            "Kappa with its 95 % interval",
            [("", group.label, _points(group), f"n {group.agreement.n:,}") for group in each.groups],
            ticks=TICKS,
            legend=[("circle", "Cohen's kappa"), ("diamond", "AC1")],
        )
    ]
    return [
        Section(f"By {name.lower()}", plots=plots, table=_table(scope, each.by, name, each.groups)),
        Section(
            f"Verdicts of the two, by {name.lower()}",
            plots=[_heat_map(scope, each.by, group) for group in each.groups],
            table=_indices_table(scope, each.by, name, each.groups),
            about="Prevalence says how much one verdict outweighs the others, bias how far the two differ in how "
            "often they give it; away from 0, prevalence pulls kappa down and bias pulls it up.",
        ),
    ]


def _points(group: DoubleJudged) -> list[Point]:
    points = []
    for kind, name, number in (
        ("circle", "kappa", group.agreement.kappa),
        ("diamond", "AC1", group.agreement.ac1),
    ):
        if isinstance(number, Estimate):
            words = f"{group.label}: {name} {number}, n {group.agreement.n:,}"
            points.append(Point(number.value, number.interval.low, number.interval.high, words, kind))
    return points


def _table(scope: Scope, by: str, name: str, groups: Sequence[DoubleJudged]) -> Table:
    columns = [
        Column(name, words=True),
        Column("n", title="Responses with two verdicts"),
        Column("Instances", title="Instances that these are responses to"),
        Column("Cannot judge", title="Pairs in which a reviewer gave no verdict; in no coefficient"),
        Column("Same, %", "Raw agreement"),
        Column("95 %", "Raw agreement"),
        Column("Kappa", "Cohen's kappa"),
        Column("95 %", "Cohen's kappa", title="By resampling instances"),
        Column("Analytic 95 %", "Cohen's kappa", title="Taking responses as independent"),
        Column("AC1", "Gwet's AC1"),
        Column("95 %", "Gwet's AC1"),
        Column("Alpha", "Krippendorff's alpha"),
        Column("95 %", "Krippendorff's alpha"),
    ]
    rows = []
    for group in groups:
        found, chosen = group.agreement, _filter(scope, by, group)
        href = response_list(chosen)
        n = f"Of {plural(found.n, 'response')} with two verdicts"
        rows.append(
            [
                Cell(group.label),
                Cell(
                    found.n, f"{n}; {group.cannot_judge:,} further pairs, in which a reviewer could not judge", href
                ),
                Cell(found.instances, "" if found.instances is not None else "Not counted for a large review"),
                Cell(group.cannot_judge, href=response_list(replace(chosen, pairs="", first="cannot_judge"))),
                number_cell(found.raw, title=n, href=href, as_percent=True),
                interval_cell(found.raw, as_percent=True),
                number_cell(found.kappa, title=n, href=href),
                interval_cell(found.kappa),
                interval_cell(found.kappa, analytic=True),
                number_cell(found.ac1, title=n, href=href),
                interval_cell(found.ac1),
                number_cell(group.agreement.alpha, title=n, href=href),
                interval_cell(group.agreement.alpha),
            ]
        )
    return Table(f"Agreement by {name.lower()}" if by else "Agreement over all responses", columns, rows)


def _indices_table(scope: Scope, by: str, name: str, groups: Sequence[DoubleJudged]) -> Table:
    columns = [Column(name, words=True), Column("n")]
    columns += [Column(LETTERS[verdict], kind) for kind in ("Prevalence", "Bias") for verdict in Verdict]
    rows = []
    for group in groups:
        by_verdict = dict(zip(group.verdicts, group.agreement.indices, strict=True))
        href = response_list(_filter(scope, by, group))
        row = [Cell(group.label), Cell(group.agreement.n, href=href)]
        for kind in ("prevalence", "bias"):
            for verdict in Verdict:
                index = by_verdict.get(verdict)
                row.append(
                    number_cell(getattr(index, kind), href=href)
                    if index
                    else Cell(None, "This verdict is not offered.")
                )
        rows.append(row)
    return Table(f"Prevalence and bias by {name.lower()}", columns, rows)


def _records(each: Breakdown) -> list[dict[str, Value]]:
    records = []
    for group, by in [(each.overall, "all"), *((group, each.by) for group in each.groups)]:
        record: dict[str, Value] = {"by": by, "group": group.label, "n": group.agreement.n}
        record["cannot_judge"] = group.cannot_judge
        for name, number in (
            ("raw", group.agreement.raw),
            ("kappa", group.agreement.kappa),
            ("ac1", group.agreement.ac1),
            ("alpha", group.agreement.alpha),
        ):
            record[name] = number.value
            for kind, found in (("", number.interval), ("analytic_", number.analytic)):
                record[f"{name}_{kind}low"], record[f"{name}_{kind}high"] = found.low, found.high
        counts = {
            (one, other): count
            for one, row in zip(group.verdicts, group.agreement.table, strict=True)
            for other, count in zip(group.verdicts, row, strict=True)
        }
        record |= {
            f"{LETTERS[one]}{LETTERS[other]}": counts.get((one, other), 0) for one in Verdict for other in Verdict
        }
        records.append(record)
    return records


def _check_items(scope: Scope) -> dict[str, Any]:
    """Hidden check items, which all reviewers of a round judge. Their number differs, so only alpha applies."""
    known = KnownVerdict.objects.filter(use=KnownUse.CHECK)
    given = Judgment.objects.fixed().filter(number=None, item__known__in=known).exclude(verdict="").order_by()
    if scope.round:
        given = given.filter(round=scope.round)
    if scope.hidden:
        given = given.exclude(round__in=scope.hidden)
    if scope.run:
        given = given.filter(item__response__run=scope.run)
    units: dict[tuple[int, int], list[int]] = {}
    rows = given.values_list("item", "item__instance", "verdict").annotate(count=Count("pk"))
    for item, instance, verdict, count in rows if known.exists() else []:
        units.setdefault((item, instance), [0] * K)[ORDER[verdict]] += count
    alpha = krippendorff_alpha(list(units.values()), clusters=[instance for _, instance in units] or None)
    return {"items": len(units), "judgments": sum(map(sum, units.values())), "alpha": asdict(alpha)}


def _note_on_check_items(found: dict[str, Any]) -> list[Note]:
    if not found["items"]:
        return []
    words = plural(found["items"], "hidden check item")
    value = found["alpha"]["value"]
    alpha = f"Krippendorff's alpha is {half_up(value, 2)}" if value is not None else "alpha is not defined"
    return [
        Note(f"{words} with {found['judgments']:,} judgments by everybody: {alpha}. They are in no number above.")
    ]
