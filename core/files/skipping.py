"""Writes the records that cannot be imported to a file of their own; the others are imported."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

from ..engine.writing.spool import Spool
from ..words import plural
from .csv_reader import Row
from .problems import Problems
from .records import NotJson
from .writing import write_output


class Skipped(Problems):
    """Bad records with their reasons, on disk until they are written to the file `target` ("-" is the standard
    output): one JSON object per line with its location (`where`), its `problem`, and the `record`.
    """

    def __init__(self, target: str, *, standard_output: TextIO):
        super().__init__()
        self.target, self.standard_output = target, standard_output
        self.spool = Spool()

    def add(self, where: str, problem: object, record: Any = None) -> None:
        self.count += 1
        self.spool.add({"where": where, "problem": str(problem), "record": _plain(record)})

    def refuse(self) -> None:
        """Do nothing: bad records are skipped."""

    @property
    def forbid_writing(self) -> bool:
        return False

    def keep(self) -> None:
        """Write the file, even if no record is bad. Raises Refusal if it cannot be written."""
        write_output(self.target, self.lines(), standard_output=self.standard_output)
        self.spool.close()

    def lines(self) -> Iterator[str]:
        # ASCII, as a record may hold half of a surrogate pair.
        return (json.dumps(each) + "\n" for each in self.spool)

    def text(self) -> str:
        if not self.count:
            return "No record was skipped."
        target = "above" if self.target == "-" else f"in {self.target}"
        return f"{plural(self.count, 'bad record was', 'bad records were')} skipped: {target}, with the reasons."


def _plain(record: object) -> Any:
    if isinstance(record, Row):
        return record.cells
    return record.text if isinstance(record, NotJson) else record
