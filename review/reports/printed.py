"""Printed numbers of a paper beside ours, with the known reason for each difference. None enters our numbers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from core.languages import joined, say

from .layout import Cell, Column, Report, Section, Table


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
            return Cell(self.printed, say("Nothing to compare it with"))
        if not self.reason:
            return Cell(self.printed, say("The same here"))
        return Cell(
            f"{self.printed} ≠ {self.ours}",
            say("Printed {printed}, here {ours}: {reason}", printed=self.printed, ours=self.ours, reason=self.reason),
        )

    def as_data(self) -> dict[str, Any]:
        return {"cell": list(self.where), "printed": self.printed, "here": self.ours, "reason": self.reason or None}


def beside_printed(
    report: Report, compared: Sequence[Compared], table: Table, about: Mapping[str, object], said: Iterable[str]
) -> Report:
    """The report with a section of the printed numbers in a table, below the text in `said`; its data has the
    section's key in `about`.
    """
    section = Section(say("Printed in the paper"), about=joined(said), table=table)
    printed = {**about, "cells": [each.as_data() for each in compared]}
    # Without any number of ours, the printed ones stand alone.
    ours = report.sections if report.lead else []
    return replace(report, sections=[*ours, section], data={**report.data, "printed": printed})


def summary(compared: Sequence[Compared]) -> list[str]:
    """The number of equal cells, and each reason for the others, once."""
    here = [each for each in compared if each.ours is not None]
    if not here:
        return [say("There are no numbers yet to compare with the printed ones.")]
    same = sum(not each.reason for each in here)
    reasons = dict.fromkeys(each.reason for each in here if each.reason)
    return [
        say("{same:,} of {here:,} printed cells that exist here are the same.", same=same, here=len(here)),
        *reasons,
    ]


def plain_name(name: str) -> str:
    """A model's name in the release's form: "mistralai/Mistral-7B-Instruct-v0.2" is mistral-7b-instruct-v0-2."""
    return name.rsplit("/", 1)[-1].lower().replace(".", "-")


def leaves(tree: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Decimal | int]]:
    """The printed numbers of a table, each with the names that lead to it."""
    for name, below in tree.items():
        if isinstance(below, Mapping):
            yield from leaves(below, (*above, name))
        else:
            yield (*above, name), below


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
        [*map(Cell, row), *(cells.get((*row, *tail), Cell(None, say("Not printed"))) for tail in tails)]
        for row in dict.fromkeys(each.where[: len(heads)] for each in compared)
    ]
    return Table(caption, [*(Column(head, words=True) for head in heads), *map(column_of, tails)], rows)
