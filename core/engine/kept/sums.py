"""A migration operation that makes the database maintain sums over many rows instead of counting them each time.

Each statement that changes the rows changes the sums with it, whichever way it comes. PostgreSQL adds up what one
statement changed, so that many rows at once cost one update.
"""

# ruff: noqa: S608 - all names and conditions come from migrations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..tables import Trigger
from .keepers import KeepFromRows

# The rows that each kind of statement removes and adds, by their names in SQL.
CHANGES = {"INSERT": [("+", "NEW")], "DELETE": [("-", "OLD")], "UPDATE": [("-", "OLD"), ("+", "NEW")]}


class ByDatabase(NamedTuple):
    """SQL that differs between the two databases."""

    sqlite: str
    postgresql: str


@dataclass
class KeepSums(KeepFromRows):
    """Maintain, in rows of `keeper`, sums over the rows of `table` that belong to them. `name` begins the triggers'
    names.

    `key` has, by column of `keeper`, SQL (or `ByDatabase`) for what a row of `table` has there, its own columns
    written `{row}.name`; a row for which one of these is NULL belongs to none. `sums` has, by column of `keeper`, SQL
    for what a row adds to it. `reads` names the columns of `table` that both depend on; none where an update of a row
    changes neither. Sums are never empty.

    With `makes_keepers`, the database makes the keeper of a row that has none; all other columns of it need a default
    in the database, and no two may have the same key. Without, only rows whose keeper is there are summed. If the key
    is its primary key, to which they refer, none can have come before it.

    With `seldom`, few updates of the table change a sum: PostgreSQL then does nothing for the others, and what it
    does for these it does for each row.
    """

    name: str
    table: str
    keeper: str
    key: Mapping[str, Any]
    sums: dict[str, str]
    reads: list[str]
    makes_keepers: bool = False
    seldom: bool = False

    def triggers(self, vendor: str) -> Iterator[Trigger]:
        mine = self._on(vendor)
        return mine._on_postgresql() if vendor == "postgresql" else mine._on_sqlite()

    @property
    def keys(self) -> list[str]:
        return sorted(self.key)

    @property
    def kept(self) -> list[str]:
        return list(self.sums)

    @property
    def followed(self) -> str:
        return self.table

    def truth(self, vendor: str) -> str:
        mine = self._on(vendor)
        key = {own: sql.format(row="each") for own, sql in mine.key.items()}
        named = ", ".join(f"{key[own]} AS {own}" for own in self.keys)
        sums = ", ".join(f"SUM({sql.format(row='each')}) AS {name}" for name, sql in self.sums.items())
        by = ", ".join(str(number) for number in range(1, len(key) + 1))
        return f"SELECT {named}, {sums} FROM {self.table} each WHERE {mine._has_keeper('each')} GROUP BY {by}"

    def _on(self, vendor: str) -> "KeepSums":
        return replace(self, key={own: sql_on(vendor, sql) for own, sql in self.key.items()})

    def describe(self) -> str:
        return f"Keep sums over {self.table} in {self.keeper}"

    @property
    def _may_come_first(self) -> bool:
        """Return whether rows may exist before their keeper."""
        return not self.makes_keepers and list(self.key) != ["id"]

    @property
    def _changes(self) -> list[str]:
        return [change for change in CHANGES if self.reads or change != "UPDATE"]

    def _named(self, change: str) -> str:
        return f"{self.name}_{change.lower()}"

    def _belongs(self, keeper: str, row: str) -> str:
        """The condition that the row belongs to the keeper."""
        return " AND ".join(f"{keeper}.{own} = {sql.format(row=row)}" for own, sql in self.key.items())

    def _begins(self) -> str:
        """Sums over the rows that exist already when their keeper is inserted."""
        sums = ", ".join(
            f"{name} = (SELECT COALESCE(SUM({sql.format(row='summed')}), 0) FROM {self.table} summed "
            f"WHERE {self._belongs('NEW', 'summed')})"
            for name, sql in self.sums.items()
        )
        return f"UPDATE {self.keeper} SET {sums} WHERE id = NEW.id"

    def _made(self, row: str, rows: str, otherwise: str) -> str:
        """Insert missing keepers. Other statements' conflict rules must not matter: with INSERT OR IGNORE, SQLite
        would apply IGNORE to the statements of its triggers as well.
        """
        of = [sql.format(row=row) for sql in self.key.values()]
        is_there = f"EXISTS (SELECT 1 FROM {self.keeper} kept WHERE {self._belongs('kept', row)})"
        return (
            f"INSERT INTO {self.keeper} ({', '.join(self.key)}) SELECT DISTINCT {', '.join(of)} {rows} "
            f"WHERE {self._has_keeper(row)} AND NOT {is_there} {otherwise};"
        )

    def _has_keeper(self, row: str) -> str:
        """The condition that the row belongs to any keeper, existing or not."""
        return " AND ".join(f"{sql.format(row=row)} IS NOT NULL" for sql in self.key.values())

    def _on_sqlite(self) -> Iterator[Trigger]:
        for change in self._changes:
            of = f" OF {', '.join(self.reads)}" if change == "UPDATE" else ""
            yield Trigger(self._named(change), f"AFTER {change}{of} ON {self.table}", self._of_a_row(change, ""))
        if self._may_come_first:
            yield Trigger(self._named("begins"), f"AFTER INSERT ON {self.keeper}", f"{self._begins()};")

    def _of_a_row(self, change: str, otherwise: str) -> str:
        """The statements for one changed row."""
        done = [self._made("NEW", "", otherwise)] if self.makes_keepers and change != "DELETE" else []
        for sign, row in CHANGES[change]:
            sums = ", ".join(f"{name} = {name} {sign} ({sql.format(row=row)})" for name, sql in self.sums.items())
            done.append(f"UPDATE {self.keeper} SET {sums} WHERE {self._belongs(self.keeper, row)};")
        return " ".join(done)

    def _on_postgresql(self) -> Iterator[Trigger]:
        for change in self._changes:
            if change == "UPDATE" and self.seldom:
                yield self._seldom_on_postgresql(change)
                continue
            steps = CHANGES[change]
            made = self._made("each", "FROM new_rows each", "ON CONFLICT DO NOTHING")
            makes = made if self.makes_keepers and change != "DELETE" else ""
            seen = " ".join(f"{row} TABLE AS {row.lower()}_rows" for _, row in steps)
            when = f"AFTER {change} ON {self.table} REFERENCING {seen} FOR EACH STATEMENT"
            yield Trigger(self._named(change), when, f"{makes} {self._added(steps)}; RETURN NULL;")
        if self._may_come_first:
            when = f"AFTER INSERT ON {self.keeper} FOR EACH ROW"
            yield Trigger(self._named("begins"), when, f"{self._begins()}; RETURN NULL;")

    def _seldom_on_postgresql(self, change: str) -> Trigger:
        done = self._of_a_row(change, "ON CONFLICT DO NOTHING")
        read = [sql for sql in (*self.key.values(), *self.sums.values()) if "{row}" in sql]
        differs = " OR ".join(f"({sql.format(row='OLD')}) IS DISTINCT FROM ({sql.format(row='NEW')})" for sql in read)
        is_summed = f"({differs}) AND (({self._has_keeper('OLD')}) OR ({self._has_keeper('NEW')}))"
        when = f"AFTER {change} OF {', '.join(self.reads)} ON {self.table} FOR EACH ROW WHEN ({is_summed})"
        return Trigger(self._named(change), when, f"{done} RETURN NULL;")

    def _added(self, steps: list[tuple[str, str]]) -> str:
        """PostgreSQL's update of the sums by all rows of one statement."""
        key = ", ".join(f"{sql.format(row='each')} AS {own}" for own, sql in self.key.items())
        changed = " UNION ALL ".join(
            f"SELECT {key}, "
            + ", ".join(f"{sign}({sql.format(row='each')}) AS {name}" for name, sql in self.sums.items())
            + f" FROM {row.lower()}_rows each"
            for sign, row in steps
        )
        by, added = ", ".join(self.key), ", ".join(f"SUM({name}) AS {name}" for name in self.sums)
        differs = " OR ".join(f"SUM({name}) <> 0" for name in self.sums)
        sums = ", ".join(f"{name} = kept.{name} + added.{name}" for name in self.sums)
        mine = " AND ".join(f"kept.{own} = added.{own}" for own in self.key)
        return (
            f"UPDATE {self.keeper} kept SET {sums} FROM (SELECT {by}, {added} FROM ({changed}) changed "
            f"GROUP BY {by} HAVING {differs}) added WHERE {mine}"
        )


def sql_on(vendor: str, sql: str | ByDatabase) -> str:
    return sql if isinstance(sql, str) else sql.postgresql if vendor == "postgresql" else sql.sqlite
