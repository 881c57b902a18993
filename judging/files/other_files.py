"""Files that are imported elsewhere, for the message to those who bring one as a file of responses."""

from collections.abc import Callable

# By the beginning of a file: what to do with it; "" if it is any other file.
Recognise = Callable[[str], str]
_recognise: list[Recognise] = []


def register(recognise: Recognise) -> None:
    """Register a file that is imported elsewhere."""
    _recognise.append(recognise)


def where_else(begun: str) -> str:
    """Return what to do with a file of this beginning that is imported elsewhere; "" for any other."""
    return next((said for recognise in _recognise if (said := recognise(begun))), "")
