"""What ContraDoc's paper prints, for the section beside ours; its slips are said with it. Nothing of it enters any
number of ours."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from annotation.kinds.contradoc.statistics import labelled

from ...reports.layout import Cell, Column, Section, Table

HEADING = "Printed in the paper"
# How the paper divides documents in Table 6.
WORDS = {
    "overall": "All",
    "by doc_type": "Document",
    "by tokens": "Tokens",
    "by scope": "Scope",
    "by type": "Type",
}


@cache
def printed(name: str) -> Mapping[str, Any]:
    """The printed numbers of a report, with where they are printed and what is wrong with them."""
    known = json.loads(Path(__file__).with_name("printed.json").read_text("utf-8"), parse_float=Decimal)
    return known[name]


def printed_table(name: str, columns: Sequence[str]) -> Section:
    """Models and their numbers, of tables with a row for each model."""
    known = printed(name)
    rows = [
        [Cell(model), *(Cell(values.get(column)) for column in columns)] for model, values in known["rows"].items()
    ]
    return section(
        name,
        Table(caption(name), [Column("Model", words=True), *(Column(titled(column)) for column in columns)], rows),
    )


def printed_groups(name: str, models: Sequence[str]) -> Section:
    """Groups of documents and the numbers of each model."""
    columns = [Column("Attribute", words=True), Column("Group", words=True), Column("n")]
    columns += [Column(column, model) for model in models for column in ("Hits", "EHR")]
    rows = [
        [
            Cell(WORDS[kind]),
            Cell(group),
            Cell(values["n"]),
            *(Cell(values[model][of]) for model in models for of in ("hits", "EHR")),
        ]
        for kind, groups in printed(name)["groups"].items()
        for group, values in groups.items()
    ]
    return section(name, Table(caption(name), columns, rows))


def printed_counts(name: str) -> Section:
    """Counts one below the other."""
    rows = [[Cell(words), Cell(count)] for words, count in labelled(printed(name)["counts"])]
    return section(name, Table(caption(name), [Column("Statistic", words=True), Column("Printed")], rows))


def titled(name: str) -> str:
    """The name of a number as the head of a column."""
    return name[:1].upper() + name[1:]


def section(name: str, table: Table) -> Section:
    return Section(HEADING, about=" ".join([f"{printed(name)['where']}.", *printed(name)["slips"]]), table=table)


def caption(name: str) -> str:
    return f"{printed(name)['where']}, as printed"


def data(name: str) -> dict[str, Any]:
    """What is printed, for JSON."""
    return {
        "source": json.loads(Path(__file__).with_name("printed.json").read_text("utf-8"))["source"],
        **printed(name),
    }
