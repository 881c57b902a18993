"""The shown columns of a wide list. They are part of the address, so a saved view keeps them and no script is
needed.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from django.http import QueryDict

# In the address: once for each column that is shown; not at all where all are.
PARAMETER = "columns"


@dataclass(frozen=True, slots=True)
class Column:
    """A column that can be left out. `at` is its number in the table, from 1."""

    name: str
    label: str
    at: int
    is_number: bool = False
    is_shown: bool = True


@dataclass(frozen=True, slots=True)
class ChosenColumns:
    """The chosen columns of a list, from one address."""

    offered: list[Column]
    # The rest of the address, which the form for choosing columns keeps.
    kept: list[tuple[str, str]]

    @property
    def hidden(self) -> list[Column]:
        return [column for column in self.offered if not column.is_shown]

    @property
    def in_force(self) -> list[str]:
        """The values in the address that other forms of the page keep."""
        return [column.name for column in self.offered if column.is_shown] if self.hidden else []

    @property
    def classes(self) -> str:
        """The classes by which the style sheet hides columns of the table."""
        return " ".join(f"hides-{column.at}" for column in self.hidden)


class Columns:
    """The columns of a list. The first `fixed` ones, which name the row, are always shown; `numbers` names those that
    hold numbers."""

    def __init__(self, fixed: int, *, numbers: Collection[str] = (), **labels: str) -> None:
        self._all = [
            Column(name, label, at, name in numbers)
            for at, (name, label) in enumerate(labels.items(), start=fixed + 1)
        ]

    def __iter__(self) -> Iterator[Column]:
        return iter(self._all)

    def chosen(self, query: QueryDict) -> ChosenColumns:
        """The columns chosen in an address. Unknown names are ignored; if none remain, all columns are shown."""
        names = {column.name for column in self._all}
        wanted = names & set(query.getlist(PARAMETER)) or names
        offered = [replace(each, is_shown=each.name in wanted) for each in self._all]
        kept = [
            (name, value) for name, values in query.lists() if name not in (PARAMETER, "page") for value in values
        ]
        return ChosenColumns(offered, kept)
