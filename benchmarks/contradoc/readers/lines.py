"""Reads the quotes of a reply from its lines: bullets, numbers, a table, quotation marks. Text in, quotes out."""

import re
import string
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import NamedTuple

from .lists import QUOTES

FENCE = re.compile(r"^[^\S\n]*```\w*[^\S\n]*$", re.MULTILINE)
_BULLET = r"[-–—*•·‣▪◦●○+][ \t]+"
# Not the number that a sentence begins with: 3.5 million, 12:58 a.m.
_NUMBER = (
    r"(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})\)|\d{1,3}[.:](?!\d)|(?:[a-z]|[ivx]{2,4})\.(?=\s)"
    r"|\[\d{1,3}\]|#\d{1,3}[.:)]?)[ \t]*"
)
_LABEL = (
    r"(?:(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|contradict\w+) )?"
    r"(?:sentence|quote|evidence|statement|excerpt|passage)s?[ #]*(?:\d{1,3}|[a-e])?"
    r"(?: ?\([^()\n]{1,40}\))?[:：][ \t]*"
)
MARK = re.compile(rf"^(?:(?:{_BULLET}|{_NUMBER})+(?i:{_LABEL})?|(?i:{_LABEL}))")
QUOTED_LINE = re.compile(r"^\s*(?:>\s*)+")
STRONG = re.compile(r"\*\*|\b__|__\b")
# Lines and headings between quotes.
RULE = re.compile(r"^(?:[-*_=]\s*){3,}$|^#{1,6}\s")
INTRODUCTION = re.compile(
    r"^(?:(?:sure|certainly|of course|okay)\b.{,20}$|(?:sure|certainly|of course|okay|here (?:are|is)|here[’']s|"
    r"below (?:are|is)|based on (?:the|this|my)|after (?:reading|review|analy)|i (?:have )?(?:found|identified)|"
    r"these are|(?:the )?(?:following|five|5|top|most|likeliest|sentences|quotes|statements))\b"
    r".*\b(?:sentences|quotes|statements|contradict\w*)\b)",
    re.IGNORECASE,
)
REMARK = re.compile(r"^(?:explanations?|reason(?:s|ing)?|rationale|justification|comments?)\s*[:：]", re.IGNORECASE)
# Behind a quote: a dash, a colon, a parenthesis or such a word after its last mark.
COMMENTARY = re.compile(
    r"\s*(?:[-–—→]+\s|[*_]*\(|[:：]\s|\[|(?:which|that|this|because|as|since|contradicts?|conflicts?|vs)\b)",
    re.IGNORECASE,
)
# There is nothing to quote, in words.
NO_QUOTE = re.compile(
    r"(?:none|null|n\s?/\s?a|not applicable|nil|nothing|no (?:evidence|contradict\w+|sentences?)|empty(?: list)?)"
    r"(?: (?:was |were )?found)?",
    re.IGNORECASE,
)
# Around words; a bracket may begin a list.
AROUND = string.whitespace + string.punctuation.replace("[", "").replace("{", "") + "“”„‘’«»–—…•"
# Marks that are no apostrophe, with what is quoted between them.
IN_PROSE = re.compile(r'"([^"\n]+)"|“([^“”\n]+)”|«([^«»\n]+)»|„([^„“”\n]+)[“”]')
_CLOSE, _OPEN = r"[\"”'’»`]\s*(?:\([^()\n]*\)\s*)?", r"\s*[\"“'‘«„`]"
_SIGNS = r"[-–—→↔⇔,;/&]|vs\.?|versus|contradicts|conflicts with"
# Between two quotes in one line. Where nothing marks the line, also words that a quote may itself have there.
BETWEEN = re.compile(rf"{_CLOSE}(?:(?:{_SIGNS})\s*)+{_OPEN}", re.IGNORECASE)
BETWEEN_UNMARKED = re.compile(rf"{_CLOSE}(?:(?:{_SIGNS}|and|but|while|whereas)\s*)+{_OPEN}", re.IGNORECASE)
NUMBER_INSIDE = re.compile(r"(?<=[\"”'’»])[ \t]+(?=\(?\d{1,2}[.)][ \t]*[\"“'‘«„])")
BORDER = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
CELL_END = re.compile(r"(?<!\\)\|")
# Names of the column of quotes, likelier ones first; and a column that only counts them.
HEADS = ("sentence", "quote", "statement", "excerpt", "evidence", "text")
COUNTS = re.compile(r"#|\b(?:no|nr|rank|number|index)\b", re.IGNORECASE)
LONGEST_HEAD = 40


class Line(NamedTuple):
    """A line without its marks: whether it had a bullet, a number or a label; whether it was in quotation marks; its
    indentation.
    """

    text: str
    is_marked: bool
    is_quoted: bool
    indent: int = 0


def read_lines(text: str) -> list[str]:
    """Return the quotes of a reply that should have one per line. If lines are marked, the others are remarks; and an
    introduction is not a quote.
    """
    lines = _quoting([line for line in _lines(text) if is_quote(line.text)])
    if sum(line.is_marked for line in lines) > 1:
        lines = [line for line in lines if line.is_marked or line.is_quoted]
    lines = list(dropwhile(_introduces, lines))
    return _parted(lines[0]) if len(lines) == 1 else [line.text for line in lines]


def read_marked_lines(text: str) -> list[str] | None:
    """Return the quotes of the first marked lines, up to an unmarked one; None without any."""
    found: list[Line] = []
    for line in _lines(text):
        if line.is_marked or line.is_quoted:
            found.append(line)
        elif found and not line.indent and not _leads(line):
            break
    parts = (_parted(line) if line.is_marked else BETWEEN_UNMARKED.split(line.text) for line in _quoting(found))
    return [quote.strip() for some in parts for quote in some if is_quote(quote)] if found else None


def read_prose(text: str, *, is_plain: bool) -> list[str]:
    """Return the quotes in quotation marks in prose. If it `is_plain` text that should have quotes, its lines are the
    quotes, unless most of it is in quotation marks.
    """
    found = (next(filter(None, each.groups())).strip() for each in IN_PROSE.finditer(text))
    # A single word in quotation marks is mentioned rather than quoted.
    quoted = [quote for quote in found if " " in quote]
    if not is_plain or 2 * sum(map(len, quoted)) > len(text):
        return quoted
    return read_lines(text)


def is_quote(text: str) -> bool:
    """Return whether a text has content, and does not just say that there is nothing."""
    return bool(text.strip(AROUND)) and not says_nothing(text)


def says_nothing(text: str) -> bool:
    """Return whether a text says that there is nothing to quote."""
    return bool(NO_QUOTE.fullmatch(text.strip(AROUND)))


def without_cut_end(text: str) -> str:
    """Return the text without a quotation that its last line opens and does not end."""
    before, _, last = text.rstrip().rpartition("\n")
    said = MARK.sub("", STRONG.sub("", last).strip(), count=1)
    if said[:1] not in ('"', "“", "«", "„"):
        return text
    closing = QUOTES[said[0]]
    is_open = said.count('"') % 2 > 0 if said[0] == closing else said.rfind(closing) < said.rfind(said[0])
    if not is_open or (len(said) > 1 and said.endswith(closing)):
        return text
    return f"{before}\n{last[: last.rindex(said[0])]}"


# --- Lines ----------------------------------------------------------------------------------------------------------


def _lines(text: str) -> Iterator[Line]:
    """The lines of a text with content; for a table, the fields that quote."""
    written = NUMBER_INSIDE.sub("\n", FENCE.sub("", text)).splitlines()
    rows: list[str] = []
    for at, line in enumerate(written):
        said = line.strip()
        if said.startswith("|") or ("|" in said and (rows or _is_border(written[at + 1 : at + 2]))):
            rows.append(said)
            continue
        yield from _quotes_in_table(rows)
        rows = []
        if said and not RULE.match(said):
            yield _line(line)
    yield from _quotes_in_table(rows)


def _is_border(lines: Sequence[str]) -> bool:
    return any("|" in line and BORDER.fullmatch(line.strip()) for line in lines)


def _line(line: str) -> Line:
    plain = STRONG.sub("", QUOTED_LINE.sub("", line)).strip()
    text = MARK.sub("", plain, count=1).strip()
    text_alone = _quotation(text[1:-1] if len(text) > 2 and text[0] == text[-1] and text[0] in "*_" else text)
    inside = _inside(text_alone)
    return Line(
        text_alone if inside is None else inside,
        is_marked=text != plain,
        is_quoted=inside is not None,
        indent=len(line) - len(line.lstrip()),
    )


def _inside(text: str) -> str | None:
    """The text between the quotation marks around a text; None without them."""
    text = text.rstrip(" ,;}")
    if len(text) < 2 or text[0] not in QUOTES:
        return None
    return text[1:-1].strip() if text[-1] == QUOTES[text[0]] or (text[0] == "„" and text[-1] == "”") else None


def _quotation(text: str) -> str:
    """The quotation that a text begins with, if only commentary follows it; otherwise the text."""
    if text[:1] not in QUOTES or _inside(text) is not None:
        return text
    closing, at = QUOTES[text[0]], len(text)
    while (at := text.rfind(closing, 1, at)) > 0:
        if COMMENTARY.match(text, at + 1):
            return text[: at + 1]
    return text


def _quoting(lines: Sequence[Line]) -> list[Line]:
    """The lines that are not remarks about other lines."""
    return [line for at, line in enumerate(lines) if not _is_remark(line, lines[at + 1 : at + 2])]


def _is_remark(line: Line, behind: Sequence[Line]) -> bool:
    """Return whether a line explains a quote, or introduces the following ones."""
    if line.is_quoted:
        return False
    is_over = any(each.indent > line.indent for each in behind)
    return bool(REMARK.match(line.text)) or (_leads(line) and bool(behind) and (is_over or not line.is_marked))


def _leads(line: Line) -> bool:
    return line.text.endswith((":", "：")) and not REMARK.match(line.text)


def _introduces(line: Line) -> bool:
    return not line.is_marked and not line.is_quoted and bool(INTRODUCTION.match(line.text))


def _parted(line: Line) -> list[str]:
    """The consecutive quotations in a line."""
    if not line.is_quoted:
        return [line.text]
    return [each.strip() for each in BETWEEN.split(line.text)]


# --- Tables ---------------------------------------------------------------------------------------------------------


def _quotes_in_table(rows: Sequence[str]) -> Iterator[Line]:
    """The fields of the column whose head names sentences, otherwise the longest field of each row."""
    lines = [[cell.replace("\\|", "|").strip() for cell in CELL_END.split(row.strip("|"))] for row in rows]
    borders = [at for at, row in enumerate(rows) if BORDER.fullmatch(row)]
    body = [line for at, line in enumerate(lines) if at not in borders]
    columns: list[int] = []
    if body and (borders[:1] == [1] or _is_head(body[0])):
        columns = _columns_of(body.pop(0))
    for line in body:
        for cell in [line[at] for at in columns if at < len(line)] or [max(line, key=len)]:
            if cell.strip("\"'* ") and not cell.isdigit():
                yield _line(cell)._replace(is_marked=True, indent=0)


def _is_head(cells: Sequence[str]) -> bool:
    return bool(_columns_of(cells)) and all(len(cell) < LONGEST_HEAD for cell in cells)


def _columns_of(head: Sequence[str]) -> list[int]:
    names = [cell.lower() for cell in head]
    found = ([at for at, name in enumerate(names) if word in name and not COUNTS.search(name)] for word in HEADS)
    return next(filter(None, found), [])
