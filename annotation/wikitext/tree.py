"""A page of wikitext as a tree of everything that can nest: templates, links, extension tags, comments.

`tables.read_page` grows the tree of a page.

`wikitextparser` finds the spans. Everything else here works on a *mask*: the text of a node in which each child is
blanked out, character by character, so that any newline or pipe left belongs to the node itself.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .families import normalise_name

_ELEMENT_NAME = re.compile(r"<(\w*)")
# Characters of the private use area: at worst, a page that contains them is cut less well; none is lost.
BLOT = "\uf8f0"
COMMENT_BLOT = "\uf8f1"
# The magic words and templates with which editors write marks of tables (and the pipe of a link).
_MARKS = {"!": "|", "=": "=", "!!": "||", "(!": "{|", "!)": "|}", "!-": "|-", "!+": "|+"}
_LONGEST_MARK = 30  # characters of such a template, with blanks and namespace
_MARK_NAME = re.compile(r"\{\{[^{}|]*[!=][^{}|]*\}\}")
_PIPE = re.compile(rf"\|{COMMENT_BLOT}*")
_OPENED_REFERENCE = re.compile(r"<ref\b[^<>]*(?<!/)>", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Node:
    """A part of a page that can hold others; `start` and `end` are offsets in the page."""

    # page, template, function, link, tag (of an extension, such as ref), comment, parameter, markup (shows nothing)
    kind: str
    start: int
    end: int
    name: str = ""
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)

    def ancestors(self) -> list["Node"]:
        """The ancestors, from the page down to the parent."""
        found = []
        node = self.parent
        while node is not None:
            found.append(node)
            node = node.parent
        return found[::-1]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a template: its `name` (a number for a positional one) and the offsets of its value.

    `start` is after the pipe, `value_start` after the equals sign.
    """

    name: str
    positional: bool
    start: int
    value_start: int
    end: int


class Page:
    """The tree of one page, and its text."""

    def __init__(self, text: str, nodes: Sequence[Node]):
        """`nodes` are the result of `found` for this text, in the same order."""
        self.text = text
        self.root = Node("page", 0, len(text))
        self.templates: list[Node] = []
        self.tags: list[Node] = []  # the contradiction tags, once `wikitext.find_tags` has picked them
        self._masks: dict[Node, str] = {}
        self._marked_masks: dict[Node, str] = {}
        self._starts: dict[Node, list[int]] = {}
        self._arguments: dict[Node, list[Argument]] = {}
        self._grow(nodes)

    def _grow(self, nodes: Sequence[Node]) -> None:
        open_nodes = [self.root]
        for node in nodes:
            node.children = []
            while open_nodes[-1] is not self.root and open_nodes[-1].end <= node.start:
                open_nodes.pop()
            if node.kind == "template":
                self.templates.append(node)
            parent = open_nodes[-1]
            node.parent = parent
            if node.end > parent.end:
                continue  # Spans that overlap come from broken markup. The node stays a leaf beside the tree.
            parent.children.append(node)
            open_nodes.append(node)

    def mask(self, node: Node) -> str:
        """The text of the node with its children blanked out, of the same length."""
        mask = self._masks.get(node)
        if mask is None:
            mask = self._masks[node] = self._blanked(node, {})
        return mask

    def mask_with_marks(self, node: Node) -> str:
        """The mask of the node in which `{{!}}` and similar templates are the marks that they produce.

        Each is as long as its template: comment blots follow. Tables and links are read from it; arguments of
        templates are separated before these templates are read.
        """
        mask = self._marked_masks.get(node)
        if mask is None:
            marks = {child: mark for child in node.children if (mark := self._mark(child))}
            mask = self._marked_masks[node] = self._blanked(node, marks) if marks else self.mask(node)
        return mask

    def _blanked(self, node: Node, marks: Mapping[Node, str]) -> str:
        if not node.children:
            return self.text[node.start : node.end]
        pieces: list[str] = []
        position = node.start
        for child in node.children:
            blot = COMMENT_BLOT if child.kind in {"comment", "markup"} else BLOT
            length = child.end - child.start
            mark = marks.get(child)
            blanked = blot * length if mark is None else mark.ljust(length, COMMENT_BLOT)
            pieces += (self.text[position : child.start], blanked)
            position = child.end
        pieces.append(self.text[position : node.end])
        return "".join(pieces)

    def _mark(self, node: Node) -> str:
        """The mark of tables that the node stands for, "" if none."""
        if node.kind != "template" or node.end - node.start > _LONGEST_MARK:
            return ""
        written = self.text[node.start : node.end]
        mark = _MARKS.get(normalise_name(written[2:-2]), "") if _MARK_NAME.fullmatch(written) else ""
        # A table begins on a new line, even if what it was written with does not.
        starts_line = node.start == 0 or self.text[node.start - 1] == "\n"
        return f"\n{mark}" if mark == "{|" and not starts_line else mark

    def masked(self, node: Node, start: int, end: int) -> str:
        """The part of the node's mask from `start` to `end`."""
        return self.mask(node)[start - node.start : end - node.start]

    def masked_with_marks(self, node: Node, start: int, end: int) -> str:
        """The part of the node's mask with marks from `start` to `end`."""
        return self.mask_with_marks(node)[start - node.start : end - node.start]

    def pipes(self, link: Node) -> list[tuple[int, int]]:
        """The offsets of the pipes that divide a link, each with the offset of what follows."""
        found = _PIPE.finditer(self.mask_with_marks(link))
        return [(link.start + pipe.start(), link.start + pipe.end()) for pipe in found]

    def children(self, node: Node, start: int, end: int) -> Iterator[Node]:
        """The children of the node that lie between `start` and `end`, in order."""
        starts = self._starts.get(node)
        if starts is None:
            starts = self._starts[node] = [child.start for child in node.children]
        for index in range(bisect_left(starts, start), len(starts)):
            child = node.children[index]
            if child.start >= end:
                return
            if child.end <= end:
                yield child

    def around(self, start: int, end: int) -> Node:
        """The innermost node that holds this part of the page."""
        node = self.root
        while True:
            index = bisect_right(node.children, start, key=lambda child: child.start) - 1
            if index < 0 or node.children[index].end < end:
                return node
            node = node.children[index]

    def holds_tag(self, start: int, end: int) -> bool:
        """Return whether a contradiction tag lies between `start` and `end`."""
        index = bisect_left(self.tags, start, key=lambda tag: tag.start)
        return index < len(self.tags) and self.tags[index].end <= end

    def name_span(self, template: Node) -> tuple[int, int]:
        """The offsets of a template's or link's name: from after its braces to its first pipe or its end."""
        mask = self.mask_with_marks(template) if template.kind == "link" else self.mask(template)
        end = mask.find("|")
        return template.start + 2, template.end - 2 if end < 0 else template.start + end

    def arguments(self, template: Node) -> list[Argument]:
        """The arguments of a template in order; a parser function's first one comes after its colon."""
        known = self._arguments.get(template)
        if known is not None:
            return known
        mask = self.mask(template)
        inner_end = len(mask) - 2
        cuts = [position for position, letter in enumerate(mask[:inner_end]) if letter == "|"]
        if template.kind == "function":
            colon = mask.find(":", 2, cuts[0] if cuts else inner_end)
            cuts = [colon, *cuts] if colon >= 0 else cuts
        arguments, position = [], 0
        for cut, end in zip(cuts, [*cuts[1:], inner_end], strict=False):
            start = cut + 1
            equals = mask.find("=", start, end) if template.kind == "template" else -1
            if equals < 0:
                position += 1
                name, value_start = str(position), start
            else:
                name = self.without_comments(template, template.start + start, template.start + equals).strip()
                value_start = equals + 1
            offset = template.start
            arguments.append(Argument(name, equals < 0, offset + start, offset + value_start, offset + end))
        self._arguments[template] = arguments
        return arguments

    def without_comments(self, node: Node, start: int, end: int) -> str:
        """The source of a part of the node, with only its comments dropped."""
        pieces = []
        for child in self.children(node, start, end):
            if child.kind == "comment":
                pieces.append(self.text[start : child.start])
                start = child.end
        return "".join((*pieces, self.text[start:end]))


def found(text: str) -> list[Node]:
    """Everything that can nest, sorted so that containers come before their contents."""
    # Imported only here: it takes a tenth of a second, and the web server parses no wikitext.
    import wikitextparser

    parsed = wikitextparser.parse(text)
    # The public get_tags() also looks for all HTML elements, which takes minutes if many are unclosed.
    spans = [part.span for part in parsed._extension_tags]
    nodes = [_extension_tag(text, start, end) for start, end in spans]
    for kind, parts in (
        ("template", parsed.templates),
        ("function", parsed.parser_functions),
        ("link", parsed.wikilinks),
        ("comment", parsed.comments),
        ("parameter", parsed.parameters),
    ):
        nodes += [Node(kind, *part.span) for part in parts]
    return sorted(nodes, key=lambda node: (node.start, -node.end))


def _extension_tag(text: str, start: int, end: int) -> Node:
    name = _ELEMENT_NAME.split(text[start : start + 30])[1].lower()
    if name == "ref" and text.find("\n", start, end) >= 0:
        # References do not nest: one that holds another line's was not closed. (MediaWiki shows an error for both.)
        opened = max((match.start() for match in _OPENED_REFERENCE.finditer(text, start, end)), default=start)
        start = opened if "\n" in text[start:opened] else start
    return Node("tag", start, end, name)
