"""A report as a file: text, JSON, CSV, LaTeX. No rows here."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from core.files.spreadsheets import csv_chunks

from ..statistics.estimates import Undefined
from .layout import Cell, Report, Table, Value, in_cell


def as_json(report: Report) -> str:
    """The report as JSON: numbers as numbers, undefined ones as null, their reasons, and the notes of the page."""
    notes = [{"text": note.text, "details": list(note.details)} for note in report.notes]
    undefined = list(_undefined_in(report))
    data = {**report.data, **({"notes": notes} if notes else {}), **({"undefined": undefined} if undefined else {})}
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=_plain) + "\n"


def _undefined_in(report: Report) -> Iterator[dict[str, str]]:
    """The undefined numbers in the report's tables: table, row and column, and the reason."""
    for table in _tables(report):
        named = [at for at, column in enumerate(table.columns) if column.words]
        for row in table.rows:
            label = ", ".join(in_cell(row[at].value) for at in named)
            for column, cell in zip(table.columns, row, strict=True):
                if cell.reason:
                    name = f"{column.group} {column.name}".strip()
                    yield {"table": table.caption, "row": label, "column": name, "reason": cell.reason}


def _plain(value: object) -> Any:
    if isinstance(value, Undefined):
        return {"value": None, "reason": value.reason}
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value)} has no form in JSON")


def as_csv(report: Report) -> str:
    """The report as CSV: one row per number or group of numbers, with n. The field of an undefined number is empty,
    and the last column, `undefined`, gives the reason; without such a number the column is missing.
    """
    columns = list(report.records[0]) if report.records else ["nothing"]
    records: Sequence[Mapping[str, Any]] = report.records
    if any(isinstance(value, Undefined) for record in records for value in record.values()):
        columns, records = [*columns, "undefined"], [_with_reasons(record) for record in records]
    return "".join(csv_chunks(columns, records))


def _with_reasons(record: Mapping[str, Value]) -> dict[str, Value]:
    lacking: dict[str, list[str]] = {}
    for name, value in record.items():
        if isinstance(value, Undefined):
            lacking.setdefault(value.reason, []).append(name)
    defined = {name: None if isinstance(value, Undefined) else value for name, value in record.items()}
    reasons = [f"{', '.join(names)}: {reason}" for reason, names in lacking.items()]
    return {**defined, "undefined": "; ".join(reasons)}


def as_text(report: Report) -> str:
    """The report as text: columns of even width, numbers right-aligned."""
    lines = [report.title, "", *(report.lead or [report.empty])]
    for table in _tables(report) if report.lead else []:
        lines += ["", *_text_of(table, report.title)]
    lines += [f"\n{note.text}" + "".join(f"\n  {detail}" for detail in note.details) for note in report.notes]
    return "\n".join(lines) + "\n"


def _tables(report: Report) -> list[Table]:
    return [section.table for section in report.sections if section.table]


def _text_of(table: Table, title: str) -> list[str]:
    heads = [f"{column.group} {column.name}".strip() for column in table.columns]
    rows = [[in_cell(cell.value) for cell in row] for row in table.rows]
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]

    def laid_out(row: Sequence[str]) -> str:
        cells = zip(row, widths, table.columns, strict=True)
        return "  ".join(
            text.ljust(width) if column.words else text.rjust(width) for text, width, column in cells
        ).rstrip()

    heading = [table.caption, ""] if table.caption != title else []
    ruled = [*heading, laid_out(heads), "  ".join("-" * width for width in widths), *map(laid_out, rows)]
    return [*ruled, *table.reasons]


def as_latex(report: Report) -> str:
    """The report as LaTeX tables for the booktabs package."""
    return "\n".join(_latex_of(table) for table in _tables(report))


def _latex_of(table: Table) -> str:
    groups = []
    if table.groups:
        cells = [
            rf"\multicolumn{{{width}}}{{c}}{{{_latex(name)}}}" if name else " & ".join([""] * width)
            for name, width in table.groups
        ]
        groups = [f"    {' & '.join(cells)} {_NEW_ROW}"]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{_latex(table.caption)}}}",
            rf"  \begin{{tabular}}{{{''.join('l' if column.words else 'r' for column in table.columns)}}}",
            r"    \toprule",
            *groups,
            f"    {' & '.join(_latex(column.name) for column in table.columns)} {_NEW_ROW}",
            r"    \midrule",
            *(f"    {' & '.join(map(_latex_cell, row))} {_NEW_ROW}" for row in table.rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            *(rf"  \par{{\footnotesize {_latex(line)}}}" for line in table.reasons),
            r"\end{table}",
            "",
        ]
    )


_NEW_ROW = r"\\"
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "\n": " ",
    "\r": " ",
    **{character: rf"\{character}" for character in "&%$#_{}"},
}


def _latex_cell(cell: Cell) -> str:
    """The number, and its interval beside it in small type."""
    small = rf" {{\scriptsize [{_latex(cell.interval.replace(' to ', ', '))}]}}" if cell.interval else ""
    return _latex(in_cell(cell.value)) + small


def _latex(text: str) -> str:
    return re.sub(r"[\\~^<>|–\n\r&%$#_{}]", lambda match: _LATEX[match[0]], text)


FORMATS: dict[str, Callable[[Report], str]] = {"text": as_text, "json": as_json, "csv": as_csv, "latex": as_latex}
