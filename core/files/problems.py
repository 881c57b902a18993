"""Problems with a file of records, and their report."""

from typing import Any

from ..outside import is_storable
from ..refusals import Refusal

# How many problems are reported, and after how many reading stops.
PROBLEMS_SHOWN = 5
MOST_PROBLEMS = 1_000
PROBLEM_LENGTH = 300
MOST_LEVELS = 30


class Broken(Refusal):
    """Raised if nothing of the file can be imported; `reason` says why."""

    def __init__(self, reason: str):
        super().__init__(f"The file was refused as a whole, and nothing was written. {reason}", status=400)
        self.reason = reason


def broken(reason: str) -> Broken:
    return Broken(reason)


def with_title(what: str, where: int, title: object) -> str:
    """The name of a record by its number in the file, with its title if it has one: "Record 7 (“Rome”)"."""
    if not isinstance(title, str) or not title.strip():
        return f"{what} {where}"
    return f"{what} {where} (“{ascii(title[:80])[1:-1] if not title.isprintable() else title[:80]}”)"


class Problems:
    """Problems with the records of a file. The first ones are reported, with record and field."""

    shown_at_most = PROBLEMS_SHOWN

    def __init__(self) -> None:
        self.count = 0
        self.shown: list[str] = []

    def add(self, where: str, problem: object, record: Any = None) -> None:
        """Add a problem of a record. Raises Refusal if there are too many: a file full of them is not read to its
        end.
        """
        self.count += 1
        if self.count <= self.shown_at_most:
            text = f"{where}: {problem}"
            self.shown.append(text if len(text) <= PROBLEM_LENGTH else f"{text[:PROBLEM_LENGTH]}…")
        if self.count >= MOST_PROBLEMS:
            raise broken(f"{self} The rest of the file was not read.")

    def refuse(self) -> None:
        """Raises Refusal if there is any problem."""
        if self.count:
            raise broken(str(self))

    @property
    def forbid_writing(self) -> bool:
        """Return whether they prevent writing."""
        return self.count > 0

    def keep(self) -> None:
        """Called when the whole file can be imported, before anything is written."""

    def __str__(self) -> str:
        more = self.count - len(self.shown)
        shown = ". ".join(each.removesuffix(".") for each in self.shown)
        return f"{shown}." + (f" {more:,} more records have problems." if more else "")


class ShapeError(ValueError):
    """The value is not a valid record; `field` says where."""

    def __init__(self, field: str, problem: str):
        super().__init__(f"the field “{field}” {problem}" if field else problem)
        self.field, self.problem = field, problem


class Clash(ShapeError):
    """Raised for a valid record that conflicts with existing data."""

    def __init__(self, problem: str):
        super().__init__("", problem)


def check_storable(record: object) -> None:
    """Raises ShapeError if the record holds a NUL or half of a surrogate pair, which no database stores, or is nested
    too deeply."""
    if _is_storable(record):
        return
    left: list[tuple[str, Any, int]] = [("", record, 1)]
    while left:
        name, value, level = left.pop()
        if isinstance(value, str):
            if not is_storable(value):
                raise ShapeError(name, "contains a character that is not text (a NUL or half of a character pair)")
        elif isinstance(value, dict | list):
            if level > MOST_LEVELS:
                raise ShapeError(name.split(".")[0], f"is nested deeper than {MOST_LEVELS} levels")
            items = value.items() if isinstance(value, dict) else enumerate(value, start=1)
            for key, member in items:
                inner = f"{name}.{key}" if name else str(key)
                if not is_storable(str(key)):
                    raise ShapeError(ascii(inner), "has a name with a character that is not text")
                left.append((inner, member, level + 1))


def _is_storable(record: object) -> bool:
    """Return whether the record can be stored, without finding the reason if not: in a third of the time."""
    texts: list[str] = []
    level: list[object] = [record]
    for _ in range(MOST_LEVELS):
        members: list[object] = []
        for value in level:
            if type(value) is str:
                texts.append(value)
            elif type(value) is dict:
                texts += value
                members += value.values()
            elif type(value) is list:
                members += value
        if not members:
            return is_storable("".join(texts))
        level = members
    return False
