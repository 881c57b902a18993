"""Table 4 of the paper: judge models measured against people's final verdicts."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any

from core.lists.pages import plural
from judging.models import LanguageModel, PromptTemplate
from judging.protocol.verdicts import Verdict

from ..statistics.estimates import Estimate, Interval, Undefined
from ..statistics.rounding import half_up, percent
from ..statistics.scores import Scores, VerdictScores, scores
from .judged import (
    Judged,
    judge_filter,
    judge_notes,
    judged_cells,
    judged_columns,
    judged_responses,
    no_judged,
    offered_tables,
)
from .kinds import LABELS, headline, ranked, template_key
from .layout import (
    Cell,
    Column,
    Report,
    Section,
    Table,
    Value,
    estimate_point,
    interval_cell,
    number_cell,
    share_cell,
    share_in_words,
)
from .links import response_list
from .plots import SHARES, HeatMap, Intervals, heat_map, intervals
from .scope import Scope


def table_4(scope: Scope) -> Report:
    """Judge models measured against people's final verdicts."""
    found = judged_responses(scope)
    measured = []
    for judge, template in found.pairs():
        judged = found.over_models(judge, template)
        tables, verdicts = offered_tables(judged, template, final_only=True)
        measured.append((judge, template, judged, scores(tables), verdicts))
    known = [each for each in measured if each[3].n]
    return Report(
        title="Judge models against people",
        lead=_sentences(known),
        sections=[
            Section(
                "",
                plots=[_score_plot(ranked(known, lambda each: each[3].n))],
                table=_score_table(scope, measured),
                about="Precision, recall and F of each verdict, people's final verdict being the truth; macro-F is "
                "the mean of F over the verdicts that occur.",
            ),
            Section("Verdicts of people and judge", plots=[_score_heat_map(scope, *each) for each in known]),
        ],
        data={"table4": _score_data(measured)},
        records=_score_records(measured),
        notes=judge_notes(scope, found),
        empty=no_judged("has people's final verdict, too", "how far the two agree"),
    )


NO_WILSON = Undefined("it is no share of responses")
Measured = tuple[LanguageModel, PromptTemplate, Judged, Scores, Sequence[Verdict]]


def _sentences(known: Sequence[Measured]) -> list[str]:
    """One for each judge, at one template."""
    sentences = []
    for judge in dict.fromkeys(each[0] for each in known):
        of_template = {template: found for by, template, _, found, _ in known if by == judge}
        template = headline({template: found.n for template, found in of_template.items()})
        sentences.append(_score_sentence(judge, template, of_template[template]))
    return sentences


def _score_sentence(judge: LanguageModel, template: PromptTemplate, found: Scores) -> str:
    words = plural(found.n, "response")
    accuracy = share_in_words(found.accuracy)
    macro = f", macro-F {half_up(found.macro_f * 100, 1)}" if isinstance(found.macro_f, float) else ""
    return f"{judge} gives people's verdict to {accuracy} of {words} to template {template.label}{macro}."


def _score_plot(known: Sequence[Measured]) -> Intervals:
    rows = []
    for judge, template, _, found, _ in known:
        if isinstance(found.accuracy, Estimate):
            point = estimate_point(found.accuracy, f"{judge}: accuracy")
            rows.append(("", f"{judge}, template {template.label}", [point], f"n {found.n:,}"))
    return intervals("Accuracy with its 95 % interval", rows, ticks=SHARES, as_percent=True)


def _score_heat_map(
    scope: Scope,
    judge: LanguageModel,
    template: PromptTemplate,
    _: Judged,
    found: Scores,
    verdicts: Sequence[Verdict],
) -> HeatMap:
    chosen = judge_filter(scope, judge, template)
    kinds = [verdict.value for verdict in verdicts]
    return heat_map(
        f"{judge}, template {template.label}",
        found.table,
        kinds,
        rows_are="people",
        columns_are="judge",
        hrefs=[[response_list(chosen, verdict=row, said=column) for column in kinds] for row in kinds],
        labels=LABELS,
    )


def _score_table(scope: Scope, measured: Sequence[Measured]) -> Table:
    columns = [
        *judged_columns(by_model=False),
        Column("n", title="Responses with a verdict of both"),
        Column("No verdict", title="Judged responses without people's final verdict"),
        Column("Unreadable", title="Responses with a final verdict whose judge's reply cannot be read"),
        Column("Accuracy"),
        Column("95 %", title="By resampling instances"),
        Column("Macro-F"),
    ]
    columns += [Column(name, str(verdict.label)) for verdict in Verdict for name in ("P", "R", "F")]
    rows = []
    for judge, template, judged, found, verdicts in measured:
        chosen = judge_filter(scope, judge, template)
        both = f"Of {plural(found.n, 'response')} with a verdict of both"
        without = int(judged.tables()[:, -1].sum())
        href = response_list(chosen, verdict="any")
        row = [
            *judged_cells(judge, judged.read_by, template),
            Cell(found.n, href=href),
            Cell(without, href=response_list(chosen, verdict="none")),
            Cell(judged.unreadable_with_final, href=response_list(chosen, said="unreadable", verdict="any")),
            number_cell(found.accuracy, title=both, href=href, as_percent=True),
            interval_cell(found.accuracy, as_percent=True),
            _macro_f_cell(found, both, href),
        ]
        by_verdict = dict(zip(verdicts, found.verdicts, strict=True))
        for verdict in Verdict:
            same = replace(chosen, verdict=verdict.value, said=verdict.value)
            row += _score_cells(by_verdict.get(verdict), response_list(same))
        rows.append(row)
    return Table("Judge models against people's final verdicts", columns, rows)


def _score_cells(found: VerdictScores | None, href: str) -> list[Cell]:
    """Precision, recall and F of one verdict; `href` leads to the responses to which both gave it."""
    if found is None:
        return [Cell(None, "This verdict is not offered.")] * 3
    both, given = f"{found.both:,}", found.judge + found.people
    return [
        _exact_cell(
            _estimate(found.precision, found.precision_interval, found.precision_wilson),
            percent(found.both, found.judge),
            f"{both} of {found.judge:,} that the judge gave it",
            href,
        ),
        _exact_cell(
            _estimate(found.recall, found.recall_interval, found.recall_wilson),
            percent(found.both, found.people),
            f"{both} of {found.people:,} that people gave it",
            href,
        ),
        _exact_cell(
            _estimate(found.f, found.f_interval, NO_WILSON),
            percent(2 * found.both, given),
            f"2 × {both} of {given:,}, those of the judge and of people",
            href,
        ),
    ]


def _estimate(
    value: float | Undefined, interval: Interval | Undefined, wilson: Interval | Undefined
) -> Estimate | Undefined:
    return value if isinstance(value, Undefined) else Estimate(value, interval, wilson)


def _exact_cell(number: Estimate | Undefined, value: Decimal | None, title: str, href: str) -> Cell:
    if isinstance(number, Undefined):
        return Cell(str(number), f"Not defined: {number.reason}.")
    return share_cell(value, number, title=title, href=href)


def _macro_f_cell(found: Scores, title: str, href: str) -> Cell:
    number = _estimate(found.macro_f, found.macro_f_interval, NO_WILSON)
    if isinstance(number, Undefined):
        return number_cell(number, href=href)
    return share_cell(half_up(number.value * 100, 1), number, title=title, href=href)


def _score_data(measured: Sequence[Measured]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for judge, template, judged, found, verdicts in measured:
        data.setdefault(judge.name, {})[template_key(template)] = {
            "readers": sorted(judged.readers),
            **asdict(found),
            "verdicts": {verdict.value: asdict(each) for verdict, each in zip(verdicts, found.verdicts, strict=True)},
            "unlabelled": int(judged.tables()[:, -1].sum()),
            "unreadable": judged.unreadable_with_final,
        }
    return data


def _score_records(measured: Sequence[Measured]) -> list[dict[str, Value]]:
    records = []
    for judge, template, judged, found, verdicts in measured:
        record: dict[str, Value] = {
            "judge": judge.name,
            "reader": judged.read_by,
            "template": template.label,
            "n": found.n,
            "unlabelled": int(judged.tables()[:, -1].sum()),
            "unreadable": judged.unreadable_with_final,
            "accuracy": found.accuracy.value,
            "macro_f": found.macro_f if isinstance(found.macro_f, float) else None,
            "accuracy_low": found.accuracy.interval.low,
            "accuracy_high": found.accuracy.interval.high,
            "accuracy_wilson_low": found.accuracy.analytic.low,
            "accuracy_wilson_high": found.accuracy.analytic.high,
            "macro_f_low": found.macro_f_interval.low,
            "macro_f_high": found.macro_f_interval.high,
        }
        by_verdict = dict(zip(verdicts, found.verdicts, strict=True))
        for verdict in Verdict:
            each = by_verdict.get(verdict)
            for name in ("people", "judge", "both"):
                record[f"{verdict.value}_{name}"] = getattr(each, name) if each else None
            for name in ("precision", "recall", "f"):
                value = getattr(each, name) if each else None
                record[f"{verdict.value}_{name}"] = value if isinstance(value, float) else None
            for name in ("precision", "recall", "f"):
                interval = getattr(each, f"{name}_interval") if each else None
                record[f"{verdict.value}_{name}_low"] = interval.low if interval else None
                record[f"{verdict.value}_{name}_high"] = interval.high if interval else None
        records.append(record)
    return records
