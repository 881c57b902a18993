"""Files that are imported elsewhere, for the message to those who bring one as a file of responses."""

from typing import Protocol


class Recognise(Protocol):
    def __call__(self, begun: str, /) -> str:
        """Return where a file is imported instead, as sentences that name the page or the command.

        Args:
            begun: the beginning of the file's text, of any content.

        Returns:
            The sentences; "" if it is any other file. It raises nothing.
        """


_recognise: list[Recognise] = []


def register(recognise: Recognise) -> None:
    """Register a file that is imported elsewhere."""
    _recognise.append(recognise)


def where_else(begun: str) -> str:
    """Return what to do with a file of this beginning that is imported elsewhere; "" for any other."""
    return next((said for recognise in _recognise if (said := recognise(begun))), "")
