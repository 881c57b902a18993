"""Assembles the reply to a query from its pieces, of whatever shape."""

from collections.abc import Iterable, Iterator
from typing import Any

from core.languages import say
from core.outside import storable

from .pages import MissingPage


class Reply:
    """One complete reply, merged from its pieces by page."""

    def __init__(self) -> None:
        self.pages: dict[Any, dict[str, Any]] = {}
        self.normalized: list[dict[str, str]] = []
        self.redirects: list[dict[str, str]] = []
        self.interwiki: list[dict[str, str]] = []
        self.after: dict[str, Any] | None = None

    def add(self, query: Any) -> bool:
        """Merge a piece; returns whether it contained anything new."""
        if not isinstance(query, dict):
            return False
        grew = False
        for page in dictionaries(query.get("pages")):
            kept = self.pages.setdefault(page.get("pageid") or page.get("title"), {})
            for name, value in page.items():
                if isinstance(value, list) and name in kept:
                    value = kept[name] + [one for one in value if one not in kept[name]]
                grew |= kept.get(name) != value
                kept[name] = value
        for name in ("normalized", "redirects", "interwiki"):
            known = getattr(self, name)
            known.extend(step for step in dictionaries(query.get(name)) if step not in known)
        return grew

    def leads_to(self, title: str) -> str:
        """The title that a requested one resolves to: normalised, then redirected."""
        for steps in (self.normalized, self.redirects):
            onward = from_to(steps)
            passed = {title}
            while title in onward and onward[title] not in passed:
                title = onward[title]
                passed.add(title)
        return title

    def asked_as(self, titles: Iterable[str]) -> dict[str, str]:
        """For each page that a redirect led to, the title asked for; "" if the page itself was asked for too."""
        redirected = set(from_to(self.redirects))
        names: dict[str, str] = {}
        for asked in titles:
            normal = from_to(self.normalized).get(asked, asked)
            target = self.leads_to(asked)
            if normal not in redirected:
                names[target] = ""
            else:
                names.setdefault(target, asked)
        return names

    def elsewhere(self, titles: Iterable[str], answered: set[str]) -> Iterator[MissingPage]:
        """The requested titles that no page of the reply answers."""
        abroad = {str(step.get("title")): str(step.get("iw")) for step in self.interwiki}
        for asked in titles:
            target = self.leads_to(asked)
            if asked in abroad or target in abroad:
                prefix = abroad.get(asked) or abroad[target]
                yield MissingPage(asked, say("It belongs to another wiki ({prefix}).", prefix=storable(prefix)))
            elif target not in answered:
                yield MissingPage(
                    asked, say("The wiki gave no answer for it, as happens when redirects form a circle.")
                )


def lacks_text(page: dict[str, Any]) -> bool:
    """Return whether an existing article came without its revision, as happens when a reply is cut."""
    unusable = page.get("missing") or page.get("invalid") or page.get("special") or page.get("redirect")
    return not unusable and page.get("ns") == 0 and "pageid" in page and not page.get("revisions")


def dictionaries(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def from_to(steps: list[dict[str, Any]]) -> dict[str, str]:
    return {str(step.get("from")): str(step.get("to")) for step in steps}
