"""HTML as a tree: read leniently, written back tidily. Whether it is safe is decided by `sanitise`, never here."""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator

# Beyond this depth, which nobody reaches in good faith, elements are dropped; their text stays.
DEEPEST = 100

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
# Their content is neither text for readers nor HTML.
UNREAD = {"script", "style", "textarea", "title", "iframe", "noembed", "noframes", "noscript", "xmp", "template"}
BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html",
    "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
    "ul",
}  # fmt: skip
# Start tags that implicitly close an open element.
_ENDS = {
    "li": {"li"},
    "dd": {"dd", "dt"},
    "dt": {"dd", "dt"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th"},
    "th": {"td", "th"},
}
_TOKEN = re.compile(
    r"<!--(?:>|->|.*?(?:-->|--!>|\Z))|<[!?][^>]*>|"
    r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9:-]*)(?P<attributes>(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)/?>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_STRUCTURE = {"p", *(f"h{level}" for level in range(1, 7))}


class Element:
    """An element with its children; a child that is a string is text as in the source, entities included."""

    __slots__ = ("_classes", "attributes", "children", "name")

    def __init__(self, name: str, attributes: dict[str, str] | None = None, children: "Iterable[Element | str]" = ()):
        self.name = name
        self.attributes = attributes or {}
        self.children = list(children)
        self._classes: frozenset[str] | None = None

    @property
    def classes(self) -> frozenset[str]:
        if self._classes is None:
            self._classes = frozenset(self.attributes.get("class", "").split())
        return self._classes

    def add_class(self, name: str) -> None:
        self.set_classes(self.classes | {name})

    def set_classes(self, names: frozenset[str]) -> None:
        self._classes = names
        self.attributes.pop("class", None)
        if names:
            self.attributes["class"] = " ".join(sorted(names))

    def elements(self) -> Iterator["Element"]:
        """All elements inside it, in document order."""
        waiting = [child for child in reversed(self.children) if isinstance(child, Element)]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += [child for child in reversed(element.children) if isinstance(child, Element)]

    def raw_texts(self) -> Iterator[str]:
        waiting: list[Element | str] = list(reversed(self.children))
        while waiting:
            child = waiting.pop()
            if isinstance(child, str):
                yield child
            else:
                if child.name == "br":
                    yield "\n"
                waiting += reversed(child.children)

    def text(self) -> str:
        """The text that readers see, line breaks as newlines."""
        return html.unescape("".join(self.raw_texts()))


def parse(source: str) -> Element:
    """The tree of a piece of HTML. Comments, and elements whose content is not text, are left out."""
    root = Element("div")
    stack = [root]
    ignored: Counter[str] = Counter()
    position = 0
    while match := _TOKEN.search(source, position):
        if match.start() > position:
            stack[-1].children.append(source[position : match.start()])
        position = match.end()
        if match["name"] is None:
            continue
        name = match["name"].lower()
        if match["close"]:
            _close(stack, name, ignored)
        elif name in UNREAD:
            position = _behind(source, name, position)
        elif len(stack) > DEEPEST and name not in VOID:
            ignored[name] += 1
        else:
            _open(stack, Element(name, _attributes(match["attributes"])))
    if position < len(source):
        stack[-1].children.append(source[position:])
    return root


def _attributes(written: str) -> dict[str, str]:
    """The first value of each name."""
    if not written.strip():
        return {}
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), html.unescape(double or single or bare))
    return found


def _open(stack: list[Element], element: Element) -> None:
    ends = _ENDS.get(element.name, set())
    while len(stack) > 1 and (stack[-1].name in ends or (element.name in BLOCKS and stack[-1].name == "p")):
        stack.pop()
    stack[-1].children.append(element)
    if element.name not in VOID:
        stack.append(element)


def _close(stack: list[Element], name: str, ignored: Counter[str]) -> None:
    if ignored[name]:
        ignored[name] -= 1
        return
    for index in range(len(stack) - 1, 0, -1):
        if stack[index].name == name:
            del stack[index:]
            return
        # `</b>` does not end a paragraph, nor `</p>` a table cell.
        if stack[index].name in BLOCKS and (name not in BLOCKS or name in _STRUCTURE):
            return


def _behind(source: str, name: str, position: int) -> int:
    end = re.compile(rf"</{name}\b[^>]*>", re.IGNORECASE).search(source, position)
    return end.end() if end else len(source)


def serialise(element: Element) -> str:
    """The element's inner HTML."""
    pieces: list[str] = []
    waiting: list[Element | str] = list(reversed(element.children))
    while waiting:
        child = waiting.pop()
        if isinstance(child, str):
            pieces.append(child)
            continue
        pieces.append(_opening(child))
        if child.name not in VOID:
            waiting.append(f"</{child.name}>")
            waiting += reversed(child.children)
    return "".join(pieces)


def _opening(element: Element) -> str:
    if not element.attributes:
        return f"<{element.name}>"
    attributes = "".join(
        f' {name}="{html.escape(value)}"' if value else f" {name}" for name, value in element.attributes.items()
    )
    return f"<{element.name}{attributes}>"
