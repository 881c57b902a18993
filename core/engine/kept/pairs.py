"""A migration operation that makes the database maintain sums over pairs of rows, because finding the pairs is slow.

Each statement that changes the rows changes the sums with it, as with `sums.py`: PostgreSQL by all that one
statement changed, SQLite row by row.
"""

# ruff: noqa: S608 - all names and conditions come from migrations

from collections.abc import Iterator
from dataclasses import dataclass

from ..tables import Trigger
from .keepers import KeepFromRows

# When what is done for each kind of statement, the pairs being those in the table at that time.
ON_SQLITE = {
    "gain": ("AFTER INSERT", "+", "NEW"),
    "lose": ("BEFORE DELETE", "-", "OLD"),
    "leave": ("BEFORE UPDATE", "-", "OLD"),
    "enter": ("AFTER UPDATE", "+", "NEW"),
}
ON_POSTGRESQL = {"INSERT": [("+", "new")], "DELETE": [("-", "old")], "UPDATE": [("-", "old"), ("+", "new")]}
# The plan is kept for as long as the connection, and must not be that of the few rows there were at first.
FOLLOWS_INDEXES = "SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off"


@dataclass
class KeepPairSums(KeepFromRows):
    """Maintain, in rows of `keeper`, sums over all pairs of rows of `table` that have the same in the column
    `shared`, for which the table needs an index. `name` begins the triggers' names.

    `sides` has the columns of a row by which pairs are summed: the keeper has those of the row where they are less,
    and those of the other with "other_" before their names. No two rows may have the same in `shared` and `sides`.
    `key` and `sums` have, by other columns of the keeper, SQL for a pair, written `one.name` and `other.name`. No
    two keepers may have the same sides and key. `reads` names the columns of `table` that all this depends on.

    Two transactions that each insert half of a pair at the same time would not see each other's row. So on
    PostgreSQL, an insert waits until the previous one commits.
    """

    name: str
    table: str
    keeper: str
    shared: str
    sides: list[str]
    key: dict[str, str]
    sums: dict[str, str]
    reads: list[str]
    makes_keepers: bool = True

    @property
    def keys(self) -> list[str]:
        return [*self.sides, *(f"other_{column}" for column in self.sides), *self.key]

    @property
    def kept(self) -> list[str]:
        return list(self.sums)

    @property
    def followed(self) -> str:
        return self.table

    def truth(self, vendor: str) -> str:
        one, other = ([f"{row}.{column}" for column in self.sides] for row in ("one", "other"))
        of = ", ".join(
            f"{sql} AS {key}" for sql, key in zip([*one, *other, *self.key.values()], self.keys, strict=True)
        )
        sums = ", ".join(f"SUM({sql}) AS {name}" for name, sql in self.sums.items())
        by = ", ".join(str(number) for number in range(1, len(self.keys) + 1))
        return (
            f"SELECT {of}, {sums} FROM {self.table} one JOIN {self.table} other "
            f"ON other.{self.shared} = one.{self.shared} AND ({', '.join(one)}) < ({', '.join(other)}) GROUP BY {by}"
        )

    def triggers(self, vendor: str) -> Iterator[Trigger]:
        return self._on_postgresql() if vendor == "postgresql" else self._on_sqlite()

    def describe(self) -> str:
        return f"Keep sums over pairs of {self.table} in {self.keeper}"

    def _added(self, sign: str, rows: str, is_changed: str) -> str:
        """Add the pairs among `rows` that meet the condition, or subtract them. Keepers are locked in one order, so
        that no deadlock occurs.
        """
        one, other = ([f"{row}.{column}" for column in self.sides] for row in ("one", "other"))
        key = self.keys
        of = [*one, *other, *self.key.values()]
        numbers = ", ".join(str(number) for number in range(1, len(key) + 1))
        return (
            f"INSERT INTO {self.keeper} ({', '.join([*key, *self.sums])}) "
            f"SELECT {', '.join([*of, *(f'{sign}SUM({sql})' for sql in self.sums.values())])} "
            f"FROM {rows} one JOIN {rows} other ON other.{self.shared} = one.{self.shared} "
            f"AND ({', '.join(one)}) < ({', '.join(other)}) WHERE {is_changed} "
            f"GROUP BY {numbers} ORDER BY {numbers} ON CONFLICT ({', '.join(key)}) DO UPDATE SET "
            + ", ".join(f"{name} = {self.keeper}.{name} + excluded.{name}" for name in self.sums)
        )

    def _on_sqlite(self) -> Iterator[Trigger]:
        for when, (change, sign, row) in ON_SQLITE.items():
            of = f" OF {', '.join(self.reads)}" if change.endswith("UPDATE") else ""
            is_changed = f"one.{self.shared} = {row}.{self.shared} AND {row}.id IN (one.id, other.id)"
            done = f"{self._added(sign, self.table, is_changed)};"
            yield Trigger(f"{self.name}_{when}", f"{change}{of} ON {self.table}", done)

    def _on_postgresql(self) -> Iterator[Trigger]:
        alone = f"PERFORM pg_advisory_xact_lock('{self.table}'::regclass::oid::bigint);"
        for change, steps in ON_POSTGRESQL.items():
            done = "; ".join(self._step(sign, when) for sign, when in steps)
            seen = " ".join(f"{when.upper()} TABLE AS {when}_rows" for _, when in steps)
            yield Trigger(
                f"{self.name}_{change.lower()}",
                f"AFTER {change} ON {self.table} REFERENCING {seen} FOR EACH STATEMENT",
                f"{alone} {done}; RETURN NULL;",
                settings=FOLLOWS_INDEXES,
            )

    def _step(self, sign: str, when: str) -> str:
        """The amounts that a statement adds to the sums, or subtracts, by its rows before or after the change."""
        changed, its = f"{when}_rows", f"(SELECT id FROM {when}_rows)"
        shared = f"(SELECT {self.shared} FROM {changed})"
        is_changed = f"one.{self.shared} IN {shared} AND (one.id IN {its} OR other.id IN {its})"
        if when == "new":
            return self._added(sign, self.table, is_changed)
        names = ", ".join(["id", *dict.fromkeys([self.shared, *self.sides, *self.reads])])
        there = f"SELECT {names} FROM {self.table} WHERE {self.shared} IN {shared} AND id NOT IN {its}"
        before = f"WITH before AS MATERIALIZED (SELECT {names} FROM {changed} UNION ALL {there}) "
        return before + self._added(sign, "before", is_changed)
