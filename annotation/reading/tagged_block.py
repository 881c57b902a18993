"""Finds a tag's paragraph in a rendered article. A tree in, the same tree with a mark out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..wikitext import families
from ..wikitext.languages import LANGUAGES
from ..wikitext.scripts import folded
from . import sanitise
from .article_html import own_text
from .page_tree import Element

# The words in the rendered tags of each family.
_ELSEWHERE = tuple(word for name, one in LANGUAGES.items() if name != "en" for word in one.says)
SAYS = {
    families.INCONSISTENT: ("inconsisten", *_ELSEWHERE),
    families.SELF_CONTRADICTORY: ("contradic", "inconsisten", *_ELSEWHERE),
    families.CONTRADICT_OTHER: ("contradic", *_ELSEWHERE),
}
BLOCKS = {
    "blockquote", "caption", "dd", "div", "dt", "figcaption", "h2", "h3", "h4", "h5", "h6", "li", "p", "pre",
    "section", "td", "th",
}  # fmt: skip
ROW, CELLS = "tr", ("td", "th")
# Scripts written without blanks are compared letter by letter.
_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|\w+")
_ALIKE, _ALIKE_WITH_MARK = 0.5, 0.2
_FOR_THE_MARK, _FOR_THE_SECTION = 0.25, 0.1


@dataclass(frozen=True, slots=True)
class TagLocation:
    """The location of a tag according to the wikitext."""

    family: str
    paragraph: str = ""
    paragraph_clean: str = ""
    section: str = ""
    placement: str = ""
    occurrence: int = 0


@dataclass(slots=True, eq=False)
class _Block:
    """A paragraph, a list item, a table row: its own text, without that of nested blocks."""

    element: Element
    heading: str
    row: "_Block | None" = None
    texts: list[str] = field(default_factory=list)
    marks: list[Element] = field(default_factory=list)

    def words(self) -> set[str]:
        return words(" ".join(self.texts))


def words(text: str) -> set[str]:
    return set(_WORD.findall(folded(text).lower()))


def likeness(one: set[str], other: set[str]) -> float:
    """Dice's coefficient: 0 for nothing in common, 1 for the same words."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def mark_tagged(root: Element, location: TagLocation) -> bool:
    """Mark the paragraph of the tag, and in it the tag itself as the wiki shows it; returns whether it was found."""
    blocks = list(_blocks(root))
    says = SAYS.get(location.family, ())
    if location.placement == "page banner":
        return _mark_banner(root, says)
    block = _best(blocks, location, says) or _only_marked(blocks, says) or _heading(blocks, location)
    if block is None:
        return False
    block.element.add_class(sanitise.TAGGED)
    marks = [mark for mark in block.marks if _says(mark, says)]
    if "banner" in location.placement:
        marks = _banners_behind(root, block.element, says)
    for mark in marks:
        mark.add_class(sanitise.THIS_TAG)
    return True


def _blocks(root: Element) -> Iterator[_Block]:
    """All blocks in the order of the page; a table row has the text of all its cells."""
    heading = ""

    def walk(element: Element, around: list[_Block]) -> Iterator[_Block]:
        nonlocal heading
        for child in element.children:
            if isinstance(child, str):
                for block in around:
                    block.texts.append(child)
            elif sanitise.ASIDE in child.classes:
                for block in around:
                    block.marks.append(child)
            elif child.name == ROW:
                block = _Block(child, heading)
                yield block
                yield from walk(child, [block])
            elif child.name in BLOCKS:
                if child.name[0] == "h":
                    heading = " ".join(own_text(child).split())
                rows = [one for one in around if one.element.name == ROW]
                block = _Block(child, heading, rows[0] if rows else None)
                yield block
                yield from walk(child, [*rows, block])
            else:
                yield from walk(child, around)

    yield from walk(root, [])


def _best(blocks: list[_Block], location: TagLocation, says: tuple[str, ...]) -> _Block | None:
    wanted = words(location.paragraph_clean)
    if not wanted:
        return None
    section = location.section.rpartition(" > ")[2]
    is_heading = location.placement in ("heading", "section banner")
    scored: list[tuple[float, _Block]] = []
    for block in blocks:
        if is_heading and block.element.name[0] != "h":
            continue
        alike = likeness(wanted, block.words())
        has_mark = any(_says(mark, says) for mark in block.marks)
        if alike < (_ALIKE_WITH_MARK if has_mark else _ALIKE):
            continue
        scored.append((alike + _FOR_THE_MARK * has_mark + _FOR_THE_SECTION * (block.heading == section), block))
    if not scored:
        return None
    highest = max(score for score, _ in scored)
    best = [block for score, block in scored if highest - score < 1e-9]
    # The row is the paragraph, not its cell; but a table may also serve to put paragraphs side by side.
    is_row = location.placement in ("infobox", "table")
    best = [block.row if block.row and (is_row or block.element.name in CELLS) else block for block in best]
    best = list({id(block): block for block in best}.values())
    return best[min(location.occurrence, len(best) - 1)]


def _only_marked(blocks: list[_Block], says: tuple[str, ...]) -> _Block | None:
    """The only block with such a tag; None without exactly one."""
    marked = [
        block.row or block
        for block in blocks
        if any(_says(mark, says) and sanitise.BANNER not in mark.classes for mark in block.marks)
    ]
    return marked[0] if len({id(block) for block in marked}) == 1 else None


def _heading(blocks: list[_Block], location: TagLocation) -> _Block | None:
    section = location.section.rpartition(" > ")[2]
    headings = (block for block in blocks if block.element.name[0] == "h" and block.heading == section)
    return next(headings, None) if section else None


def _mark_banner(root: Element, says: tuple[str, ...]) -> bool:
    banners = (one for one in root.elements() if sanitise.BANNER in one.classes and _says(one, says))
    banner = next(banners, None)
    if banner is None:
        return False
    banner.add_class(sanitise.TAGGED)
    banner.add_class(sanitise.THIS_TAG)
    return True


def _banners_behind(root: Element, heading: Element, says: tuple[str, ...]) -> list[Element]:
    """The banners of the family between this heading and the next."""
    is_behind = False
    for element in root.elements():
        if element is heading:
            is_behind = True
        elif is_behind and element.name in ("h2", "h3", "h4", "h5", "h6"):
            break
        elif is_behind and sanitise.BANNER in element.classes and _says(element, says):
            return [element]
    return []


def _says(mark: Element, says: tuple[str, ...]) -> bool:
    text = mark.text().lower()
    return any(word in text for word in says)
