"""Finds the contradiction tags in the wikitext of a page, and cuts out the paragraph that each one is in.

Text in, values out: nothing here knows of Django. `wikitextparser` says where templates are. Malicious text can keep
it busy for minutes, so a wiki's text goes through `extraction`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from . import languages
from .families import COMMENT, CONTRADICT_OTHER, FAMILIES, INCONSISTENT, normalise_name
from .paragraphs import Layout, Paragraph
from .plain_text import PlainText
from .tables import read_page
from .tree import Node, Page

# A paragraph longer than in any book is cut to what is around the tag.
LONGEST_PARAGRAPH = 50_000
_AROUND = 2_000

_MONTH = rf"(?:{'|'.join(sorted(map(re.escape, languages.MONTHS), key=len, reverse=True))})\.?"
_WRITTEN_DATE = re.compile(
    rf"(?:\d{{1,2}}(?:\.|er)? )?{_MONTH}(?: \d{{1,2}},)? \d{{4}}|\d{{4}}-\d\d(?:-\d\d)?", re.IGNORECASE
)
_LINK = re.compile(r"\[\[\s*:?\s*([^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]")
_ARTICLE_NUMBER = re.compile(rf"(?:{'|'.join(languages.OTHER)})\d*")


@dataclass(frozen=True, slots=True)
class FoundTag:
    """A contradiction tag as found in a page.

    `tag` is the text between the braces, byte for byte, so `wikitext[start:end]` is `{{tag}}`; `name` the name of the
    template as it is written there, normalised. `paragraph` is plain text with the paragraph's contradiction tags
    left in, `paragraph_clean` without them (`paragraph_A` and `paragraph_A_clean` of the released benchmark).
    """

    tag: str
    name: str
    family: str
    date: str
    reason: str
    other_articles: tuple[str, ...]
    section: str
    placement: str
    paragraph: str
    paragraph_clean: str
    start: int
    end: int


def find_tags(wikitext: str, *, families: Mapping[str, str] | None = None) -> list[FoundTag]:
    """The contradiction tags of a page, in page order.

    `families` says which templates count: names (as `families.normalise_name` gives them) and the family of each.
    Tags in comments, nowiki, pre and other elements whose content is not wikitext do not count.
    """
    names = FAMILIES if families is None else families
    if not may_have_tags(wikitext, names):
        return []
    page, named = tagged_page(wikitext, names)
    if not page.tags:
        return []
    plain_text = PlainText(page)
    layout = Layout(page, plain_text)
    texts: dict[Paragraph, tuple[str, str]] = {}
    found = []
    for node in page.tags:
        name, family = named[node], names[named[node]]
        inline = family == INCONSISTENT or "inline" in name.lower()
        paragraph = layout.paragraph_of(node, inline=inline)
        if paragraph not in texts:
            texts[paragraph] = plain_text.of(paragraph.pieces, paragraph.joint)
        text, clean = texts[paragraph]
        if wikitext[node.start : node.end] not in text or len(text) > LONGEST_PARAGRAPH:
            text, clean = _source_around(page, node)
        date, reason, other_articles = _said(page, node, family)
        found.append(
            FoundTag(
                tag=wikitext[node.start + 2 : node.end - 2],
                name=name,
                family=family,
                date=date,
                reason=reason,
                other_articles=other_articles,
                section=layout.section_of(node),
                placement=paragraph.placement,
                paragraph=text,
                paragraph_clean=clean,
                start=node.start,
                end=node.end,
            )
        )
    return found


def tagged_page(wikitext: str, names: Mapping[str, str]) -> tuple[Page, dict[Node, str]]:
    """The tree of a page, with its contradiction tags in `tags`, and the name of each of its templates."""
    page = read_page(wikitext)
    named = {node: normalise_name(wikitext[slice(*page.name_span(node))]) for node in page.templates}
    page.tags = [node for node in page.templates if named[node] in names and not _is_hidden(node)]
    return page, named


# --- Before parsing --------------------------------------------------------------------------------------------


def may_have_tags(wikitext: str, families: Mapping[str, str] | None = None) -> bool:
    """Return whether it is worth parsing the page: False is certain, True is not."""
    stems, pattern = _candidates(tuple(FAMILIES if families is None else families))
    for match in pattern.finditer(wikitext):
        if match[1] not in {"<!--", "&"}:
            return True
        # The name contains a comment or an entity; read as much as a name can take.
        name = normalise_name(re.split(r"[{}|]", COMMENT.sub("", wikitext[match.start() + 2 :][:2_000]))[0])
        if any(stem in name for stem in stems):
            return True
    return False


@lru_cache(maxsize=16)
def _candidates(names: tuple[str, ...]) -> tuple[list[str], re.Pattern[str]]:
    """Pieces of text of which each name contains one (without the first letter, whose case varies), and a pattern to
    find them."""
    longest = {max(re.split(r"[ _]", name[1:]), key=len) or name[1:] for name in names}
    stems = [stem for stem in longest if not any(other in stem for other in longest if other != stem)]
    pieces = "|".join(map(re.escape, sorted(stems)))
    return stems, re.compile(rf"\{{\{{[^{{}}|]*?(<!--|&|{pieces})")


def _is_hidden(node: Node) -> bool:
    """Return whether the node is inside includeonly, which is not shown on the page itself."""
    return any(above.kind == "tag" and above.name == "includeonly" for above in node.ancestors())


# --- What the tag says -----------------------------------------------------------------------------------------


def _said(page: Page, node: Node, family: str) -> tuple[str, str, tuple[str, ...]]:
    """The date, the reason and the other articles named by a tag."""
    named: dict[str, str] = {}
    positional: list[str] = []
    for argument in page.arguments(node):
        value = page.without_comments(node, argument.value_start, argument.end).strip()
        if argument.positional or argument.name.isdecimal():
            positional.append(value)
        elif value or argument.name not in named:
            named[argument.name] = value
    folded = {name.lower(): value for name, value in named.items()} | named
    date = next((folded[name] for name in languages.DATE if folded.get(name)), "")
    date = date if "{{" in date else date.strip("{} ")  # one brace too many: {{inconsistent|date=May 2023}}}
    if not date:
        date = next((value for value in positional if _WRITTEN_DATE.fullmatch(value)), "")
    positional = [value for value in positional if value and not _WRITTEN_DATE.fullmatch(value)]
    spoken = [value for value in positional if not set(re.split(r"[\s/-]+", value.lower())) <= languages.EXTENT]
    articles = [value for name, value in folded.items() if _ARTICLE_NUMBER.fullmatch(name)]
    reason = next((folded[name] for name in languages.REASON if folded.get(name)), "")
    if family == CONTRADICT_OTHER:
        articles = [*spoken, *articles]
    elif not reason:
        reason = "; ".join(spoken)
    titles = [title for value in articles for title in _titles(value)]
    return date, reason, tuple(dict.fromkeys(titles))


def _titles(value: str) -> list[str]:
    """The titles in an argument: those of its links, or the whole of it."""
    titles = _LINK.findall(value) or [value.strip().removeprefix(":")]
    return [title for title in (" ".join(re.split(r"[\s_]+", t.partition("#")[0])).strip() for t in titles) if title]


# --- When all else fails ---------------------------------------------------------------------------------------


def _source_around(page: Page, node: Node) -> tuple[str, str]:
    """The line of the source that holds the tag, at most a page of it, with and without contradiction tags."""
    text = page.text
    start = max(text.rfind("\n", 0, node.start) + 1, node.start - _AROUND)
    end = text.find("\n", node.end)
    end = min(len(text) if end < 0 else end, node.end + _AROUND)
    pieces, position = [], start
    for tag in page.tags:
        if tag.start >= position and tag.end <= end:
            pieces.append(text[position : tag.start])
            position = tag.end
    return text[start:end].strip(), "".join((*pieces, text[position:end])).strip()
