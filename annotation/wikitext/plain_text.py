"""Renders a part of a page as readers see it, with and without its contradiction tags.

References, files and categories are dropped, links become their text, templates become the text from
`inline_templates`. While markup is removed, text that must stay unchanged (tags, text in nowiki elements) is set
aside and represented by a mark.
"""

import html
import re
from collections.abc import Sequence

from . import inline_templates
from .families import normalise_name
from .inline_templates import Arguments
from .scripts import with_scripts
from .tree import Node, Page

_DEEPEST = 40  # nested templates; people stop at five
_FILE = re.compile(r"\s*(?:file|image|datei|fichier|bild|archivo|ficheiro|bestand)\s*:", re.IGNORECASE)
_ONLY_LEADS = re.compile(r"\s*(?::|media\s*:)", re.IGNORECASE)
_CATEGORY = re.compile(r"\s*(?:category|kategorie|catégorie|categoría|categoria|categorie)\s*:", re.IGNORECASE)
_FILE_ENDING = re.compile(r":.+\.(?:jpe?g|png|gif|svg|webp|tiff?|pdf|djvu|og[agv]|web[am]|mp3|flac|wav)\s*$", re.I)

# The content of these extension tags is text as it is; that of the others is not text.
_VERBATIM = {"nowiki", "pre", "syntaxhighlight", "source", "math", "chem", "ce"}
_WITH_CONTENT = {"noinclude", "onlyinclude", "poem", "section", "references"}

# A run of blanks is examined once, from its start: otherwise long runs would take quadratic time.
_CELL = re.compile(r"(?<!\s)\s*+<t[dh]\b[^<>]*>\s*", re.IGNORECASE)
_BREAK = re.compile(
    r"(?<! ) *+</?(?:br|hr|p|div|li|ul|ol|dl|dt|dd|tr|table|blockquote|center|h[1-6])\b[^<>]*> *", re.IGNORECASE
)
_HTML = re.compile(
    r"</?(?:abbr|b|bdi|bdo|big|caption|cite|code|data|del|dfn|em|font|gallery|i|includeonly|ins|kbd|mark|"
    r"noinclude|nowiki|onlyinclude|poem|pre|q|rb|ref|references|rp|rt|rtc|ruby|s|samp|section|small|span|strike|"
    r"strong|tbody|td|th|thead|time|tt|u|var|wbr)\b[^<>]*>",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"</?su[pb]\b[^<>]*>", re.IGNORECASE)
_EXTERNAL_LINK = re.compile(
    r"\[(?:(?:https?|ftps?|ircs?|gopher|news|git|svn|telnet|nntp|worldwind)://|//|mailto:|tel:|sips?:|urn:)"
    r"[^\s\[\]<>\"]*[ \t]*([^\[\]\n]*)\]",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"'{2,}")
_SWITCH = re.compile(r"__[A-Z]{3,}__")
_BLANKS = re.compile(r"(?<![ \t\r\n])[ \t\r\n]++([*#][*#:;]*+[ \t]*+)?")
_FIRST_ITEM = re.compile(r"(=|^)[ \t]*, ")


def content_span(page: Page, tag: Node) -> tuple[int, int]:
    """The offsets of an extension tag's content; an empty span if it is self-closing."""
    mask = page.mask(tag)
    start, end = mask.find(">") + 1, mask.rfind("</")
    return (tag.start + start, tag.start + end) if end >= start else (tag.end, tag.end)


def is_file_link(page: Page, link: Node) -> bool:
    """Return whether a link shows a picture or a recording; one that starts with a colon only links to it."""
    target = page.text[slice(*page.name_span(link))]
    return bool(_FILE.match(target) or _FILE_ENDING.search(target)) and not _ONLY_LEADS.match(target)


class PlainText:
    """Turns parts of one page into plain text."""

    def __init__(self, page: Page):
        self.page = page
        self._kept: list[tuple[str, bool]] = []  # text, and whether it is a contradiction tag
        self._tags = set(page.tags)
        self._guess = True
        # A character that is not in the page, so that nothing in the page can pass for a mark.
        self._mark = next((char for char in map(chr, range(0xF000, 0xF8F0)) if char not in page.text), "\uf000")
        self._marked = re.compile(f"{self._mark}(\\d+){self._mark}")

    def of(self, pieces: Sequence[tuple[Node, int, int]], joint: str = "", *, guess: bool = True) -> tuple[str, str]:
        """The text of the pieces with their contradiction tags, and without.

        `guess` says whether an unknown template is assumed to show its unnamed arguments.
        """
        self._kept, self._guess = [], guess
        texts = [self._without_markup(self._text(node, start, end, 0)).strip(" \r\n") for node, start, end in pieces]
        marked = joint.join(texts)
        # The tabs between cells stay even at the ends, so that each cell keeps its column.
        blanks = " \r\n" if joint else None
        return self._unmarked(marked, tags=True).strip(blanks), self._unmarked(marked, tags=False).strip(blanks)

    # --- Nodes -------------------------------------------------------------------------------------------------

    def _text(self, node: Node, start: int, end: int, depth: int) -> str:
        pieces: list[str] = []
        for child in self.page.children(node, start, end):
            pieces += (self.page.text[start : child.start], self._child(child, depth + 1))
            start = child.end
        pieces.append(self.page.text[start:end])
        return "".join(pieces)

    def _child(self, node: Node, depth: int) -> str:
        if node in self._tags:
            return self._keep(self.page.text[node.start : node.end], tag=True)
        if node.kind in {"comment", "markup"} or depth > _DEEPEST:
            return ""
        match node.kind:
            case "link":
                return self._link(node, depth)
            case "tag":
                return self._extension_tag(node, depth)
            case "template":
                return self._template(node, depth)
            case "function":
                return self._function(node, depth)
        return self._parameter(node, depth)

    def _keep(self, text: str, *, tag: bool = False) -> str:
        self._kept.append((text, tag))
        return f"{self._mark}{len(self._kept) - 1}{self._mark}"

    def _parameter(self, node: Node, depth: int) -> str:
        default = self.page.mask(node).find("|")
        return self._text(node, node.start + default + 1, node.end - 3, depth) if default >= 0 else ""

    def _link(self, node: Node, depth: int) -> str:
        target_start, target_end = self.page.name_span(node)
        target = self.page.text[target_start:target_end]
        if is_file_link(self.page, node):
            holds_tag = self.page.holds_tag(node.start, node.end)
            return self._text(node, target_end, node.end - 2, depth).rpartition("|")[2] if holds_tag else ""
        if _CATEGORY.match(target):
            return ""
        label_start = next((after for _, after in self.page.pipes(node)), node.end - 2)
        text = self._text(node, label_start, node.end - 2, depth).strip()
        return text or self._text(node, target_start, target_end, depth).strip().removeprefix(":")

    def _extension_tag(self, node: Node, depth: int) -> str:
        start, end = content_span(self.page, node)
        if node.name in _VERBATIM:
            return self._keep(self.page.text[start:end])
        if node.name in _WITH_CONTENT:
            return self._text(node, start, end, depth)
        if self.page.holds_tag(start, end):
            return " " + self._text(node, start, end, depth).strip()
        return ""

    # --- Templates ---------------------------------------------------------------------------------------------

    def _template(self, node: Node, depth: int) -> str:
        name = normalise_name(self.page.text[slice(*self.page.name_span(node))])
        holds_tag = self.page.holds_tag(node.start, node.end)
        if inline_templates.is_silent(name) and not holds_tag:
            return ""
        arguments = self._arguments(node, depth)
        text = inline_templates.text_of(name, arguments)
        if text is None:
            text = " ".join(arguments.given()) if self._guess else ""
        return self._with_all_tags(text, arguments) if holds_tag else text

    def _function(self, node: Node, depth: int) -> str:
        name = self.page.text[node.start + 2 : node.end].partition(":")[0].strip().lower()
        arguments = self._arguments(node, depth)
        first = arguments.at(1)
        text = {"formatnum": first, "lc": first.lower(), "uc": first.upper(), "ucfirst": first}.get(name, "")
        return self._with_all_tags(text, arguments) if self.page.holds_tag(node.start, node.end) else text

    def _arguments(self, node: Node, depth: int) -> Arguments:
        arguments = Arguments()
        for argument in self.page.arguments(node):
            value = self._text(node, argument.value_start, argument.end, depth).strip()
            if argument.positional:
                arguments.positional.append(value)
            else:
                arguments.named[argument.name] = value
        return arguments

    def _with_all_tags(self, text: str, arguments: Arguments) -> str:
        """The text, followed by each argument that holds a tag which the text lacks."""
        shown = set(self._marked.findall(text))
        for value in (*arguments.positional, *arguments.named.values()):
            if any(mark not in shown and self._kept[int(mark)][1] for mark in self._marked.findall(value)):
                text = f"{text} {value}" if text else f" {value}"
        return text

    # --- Markup ------------------------------------------------------------------------------------------------

    def _without_markup(self, text: str) -> str:
        text = _CELL.sub("\t", text).lstrip("\t") if "<t" in text or "<T" in text else text
        text = _HTML.sub("", _BREAK.sub(" ", text)) if "<" in text else text
        text = _EXTERNAL_LINK.sub(r"\1", text)
        text = _QUOTES.sub(_quotes, text)
        text = _SCRIPT.sub("", with_scripts(text)) if "<" in text else text
        text = _SWITCH.sub("", text)
        return _FIRST_ITEM.sub(r"\1 ", _BLANKS.sub(_one_line, text)) if "\n" in text else text

    def _unmarked(self, text: str, *, tags: bool) -> str:
        pieces = self._marked.split(text)
        for index, piece in enumerate(pieces):
            if index % 2 == 0:
                pieces[index] = html.unescape(piece).replace("\n", " ")
                continue
            kept, is_tag = self._kept[int(piece)]
            pieces[index] = kept.replace("\n", " ") if not is_tag else kept if tags else ""
        return "".join(pieces)


def _quotes(match: re.Match[str]) -> str:
    """The quotes as markup: two are italics, three bold, five both; others are apostrophes."""
    length = len(match[0])
    return "'" if length == 4 else "'" * max(length - 5, 0)


def _one_line(match: re.Match[str]) -> str:
    """The lines of a paragraph (a cell, a parameter) joined into one, list items with commas."""
    if "\n" not in match[0]:
        return match[0]
    return ", " if match[1] else " "
