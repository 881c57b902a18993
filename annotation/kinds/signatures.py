"""The signatures of the functions that a benchmark registers for its items: what each gets, returns and raises.

None of them is called in a transaction, and none may change rows, unless its docstring says so.
"""

from collections.abc import Mapping
from typing import Any, BinaryIO, Protocol

from core.files.imports import FileImport
from core.files.skipping import Skipped
from core.models import User

from ..models import Instance, Listed, Release

# An item as it is stored: an object of JSON. Each benchmark's code knows the fields of its own.
Content = Mapping[str, Any]
# Values for a template, by the names that it uses.
Context = Mapping[str, object]
# Whole numbers with their labels, in the order of a page.
Counts = list[tuple[str, int]]
# Label and text of the parts of an item that comments can quote, by their names in `data-quotes`.
Quotable = Mapping[str, tuple[str, str]]


class ListedBy(Protocol):
    def __call__(self, content: Content, /) -> Listed:
        """Return the entry of an item in lists and reports.

        Args:
            content: valid content.

        Returns:
            Its text, and the group, category and subcategory by which lists filter and intervals resample; each must
            fit its column.
        """


class ProblemsOf(Protocol):
    def __call__(self, content: Content, /) -> list[str]:
        """Return the problems of an item.

        Args:
            content: an object of JSON from a file, of any content.

        Returns:
            A sentence for each problem, naming the field; empty if the item is valid. It raises nothing.
        """


class LineOf(Protocol):
    def __call__(self, number: int, content: Content, /) -> dict[str, Any]:
        """Return an item as programs get it, in a line of JSON of its own.

        Args:
            number: its published number in the release, from 1.
            content: its content.

        Returns:
            The object of JSON, in the order in which it is written.
        """


class FieldsOf(Protocol):
    def __call__(self, content: Content, /) -> Mapping[str, Any]:
        """Return the fields of an item that the API gives besides those of all instances, as values of JSON."""


class StatisticsOf(Protocol):
    def __call__(self, release: Release, /) -> Counts:
        """Return a release in whole numbers, each with its label, in the order of its page; empty for the number of
        items alone. It may read every item, so pages keep the result.
        """


class AboutInstance(Protocol):
    def __call__(self, instance: Instance, /) -> Context:
        """Return the values for the template that shows an instance, as its `about`. Called for each row."""


class AboutRelease(Protocol):
    def __call__(self, release: Release, /) -> Context:
        """Return the values for the template of what else the page of a release says, as its `about`."""


class QuotableIn(Protocol):
    def __call__(self, content: Content, /) -> Quotable:
        """Return the texts of an item, beside its question, that comments can quote."""


class ReadFile(Protocol):
    def __call__(
        self,
        stream: BinaryIO,
        *,
        admin: User | None = None,
        check_only: bool = False,
        skipped: Skipped | None = None,
        revision: str = "",
        licence: str = "",
        name: str = "",
    ) -> FileImport:
        """Import a file of items into a new release. This writes, in pieces: do not call it in a transaction.

        Args:
            stream: the bytes of the file; read once, in parts.
            admin: the admin who imports; None is a command.
            check_only: plan and check everything, and write nothing.
            skipped: where bad records go, so that the others are imported; None refuses the file for them.
            revision: the file's revision, such as a commit, for datasheets.
            licence: that of the file's texts, for datasheets and exports; "" records none.
            name: the name of the release; "" is the benchmark's.

        Returns:
            The finished import; its `lines()` are its result in words.

        Raises:
            Refusal: naming every bad record; nothing was written.
        """
