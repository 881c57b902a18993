"""The parts of a datasheet: sections of paragraphs and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Table:
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    @property
    def has_header(self) -> bool:
        return any(self.header)


@dataclass(slots=True)
class Section:
    heading: str
    paragraphs: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
