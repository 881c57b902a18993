"""Reads replies to ContraDoc's tasks. Text in, values out; an unreadable reply stays unread with the reason: it is
never taken for a "no".

The released code takes any "yes" in a reply for a yes and everything else for a no, and every line of a reply whose
list it cannot parse for evidence. These readers do neither.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from core.languages import say
from core.outside import storable
from judging.protocol.tasks import Read

from .lines import FENCE, is_quote, read_lines, read_marked_lines, read_prose, says_nothing, without_cut_end
from .lists import OPENING, read_list, read_lists, texts_of

# The reasons why nothing can be read, in words.
EMPTY = say("the reply is empty")
NEITHER, BOTH = say("it contains neither “yes” nor “no”"), say("it contains both “yes” and “no”")
NO_JUDGMENT = say("no line begins with “Judgment:”")
TWO_JUDGMENTS = say("it judges twice, and differently")
NO_LIST, BROKEN_LIST = say("there is no list of evidence"), say("the list of evidence cannot be read")
CUT_LIST = say("the list of evidence is cut off; what is whole in it was read")

TOP_K = 5
# A longer reply keeps this many quotes with its reading. All of them are looked at.
MOST_KEPT = 200
# Whole words, and the answer: not no-one, no one, No. 5, a yes-man.
WORDS = re.compile(
    r"(?<![^\W_])(?<!\w[-‐‑])(?:(yes)|(no)(?![^\S\n]+one\b)(?!\.?[^\S\n]*\d))(?![^\W_])(?![-‐‑]\w)", re.IGNORECASE
)
# "Judgment:" at the beginning of a line, whatever marks a model puts around it; also as a name in a JSON object.
JUDGMENT = re.compile(r"^[ \t>*_#{\"'`-]*judge?ment[*_\"'`]*\s*[:：][^\S\n]*(.*)$", re.IGNORECASE | re.MULTILINE)
EVIDENCE = re.compile(
    r"\bevidences?[*_\"'`]*\s*[:：][*_]*|^[ \t>*_#]*evidences?[ \t*_]*$", re.IGNORECASE | re.MULTILINE
)
JUDGES = re.compile(r"\s*judge?ment\s*", re.IGNORECASE)
# A list as the whole reply, or behind an introduction.
LISTED = re.compile(r"^[^\S\n]*(?:[\w*\"' ]{1,30}:[*\s]*)?(?=[\[{])", re.MULTILINE)


def read_yes_or_no(text: str) -> Read:
    """True or false for a reply that says yes or no as a separate word, and not both."""
    if not text.strip():
        return Read(problem=EMPTY)
    said = {bool(word[1]) for word in WORDS.finditer(text)}
    if len(said) == 1:
        return Read(said.pop())
    return Read(problem=BOTH if said else NEITHER)


def read_quotes(text: str) -> Read:
    """The quotes of a reply in their order: the members of a list, otherwise one per line, without bullets, numbers
    and quotation marks around them. A reply that quotes nothing gives an empty list.
    """
    text = FENCE.sub("", text).strip()
    if "\n" not in text:
        text = text.replace("\\n", "\n")  # a published wording asks for it, and some models write it out
    found = _listed_quotes(text)
    quotes = read_lines(text) if found is None else [quote.strip() for quote in found if is_quote(quote)]
    return Read([storable(quote) for quote in quotes[:TOP_K]])


def _listed_quotes(text: str) -> list[str] | None:
    begins = next((each.end() for each in LISTED.finditer(text) if OPENING.match(text, each.end())), None)
    return None if begins is None else read_list(text[begins:])


def read_first_quote(text: str) -> Read:
    """The first quote of a reply that should have one."""
    return Read((read_quotes(text).value or [])[:1]) if text.strip() else Read(problem=EMPTY)


def read_judgment(text: str) -> Read:
    """`{"yes": whether it judges so, "quotes": its evidence, "count": how many quotes, "list_problem": why the list
    cannot be read, or not to its end}`. Only the line of the judgment says yes or no."""
    if not text.strip():
        return Read(problem=EMPTY)
    if as_object := _judging_object(text):
        word, members = as_object
        return _judged([word], lambda: _evidence_in(members))
    judgments = list(JUDGMENT.finditer(text))
    if not judgments:
        return Read(problem=NO_JUDGMENT)
    words = [EVIDENCE.split(each[1], maxsplit=1)[0] for each in judgments]
    return _judged(words, lambda: read_evidence(text[judgments[-1].start(1) :]))


def _judged(words: Sequence[str], evidence: Callable[[], tuple[list[str], str]]) -> Read:
    """The reading of a reply that judges in these words."""
    said = [read_yes_or_no(each) for each in words]
    if unread := next((each for each in said if each.problem), None):
        return Read(problem=NEITHER if unread.problem == EMPTY else unread.problem)
    if len({each.value for each in said}) > 1:
        return Read(problem=TWO_JUDGMENTS)
    quotes, problem = evidence()
    quotes = [storable(quote) for quote in quotes]  # a list may have escaped what no database stores
    with_problem = {"list_problem": problem} if problem and said[0].value else {}
    return Read({"yes": said[0].value, "quotes": quotes, "count": len(quotes), **with_problem})


def _judging_object(text: str) -> tuple[str, dict[str, object]] | None:
    """The judgment of a reply that is a JSON object, and its other members; None for any other reply."""
    try:
        value = json.loads(FENCE.sub("", text), strict=False)
    except (ValueError, RecursionError):
        return None
    judging = [name for name in value if JUDGES.fullmatch(name)] if isinstance(value, dict) else []
    if len(judging) != 1 or not isinstance(value[judging[0]], str):
        return None
    return value[judging[0]], {name: member for name, member in value.items() if name != judging[0]}


def _evidence_in(members: dict[str, object]) -> tuple[list[str], str]:
    """The evidence as in `read_evidence`, from the other members of a JSON object."""
    found = texts_of(members)
    if found is None:
        return [], NO_LIST
    if len(found) == 1 and (inside := read_lists(found[0])):
        return inside.texts, "" if inside.is_whole else CUT_LIST
    return [text for text in found if is_quote(text)], ""


def read_evidence(text: str) -> tuple[list[str], str]:
    """The quotes after "Evidence:", or after the judgment, and why there are none or not all: in a list, in marked
    lines, or in quotation marks; after the label also in plain lines. A reply that says that there is none quotes
    nothing.
    """
    labelled = EVIDENCE.search(text)
    behind = (text[labelled.end() :] if labelled else WORDS.sub("", text, count=1)).strip()
    if says_nothing(behind.partition("\n")[0]):
        return [], ""
    if found := read_lists(behind):
        return found.texts, "" if found.is_whole else CUT_LIST
    if OPENING.search(behind) or behind.startswith("["):
        return [], BROKEN_LIST
    kept = without_cut_end(behind)
    quotes = read_marked_lines(kept)
    if quotes is None:
        quotes = read_prose(kept.partition("\n\n")[0] if labelled else kept, is_plain=bool(labelled))
        if not quotes:
            return [], NO_LIST
    return quotes, "" if kept == behind else CUT_LIST
