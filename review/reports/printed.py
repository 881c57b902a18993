"""The numbers that the paper prints in its Tables 1 to 6, beside ours, with the known reason where they differ.

`printed.json` has the printed values as far as they are at hand, and the table each is from. Of Table 2 these are the
cells of three models, which are known to follow from the released labels. Nothing of it enters any number of ours.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from annotation.releases.statistics import LABELS
from core.lists.pages import plural

from .kinds import SUBSETS
from .layout import Cell, Column, Report, Section, Table

VERDICTS = ("C", "PC", "IC")
TABLES = tuple(f"table{number}" for number in range(1, 7))


@dataclass(frozen=True, slots=True)
class Compared:
    """A printed cell and ours: None if there is none here. `reason` says why they differ, if they do."""

    where: tuple[str, ...]
    printed: Decimal | int
    ours: Decimal | int | None
    reason: str = ""

    @property
    def cell(self) -> Cell:
        if self.ours is None:
            return Cell(self.printed, "Nothing here to compare it with")
        if not self.reason:
            return Cell(self.printed, "The same here")
        return Cell(f"{self.printed} ≠ {self.ours}", f"Printed {self.printed}, here {self.ours}: {self.reason}")

    def as_data(self) -> dict[str, Any]:
        return {"cell": list(self.where), "printed": self.printed, "here": self.ours, "reason": self.reason or None}


def with_printed(name: str, report: Report) -> Report:
    """The report of one of `TABLES` with a section that has the printed numbers."""
    known = _printed()[name]
    compared: list[Compared] = []
    table = None
    if name == "table1":
        compared = _of_table_1(known, report.data)
        table = _counts_table(compared)
    elif name == "table2":
        compared = _of_table_2(known, report.data["table2"])
        table = _percent_table(compared)
    section = Section("Printed in the paper", about=" ".join([*_summary(compared), *known["about"]]), table=table)
    printed = {"where": known["where"], "about": known["about"], "cells": [each.as_data() for each in compared]}
    return replace(report, sections=[*report.sections, section], data={**report.data, "printed": printed})


@cache
def _printed() -> dict[str, Any]:
    return json.loads(Path(__file__).with_name("printed.json").read_text(), parse_float=Decimal)


def _summary(compared: Sequence[Compared]) -> list[str]:
    """How many cells are the same, and each reason for those that are not, once."""
    here = [each for each in compared if each.ours is not None]
    if not here:
        return []
    same = sum(not each.reason for each in here)
    reasons = dict.fromkeys(each.reason for each in here if each.reason)
    return [f"{same:,} of {len(here):,} printed cells that are here, too, are the same.", *reasons]


def _of_table_1(known: Mapping[str, Any], counts: Mapping[str, int]) -> list[Compared]:
    instances = known["counts"]["annotated_instances"]
    other = (
        f"This set has {plural(counts['annotated_instances'], 'instance')}, and the paper's {instances:,}."
        if counts["annotated_instances"] != instances
        else "These are other instances than the released ones."
    )
    reasons = {} if counts["annotated_instances"] != instances else known["reasons"]
    return [
        Compared((name,), printed, counts[name], "" if printed == counts[name] else reasons.get(name, other))
        for name, printed in known["counts"].items()
    ]


def _of_table_2(known: Mapping[str, Any], table: Mapping[str, Any]) -> list[Compared]:
    found = []
    for template, models in known["percent"].items():
        for model, subsets in models.items():
            for subset, cells in subsets.items():
                ours = table.get(f"template_{template}", {}).get(model, {}).get(subset)
                n = known["n"][template][subset]
                for verdict, printed in cells.items():
                    where = (template, model, subset, verdict)
                    found.append(_compared(where, printed, n, verdict, ours))
    return found


def _compared(
    where: tuple[str, ...], printed: Decimal, n: int, verdict: str, ours: Mapping[str, Any] | None
) -> Compared:
    if not ours or ours[verdict]["pct"] is None:
        return Compared(where, printed, None)
    here = Decimal(str(ours[verdict]["pct"]))
    if here == printed:
        return Compared(where, printed, here)
    if ours["n"] != n:
        return Compared(
            where, printed, here, "Other responses have a final verdict here: n is not that of the paper."
        )
    return Compared(where, printed, here, "The final verdicts here are not those that were released.")


def _counts_table(compared: Sequence[Compared]) -> Table:
    rows = [[Cell(LABELS[each.where[0]]), each.cell] for each in compared]
    return Table("Table 1 as printed", [Column("Statistic", words=True), Column("Printed")], rows)


def _percent_table(compared: Sequence[Compared]) -> Table:
    columns = [Column("Template", words=True), Column("Model", words=True)]
    columns += [Column(verdict, name) for name in SUBSETS.values() for verdict in VERDICTS]
    cells = {each.where: each.cell for each in compared}
    rows = [
        [
            Cell(template),
            Cell(model),
            *(
                cells.get((template, model, subset, verdict), Cell(None, "Not printed"))
                for subset in SUBSETS
                for verdict in VERDICTS
            ),
        ]
        for template, model in dict.fromkeys(each.where[:2] for each in compared)
    ]
    return Table("Table 2 as printed", columns, rows)
