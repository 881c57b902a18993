"""SQLite's REPLACE runs no trigger that refuses changes of the row it deletes; triggers of insertions refuse it."""

import sqlite3

import pytest
from django.db import connection

from core.schema.expected import declared_triggers

FROZEN = sorted(
    {each.name.rsplit("_", 1)[0] for each in declared_triggers("sqlite").values() if each.name.endswith("_frozen")}
)
# Unique columns whose rows are written with ON CONFLICT DO NOTHING, which a trigger cannot tell from REPLACE, and a
# rule for some rows only. The database lets anyone delete these rows.
LEFT_OUT = {
    "annotation_evidence": {"one_evidence_per_unnumbered_text"},
    "conflictbank_evidence": {"sqlite_autoindex_conflictbank_evidence_2", "sqlite_autoindex_conflictbank_evidence_3"},
    "conflictbank_relationtemplate": {
        "one_active_template_per_relation",
        "sqlite_autoindex_conflictbank_relationtemplate_1",
    },
}


@pytest.fixture
def outside():
    """A plain connection, as any program opens, to a database with the same tables, and only these triggers."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has no REPLACE.")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND"
            " (type <> 'trigger' OR name LIKE '%_frozen' OR name LIKE '%_kept' OR name LIKE '%_not_replaced')"
        )
        made = [sql for (sql,) in cursor.fetchall()]
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.execute("PRAGMA ignore_check_constraints = ON")
    for sql in sorted(made, key=lambda sql: not sql.startswith("CREATE TABLE")):
        database.execute(sql)
    yield database
    database.close()


def written(database, table, row):
    names = ", ".join(f'"{name}"' for name in row)
    database.execute(f"REPLACE INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


@pytest.mark.django_db
@pytest.mark.parametrize("table", FROZEN)
def test_no_row_that_never_changes_is_replaced(outside, table):
    columns = [
        (name, key) for _, name, *_, key, hidden in outside.execute(f"PRAGMA table_xinfo({table})") if not hidden
    ]
    unique = {"key": [name for name, key in columns if key]} | {
        index: [name for *_, name in outside.execute(f"PRAGMA index_info({index})")]
        for _, index, is_unique, *_ in outside.execute(f"PRAGMA index_list({table})").fetchall()
        if is_unique and index not in LEFT_OUT.get(table, ())
    }
    written(outside, table, {name: 1 for name, _ in columns})
    before = outside.execute(f"SELECT * FROM {table}").fetchall()
    for index, same in unique.items():
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            written(outside, table, {name: 1 if name in same else 2 for name, _ in columns})
        assert outside.execute(f"SELECT * FROM {table}").fetchall() == before, index
    written(outside, table, {name: 3 for name, _ in columns})
