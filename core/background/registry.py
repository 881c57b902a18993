"""The kinds of work that pages hand to a worker. An app registers its own in its `apps.py`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from django import forms


class Result(Protocol):
    """The result of an import, a release or a check."""

    def lines(self) -> Iterable[str]:
        """The result as lines of text."""
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """A form, and what is done with it, in a request or in a worker.

    `form` gets data, files, and the parts of the page's address by name. `do` gets the form's cleaned data, with
    files open for reading, `check_only`, the `user` who asked, and the parts of the address by name; it raises
    Refusal, having changed nothing. Uploaded files of up to `at_once` bytes are read in the request, within about a
    second. `page` names the page that shows what the work stored, if it has one.
    """

    code: str
    title: str
    form: Callable[..., forms.Form]
    do: Callable[..., Result]
    at_once: int = 256 * 1024
    page: str = ""


_kinds: dict[str, Callable[[], Kind]] = {}


def register(code: str, kind: Callable[[], Kind]) -> None:
    """Register a kind of work; `kind` imports it on use."""
    _kinds[code] = kind


def kind_of(code: str) -> Kind | None:
    """The kind of work with this code; None if this version of the program has none."""
    return _kinds[code]() if code in _kinds else None
