"""How replies to ContraDoc's tasks are read. Text in, values out; what cannot be read stays unread and says why: it
is never taken for a "no".

The released code takes any "yes" in a reply for a yes and everything else for a no, and every line of a reply whose
list it cannot parse for evidence. These readers do neither.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from judging.protocol.tasks import Read

# The reasons why nothing can be read, in words.
EMPTY = "the reply is empty"
NEITHER, BOTH = "it contains neither “yes” nor “no”", "it contains both “yes” and “no”"
NO_JUDGMENT = "no line begins with “Judgment:”"
TWO_JUDGMENTS = "it judges twice, and differently"
NO_LIST, BROKEN_LIST = "there is no list of evidence", "the list of evidence cannot be read"
CUT_LIST = "the list of evidence is cut off: its whole quotes were read"

TOP_K = 5
# Of a reply with more quotes, so many are kept with the reading. All of them are looked at.
MOST_KEPT = 200
DEEPEST = 50
# As words of their own: "no-one", "no one", "No. 5" and "yes-or-no" say neither.
WORDS = re.compile(r"(?<![\w-])(yes|no)(?!\w|-\w|\s+one\b|\s*\.?\s*\d)", re.IGNORECASE)
# "Judgment:" at the beginning of a line, whatever marks a model puts around it; also as a name in a JSON object.
JUDGMENT = re.compile(r"^[ \t>*_#{\"'`-]*judge?ment[*_\"'`]*\s*[:：][^\S\n]*(.*)$", re.IGNORECASE | re.MULTILINE)
EVIDENCE = re.compile(r"\bevidence[*_\"'`]*\s*[:：][*_]*", re.IGNORECASE)
BULLET = re.compile(
    r"^(?:[-–—*•·‣▪◦●]\s+|[*_]*\(?(?:\d{1,3}|[a-hA-H])[.):][*_]*(?:\s+|(?=[\"'“„‘«`*]))"
    r"|[*_]*\(?\d{1,3}[.):](?!\d)[*_]*\s*|[*_]*(?:sentence|quote|evidence)\s+\d{1,3}[*_]*\s*[:：.)-][*_]*\s*)+",
    re.IGNORECASE,
)
# A table's row between its borders, and the line below its head.
ROW = re.compile(r"^\|(.*)\|$")
BELOW_HEAD = re.compile(r"^[|\s:-]*--[|\s:-]*$")
_OF_QUOTES = r"\b.*\b(?:sentences?|quotes?|passages?)\b"
INTRODUCTION = re.compile(
    r"^[\W_]*(?:(?:sure|certainly|of course|okay|ok)\b[,!.]*\s*)?(?:here (?:are|is)|here['’]s|below (?:are|is)"
    rf"|the following|these (?:are|five)|the (?:five|top|most){_OF_QUOTES}|(?:top|five){_OF_QUOTES})",
    re.IGNORECASE,
)
# A text in quotation marks, which begins a line or follows a space, a comma or a bracket.
QUOTED = re.compile(
    r"(?:^|(?<=[\s,(\[:]))(?:\"(?=\S)([^\"\n]*[^\"\s])\"|“([^”\n]+)”|„([^“\n]+)“|«([^»\n]+)»|'(?=\S)([^'\n]*[^'\s])')(?!\w)"
)
NOTHING = re.compile(r"^[\W_]*(?:none|n/?a|nothing|no evidence|not applicable|empty)[\W_]*$", re.IGNORECASE)
FENCE = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)
QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "“", "‘": "’", "’": "’", "«": "»", "`": "`"}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def read_yes_or_no(text: str) -> Read:
    """True or false for a reply that says yes or no, as a word of its own, and not both."""
    if not text.strip():
        return Read(problem=EMPTY)
    said = {word.lower() for word in WORDS.findall(text)}
    if len(said) == 1:
        return Read(said == {"yes"})
    return Read(problem=BOTH if said else NEITHER)


def read_quotes(text: str) -> Read:
    """The quotes of a reply in their order, one per line, without bullets, numbers, tables and quotation marks around
    them; or the members of a list, where the reply is one. A reply that quotes nothing is an empty list."""
    lines = said_lines(FENCE.sub("", text))
    listed = listed_in("\n".join(lines))
    return Read(
        [quote for quote in (map(unmarked, lines) if listed is None else map(str.strip, listed)) if quote][:TOP_K]
    )


def read_first_quote(text: str) -> Read:
    """The first quote of a reply that is asked for one."""
    return Read(read_quotes(text).value[:1]) if text.strip() else Read(problem=EMPTY)


def read_judgment(text: str) -> Read:
    """`{"yes": whether it judges so, "quotes": its evidence, "count": how many quotes, "list_problem": why the list
    cannot be read}`. Only the line of the judgment says yes or no."""
    if not text.strip():
        return Read(problem=EMPTY)
    judgments = list(JUDGMENT.finditer(text))
    if not judgments:
        return Read(problem=NO_JUDGMENT)
    said = [read_yes_or_no(EVIDENCE.split(each[1], maxsplit=1)[0]) for each in judgments]
    if unread := next((each for each in said if each.problem), None):
        return Read(problem=NEITHER if unread.problem == EMPTY else unread.problem)
    if len({each.value for each in said}) > 1:
        return Read(problem=TWO_JUDGMENTS)
    quotes, problem = read_evidence(text[judgments[-1].start(1) :])
    return Read(
        {
            "yes": said[0].value,
            "quotes": quotes,
            "count": len(quotes),
            **({"list_problem": problem} if problem and said[0].value else {}),
        }
    )


def read_evidence(text: str) -> tuple[list[str], str]:
    """The quotes behind "Evidence:", or behind the judgment, and why some or all cannot be read.

    They come as a list, as an object with one list, as bullets or rows of a table, or as texts in quotation marks;
    behind the label also as one plain line.
    """
    labelled = EVIDENCE.search(text)
    behind = text[labelled.end() :] if labelled else text.partition("\n")[2] or text
    behind = FENCE.sub("", behind).strip()
    if (listed := listed_in(behind)) is not None:
        return listed, ""
    if behind[:1] in "[{" and behind:
        return cut_list(behind)
    bulleted = [quote for line in said_lines(behind) if is_item(line) for quote in quotes_of(line)]
    if bulleted:
        return bulleted, ""
    if "[" in behind and '"' not in behind.partition("[")[0]:
        found = read_list(behind[behind.index("[") :])
        return (found, "") if found is not None else cut_list(behind[behind.index("[") :])
    if labelled and (plain := behind.partition("\n\n")[0].rstrip(" }")):
        lines = [] if NOTHING.match(plain) else said_lines(plain)
        return [each for line in lines for each in quotes_of(line)], ""
    return (quoted, "") if (quoted := in_quotation_marks(behind)) else ([], NO_LIST)


def cut_list(text: str) -> tuple[list[str], str]:
    """The whole quotes of a list that has no end, as where a reply ended at the token limit."""
    start = text.find("[")
    found, is_cut = _written_list(text[start:]) if start >= 0 else ([], False)
    return (found, CUT_LIST) if is_cut and found else ([], BROKEN_LIST)


# --- Lines ----------------------------------------------------------------------------------------------------------


def said_lines(text: str) -> list[str]:
    """The lines that may quote something: none that is empty, an introduction, or the head of a table."""
    lines = [line.strip() for line in text.splitlines()]
    heads = {at - 1 for at, line in enumerate(lines) if at and BELOW_HEAD.match(line) and ROW.match(lines[at - 1])}
    kept = [line for at, line in enumerate(lines) if line and at not in heads and not BELOW_HEAD.match(line)]
    # Introductions come before the first item, or on the first line where none is marked as one.
    first = next((at for at, line in enumerate(kept) if is_item(line)), 1) if len(kept) > 1 else 0
    return [line for at, line in enumerate(kept) if at >= first or not is_introduction(line)]


def is_introduction(line: str) -> bool:
    return not is_item(line) and (line.rstrip("*_ ").endswith((":", "：")) or bool(INTRODUCTION.match(line)))


def is_item(line: str) -> bool:
    """Whether a line is marked as a member of a list: a bullet, a number, a row of a table."""
    line = line.strip()
    return bool((BULLET.match(line) and BULLET.sub("", line)) or (ROW.match(line) and not BELOW_HEAD.match(line)))


def quotes_of(line: str) -> list[str]:
    """The texts in quotation marks of a line that begins with one, without the words between and behind them; else
    the line without marks around it."""
    line = unbulleted(line)
    first = QUOTED.match(line)
    if first and first.end() < len(line):
        return in_quotation_marks(line)
    return [quote] if (quote := unquoted(line)) else []


def in_quotation_marks(text: str) -> list[str]:
    """All texts in quotation marks, in their order."""
    return [quote.strip() for each in QUOTED.findall(text) for quote in each if quote.strip()]


# --- Lists ----------------------------------------------------------------------------------------------------------


def listed_in(text: str) -> list[str] | None:
    """The texts of the list, or of an object's only list, that the text begins with; None without one."""
    if text.startswith("{"):
        return _listed_in_object(text)
    return read_list(text) if text.startswith("[") else None


def _listed_in_object(text: str) -> list[str] | None:
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        inner = text.find("[")
        return read_list(text[inner:]) if inner >= 0 else None
    lists = [each for each in value.values() if isinstance(each, list)]
    if len(lists) != 1:
        return None
    try:
        return list(_texts(lists[0], 0))
    except ValueError:
        return None


def read_list(text: str) -> list[str] | None:
    """The texts of a list that the text begins with: JSON, Python, with typographic quotation marks, or nested, in
    their order. None if it is not a list of texts."""
    found = _json_list(text)
    if found is not None:
        return found
    written, is_cut = _written_list(text)
    return None if is_cut or written is None else written


def _json_list(text: str) -> list[str] | None:
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
        return list(_texts(value, 0))
    except (ValueError, RecursionError):
        return None


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < DEEPEST:
        for member in value:
            yield from _texts(member, depth + 1)
    else:
        raise ValueError("not a list of texts")


def _written_list(text: str) -> tuple[list[str] | None, bool]:
    """The texts of a list as a person would read it, and whether the list breaks off behind them; None if it is not
    one. A quotation mark ends its text only where a comma or a bracket comes next, so that marks inside a quote do no
    harm."""
    found: list[str] = []
    at, depth = 0, 0
    while at < len(text):
        character = text[at]
        if character == "[":
            depth += 1
        elif character == "]":
            depth -= 1
            if not depth:
                return found, False
        elif character in QUOTES:
            quote, at = _quoted(text, at)
            if quote is None:
                return found, True
            found.append(quote)
            continue
        elif not character.isspace() and character not in ",.…":
            return None, False
        if depth > DEEPEST:
            return None, False
        at += 1
    return found, True


_ENDS = re.compile(r"\s*(?:,|\]|\Z)")


def _quoted(text: str, start: int) -> tuple[str | None, int]:
    """The text in quotation marks that begins at `start`, and where what follows it begins; None if it never ends."""
    closing, parts, at = QUOTES[text[start]], [], start + 1
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text):
            parts.append(ESCAPES.get(text[at + 1], text[at + 1]))
            at += 2
            continue
        if character == closing and _ENDS.match(text, at + 1):
            return "".join(parts), at + 1
        parts.append(character)
        at += 1
    return None, at


def unmarked(line: str) -> str:
    """A line without the bullet or number before it, and without bold and quotation marks around it."""
    return unquoted(unbulleted(line))


def unbulleted(line: str) -> str:
    """A line without the bullet or number before it, bold around it, or the borders of its row, of which the longest
    cell counts."""
    line = line.strip()
    if row := ROW.match(line):
        line = max(row[1].split("|"), key=len)
    line = BULLET.sub("", line.strip()).strip()
    for mark in ("**", "__", "*"):
        if line.startswith(mark) and line.endswith(mark) and len(line) > 2 * len(mark):
            return line[len(mark) : -len(mark)].strip()
    return line


def unquoted(line: str) -> str:
    """A line without the quotation marks around it."""
    if len(line) > 1 and line[0] in QUOTES and line[-1] == QUOTES[line[0]]:
        line = line[1:-1]
    return line.strip()
