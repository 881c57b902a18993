"""Rows as a Parquet file, a group of rows at a time. pyarrow is loaded on use: it is large, and few need it."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.languages import say
from core.refusals import Refusal

from ..files.tables import Column, Kind

# A group ends at whichever comes first. Its text is in memory twice.
MOST_ROWS = 5_000
MOST_CHARACTERS = 2_000_000

Row = Mapping[str, Any]


def check_installed() -> None:
    """Raises Refusal if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise Refusal(
            say("This needs pyarrow, which is not installed here: pip install pyarrow. Nothing was written.")
        ) from error


def write_parquet(path: Path, columns: Iterable[Column], rows: Iterable[Row]) -> int:
    """Write the file; returns the number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {
        Kind.TEXT: pa.string(),
        Kind.TEXTS: pa.list_(pa.string()),
        Kind.WHOLE_NUMBER: pa.int64(),
        Kind.NUMBER: pa.float64(),
        Kind.YES_NO: pa.bool_(),
        Kind.TIME: pa.timestamp("us", tz="UTC"),
    }
    schema = pa.schema([pa.field(column.name, kinds[column.kind]) for column in columns])
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd", write_page_index=True) as writer:
        for group in row_groups(rows):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def row_groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    characters = 0
    for row in rows:
        group.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(group) == MOST_ROWS or characters >= MOST_CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group
