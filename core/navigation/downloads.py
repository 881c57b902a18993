"""The words for files that people downloaded, for the activity log. Each app registers those of its own addresses."""

from collections.abc import Callable

from django.urls import Resolver404, resolve

Says = Callable[..., str]

FORMATS = {"jsonl": "JSON Lines", "latex": "LaTeX", "tex": "LaTeX", "text": "text", "txt": "text"}
_said: dict[str, Says] = {}


def register_downloads(**says: Says) -> None:
    """Register the words for each file by the name of its address; the address's values are the arguments."""
    _said.update(says)


def downloaded_from(address: str) -> str:
    """The file that this address gives, as "Table 2 as CSV"; where no app has words for it, the address itself."""
    try:
        found = resolve(address.partition("?")[0])
    except Resolver404:  # an address of an earlier version
        return f"a file from {address}"
    says = _said.get(found.view_name)
    return says(**found.kwargs) if says else f"a file from {address}"


def as_format(kind: str) -> str:
    """ "as CSV", of the code of a format."""
    return f"as {FORMATS.get(kind, kind.upper())}"
