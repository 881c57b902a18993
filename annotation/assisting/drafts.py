"""Drafts of statements, spans, a question and its answers, by rule, where two passages clash in a date, a number or a
name. They are shown in grey and decide nothing; there is none where the rules are unsure.

Values in, texts out.
"""

import re
from dataclasses import dataclass, field

from ..content.checks import is_empty
from ..content.fields import Content
from ..reading.sentences import sentences
from .clashes import Clash, clash_between
from .values import DATE, NUMBER

STATEMENTS = ("relevantInfo_comment_A", "relevantInfo_comment_B")
SPANS = ("relevantInfo_comment_A_Span", "relevantInfo_comment_B_Span")
QUESTION, ANSWERS = "question1", ("question1_answer1", "question1_answer2")
FIELDS_DRAFTED = (*STATEMENTS, *SPANS, QUESTION, *ANSWERS)
LONGEST_DRAFT = 400
_LONGEST_STATEMENT = 300
# In words: a longer one mostly has a subject of its own.
_LONGEST_REST = 6

_BE = "was|were|is|are"
_NO_BE = rf"(?:(?!\b(?:{_BE}|has|have|had)\b)[^,;])"
_TO_DATE = r"(?: (?:in|on|at|by|since|from)(?: the| early| late)?)?$"
_DONE = r"[^,;]*?\w(?:ed|en|rn|lt|un|ld|nt|ht)\b[^,;]*?"
_WHEN = re.compile(rf"^(?P<subject>{_NO_BE}+?) (?P<be>{_BE}) (?P<rest>{_DONE}){_TO_DATE}")
_PAST = """died opened closed began started ended entered joined left married moved retired won became arrived
returned occurred happened took graduated collapsed sank stopped"""
_VERB = "|".join(_PAST.split())
_DID = re.compile(rf"^(?P<subject>{_NO_BE}+?) (?P<verb>{_VERB})\b(?P<rest>{_NO_BE}*?){_TO_DATE}")
_STEMS = {
    "died": "die", "began": "begin", "left": "leave", "won": "win", "became": "become", "took": "take",
    "sank": "sink",
    "married": "marry", "moved": "move", "retired": "retire", "arrived": "arrive", "graduated": "graduate",
    "closed": "close", "collapsed": "collapse", "stopped": "stop",
}  # fmt: skip
_PRONOUN = re.compile(r"^(?:he|she|it|they|this|that|these|those|his|her|their|its|there)\b", re.IGNORECASE)
_ARTICLE = re.compile(
    r"^(?:The|A|An|In|On|At|It|He|She|They|This|His|Her|Its|Their|There|During|After|By|Since|From)\b"
)


@dataclass(frozen=True, slots=True)
class Drafts:
    """Texts by form field, and the clash that they are made from; empty without one."""

    texts: dict[str, str] = field(default_factory=dict)
    clash: Clash | None = None


def drafts_for(content: Content) -> Drafts:
    """The drafts for the form's content, whether or not a field is still blank."""
    text_1, text_2 = (passage_of(content, letter) for letter in "AB")
    if content["wikitag_label_samepassage"] == "Same" or is_empty(text_1) or is_empty(text_2):
        return Drafts()
    clash = clash_between(text_1, text_2)
    if clash is None:
        return Drafts()
    texts = dict(zip(SPANS, (clash.words_1, clash.words_2), strict=True))
    said = [_sentence(text_1, clash.start_1), _sentence(text_2, clash.start_2)]
    texts |= {name: statement(one) for name, one in zip(STATEMENTS, said, strict=True) if one}
    texts |= dict(zip(ANSWERS, (answer(clash.words_1), answer(clash.words_2)), strict=True))
    written = question(said[0], clash.words_1, clash.kind) or question(said[1], clash.words_2, clash.kind)
    return Drafts(texts | ({QUESTION: written} if written else {}), clash)


def passage_of(content: Content, letter: str) -> str:
    """The text of a passage that clashes are sought in: its stand-alone version, else as found."""
    return content[f"paragraph{letter}_information_standalone"] or content[f"paragraph{letter}_information"]


def _sentence(text: str, at: int) -> str:
    """The sentence or line around an offset; "" if it is too long to be a statement."""
    start, end = next(((one.start, one.end) for one in sentences(text) if one.start <= at < one.end), (0, len(text)))
    start = max(start, text.rfind("\n", 0, at) + 1)
    end = min(end, text.find("\n", at) if "\n" in text[at:] else end)
    said = text[start:end].strip()
    return said if len(said) <= _LONGEST_STATEMENT else ""


def statement(sentence: str) -> str:
    """A sentence as it goes on after "passage 1 states that"."""
    said = sentence.rstrip(" .;")
    return said[:1].lower() + said[1:] if _ARTICLE.match(said) else said


def answer(words: str) -> str:
    return words.strip(" ,.;")


def question(sentence: str, value: str, kind: str) -> str:
    """A question whose answer is this value of the sentence; "" if no rule has one."""
    before, found, after = sentence.rstrip(" .").partition(value)
    if not found:
        return ""
    is_there = re.match(rf"There (?:{_BE}) ", sentence) is not None
    if _PRONOUN.match(sentence) and not is_there:
        return ""
    if kind == NUMBER:
        return _how_many(before, after)
    return _when(before) if kind == DATE else ""


def _when(before: str) -> str:
    before = before.strip(" ,(")
    if "," in before or "(" in before:
        return ""
    if match := _DID.match(before):
        verb = _STEMS.get(match["verb"]) or match["verb"].removesuffix("ed")
        return _asked(f"When did {_subject(match['subject'])} {verb}{match['rest']}")
    if match := _WHEN.match(before):
        is_long = len(match["rest"].split()) > _LONGEST_REST
        return "" if is_long else _asked(f"When {match['be']} {_subject(match['subject'])} {match['rest']}")
    return ""


def _how_many(before: str, after: str) -> str:
    """There were 69 tornadoes confirmed in May: How many tornadoes were confirmed in May?"""
    if not (unit := re.match(r"\s+(?P<unit>[a-z]+s)\b(?P<rest>[^,;]*)", after)):
        return ""
    if there := re.match(r"^There (?P<be>was|were|is|are)\s*$", before):
        return _asked(f"How many {unit['unit']} {there['be']} {unit['rest'].strip() or 'there'}")
    if not before.strip() and (said := re.match(rf"\s*(?P<be>{_BE}) (?P<rest>.+)$", unit["rest"])):
        return _asked(f"How many {unit['unit']} {said['be']} {said['rest']}")
    if has := re.match(r"^(?P<subject>[^,;]+?) (?P<verb>has|have|had)\s*$", before):
        does = {"has": "does", "have": "do", "had": "did"}[has["verb"]]
        return _asked(f"How many {unit['unit']} {does} {_subject(has['subject'])} have{unit['rest']}")
    return ""


def _subject(words: str) -> str:
    return words[:1].lower() + words[1:] if _ARTICLE.match(words) else words


def _asked(words: str) -> str:
    return re.sub(r"\s+", " ", words).strip(" ,.") + "?"
