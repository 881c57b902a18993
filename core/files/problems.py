"""Problems with a file of records, and their report."""

from typing import Any

from ..languages import changed, joined, say
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
        super().__init__(
            say("The file was refused as a whole, and nothing was written. {reason}", reason=reason), status=400
        )
        self.reason = reason


def broken(reason: str) -> Broken:
    return Broken(reason)


def with_title(what: str, where: int, title: object) -> str:
    """The name of a record by its number in the file, with its title if it has one: "Record 7 (“Rome”)"."""
    name = say("{what} {where}", what=what, where=where)
    if not isinstance(title, str) or not title.strip():
        return name
    shown = title[:80] if title.isprintable() else ascii(title[:80])[1:-1]
    return say("{name} (“{title}”)", name=name, title=shown)


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
            self.shown.append(changed(say("{where}: {problem}", where=where, problem=str(problem)), _shortened))
        if self.count >= MOST_PROBLEMS:
            raise broken(say("{problems} The rest of the file was not read.", problems=self.text()))

    def refuse(self) -> None:
        """Raises Refusal if there is any problem."""
        if self.count:
            raise broken(self.text())

    @property
    def forbid_writing(self) -> bool:
        """Return whether they prevent writing."""
        return self.count > 0

    def keep(self) -> None:
        """Called when the whole file can be imported, before anything is written."""

    def text(self) -> str:
        """The report: the first problems, and the number of the others."""
        shown = joined([joined((changed(each, _without_stop) for each in self.shown), ". "), "."], "")
        more = self.count - len(self.shown)
        if not more:
            return shown
        return joined([shown, say("{more:,} more records have problems.", more=more)])

    def __str__(self) -> str:
        return self.text()


def _shortened(text: str) -> str:
    return text if len(text) <= PROBLEM_LENGTH else f"{text[:PROBLEM_LENGTH]}…"


def _without_stop(text: str) -> str:
    return text.removesuffix(".")


class ShapeError(ValueError):
    """The value is not a valid record; `field` says where."""

    def __init__(self, field: str, problem: str):
        super().__init__(say("the field “{field}” {problem}", field=field, problem=problem) if field else problem)
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
                raise ShapeError(
                    name, say("contains a character that is not text (a NUL or half of a character pair)")
                )
        elif isinstance(value, dict | list):
            if level > MOST_LEVELS:
                raise ShapeError(
                    name.split(".")[0], say("is nested deeper than {most_levels} levels", most_levels=MOST_LEVELS)
                )
            items = value.items() if isinstance(value, dict) else enumerate(value, start=1)
            for key, member in items:
                inner = f"{name}.{key}" if name else str(key)
                if not is_storable(str(key)):
                    raise ShapeError(ascii(inner), say("has a name with a character that is not text"))
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
