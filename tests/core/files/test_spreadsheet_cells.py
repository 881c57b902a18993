"""Every CSV file of the project is written and read by one module: what was written comes back, and no cell is a
formula to a spreadsheet."""

import ast
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.csv_reader import read_csv
from core.files.spreadsheets import (
    boolean,
    csv_chunks,
    escaped,
    is_formula,
    read_table,
    unescaped,
    with_decimal_point,
)
from core.refusals import Refusal
from tests.structure import nodes_naming, source_files

HARD = st.text(alphabet="'=+-@\uff1d\uff0b\uff0d\uff20\t\r\n \u00a0\ufeff15.,%\";a\U0001f642", max_size=8)
CELLS = HARD | st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)


@given(CELLS)
def test_what_is_escaped_comes_back(text):
    assert unescaped(escaped(text)) == text


@given(CELLS)
def test_no_escaped_cell_is_a_formula(text):
    assert not is_formula(escaped(text))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("'-5", "'-5"),
        ("-5", "-5"),
        ("'-", "''-"),
        ("=1+1", "'=1+1"),
        ("'=1+1", "''=1+1"),
        ("\uff1dcmd", "'\uff1dcmd"),
        (" @you", "' @you"),
        ("'quoted'", "'quoted'"),
    ],
)
def test_only_what_a_spreadsheet_would_run_gets_an_apostrophe(text, cell):
    assert escaped(text) == cell
    assert unescaped(cell) == text


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=4), st.lists(HARD, min_size=3, max_size=3, unique=True))
def test_a_file_comes_back_as_it_went_out(rows, columns):
    written = "".join(csv_chunks(columns, [dict(zip(columns, row, strict=True)) for row in rows]))
    assert all(not is_formula(cell) for row in csv.reader(io.StringIO(written, newline="")) for cell in row)
    assert [cells for _, cells in read_table(io.StringIO(written, newline=""))] == [columns, *map(list, rows)]


def test_each_row_knows_the_line_on_which_it_begins():
    text = 'a,b\r\n1,"x\ny"\r\n2,z\r\n'
    assert [line for line, _ in read_table(io.StringIO(text, newline=""))] == [1, 2, 4]


@pytest.mark.parametrize("header", ["a;b;c", "a\tb\tc", '"a,,,,";b;c'])
def test_other_separators_are_seen_in_the_header(header):
    assert len(next(read_table(io.StringIO(f"{header}\n1;2;3\n", newline="")))[1]) == 3


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("line", "separator"),
    [("sep=;", ";"), ('"sep=;"', ";"), ("\ufeffsep=,", ","), ("SEP=|", "|"), ("sep=\t", "\t"), ('"sep=\t"', "\t")],
)
def test_a_line_may_name_the_separator(line, separator, end):
    rows = [["a,b", "c;d"], ["1", "x\ty|z"], ["2,5", ""]]
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=separator, lineterminator=end).writerows(rows)
    lines = io.StringIO(f"{line}{end}{table.getvalue()}", newline="")
    assert list(read_table(lines)) == [(2, rows[0]), (3, rows[1]), (4, rows[2])]


@pytest.mark.parametrize("header", ["sep=a;b", "a;sep=;", "sep", "sep=,b"])
def test_a_column_may_be_called_sep(header):
    assert next(read_table([f"{header}\n", "1\n"]))[0] == 1


@pytest.mark.parametrize(
    ("cell", "value"),
    [("TRUE", True), ("False", False), (" true ", True), ("WAHR", True), ("FALSCH", False), ("VRAI", True)],
)
def test_a_boolean_is_read_as_a_spreadsheet_writes_it(cell, value):
    assert boolean(cell) is value


@pytest.mark.parametrize("cell", ["", "1", "0", "yes", "maybe", "TRUEFALSE"])
def test_nothing_else_is_a_boolean(cell):
    assert boolean(cell) is None


@pytest.mark.parametrize(
    ("cell", "number"),
    [("0,125", "0.125"), ("12,5", "12.5"), ("1,2345", "1.2345"), ("1,234", "1,234"), ("a,5", "a,5")],
)
def test_a_decimal_comma_is_one_if_it_can_be_nothing_else(cell, number):
    assert with_decimal_point(cell) == number


@pytest.mark.parametrize("is_exact", [True, False])
def test_columns_without_name_at_the_end_may_be_empty_and_not_more(is_exact):
    (row,) = read_csv(["a;b;;\r\n1;2;;\r\n;;;\r\n"], is_exact=is_exact)
    assert row.cells == {"a": "1", "b": "2", "": ""}
    with pytest.raises(Refusal, match="Line 2 has 4 cells"):
        list(read_csv(["a;b;;\r\n1;2;;3\r\n"], is_exact=is_exact))


def test_nothing_else_reads_or_writes_csv():
    calls = [(path, node.func) for path, node in nodes_naming(["csv."], source_files()) if isinstance(node, ast.Call)]
    named = [(path, call) for path, call in calls if isinstance(call, ast.Attribute)]
    of_csv = [
        (path, call.attr) for path, call in named if isinstance(call.value, ast.Name) and call.value.id == "csv"
    ]
    assert {path.name for path, name in of_csv if name != "Error"} == {"spreadsheets.py"}
