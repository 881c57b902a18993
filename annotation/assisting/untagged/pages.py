"""A page of wikitext in parts, read lightly: the infobox, and readable lines with the part of each."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

INFOBOX, LEAD = "infobox", "lead"
# A reference or template longer than this is one that was not closed.
_LONGEST = 3_000
_COMMENT = re.compile(r"<!--.{0,3000}?-->", re.DOTALL)
_REFERENCE = re.compile(r"<ref\b[^<>]{0,300}?/>|<ref\b[^<>]{0,300}>.{0,3000}?</ref>", re.DOTALL | re.IGNORECASE)
_TEMPLATE = re.compile(rf"\{{\{{[^{{}}]{{0,{_LONGEST}}}\}}\}}")
_LINK = re.compile(r"\[\[(?:[^\[\]|]{0,300}\|)?([^\[\]|]{0,300})\]\]")
_FILE = re.compile(r"\[\[(?:File|Image|Category):[^\[\]]{0,500}\]\]", re.IGNORECASE)
_OUTSIDE = re.compile(r"\[https?://[^\s\[\]]{1,500} ?([^\[\]]{0,300})\]")
_ELEMENT = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
# An editor has found these already.
_TAG = re.compile(
    r"\{\{\s*(?:self-?)?(?:contradict|inconsisten|factual inconsisten|discrepancy|disputed)", re.IGNORECASE
)
_QUOTES = re.compile(r"'{2,}")
_BLANKS = re.compile(r"\s+")
_HEADING = re.compile(r"^={2,6}[ \t]*([^=\n][^\n]{0,300}?)[ \t]*={2,6}[ \t]*$", re.MULTILINE)
_INFOBOX = re.compile(r"\{\{\s*(?:[Ii]nfobox|[Tt]axobox|[Gg]eobox)")
_PARAMETER = re.compile(r"^[ \t]*\|[ \t]*([A-Za-z_][\w ]{0,40}?)[ \t]*=[ \t]*([^\n]*)$", re.MULTILINE)
_TAGGED = "\uf8f2"  # of the private use area: stands before a tag while templates are taken out
_NESTED = 4  # templates within templates that are taken out
_LONGEST_INFOBOX = 20_000
_LONGEST_PAGE = 500_000


@dataclass(frozen=True, slots=True)
class Line:
    """A readable line, and its part: `INFOBOX`, `LEAD` or the heading above it."""

    text: str
    part: str


@dataclass(frozen=True, slots=True)
class LightPage:
    """A page without comments and references: `infobox` by parameter as in the source, `text` without it."""

    title: str
    infobox: dict[str, str]
    text: str

    @property
    def lead_end(self) -> int:
        """The offset in `text` at which the lead ends."""
        heading = _HEADING.search(self.text)
        return heading.start() if heading else len(self.text)

    def part_at(self, offset: int) -> str:
        """The heading above an offset of `text`; `LEAD` above the first."""
        found = LEAD
        for heading in _HEADING.finditer(self.text, 0, offset):
            found = readable(heading[1])
        return found


def light_page(title: str, wikitext: str) -> LightPage:
    """The page in parts. Of a page of more than 500,000 characters, only these."""
    text = wikitext[:_LONGEST_PAGE]
    if "-->" in text:
        text = _COMMENT.sub("", text)
    if "</ref" in text or "/>" in text:
        text = _REFERENCE.sub("", text)
    start, end = _infobox_span(text)
    parameters = {name.strip().lower(): value for name, value in _PARAMETER.findall(text, start, end)}
    return LightPage(title, parameters, f"{text[:start]}{text[end:]}")


def _infobox_span(text: str) -> tuple[int, int]:
    """The offsets of the first infobox; an empty range without one."""
    found = _INFOBOX.search(text)
    if found is None:
        return 0, 0
    start, depth = found.start(), 0
    for brace in re.finditer(r"\{\{|\}\}", text[start : start + _LONGEST_INFOBOX]):
        depth += 1 if brace[0] == "{{" else -1
        if depth == 0:
            return start, start + brace.end()
    return start, start  # it was not closed, so its end is not known


def is_tagged(source: str) -> bool:
    """Return whether an editor tagged this piece of wikitext as contradicting something, or as disputed."""
    return "{{" in source and _TAG.search(source) is not None


def readable(source: str) -> str:
    """A piece of wikitext as readers see it: templates are dropped, links become their text."""
    text = source
    if "{{" in text:
        for _ in range(_NESTED):
            text, count = _TEMPLATE.subn("", text)
            if not count:
                break
    if "[" in text:
        text = _OUTSIDE.sub(r"\1", _LINK.sub(r"\1", _FILE.sub("", text)))
    if "<" in text:
        text = _ELEMENT.sub("", text)
    return _BLANKS.sub(" ", html.unescape(_QUOTES.sub("", text))).strip(" *#:;")


def readable_lines(page: LightPage) -> Iterator[Line]:
    """The lines of a page with text, in its order, without tables; parameters of the infobox as "Opened: 1868"."""
    for name, value in page.infobox.items():
        if not is_tagged(value) and (text := readable(value)):
            yield Line(f"{name.replace('_', ' ').capitalize()}: {text}", INFOBOX)
    text, part, in_table = _TAG.sub(lambda tag: _TAGGED + tag[0], page.text), LEAD, False
    for _ in range(_NESTED):
        text, count = _TEMPLATE.subn("", text)
        if not count:
            break
    for line in text.split("\n"):
        stripped = line.strip()
        in_table = (in_table or stripped.startswith("{|")) and not stripped.startswith("|}")
        if heading := _HEADING.match(line):
            part, in_table = readable(heading[1]), False
        elif _is_text(stripped) and not in_table and (said := readable(line)):
            yield Line(said, part)


def _is_text(line: str) -> bool:
    return bool(line) and _TAGGED not in line and line[0] not in "|!{}"
