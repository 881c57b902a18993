"""A wiki's HTML of an article or talk page, arranged for reading beside the annotator's form.

Elements with text are kept: paragraphs, headings, lists, tables, captions, links. Parts that are not text of the
article (citation marks, clean-up tags, banners) go into separate elements, so that a selection can leave it out.
Everything goes through `sanitise.safe` last. Text in, text out: nothing here knows of Django.
"""

import html
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ..wikitext.scripts import SCRIPTS, script_form
from . import sanitise
from .page_tree import Element, parse, serialise

DROPPED = {
    "audio", "button", "canvas", "embed", "input", "link", "map", "math", "meta", "object", "option", "select", "svg",
    "video",
}  # fmt: skip
# Navigation, and what only works with the wiki's own script or style sheet.
DROPPED_CLASSES = {
    "catlinks", "geo-multi-punct", "geo-nondefault", "mw-editsection", "mw-empty-elt", "mw-indicators",
    "mw-jump-link", "mw-kartographer-map", "mwe-math-mathml-a11y", "mwe-math-mathml-inline", "navbar", "navbox",
    "navbox-styles", "portalbox", "printfooter", "sistersitebox", "sortkey", "toc", "tocnumber", "vertical-navbox",
}  # fmt: skip
ASIDE_CLASSES = {"Inline-Template", "mw-cite-backlink", "mw-ref", "reference", "noprint"}
BANNER_CLASSES = {"ambox", "cmbox", "imbox", "mbox-small", "ombox", "tmbox"}
_HIDDEN = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
# Texts that an editor recognises as a mark: [1], [note 2], [citation needed].
_MARK = re.compile(r"\s*[\[［].{1,80}[\]］]\s*(?::\s*[\w–, -]{1,30})?\s*", re.DOTALL)
_HEADING = re.compile(r"h[1-6]")
_RENAMED = {"h1": "h2", "center": "div", "strike": "s", "tt": "code", "big": "span", "font": "span", "form": "div"}
_MAY_BE_EMPTY = {"br", "hr", "td", "th", "tr", "table", "tbody", "thead", "tfoot"}
_SPANS = ("colspan", "rowspan")


@dataclass(frozen=True, slots=True)
class Heading:
    """An entry in the list of sections; `id` is its anchor in the text."""

    id: str
    level: int
    title: str


@dataclass(slots=True)
class Arranged:
    """HTML that is fit to show, and its structure."""

    html: str = ""
    headings: list[Heading] = field(default_factory=list)
    tag_found: bool = False
    # The omissions, described for the reader.
    notes: list[str] = field(default_factory=list)


class Arranger:
    """Rebuilds one page. `prefix` keeps apart the ids of several pages that are shown together."""

    def __init__(self, page_url: str, prefix: str):
        parts = urlsplit(page_url)
        self.scheme = parts.scheme or "https"
        self.origin = f"{self.scheme}://{parts.netloc}" if parts.netloc else ""
        self.folder = page_url.rpartition("/")[0]
        self.prefix = f"{sanitise.ID_PREFIX}{prefix}-"
        self.headings: list[Heading] = []

    def arrange(self, source: str) -> Element:
        return Element("div", children=self._within(parse(source)))

    def _within(self, element: Element, *, in_table: bool = False) -> list[Element | str]:
        children: list[Element | str] = []
        for child in element.children:
            if isinstance(child, str):
                children.append(child)
            else:
                children += self._kept(child, in_table)
        return children

    def _kept(self, element: Element, in_table: bool) -> list[Element | str]:
        name = element.name
        if name == "img":
            return _formula(element)
        if name in DROPPED or _is_hidden(element):
            return []
        if element.classes & BANNER_CLASSES:
            return self._banner(element)
        if _is_aside(element):
            return _aside(element)
        if name == "table":
            return self._table(element, in_table)
        if _HEADING.fullmatch(name):
            return self._heading(element)
        children = self._within(element, in_table=in_table)
        if name == "a":
            return self._link(element, children)
        name = _name_of(element)
        if name not in sanitise.TAGS or (name == "span" and "dir" not in element.attributes):
            return children
        if name not in _MAY_BE_EMPTY and not any(map(_is_something, children)):
            return []
        return [Element(name, _attributes(element), children)]

    def _banner(self, element: Element) -> list[Element | str]:
        cells = [one for one in element.elements() if "mbox-text" in one.classes]
        cells = cells or [one for one in element.elements() if one.name == "td"] or [element]
        children: list[Element | str] = []
        for cell in cells:
            children += [*([" "] if children else []), *self._within(cell, in_table=True)]
        classes = {"class": f"{sanitise.ASIDE} {sanitise.BANNER}"}
        return [Element("div", classes, children)] if any(map(_is_something, children)) else []

    def _heading(self, element: Element) -> list[Element | str]:
        children = self._within(element)
        title = " ".join(own_text(Element("div", children=children)).split())
        if not title:
            return []
        name = _name_of(element)
        heading = Heading(f"{self.prefix}s{len(self.headings) + 1}", int(name[1]), title)
        self.headings.append(heading)
        return [Element(name, {"id": heading.id}, children)]

    def _table(self, element: Element, in_table: bool) -> list[Element | str]:
        is_infobox = any("infobox" in name.lower() or name in ("biota", "taxobox") for name in element.classes)
        classes = {"class": sanitise.INFOBOX if is_infobox else sanitise.TABLE}
        table = Element("table", _attributes(element) | classes, self._within(element, in_table=True))
        if is_infobox or in_table:
            return [table]
        scroll = {"class": sanitise.SCROLL, "tabindex": "0", "role": "region", "aria-label": "Table"}
        return [Element("div", scroll, [table])]

    def _link(self, element: Element, children: list[Element | str]) -> list[Element | str]:
        address = self._address(element.attributes.get("href", ""))
        is_missing_page = "new" in element.classes
        if not address or is_missing_page or not any(map(_is_something, children)):
            return children
        return [Element("a", {"href": address}, children)]

    def _address(self, href: str) -> str:
        """The absolute address of a link; "" if it stays within the page or does not lead to a web page."""
        href = href.strip()
        if href.startswith(("https://", "http://")):
            return href
        if href.startswith("//"):
            return f"{self.scheme}:{href}"
        if href.startswith("/") and self.origin:
            return self.origin + href
        if href.startswith("./") and self.folder:
            return self.folder + href[1:]
        return ""


def own_text(element: Element) -> str:
    """The text of an arranged element, without marks, tags and banners."""
    pieces: list[str] = []
    waiting: list[Element | str] = list(reversed(element.children))
    while waiting:
        child = waiting.pop()
        if isinstance(child, str):
            pieces.append(html.unescape(child))
        elif child.name == "br":
            pieces.append("\n")
        elif sanitise.ASIDE in child.classes:
            continue
        elif child.name in SCRIPTS:
            pieces.append(script_form(own_text(child), child.name, before=pieces[-1] if pieces else ""))
        else:
            waiting += reversed(child.children)
    return "".join(pieces)


def finished(root: Element) -> str:
    """The tree as HTML that is safe to show."""
    return sanitise.safe(serialise(root))


def note(text: str) -> Element:
    """A note of our own within other people's text."""
    return Element("p", {"class": f"{sanitise.ASIDE} {sanitise.NOTE}"}, [html.escape(text)])


def _name_of(element: Element) -> str:
    if "thumbcaption" in element.classes:
        return "figcaption"
    if "thumb" in element.classes and element.name == "div":
        return "figure"
    return _RENAMED.get(element.name, element.name)


def _attributes(element: Element) -> dict[str, str]:
    """The attributes to keep, which `sanitise` checks again."""
    if not element.attributes:
        return {}
    names = ["dir", "lang"]
    if element.name in ("td", "th"):
        names += [*_SPANS, "scope"]
    elif element.name in ("ol", "li"):
        names += ["start", "value"]
    elif element.name == "abbr":
        names.append("title")
    return {name: element.attributes[name] for name in names if element.attributes.get(name)}


def _is_hidden(element: Element) -> bool:
    attributes = element.attributes
    if not attributes:
        return False
    return (
        not DROPPED_CLASSES.isdisjoint(element.classes)
        or "hidden" in attributes
        or attributes.get("id") == "toc"
        or ("style" in attributes and bool(_HIDDEN.search(attributes["style"])))
    )


def _is_aside(element: Element) -> bool:
    if element.name == "sup":
        return not ASIDE_CLASSES.isdisjoint(element.classes) or bool(_MARK.fullmatch(element.text()))
    if element.name != "span" or ASIDE_CLASSES.isdisjoint(element.classes):
        return False
    return "noprint" not in element.classes or bool(_MARK.fullmatch(element.text()))


def _aside(element: Element) -> list[Element | str]:
    """A mark as its bare text: its link target is of no use here."""
    text = element.text().strip()
    name = "sup" if element.name == "sup" else "span"
    return [Element(name, {"class": sanitise.ASIDE}, [html.escape(text, quote=False)])] if text else []


def _formula(image: Element) -> list[Element | str]:
    """A formula as its source: wikis send a picture with the source as alternative text."""
    alternative = image.attributes.get("alt", "").strip()
    is_formula = any(name.startswith("mwe-math") or name == "tex" for name in image.classes)
    return [Element("code", children=[html.escape(alternative, quote=False)])] if is_formula and alternative else []


def _is_something(child: Element | str) -> bool:
    return isinstance(child, Element) or bool(html.unescape(child).strip())
