"""The few numbers that ConflictBank's paper prints, cell by cell beside ours. They enter none of our numbers.

`printed.json` has the printed values, their location in the paper, and the paper's errors.
"""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from core.languages import say
from review.reports.layout import Cell, Column, Report, Table
from review.reports.printed import Compared, beside_printed, plain_name, summary

OTHER_ANSWERS = say("These are other answers: those of the paper were not released.")


@cache
def _everything() -> Mapping[str, Any]:
    return json.loads(Path(__file__).with_name("printed.json").read_text("utf-8"), parse_float=Decimal)


def with_printed(name: str, report: Report) -> Report:
    """The report with a section of the printed values: `name` is a key of `printed.json`."""
    known = _everything()[name]
    compared = list(compare(known["cells"], report.data))
    about = {"where": known["where"], "source": _everything()["source"], "about": known["slips"]}
    said = [f"{known['where']}.", *summary(compared), *known["slips"]]
    return beside_printed(
        report, compared, _table(say("{where}, as printed", where=known["where"]), compared), about, said
    )


def compare(cells: list[Mapping[str, Any]], data: Mapping[str, Any]) -> Iterator[Compared]:
    """Each printed number beside that of the model of the same name, if the paper names its condition."""
    for cell in cells:
        where = tuple(filter(None, (cell["model"], cell["number"], cell.get("condition", ""))))
        ours = _ours(cell, data)
        same = ours is None or Decimal(str(ours)) == cell["printed"]
        here = None if ours is None else Decimal(str(ours))
        yield Compared(where, cell["printed"], here, "" if same else OTHER_ANSWERS)


def _ours(cell: Mapping[str, Any], data: Mapping[str, Any]) -> float | None:
    named = (found for name, found in data.items() if plain_name(name) == plain_name(cell["model"]))
    with_cells = (found["cells"] for found in named if isinstance(found, dict) and "cells" in found)
    cells: Mapping[str, Any] = next(with_cells, {})
    return cells.get(cell.get("condition", ""), {}).get(cell["number"])


def _table(caption: str, compared: list[Compared]) -> Table:
    columns = [Column(say("Model"), words=True), Column(say("Number"), words=True), Column(say("Printed"))]
    rows = [[Cell(each.where[0]), Cell(", ".join(each.where[1:])), each.cell] for each in compared]
    return Table(caption, columns, rows)
