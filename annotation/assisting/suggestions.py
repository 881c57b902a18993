"""Suggestions of the form for step 4 and for a question as typed. They decide nothing; there is none if the rules are
unsure.

Values in, codes of `taxonomy` out; a blank code means no suggestion.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .. import taxonomy
from ..content.checks import is_empty, is_yes_no, same_title
from ..content.fields import Content, questions_of
from ..content.marking import normalised
from ..reading import selection

YES_NO, WH = "yes/no", "wh"

_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NUMBER_WORDS = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen"
    r"|half|third|quarter|once|twice|both|single|double)"
)
_ORDINALS = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth"
    r"|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|\d+(?:st|nd|rd|th))"
)
_YEAR = r"(?:1\d|20)\d\d"
_DATE = re.compile(
    "|".join(
        (
            rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}(?:,? \d{{3,4}})?\b",
            rf"\b{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{3,4}})?\b",
            rf"\b{_MONTHS},? \d{{4}}\b",
            r"\b\d{4}-\d\d-\d\d\b",
            r"\b\d{1,2}/\d{1,2}/\d{2,4}\b",
            rf"\b{_WEEKDAYS}\b",
            r"\b\d{1,2}:\d\d\b",
            r"\b(?:early|mid|late)?[- ]?(?:the )?(?:1\d|20)\d0s\b",
            r"\b\d+ (?:bc|bce|ad|ce)\b",
            rf"\b{_ORDINALS}[- ](?:century|dynasty|millennium)\b",
            r"\b\d+ (?:million|billion|thousand)? ?years ago\b",
            r"\bc(?:irca|a)?\.? ?\d{3,4}\b",
            rf"\b{_YEAR}\b",
            r"\b(?:spring|summer|autumn|winter) (?:of )?\d{4}\b",
            rf"\b(?:\d+|{_NUMBER_WORDS}) (?:year|month|week|day|hour|minute|decade|centurie)s?\b",
        )
    ),
    re.IGNORECASE,
)
# Signs that a number that looks like a year is an amount: 1,920 kg, $1900, 1950 people.
_AMOUNT = re.compile(
    r"[$£€¥]\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:%|percent|per cent|km²?|m|mi|miles?|ft|feet|inch(?:es)?|kg|lb|tons?|tonnes?"
    r"|people|men|inhabitants|passengers|acres|hectares|metres|meters|kilometres|seats|votes|units|copies|dead|killed"
    r"|wounded)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"\d[\d.,]*|\b(?:{_NUMBER_WORDS}|{_ORDINALS})\b", re.IGNORECASE)
_CAPITALISED = re.compile(r"\b[A-ZÀ-Þ][\w'’.-]*")
# Words that give away what kind of name it is, from the most certain to the least.
_KIND_WORDS = {
    "LAW": "act treaty constitution amendment statute bill code charter convention accord accords",
    "EVT": "war battle siege hurricane cup olympics championship festival revolution election games",
    "FAC": "bridge airport stadium arena hospital penitentiary prison castle palace cathedral church mosque "
    "temple highway railway station tower building museum hotel dam canal road street complex",
    "ORG": "company corporation inc ltd university college institute club party ministry agency association "
    "society committee league council bank team kickhams fc gaa army navy band records",
    "LOC": "river lake mount mountain mountains island islands valley sea ocean county province state city town "
    "village district region north south east west northern southern eastern western mexico france "
    "germany england london paris rome italy spain china japan india canada america africa europe asia "
    "australia ireland scotland wales",
    "LANG": "language dialect latin arabic mandarin",
    "NORP": "catholic catholics protestant protestants muslim muslims jews jewish christian christians democrat "
    "democrats republican republicans socialist socialists liberal liberals",
    "PER": "mr mrs ms dr sir lord lady king queen prince princess president pope saint born general captain",
}
_KINDS = [(code, re.compile(rf"\b(?:{'|'.join(words.split())})\b", re.I)) for code, words in _KIND_WORDS.items()]
_NEGATION = re.compile(r"\b(?:not|never|no longer|cannot)\b|n['’]t\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|will|would|can|could|became|becomes|occurs?|lives?|\w{3,}ed)\b",
    re.I,
)
# In words: a span of whole sentences looks like many things at once.
_LONGEST_SPAN, _LONGEST_NAME, _LONGEST_NOUN_PHRASE = 18, 8, 4


@dataclass(frozen=True, slots=True)
class Picked:
    """The origin of a selected passage: `kind` as `selection` gives it, blank for a typed one."""

    kind: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Codes of the dimensions, and the kind of each question in order (blank for an empty one)."""

    semantic_type: str = ""
    modality: str = ""
    origin: str = ""
    questions: tuple[str, ...] = ()

    def by_field(self) -> dict[str, str]:
        """The suggestions by form field name, without blank ones."""
        codes = {
            taxonomy.SEMANTIC_TYPE.key: self.semantic_type,
            taxonomy.MODALITY.key: self.modality,
            taxonomy.ORIGIN.key: self.origin,
        }
        return {name: code for name, code in codes.items() if code}


def suggest(content: Content, picked: Sequence[Picked] = (Picked(), Picked())) -> Suggestions:
    """The suggestions for the form's content; `picked` gives the origin of passages 1 and 2."""
    one, two = picked
    if content["wikitag_label_samepassage"] == "Same":
        two = one
    return Suggestions(
        semantic_type=semantic_type(content["relevantInfo_comment_A_Span"], content["relevantInfo_comment_B_Span"]),
        modality=modality(one.kind, two.kind),
        origin=origin(
            content["paragraphA_article"],
            content["paragraphB_article"],
            same_passage=content["wikitag_label_samepassage"] == "Same",
            languages=(one.language, two.language),
        ),
        questions=tuple(question_kind(question) for question, _, _ in questions_of(content)),
    )


def origin(title_1: str, title_2: str, *, same_passage: bool = False, languages: tuple[str, str] = ("", "")) -> str:
    """Return whether both passages are from one article, judged by their titles; two language editions count as two
    articles.
    """
    if same_passage:
        return "SAME"
    if is_empty(title_1) or is_empty(title_2):
        return ""
    if all(languages) and languages[0] != languages[1]:
        return "CROSS"
    return "SAME" if same_title(title_1, title_2) else "CROSS"


def modality(kind_1: str, kind_2: str) -> str:
    """The modality, judged by the origin of the passages; blank if one of them was typed."""
    if not kind_1 or not kind_2:
        return ""
    texts = [kind_1, kind_2].count(selection.TEXT)
    return {2: "TT", 1: "TI", 0: "II"}[texts]


def question_kind(question: str) -> str:
    """The kind of question as in Table 1: by its first word."""
    return "" if is_empty(question) else YES_NO if is_yes_no(question) else WH


def semantic_type(span_1: str, span_2: str) -> str:
    """The semantic type, judged by the form of both spans: dates, numbers, names of a known kind, plain noun phrases,
    a negation.
    """
    if is_empty(span_1) or is_empty(span_2) or normalised(span_1) == normalised(span_2):
        return ""
    if max(len(span_1.split()), len(span_2.split())) > _LONGEST_SPAN:
        return ""
    if _differ(_DATE, _without(_AMOUNT, span_1), _without(_AMOUNT, span_2)):
        return "DATE"
    if _differ(_NUMBER, _without(_DATE, span_1), _without(_DATE, span_2)) or _differ(_AMOUNT, span_1, span_2):
        return "NUM"
    if bool(_NEGATION.search(span_1)) != bool(_NEGATION.search(span_2)) and _VERB.search(f"{span_1} {span_2}"):
        return "REL"
    return _kind_of_name(span_1, span_2) or _noun_phrase(span_1, span_2)


def _without(pattern: re.Pattern[str], span: str) -> str:
    return pattern.sub(" ", span)


def _differ(pattern: re.Pattern[str], span_1: str, span_2: str) -> bool:
    """Return whether both spans contain matches, and different ones."""
    one, two = ({normalised(match[0]) for match in pattern.finditer(span)} for span in (span_1, span_2))
    return bool(one) and bool(two) and one != two


def _kind_of_name(span_1: str, span_2: str) -> str:
    """The kind of both names, or of one if the other's kind is unknown."""
    if not all(_is_name(span) for span in (span_1, span_2)):
        return ""
    kinds = [{code for code, pattern in _KINDS if pattern.search(span)} for span in (span_1, span_2)]
    common = kinds[0] & kinds[1] or (kinds[0] or kinds[1] if not all(kinds) else set())
    return next((code for code, _ in _KINDS if code in common), "")


def _is_name(span: str) -> bool:
    return bool(_CAPITALISED.search(span)) and len(span.split()) <= _LONGEST_NAME and not _VERB.search(span)


def _noun_phrase(span_1: str, span_2: str) -> str:
    plain = all(
        len(span.split()) <= _LONGEST_NOUN_PHRASE and not _CAPITALISED.search(span) and not _VERB.search(span)
        for span in (span_1, span_2)
    )
    return "NP" if plain else ""
