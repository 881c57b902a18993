"""How replies to ContraDoc's tasks are read. Text in, values out; what cannot be read stays unread and says why: it
is never taken for a "no".

The released code takes any "yes" in a reply for a yes and everything else for a no, and every line of a reply whose
list it cannot parse for evidence. These readers do neither.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ...protocol.tasks import Read

# The reasons why nothing can be read, in words.
EMPTY = "the reply is empty"
NEITHER, BOTH = "it contains neither “yes” nor “no”", "it contains both “yes” and “no”"
NO_JUDGMENT = "no line begins with “Judgment:”"
TWO_JUDGMENTS = "it judges twice, and differently"
NO_LIST, BROKEN_LIST = "there is no list of evidence", "the list of evidence cannot be read"

TOP_K = 5
# Of a reply with more quotes, so many are kept with the reading. All of them are looked at.
MOST_KEPT = 200
DEEPEST = 50
WORDS = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
# "Judgment:" at the beginning of a line, whatever marks a model puts around it; also as a name in a JSON object.
JUDGMENT = re.compile(r"^[ \t>*_#{\"'`-]*judge?ment[*_\"'`]*\s*[:：][^\S\n]*(.*)$", re.IGNORECASE | re.MULTILINE)
EVIDENCE = re.compile(r"\bevidence[*_\"'`]*\s*[:：]", re.IGNORECASE)
BULLET = re.compile(r"^(?:[-–—*•·‣]\s+|\(?\d{1,3}[.):]\s*)+")
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
    """The quotes of a reply in their order, one a line, without bullets, numbers and quotation marks around them; or
    the members of a list, where the reply is one. A reply that quotes nothing is an empty list."""
    text = FENCE.sub("", text).strip()
    listed = read_list(text) if text.startswith("[") else None
    lines = listed if listed is not None else map(unmarked, text.splitlines())
    found: list[str] = []
    for line in lines:
        if line.strip():
            found.append(line.strip())
        if len(found) == TOP_K:
            break
    return Read(found)


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
    """The quotes in the list behind "Evidence:", or behind the judgment, and why there are none."""
    labelled = EVIDENCE.search(text)
    behind = text[labelled.end() :] if labelled else text
    if "[" not in behind:
        return [], NO_LIST
    found = read_list(behind[behind.index("[") :])
    return ([], BROKEN_LIST) if found is None else (found, "")


# --- Lists ----------------------------------------------------------------------------------------------------------


def read_list(text: str) -> list[str] | None:
    """The texts of a list that the text begins with: JSON, Python, with typographic quotation marks, or nested, in
    their order. None if it is not a list of texts."""
    found = _json_list(text)
    return found if found is not None else _written_list(text)


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


def _written_list(text: str) -> list[str] | None:
    """As a person would read it: a quotation mark ends its text only where a comma or a bracket comes next, so that
    marks inside a quote do no harm."""
    found: list[str] = []
    at, depth = 0, 0
    while at < len(text):
        character = text[at]
        if character == "[":
            depth += 1
        elif character == "]":
            depth -= 1
            if not depth:
                return found
        elif character in QUOTES:
            quote, at = _quoted(text, at)
            if quote is None:
                return None
            found.append(quote)
            continue
        elif not character.isspace() and character not in ",.…":
            return None
        if depth > DEEPEST:
            return None
        at += 1
    return None


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
    """A line without the bullet or number before it and the quotation marks around it."""
    line = BULLET.sub("", line.strip()).strip()
    if len(line) > 1 and line[0] in QUOTES and line[-1] == QUOTES[line[0]]:
        line = line[1:-1]
    return line.strip()
