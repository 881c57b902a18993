"""The numbers that the paper prints in its Tables 1 to 6, beside ours, with the known reason for each difference.

`printed.json` has the printed values and the location of each table. They enter none of our numbers.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from annotation.releases.datasheets.statistics import LABELS
from core.words import plural
from judging.protocol.verdicts import Verdict

from ...statistics.rounding import half_up
from ..kinds import SHORT, SUBSETS
from ..layout import Cell, Column, Report, Section, Table

TABLES = tuple(f"table{number}" for number in range(1, 7))
SCORES = {"P": "precision", "R": "recall", "F": "f"}
WORDS = {
    **SUBSETS,
    **{SHORT[verdict]: str(verdict.label) for verdict in Verdict},
    "people": "People",
    "judge": "Judge",
    "accuracy": "Accuracy",
    "macro_f": "Macro-F",
}
OTHER_RESPONSES = "These are other responses, or other verdicts."


@dataclass(frozen=True, slots=True)
class Compared:
    """A printed cell and ours: None if it is missing here. `reason` explains a difference."""

    where: tuple[str, ...]
    printed: Decimal | int
    ours: Decimal | int | None
    reason: str = ""

    @property
    def cell(self) -> Cell:
        if self.ours is None:
            return Cell(self.printed, "Nothing to compare it with")
        if not self.reason:
            return Cell(self.printed, "The same here")
        return Cell(f"{self.printed} ≠ {self.ours}", f"Printed {self.printed}, here {self.ours}: {self.reason}")

    def as_data(self) -> dict[str, Any]:
        return {"cell": list(self.where), "printed": self.printed, "here": self.ours, "reason": self.reason or None}


@dataclass(frozen=True, slots=True)
class Ours:
    """Our number for a printed cell, in percent and not rounded, and the n of both."""

    value: Fraction
    n: int
    printed_n: int


def with_printed(name: str, report: Report) -> Report:
    """The report of one of `TABLES` with a section that has the printed numbers."""
    known = _printed()[name]
    compared = COMPARED[name](known, report.data)
    about = {"where": known["where"], "source": _printed()["source"], "about": known["about"]}
    return beside_printed(report, compared, _table(name, compared), about, [*summary(compared), *known["about"]])


def beside_printed(
    report: Report, compared: Sequence[Compared], table: Table, about: Mapping[str, Any], said: Iterable[str]
) -> Report:
    """The report with a section of the printed numbers in a table, below the text in `said`; its data has the
    section's key in `about`.
    """
    section = Section("Printed in the paper", about=" ".join(said), table=table)
    printed = {**about, "cells": [each.as_data() for each in compared]}
    # Without any number of ours, the printed ones stand alone.
    ours = report.sections if report.lead else []
    return replace(report, sections=[*ours, section], data={**report.data, "printed": printed})


@cache
def _printed() -> dict[str, Any]:
    return json.loads(Path(__file__).with_name("printed.json").read_text(), parse_float=Decimal)


def summary(compared: Sequence[Compared]) -> list[str]:
    """The number of equal cells, and each reason for the others, once."""
    here = [each for each in compared if each.ours is not None]
    if not here:
        return ["Nothing is here yet to compare the printed numbers with."]
    same = sum(not each.reason for each in here)
    reasons = dict.fromkeys(each.reason for each in here if each.reason)
    return [f"{same:,} of {len(here):,} printed cells that are here, too, are the same.", *reasons]


# --- Table 1 ------------------------------------------------------------------------------------------------------


def _of_table_1(known: Mapping[str, Any], counts: Mapping[str, int]) -> list[Compared]:
    instances = known["counts"]["annotated_instances"]
    other = (
        f"This set has {plural(counts['annotated_instances'], 'instance')}, and the paper’s {instances:,}."
        if counts["annotated_instances"] != instances
        else "These are other instances than the released ones."
    )
    reasons = {} if counts["annotated_instances"] != instances else known["reasons"]
    return [
        Compared((name,), printed, counts[name], "" if printed == counts[name] else reasons.get(name, other))
        for name, printed in known["counts"].items()
    ]


# --- Tables 2 to 6: percentages -----------------------------------------------------------------------------------


def _of_table_2(known: Mapping[str, Any], data: Mapping[str, Any], *, name: str = "table2") -> list[Compared]:
    def ours(template: str, model: str, subset: str, verdict: str) -> Ours | None:
        of_subset = _of_model(data[name].get(f"template_{template}", {}), model).get(subset)
        return _share(of_subset, verdict, known["n"][template][subset])

    def reason(template: str, model: str, *_: str) -> str:
        cells = known.get("otherwise", {}).get(template, {}).get(model)
        if not cells:
            return OTHER_RESPONSES
        return f"The released labels count otherwise: {plural(cells, 'cell')} of template {template} and {model}."

    return _compared(known, ours, reason)


def _of_table_3(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Compared]:
    return _of_table_2(known, data, name="table3")


def _of_table_4(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Compared]:
    def ours(judge: str, what: str, score: str = "") -> Ours | None:
        scores = _of_model(data["table4"], judge).get(f"template_{known['template']}")
        if not scores or not scores["n"]:
            return None
        number = scores["accuracy"]["value"] if what == "accuracy" else scores["macro_f"]
        if score:
            verdict = next(verdict for verdict in Verdict if SHORT[verdict] == what)
            number = scores["verdicts"].get(verdict.value, {}).get(SCORES[score])
        # What is not defined is no number.
        return Ours(100 * Fraction(number), scores["n"], known["n"]) if isinstance(number, float) else None

    return _compared(known, ours)


def _of_table_5(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Compared]:
    def ours(model: str, who: str, verdict: str) -> Ours | None:
        side = _of_model(_of_judge(known, data["table5"]), model)
        return _share({"n": side["n"], **side[who]} if side else None, verdict, known["n"])

    return _compared(known, ours)


def _of_table_6(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Compared]:
    def ours(model: str, subset: str, verdict: str) -> Ours | None:
        of_subset = _of_model(_of_judge(known, data["table6"]), model).get("raw", {}).get(subset)
        return _share(of_subset, verdict, known["n"][subset])

    return _compared(known, ours)


COMPARED: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], list[Compared]]] = dict(
    zip(TABLES, (_of_table_1, _of_table_2, _of_table_3, _of_table_4, _of_table_5, _of_table_6), strict=True)
)


def _of_judge(known: Mapping[str, Any], table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Our table's values for the judge and template of the printed one, by model."""
    return _of_model(table, known["judge"]).get(f"template_{known['template']}", {})


def _of_model(table: Mapping[str, Any], model: str) -> Mapping[str, Any]:
    """Our table's values for a printed model, matched by alias; empty if it is missing."""
    names = {plain_name(name) for name in (model, *_printed()["models"].get(model, ()))}
    return next((found for name, found in table.items() if plain_name(name) in names), {})


def plain_name(name: str) -> str:
    """A model's name in the release's form: "mistralai/Mistral-7B-Instruct-v0.2" is mistral-7b-instruct-v0-2."""
    return name.rsplit("/", 1)[-1].lower().replace(".", "-")


def _share(counts: Mapping[str, Any] | None, verdict: str, printed_n: int) -> Ours | None:
    if not counts or not counts["n"]:
        return None
    return Ours(Fraction(100 * counts[verdict]["count"], counts["n"]), counts["n"], printed_n)


def _compared(
    known: Mapping[str, Any],
    ours: Callable[..., Ours | None],
    reason: Callable[..., str] = lambda *_: OTHER_RESPONSES,
) -> list[Compared]:
    return [_cell(where, printed, ours(*where), reason(*where)) for where, printed in leaves(known["percent"])]


def leaves(tree: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Decimal | int]]:
    """The printed numbers of a table, each with the names that lead to it."""
    for name, below in tree.items():
        if isinstance(below, Mapping):
            yield from leaves(below, (*above, name))
        else:
            yield (*above, name), below


def _cell(where: tuple[str, ...], printed: Decimal | int, ours: Ours | None, reason: str) -> Compared:
    """A cell beside the printed one. Numbers are equal if ours rounds to the printed one; a half may have been
    rounded up or down.
    """
    if ours is None:
        return Compared(where, printed, None)
    decimals = 0 if isinstance(printed, int) else 1
    here = half_up(Decimal(ours.value.numerator) / ours.value.denominator, decimals)
    if abs(ours.value - Fraction(printed)) <= Fraction(1, 2 * 10**decimals):
        return Compared(where, printed, here)
    if ours.n != ours.printed_n:
        reason = "Other responses count here: n is not that of the paper."
    return Compared(where, printed, here, reason)


# --- The tables as printed ----------------------------------------------------------------------------------------


def _table(name: str, compared: Sequence[Compared]) -> Table:
    caption = f"Table {name[-1]} as printed"
    if name == "table1":
        rows = [[Cell(LABELS[each.where[0]]), each.cell] for each in compared]
        return Table(caption, [Column("Statistic", words=True), Column("Printed")], rows)
    heads = {"table2": ("Template", "Model"), "table3": ("Template", "Model"), "table4": ("Judge",)}
    return crossed(caption, compared, heads.get(name, ("Model",)), _column)


def _column(tail: tuple[str, ...]) -> Column:
    """A column named by its last word, below the word before it."""
    return Column(tail[-1], WORDS[tail[0]]) if len(tail) > 1 else Column(WORDS[tail[0]])


def crossed(
    caption: str,
    compared: Sequence[Compared],
    heads: Sequence[str],
    column_of: Callable[[tuple[str, ...]], Column],
) -> Table:
    """A table whose rows are named by the first names in `where`, as many as heads, and whose columns by the
    others.
    """
    tails = list(dict.fromkeys(each.where[len(heads) :] for each in compared))
    cells = {each.where: each.cell for each in compared}
    rows = [
        [*map(Cell, row), *(cells.get((*row, *tail), Cell(None, "Not printed")) for tail in tails)]
        for row in dict.fromkeys(each.where[: len(heads)] for each in compared)
    ]
    return Table(caption, [*(Column(head, words=True) for head in heads), *map(column_of, tails)], rows)
